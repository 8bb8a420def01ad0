/* recall_parts: the parts of a recalled capture: its mappings (recall_rows.c), as the view
 * mapping_versions decodes them, and its live reading (recall_live.c). The handle keeps
 * failures. */
#ifndef PM_STORE_RECALL_PARTS_H
#define PM_STORE_RECALL_PARTS_H

#include "base/pool.h"
#include "base/record/live.h"
#include "store/file/sql.h"

/* Keeps the failure "WHAT ID WHY; the store is damaged". */
void pm_recall_damaged(pm_sql *sql, const char *what, int64_t id, const char *why);

/* The mappings of one epoch. Each version becomes a mapping once, however many captures show it. */
typedef struct pm_recall_rows {
    int64_t epoch_id;
    int64_t from; /* captures before this place were not read */
    uint64_t fields;
    struct pm_recall_version {
        int64_t first, last; /* places of captures in the epoch; last INT64_MAX: to the end */
        uint32_t mapping;    /* id in the pool */
    } * item;                /* by address */
    size_t n, cap;
} pm_recall_rows;

void pm_recall_rows_free(pm_recall_rows *e);

/* Reads the captures from place `from` on in place of the epoch that *e has, and adds their
 * mappings to `pool`. */
void pm_recall_rows_load(pm_sql *sql, pm_pool *pool, int64_t epoch_id, int64_t from,
                         pm_recall_rows *e);

/* Sets *rows to the ids of the mappings of the capture at `off`, by address; the caller frees
 * *rows. */
void pm_recall_rows_at(pm_sql *sql, const pm_recall_rows *e, int64_t off, uint32_t **rows,
                       size_t *n);

typedef struct pm_recall_standing {
    int64_t standing_id; /* 0: not read yet */
    pm_standing standing;
} pm_recall_standing;

/* Copies a text to the pool, ended by a NUL; {NULL, 0} stays as it is. */
pm_text pm_recall_text(pm_sql *sql, pm_pool *pool, pm_text t);

/* Reads the live reading of a snapshot, its texts into `pool`; false if the snapshot has none.
 * `last` avoids reading the row of the previous snapshot again. The tables do not contain boot_id
 * and utc_ms: the caller sets them. */
bool pm_recall_live(pm_sql *sql, int64_t snapshot_id, pm_pool *pool, pm_recall_standing *last,
                    pm_live *out);

#endif
