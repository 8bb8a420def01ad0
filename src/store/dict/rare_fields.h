/* rare_fields: the numbers of a mapping that nearly always have their usual value, and its unknown
 * keys. Many mappings of many captures share one row. */
#ifndef PM_STORE_RARE_FIELDS_H
#define PM_STORE_RARE_FIELDS_H

#include "store/dict/row.h"
#include "store/file/sql.h"

/* The columns of table rare_fields, in order: numbers of a mapping, then the set of its fields. */
#define PM_RARE_VALUES 13
#define PM_RARE_FIELDS PM_RARE_VALUES
#define PM_RARE_NUMBERS (PM_RARE_VALUES + 1)
extern const enum pm_field pm_rare_columns[PM_RARE_VALUES];

typedef struct pm_rare_fields {
    int64_t number[PM_RARE_NUMBERS]; /* PMAPDB_UNKNOWN (NULL): the usual value, or unknown */
    pm_text extra;                   /* unknown keys; empty: none */
} pm_rare_fields;

/* Collects the rare fields of a mapping whose row is encoded, in an epoch that has `fields`.
 * Returns false if all values are usual. The text belongs to the mapping. */
bool pm_rare_of(const pm_mapping *m, uint64_t fields, const pm_metrics *row, pm_rare_fields *out);

/* Refers the row to row `id` of table rare_fields, which has these values. */
void pm_rare_refer(pm_metrics *row, int64_t id, const pm_rare_fields *d);

/* Finds the id of the row with these fields; inserts a new row. */
int64_t pm_rare_put(pm_sql *sql, const pm_rare_fields *d);

#endif
