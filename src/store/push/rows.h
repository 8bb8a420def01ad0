/* rows: the statements push-TABLE.sql and their functions. */
#ifndef PM_STORE_PUSH_ROWS_H
#define PM_STORE_PUSH_ROWS_H

#include "store/export/redact.h"
#include "store/push/push.h"

/* What push_name() replaces; NULL: nothing. */
typedef struct pm_push_names {
    pm_redact *redact;
    pm_sql *sql;
} pm_push_names;

/* Gives the tokens of earlier pushes to the texts that have one. Adds push_hash(...), which has 63
 * bits, and push_name(way, text); *out must outlive them. */
pmapdb_status pm_push_names_open(pm_sql *sql, bool redact, pm_push_names *out, pmapdb_error *err);
void pm_push_names_close(pm_push_names *names);

/* Gives the rows of a table to the sink and counts them in *rows. */
pmapdb_status pm_push_rows(pm_sql *sql, const char *table, const pm_param *params, size_t n_params,
                           const pm_push_sink *sink, int64_t *rows, pmapdb_error *err);

#endif
