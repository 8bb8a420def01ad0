/* row: one mapping of one capture as the store keeps it: where it lies, in which lineage, and its
 * numbers in the encoding of table ver (NULL is the usual value). */
#ifndef PM_STORE_ROW_H
#define PM_STORE_ROW_H

#include "store/ids.h"
#include "store/lineage.h"

/* The columns of ver behind `last`, in their order. */
enum pm_ver_column {
    PM_VER_PRIVATE_DIRTY,
    PM_VER_PRIVATE_CLEAN,
    PM_VER_SHARED_CLEAN,
    PM_VER_SHARED_DIRTY,
    PM_VER_SWAP,
    PM_VER_RSS,
    PM_VER_PSS,
    PM_VER_REFERENCED,
    PM_VER_DIRTY,
    PM_VER_DETAIL,
    PM_VER_ABSENT,
    PM_VER_COUNT
};

#define PM_VER_COLUMNS                                                                       \
    "private_dirty, private_clean, shared_clean, shared_dirty, swap, rss, pss, referenced, " \
    "dirty, detail_id, absent"

/* PMAPDB_UNKNOWN is NULL. */
typedef struct pm_metrics {
    int64_t v[PM_VER_COUNT];
} pm_metrics;

typedef struct pm_row {
    pm_place at;      /* at.lineage is the row's own */
    int64_t size_kib; /* or PMAPDB_UNKNOWN: length / 1024 */
    int64_t region_id;
    pm_reason reason; /* why it is in its lineage, where the region begins with this row */
    int32_t first;    /* offset at which its version began; only in the state of an open epoch */
    pm_metrics m;
} pm_row;

/* A growable array of rows. */
typedef struct pm_rows {
    pm_row *row;
    size_t n, cap;
} pm_rows;

void pm_rows_free(pm_rows *rows);

/* category_id of the row: what its lineage keeps, else the object's own. */
static inline int64_t pm_row_category(const pm_row *row)
{
    return row->at.kept ? row->at.kept : row->at.object->category_id;
}

static inline int64_t pm_row_size_kib(const pm_row *row)
{
    return row->size_kib == PMAPDB_UNKNOWN ? (int64_t)(row->at.length / 1024) : row->size_kib;
}

/* Numbers of `m`, `fields` being what the epoch has. `detail_id` is the row of table detail, or
 * PMAPDB_UNKNOWN. */
void pm_row_encode(const pm_mapping *m, uint64_t fields, int64_t detail_id, pm_metrics *out);

/* What a row with these numbers adds to the sums of its capture, as the view mappings shows it; -1
 * is unknown. size_kib is what the capture shows where it shows a size. */
void pm_row_decode(const pm_metrics *m, uint64_t fields, int64_t size_kib, pm_totals *out);

bool pm_metrics_equal(const pm_metrics *a, const pm_metrics *b);

/* The lineages of all rows. */
pmapdb_status pm_rows_lineages(const pm_rows *rows, pm_ids *out, pmapdb_error *err);

/* Sorts by place. */
void pm_rows_sort(pm_rows *rows);

/* How rows continue those of an older capture, both sorted: *out has own->n elements and is the
 * caller's to free. */
pmapdb_status pm_rows_descent(const pm_rows *older, const pm_rows *own, pm_descent **out,
                              pmapdb_error *err);

#endif
