/* rare_fields: the numbers of a mapping that have their usual value nearly everywhere, and its keys
 * that nobody knows. Many mappings of many captures share a row of them. */
#ifndef PM_STORE_RARE_FIELDS_H
#define PM_STORE_RARE_FIELDS_H

#include "base/buf.h"
#include "store/dict/row.h"
#include "store/file/sql.h"

/* The columns of table rare_fields, in their order: numbers of a mapping, and the fields that it
 * has. */
#define PM_RARE_VALUES 13
#define PM_RARE_FIELDS PM_RARE_VALUES
#define PM_RARE_NUMBERS (PM_RARE_VALUES + 1)
extern const enum pm_field pm_rare_columns[PM_RARE_VALUES];

typedef struct pm_rare_fields {
    int64_t number[PM_RARE_NUMBERS]; /* PMAPDB_UNKNOWN (NULL): as usual, or unknown */
    pm_text extra;                   /* empty: none */
} pm_rare_fields;

/* Of a mapping whose row is encoded, in an epoch that has `fields`. False: there is nothing
 * unusual. The text is the mapping's. */
bool pm_rare_of(const pm_mapping *m, uint64_t fields, const pm_metrics *row, pm_rare_fields *out);

/* The row has this detail, which is table rare_fields's row `id`. */
void pm_rare_refer(pm_metrics *row, int64_t id, const pm_rare_fields *d);

/* Rows at hand: most mappings of a capture that show something unusual show the same. Of one
 * transaction; all 0 at first. */
#define PM_RARE_MEMO 16
typedef struct pm_rare_memo {
    struct {
        int64_t number[PM_RARE_NUMBERS];
        int64_t id; /* 0: none */
    } item[PM_RARE_MEMO];
} pm_rare_memo;

/* The id of the row with these fields; creates the row if it does not exist. */
pmapdb_status pm_rare_put(pm_sql *sql, pm_rare_memo *memo, const pm_rare_fields *d, int64_t *id,
                          pmapdb_error *err);

/* The text is `extra`'s, which is overwritten. PMAPDB_INPUT: there is no such row. */
pmapdb_status pm_rare_get(pm_sql *sql, int64_t id, pm_buf *extra, pm_rare_fields *out,
                          pmapdb_error *err);

#endif
