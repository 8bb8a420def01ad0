/* push: the rows of a store that a server, or a folder, does not have yet, and the record of the
 * sent ones.
 *
 *     pm_push_open(store, &options, &push, err);
 *     while (pm_push_batch(push, &sink, &some, err) == PMAPDB_OK && some) {
 *         send what the sink got;             -- outside of any transaction
 *         pm_push_done(push, err);
 *     }
 *     pm_push_close(push);
 *
 * Key and content of a row follow from the store alone. A batch that was not done is made again
 * with the same rows, and a row that arrives twice changes no answer. The tables of a batch come in
 * the order in which they must be sent.
 */
#ifndef PM_STORE_PUSH_H
#define PM_STORE_PUSH_H

#include "render/render.h"
#include "store/file/store.h"

#define PM_PUSH_STORE 17 /* bytes of the name of a store, with the NUL */

typedef struct pm_push_options {
    const char *target; /* URL and database, or a folder */
    int64_t now_ms;
    bool pss;        /* Pss of processes, too */
    bool redact;     /* names are replaced, as in an export */
    int64_t from_ms; /* send again what was taken since; PMAPDB_UNKNOWN: no */
} pm_push_options;

/* Takes the rows of a batch, table by table. */
typedef struct pm_push_sink {
    void *ctx;
    pmapdb_status (*table)(void *ctx, const char *name, const pm_column *columns, int n,
                           pmapdb_error *err);
    pmapdb_status (*row)(void *ctx, const pm_value *values, pmapdb_error *err);
} pm_push_sink;

typedef struct pm_push pm_push;

/* Finds or makes the target. If the rules of the store have changed since the last push, everything
 * is sent again, as another generation. The store must be open for writing. */
pmapdb_status pm_push_open(pmapdb_store *store, const pm_push_options *options, pm_push **out,
                           pmapdb_error *err);
void pm_push_close(pm_push *push);

typedef struct pm_push_state {
    char store[PM_PUSH_STORE]; /* its name */
    int64_t seq;               /* of the next batch */
    int64_t paused_ms;         /* when the target may be tried again after failures */
    int64_t through_ms;        /* the last batch is complete up to here */
} pm_push_state;

/* Changes with each batch. paused_ms is PMAPDB_UNKNOWN if the last push did not fail, through_ms if
 * nothing was sent. */
const pm_push_state *pm_push_look(const pm_push *push);

typedef enum pm_push_judge {
    PM_PUSH_JUDGE_NONE,
    PM_PUSH_JUDGE_GROWN,
    PM_PUSH_JUDGE_ALL
} pm_push_judge;

/* Returns which verdicts are due: those of all processes once a UTC day, those of the processes
 * that grew most once an hour. Empties the temporary tables of push-judged.sql; the caller fills
 * them, and the next batch sends them. */
pm_push_judge pm_push_begin_verdicts(pm_push *push);

/* A batch ends with a whole beat; *some is false if nothing is left. */
pmapdb_status pm_push_batch(pm_push *push, const pm_push_sink *sink, bool *some, pmapdb_error *err);

/* The batch arrived: moves on. PMAPDB_BUSY: another program moved the target meanwhile. */
pmapdb_status pm_push_done(pm_push *push, pmapdb_error *err);

/* The batch did not arrive. wait: the next runs pause for longer and longer. */
pmapdb_status pm_push_failed(pm_push *push, bool wait, const char *why, pmapdb_error *err);

/* Raises the seq of the next batch to at least `seq`, so that its rows win over rows that the
 * server has already. */
void pm_push_raise(pm_push *push, int64_t seq);

#endif
