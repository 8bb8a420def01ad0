/* recall_row: turns a row of the store back into its mapping: restores the values that
 * pm_row_encode left out. */
#ifndef PM_STORE_RECALL_ROW_H
#define PM_STORE_RECALL_ROW_H

#include "base/buf.h"
#include "store/dict/row.h"

/* The largest number that a version can contain: the parser accepts no larger one. */
#define PM_RECALL_NUMBER_MAX ((int64_t)1 << 46)

/* Fills a mapping from its object; texts belong to the object. Returns false if the object is
 * impossible. */
bool pm_recall_object(const pm_object *o, pm_mapping *out);

/* Restores a mapping. `fields`: the fields of the epoch. Texts belong to the object and to `extra`,
 * which the next call overwrites. PMAPDB_INPUT: no mapping can have such a row. */
pmapdb_status pm_recall_row(pm_sql *sql, const pm_row *row, uint64_t fields, pm_buf *extra,
                            pm_mapping *out, pmapdb_error *err);

#endif
