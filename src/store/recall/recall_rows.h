/* recall_rows: the mappings of the captures of one epoch, as the view mapping_versions decodes
 * them. */
#ifndef PM_STORE_RECALL_ROWS_H
#define PM_STORE_RECALL_ROWS_H

#include "base/pool.h"
#include "store/file/sql.h"

/* Keeps the failure "WHAT ID WHY; the store is damaged". */
void pm_recall_damaged(pm_sql *sql, const char *what, int64_t id, const char *why);

/* Each version becomes a mapping once, however many captures show it. */
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

/* Replaces the contents of *e by the captures of the epoch from place `from` on, and adds their
 * mappings to `pool`. */
void pm_recall_rows_load(pm_sql *sql, pm_pool *pool, int64_t epoch_id, int64_t from,
                         pm_recall_rows *e);

/* Sets *rows to the ids of the mappings of the capture at `off`, by address; the caller frees
 * *rows. */
void pm_recall_rows_at(pm_sql *sql, const pm_recall_rows *e, int64_t off, uint32_t **rows,
                       size_t *n);

#endif
