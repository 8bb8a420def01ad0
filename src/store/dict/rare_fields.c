/* rare_fields: reads and writes rows of table rare_fields. */
#include "store/dict/rare_fields.h"
#include "base/hash.h"

#define COLUMNS                                                         \
    "pss_dirty_kib, anonymous_kib, swap_pss_kib, anon_huge_kib, "       \
    "locked_kib, ksm_kib, lazy_free_kib, shmem_pmd_kib, file_pmd_kib, " \
    "shared_hugetlb_kib, private_hugetlb_kib, rss_kib, dirty_kib, fields, extra"

const enum pm_field pm_rare_columns[PM_RARE_VALUES] = {
    PM_PSS_DIRTY, PM_ANONYMOUS, PM_SWAP_PSS, PM_ANON_HUGE,      PM_LOCKED,          PM_KSM,
    PM_LAZY_FREE, PM_SHMEM_PMD, PM_FILE_PMD, PM_SHARED_HUGETLB, PM_PRIVATE_HUGETLB, PM_RSS,
    PM_DIRTY};
#define COLUMN_OF_RSS 11 /* index of PM_RSS in pm_rare_columns */

/* Returns the usual value, as in the view mappings; PMAPDB_UNKNOWN if a column that it follows from
 * is unknown. */
static int64_t usual(const pm_mapping *m, const pm_metrics *row, enum pm_field field)
{
    switch (field) {
    case PM_RSS:
        return pm_metrics_parts(row);
    case PM_DIRTY:
        return pm_metrics_dirty(row);
    case PM_PSS_DIRTY:
        return pm_metrics_pss_dirty(row, pm_mapping_value(m, PM_RSS));
    case PM_ANONYMOUS:
        return row->v[PM_VER_PRIVATE_DIRTY];
    case PM_SWAP_PSS:
        return row->v[PM_VER_SWAP];
    default:
        return 0;
    }
}

bool pm_rare_of(const pm_mapping *m, uint64_t fields, const pm_metrics *row, pm_rare_fields *out)
{
    bool lacks = fields & ~m->present, any = lacks || m->extra.len > 0;

    out->extra = m->extra;
    for (size_t i = 0; i < PM_RARE_VALUES; i++) {
        int64_t number = pm_mapping_value(m, pm_rare_columns[i]);

        out->number[i] = number == usual(m, row, pm_rare_columns[i]) ? PMAPDB_UNKNOWN : number;
        any |= out->number[i] != PMAPDB_UNKNOWN;
    }
    out->number[PM_RARE_FIELDS] = lacks ? (int64_t)(fields & m->present) : PMAPDB_UNKNOWN;
    return any;
}

void pm_rare_refer(pm_metrics *row, int64_t id, const pm_rare_fields *d)
{
    row->v[PM_VER_DETAIL] = id;
    row->v[PM_VER_RSS] = d->number[COLUMN_OF_RSS];
    row->v[PM_VER_FIELDS] = d->number[PM_RARE_FIELDS];
}

/* Searches first: the row usually exists, and reading costs less than an insert that fails. */
int64_t pm_rare_put(pm_sql *sql, const pm_rare_fields *d)
{
    pm_arg args[PM_RARE_NUMBERS + 2];
    int64_t id;

    for (size_t i = 0; i < PM_RARE_NUMBERS; i++)
        args[i] = PM_I(d->number[i]);
    args[PM_RARE_NUMBERS] = PM_WORD(d->extra);
    args[PM_RARE_NUMBERS + 1] = PM_I((uint32_t)pm_hash(d->number, sizeof d->number));
    id = pm_sql_value(
        sql,
        "SELECT rare_fields_id FROM rare_fields WHERE hash = ?16 AND pss_dirty_kib IS ?1 AND "
        "anonymous_kib IS ?2 AND swap_pss_kib IS ?3 AND anon_huge_kib IS ?4 AND "
        "locked_kib IS ?5 AND ksm_kib IS ?6 AND lazy_free_kib IS ?7 AND "
        "shmem_pmd_kib IS ?8 AND file_pmd_kib IS ?9 AND shared_hugetlb_kib IS ?10 AND "
        "private_hugetlb_kib IS ?11 AND rss_kib IS ?12 AND dirty_kib IS ?13 AND "
        "fields IS ?14 AND extra IS ?15",
        args, sizeof args / sizeof *args, 0);
    if (id)
        return id;
    pm_sql_do(sql,
              "INSERT INTO rare_fields (" COLUMNS ", hash) VALUES "
              "(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)",
              args, sizeof args / sizeof *args);
    return pm_sql_last_id(sql);
}
