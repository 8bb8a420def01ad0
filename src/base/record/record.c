/* record: the table of fields, the names of dialects, states and checks, the sums over mappings,
 * and the lifetime of a capture. */
#include "base/record/capture.h"

#include <stdlib.h>

const pm_field_info pm_fields[PM_FIELD_COUNT] = {
#define PM_FIELD(id, key, column) {key, column},
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

int64_t pm_total_of(const pm_mapping *m, enum pm_total total)
{
    static const enum pm_field fields[PM_TOTAL_COUNT] = {
        [PM_TOTAL_SIZE] = PM_SIZE, [PM_TOTAL_RSS] = PM_RSS,
        [PM_TOTAL_PSS] = PM_PSS,   [PM_TOTAL_PRIVATE] = PM_PRIVATE,
        [PM_TOTAL_SWAP] = PM_SWAP, [PM_TOTAL_PRIVATE_DIRTY] = PM_PRIVATE_DIRTY};

    if (total == PM_TOTAL_MAPPINGS)
        return 1;
    if (total == PM_TOTAL_PRIVATE && pm_has(m, PM_BIT(PM_PRIVATE_CLEAN) | PM_BIT(PM_PRIVATE_DIRTY)))
        return (int64_t)(m->value[PM_PRIVATE_CLEAN] + m->value[PM_PRIVATE_DIRTY]);
    return pm_mapping_value(m, fields[total]);
}

void pm_totals_add(pm_totals *t, const pm_mapping *m)
{
    for (int i = 0; i < PM_TOTAL_COUNT; i++) {
        int64_t v = pm_total_of(m, (enum pm_total)i);

        t->v[i] = t->v[i] < 0 || v < 0 ? PMAPDB_UNKNOWN : t->v[i] + v;
    }
}

/* ---- names ---- */

#define PM_FORMAT(id, pattern, tool, gives, example)

const char *const pm_dialect_names[PM_DIALECT_COUNT + 1] = {
#define PM_DIALECT(id, name, names, pattern, tool, gives, example) name,
#include "base/record/formats.def"
#undef PM_DIALECT
    "?"};

enum { KERNEL_NAMES, OWN_NAMES };

const bool pm_dialect_hides_pseudo[PM_DIALECT_COUNT + 1] = {
#define PM_DIALECT(id, name, names, pattern, tool, gives, example) names,
#include "base/record/formats.def"
#undef PM_DIALECT
};

const char *const pm_state_names[] = {"complete", "partial", "totals"};
const char *const pm_checked_names[] = {"none", "footer", "status", "rollup"};

pm_dialect pm_dialect_find(pm_text name)
{
    return (pm_dialect)pm_text_index(name, pm_dialect_names, PM_DIALECT_COUNT);
}

/* ---- captures ---- */

void pm_capture_free(pm_capture *c)
{
    if (!c)
        return;
    free(c->rows);
    free(c->command);
    free(c->missing);
    free(c->notes);
    free(c->source_dir);
    free(c->source_name);
    free(c->name);
    free(c);
}
