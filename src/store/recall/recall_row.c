/* recall_row: turns a row of the store back into its mapping. */
#include "store/recall/recall_row.h"

#include "base/num.h"
#include "store/dict/rare_fields.h"

static pmapdb_status damaged(int64_t region_id, const char *what, pmapdb_error *err)
{
    return pm_fail(err, PMAPDB_INPUT, "region %lld: %s; the store is damaged", (long long)region_id,
                   what);
}

static int64_t or_else(int64_t value, int64_t usual)
{
    return value == PMAPDB_UNKNOWN ? usual : value;
}

/* Restores the values that pm_row_encode left out. */
static void decode(const pm_row *row, int64_t out[PM_FIELD_COUNT])
{
    const int64_t *v = row->m.v;
    int64_t dirty = pm_metrics_dirty(&row->m);
    int64_t rss = or_else(v[PM_VER_RSS], pm_metrics_parts(&row->m));

    for (int i = 0; i < PM_FIELD_COUNT; i++)
        out[i] = 0; /* the usual value of most fields of table rare_fields */
    out[PM_SIZE] = pm_row_size_kib(row);
    out[PM_KERNEL_PAGE] = row->at.object->kernel_page;
    out[PM_MMU_PAGE] = row->at.object->mmu_page;
    out[PM_RSS] = rss;
    out[PM_PSS] = or_else(v[PM_VER_PSS], rss);
    out[PM_PSS_DIRTY] = pm_metrics_pss_dirty(&row->m, v[PM_VER_RSS]);
    out[PM_SHARED_CLEAN] = v[PM_VER_SHARED_CLEAN];
    out[PM_SHARED_DIRTY] = v[PM_VER_SHARED_DIRTY];
    out[PM_PRIVATE_CLEAN] = v[PM_VER_PRIVATE_CLEAN];
    out[PM_PRIVATE_DIRTY] = v[PM_VER_PRIVATE_DIRTY];
    out[PM_REFERENCED] = or_else(v[PM_VER_REFERENCED], rss);
    out[PM_ANONYMOUS] = v[PM_VER_PRIVATE_DIRTY];
    out[PM_SWAP] = v[PM_VER_SWAP];
    out[PM_SWAP_PSS] = v[PM_VER_SWAP];
    out[PM_THP_ELIGIBLE] = row->at.object->thp_eligible;
    out[PM_PROTECTION_KEY] = row->at.object->protection_key;
    out[PM_DIRTY] = dirty;
}

static pmapdb_status add_detail(pm_sql *sql, const pm_row *row, int64_t numbers[PM_FIELD_COUNT],
                                pm_buf *extra, pmapdb_error *err)
{
    int64_t id = row->m.v[PM_VER_DETAIL];
    pm_rare_fields detail;
    pmapdb_status st;

    if (id == PMAPDB_UNKNOWN)
        return PMAPDB_OK;
    st = pm_rare_get(sql, id, extra, &detail, err);
    for (size_t i = 0; i < PM_RARE_VALUES && st == PMAPDB_OK; i++)
        if (detail.number[i] != PMAPDB_UNKNOWN)
            numbers[pm_rare_columns[i]] = detail.number[i];
    return st;
}

/* Reads major:minor, in hex. */
static bool read_device(const char *device, pm_mapping *m)
{
    const char *end = device + strlen(device);
    uint64_t major, minor;
    size_t used = pm_num_hex(device, end, &major);

    if (!used || device[used] != ':')
        return false;
    device += used + 1;
    used = pm_num_hex(device, end, &minor);
    if (!used || device + used != end || major > UINT32_MAX || minor > UINT32_MAX)
        return false;
    m->dev_major = (uint32_t)major;
    m->dev_minor = (uint32_t)minor;
    return true;
}

static void set_if_known(pm_mapping *m, enum pm_field field, int64_t value)
{
    if (value >= 0 && value <= PM_RECALL_NUMBER_MAX)
        pm_set(m, field, (uint64_t)value);
}

bool pm_recall_object(const pm_object *o, pm_mapping *out)
{
    pm_mapping m = {.present = (o->has_device ? PM_HAS_DEVICE : 0) |
                               (o->has_inode ? PM_HAS_INODE : 0) |
                               (o->has_flags ? PM_HAS_FLAGS : 0),
                    .inode = o->inode,
                    .name_cut = o->name_cut,
                    .path = o->path,
                    .flags = o->flags};

    memcpy(m.perms, o->perms, sizeof m.perms);
    set_if_known(&m, PM_KERNEL_PAGE, o->kernel_page);
    set_if_known(&m, PM_MMU_PAGE, o->mmu_page);
    set_if_known(&m, PM_THP_ELIGIBLE, o->thp_eligible);
    set_if_known(&m, PM_PROTECTION_KEY, o->protection_key);
    if (o->has_device && !read_device(o->device, &m))
        return false;
    *out = m;
    return true;
}

#define OF_OBJECT                                                                                 \
    (PM_HAS_DEVICE | PM_HAS_INODE | PM_HAS_FLAGS | PM_BIT(PM_KERNEL_PAGE) | PM_BIT(PM_MMU_PAGE) | \
     PM_BIT(PM_THP_ELIGIBLE) | PM_BIT(PM_PROTECTION_KEY))

/* Fills the mapping. Its texts belong to the object and to `extra`. */
static pmapdb_status describe(const pm_row *row, uint64_t fields,
                              const int64_t numbers[PM_FIELD_COUNT], pm_text extra, pm_mapping *m,
                              pmapdb_error *err)
{
    uint64_t present = pm_metrics_fields(&row->m, fields);

    if (!pm_recall_object(row->at.object, m))
        return damaged(row->region_id, "its device cannot be", err);
    m->start = row->at.start;
    m->end = row->at.start + row->at.length;
    m->offset = row->at.has_offset ? row->at.offset : 0;
    m->extra = extra;
    if (m->end <= m->start)
        return damaged(row->region_id, "its place cannot be", err);
    if (((present ^ m->present) & OF_OBJECT) ||
        ((present & PM_HAS_OFFSET) != 0) != row->at.has_offset)
        return damaged(row->region_id, "it shows what its capture did not have", err);
    m->present = present;
    for (int i = 0; i < PM_FIELD_COUNT; i++) {
        if (!pm_has(m, PM_BIT(i)))
            continue;
        if (numbers[i] < 0 || numbers[i] > PM_RECALL_NUMBER_MAX)
            return damaged(row->region_id, "a number is missing or cannot be", err);
        m->value[i] = (uint64_t)numbers[i];
    }
    return PMAPDB_OK;
}

pmapdb_status pm_recall_row(pm_sql *sql, const pm_row *row, uint64_t fields, pm_buf *extra,
                            pm_mapping *out, pmapdb_error *err)
{
    int64_t numbers[PM_FIELD_COUNT];
    pmapdb_status st;

    decode(row, numbers);
    pm_buf_clear(extra);
    st = add_detail(sql, row, numbers, extra, err);
    return st == PMAPDB_OK ? describe(row, fields, numbers, pm_buf_text(extra), out, err) : st;
}
