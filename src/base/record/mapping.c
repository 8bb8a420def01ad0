/* mapping: the field table and the sums over mappings. */
#include "base/record/mapping.h"

const pm_field_info pm_fields[PM_FIELD_COUNT] = {
#define PM_FIELD(id, key, column, unit, additive) {key, column, additive},
#include "base/record/fields.def"
#undef PM_FIELD
};

enum pm_field pm_field_find(pm_text key)
{
    for (int i = 0; i < PM_FIELD_COUNT; i++)
        if (key.len && *key.data == *pm_fields[i].key && /* most keys differ in the first byte */
            pm_text_equal(key, pm_text_of(pm_fields[i].key)))
            return (enum pm_field)i;
    return PM_FIELD_COUNT;
}

static int64_t value_of(const pm_mapping *m, enum pm_field field)
{
    return pm_has(m, PM_BIT(field)) ? (int64_t)m->value[field] : -1;
}

int64_t pm_total_of(const pm_mapping *m, enum pm_total total)
{
    switch (total) {
    case PM_TOTAL_MAPPINGS:
        return 1;
    case PM_TOTAL_SIZE:
        return value_of(m, PM_SIZE);
    case PM_TOTAL_RSS:
        return value_of(m, PM_RSS);
    case PM_TOTAL_PSS:
        return value_of(m, PM_PSS);
    case PM_TOTAL_PRIVATE:
        if (!pm_has(m, PM_BIT(PM_PRIVATE_CLEAN) | PM_BIT(PM_PRIVATE_DIRTY)))
            return value_of(m, PM_PRIVATE);
        return (int64_t)(m->value[PM_PRIVATE_CLEAN] + m->value[PM_PRIVATE_DIRTY]);
    case PM_TOTAL_PRIVATE_DIRTY:
        return value_of(m, PM_PRIVATE_DIRTY);
    case PM_TOTAL_SWAP:
        return value_of(m, PM_SWAP);
    case PM_TOTAL_COUNT:
        break;
    }
    return -1;
}

void pm_totals_zero(pm_totals *t)
{
    *t = (pm_totals){{0}};
}

void pm_totals_add(pm_totals *t, const pm_mapping *m)
{
    for (int i = 0; i < PM_TOTAL_COUNT; i++) {
        int64_t v = pm_total_of(m, (enum pm_total)i);

        t->v[i] = t->v[i] < 0 || v < 0 ? -1 : t->v[i] + v;
    }
}
