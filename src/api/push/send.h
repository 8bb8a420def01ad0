/* send: a batch to a server of ClickHouse, or into files. */
#ifndef PM_API_PUSH_SEND_H
#define PM_API_PUSH_SEND_H

#include "api/push/batch.h"

typedef struct pm_sender {
    const pm_push_to *to;
    pm_http_reply reply;
    pm_push_result *result;
    const char *store;
    int64_t seq;
    int64_t version; /* the first number of the server's version */
} pm_sender;

/* Asks the server for its version and what it knows of this store: *seq, the newest version of its
 * rows; PMAPDB_UNKNOWN: no rows. */
pmapdb_status pm_send_meet(pm_sender *s, int64_t *seq, pmapdb_error *err);

/* Sends all tables, in their order. A failure is PMAPDB_IO; result->later says whether the next run
 * may succeed. */
pmapdb_status pm_send_batch(pm_sender *s, const pm_batch *batch, pmapdb_error *err);

/* Writes all tables into files; each appears whole. */
pmapdb_status pm_send_files(pm_sender *s, const pm_batch *batch, pmapdb_error *err);

#endif
