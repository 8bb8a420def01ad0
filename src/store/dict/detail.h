/* detail: the numbers of a mapping that have their usual value nearly everywhere, and its keys that
 * nobody knows. Many mappings of many captures share a row of them. */
#ifndef PM_STORE_DETAIL_H
#define PM_STORE_DETAIL_H

#include "base/buf.h"
#include "store/dict/row.h"
#include "store/file/sql.h"

/* The columns of table detail, in their order: numbers of a mapping, and the fields that it has. */
#define PM_DETAIL_VALUES 13
#define PM_DETAIL_FIELDS PM_DETAIL_VALUES
#define PM_DETAIL_NUMBERS (PM_DETAIL_VALUES + 1)
extern const enum pm_field pm_detail_fields[PM_DETAIL_VALUES];

typedef struct pm_detail {
    int64_t number[PM_DETAIL_NUMBERS]; /* PMAPDB_UNKNOWN (NULL): as usual, or unknown */
    pm_text extra;                     /* empty: none */
} pm_detail;

/* Of a mapping whose row is encoded, in an epoch that has `fields`. False: there is nothing
 * unusual. The text is the mapping's. */
bool pm_detail_of(const pm_mapping *m, uint64_t fields, const pm_metrics *row, pm_detail *out);

/* The row has this detail, which is table detail's row `id`. */
void pm_detail_refer(pm_metrics *row, int64_t id, const pm_detail *d);

/* Rows at hand: most mappings of a capture that show something unusual show the same. Of one
 * transaction; all 0 at first. */
#define PM_DETAIL_MEMO 16
typedef struct pm_detail_memo {
    struct {
        int64_t number[PM_DETAIL_NUMBERS];
        int64_t id; /* 0: none */
    } item[PM_DETAIL_MEMO];
} pm_detail_memo;

/* Its row, which is made where there is none yet. */
pmapdb_status pm_detail_put(pm_sql *sql, pm_detail_memo *memo, const pm_detail *d, int64_t *id,
                            pmapdb_error *err);

/* The text is `extra`'s, which is overwritten. PMAPDB_INPUT: there is no such row. */
pmapdb_status pm_detail_get(pm_sql *sql, int64_t id, pm_buf *extra, pm_detail *out,
                            pmapdb_error *err);

#endif
