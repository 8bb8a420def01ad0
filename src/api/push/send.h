/* send: makes a text of the rows of each table of a push; sends the texts to a server of
 * ClickHouse, or writes them into files. */
#ifndef PM_API_PUSH_SEND_H
#define PM_API_PUSH_SEND_H

#include "api/push/push.h"

/* ---- batch.c ---- */

#define PM_BATCH_TABLES 9

typedef struct pm_batch_table {
    const char *name;
    pm_buf columns; /* names with commas */
    pm_buf text;
    int64_t rows;
} pm_batch_table;

typedef struct pm_batch {
    pm_push_format format;
    pm_batch_table table[PM_BATCH_TABLES];
    int n;
    int columns;       /* of the last table */
    unsigned arrays;   /* which of them are arrays of ClickHouse: bit 0 is the first */
    pm_render *render; /* NULL: TSV */
    char host[64];     /* of the last row of marks, as a part of a file's name */
} pm_batch;

/* Empties the batch and gives the sink that fills it. */
pm_push_sink pm_batch_begin(pm_batch *b);
/* Ends the last table. */
pmapdb_status pm_batch_end(pm_batch *b, pmapdb_error *err);
void pm_batch_free(pm_batch *b);

/* ---- send.c ---- */

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

/* ---- verdicts.c ---- */

/* Makes the verdicts and stacks that are due. */
pmapdb_status pm_push_make_verdicts(pmapdb_store *store, pm_push *push, pmapdb_error *err);

#endif
