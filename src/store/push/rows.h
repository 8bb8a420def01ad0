/* rows: the statements push-TABLE.sql and their functions. */
#ifndef PM_STORE_PUSH_ROWS_H
#define PM_STORE_PUSH_ROWS_H

#include "store/push/push.h"

/* Adds push_hash(...), which has 63 bits, push_name(kind, text) and push_quote(text), which writes
 * a text in quotes. */
pmapdb_status pm_push_functions(sqlite3 *db, pmapdb_error *err);

/* Gives the rows of a table to the sink and counts them in *rows. */
pmapdb_status pm_push_rows(pm_sql *sql, const char *table, const pm_param *params, size_t n_params,
                           const pm_push_sink *sink, int64_t *rows, pmapdb_error *err);

#endif
