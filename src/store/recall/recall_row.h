/* recall_row: a row of the store as the mapping that it was made of: what pm_row_encode left out is
 * put back. */
#ifndef PM_STORE_RECALL_ROW_H
#define PM_STORE_RECALL_ROW_H

#include "base/buf.h"
#include "store/dict/row.h"

/* Largest number that a version can hold: the parser takes none that is larger. */
#define PM_RECALL_NUMBER_MAX ((int64_t)1 << 46)

/* What a mapping shows that is such an object; texts are the object's. False: it cannot be. */
bool pm_recall_object(const pm_object *o, pm_mapping *out);

/* `fields` are the epoch's. Texts are the object's and `extra`'s, which the next call overwrites.
 * PMAPDB_INPUT: no mapping can be such a row. */
pmapdb_status pm_recall_row(pm_sql *sql, const pm_row *row, uint64_t fields, pm_buf *extra,
                            pm_mapping *out, pmapdb_error *err);

#endif
