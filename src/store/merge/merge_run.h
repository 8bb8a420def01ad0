/* merge_run: what the parts of a merge share: merge.c goes through the other store, merge_known.c
 * tells what is known, merge_log.c logs without times, merge_beside.c and merge_sweep.c what
 * belongs to no process, merge_put.c puts captures in. */
#ifndef PM_STORE_MERGE_RUN_H
#define PM_STORE_MERGE_RUN_H

#include "store/ids.h"
#include "store/merge/merge.h"
#include "store/moment.h"
#include "store/pairs.h"
#include "store/recall/recall.h"

/* `known` of an item: the snapshot here; 0: new; or: */
#define PM_MERGE_PRUNED (-1) /* it was here, and a prune removed it */

typedef struct pm_merge {
    pmapdb_store *into; /* NULL: an empty one */
    pmapdb_store *from;
    const pm_merge_options *options;
    pm_merge_counts *counts;
    pm_recall *recall;
    pm_pairs captures; /* row of table capture there -> here */
    pm_ids sweeps;     /* those there that are here, or were: all that is left of them */
    pm_ids new_sweeps;
    pm_pairs logs;      /* log there -> here */
    pm_pairs log_known; /* snapshot of a log there -> here */
    pm_pairs log_ms;    /* new snapshot of a log there -> its time here, where it is another */
    int64_t version;    /* of `into` when the process at hand was compared */
    bool in_transaction;
    size_t rows;     /* captures, sweeps ... in it */
    uint64_t stored; /* captures */
    int64_t began_ms;
    bool theirs; /* what failed is `from` */
} pm_merge;

/* Marks a failure as the other store's. */
pmapdb_status pm_merge_theirs(pm_merge *m, pmapdb_status st);

/* The host that the process at hand has here; NULL: unknown. */
const char *pm_merge_host(const pm_merge *m);
/* Its row: 0 for unknown, as in the indexes; -1: there is none yet. */
pmapdb_status pm_merge_host_id(pm_merge *m, const char *host, int64_t *id, pmapdb_error *err);

/* ---- transactions, of some hundred captures ---- */

/* Begins one; what another writer stored since the process at hand was compared is known then. */
pmapdb_status pm_merge_begin(pm_merge *m, pmapdb_error *err);
pmapdb_status pm_merge_commit(pm_merge *m, pmapdb_error *err);
/* One more capture is stored: true where the transaction should end. */
bool pm_merge_is_long(pm_merge *m);

/* Tables that the writer remembers rows of were written beside it. */
void pm_merge_forget(pm_merge *m);

/* ---- the process at hand ---- */

/* Sets `known` of its snapshots, and their captures. */
pmapdb_status pm_merge_known(pm_merge *m, pmapdb_error *err);

/* Puts what is not known, in a transaction that was begun. */
pmapdb_status pm_merge_put(pm_merge *m, pmapdb_error *err);

/* What the other store knows of it and its captures do not tell. */
pmapdb_status pm_merge_facts(pm_merge *m, int64_t process_id, pmapdb_error *err);

/* What a JVM said of it, once its captures are here. */
pmapdb_status pm_merge_labels(pm_merge *m, pmapdb_error *err);

/* ---- around a snapshot ---- */

pmapdb_status pm_merge_capture(pm_merge *m, int64_t there, int64_t *here, pmapdb_error *err);
/* 0 for 0; a log that was not met yet is made. */
pmapdb_status pm_merge_log(pm_merge *m, int64_t there, int64_t *here, pmapdb_error *err);

/* ---- before the processes ---- */

pmapdb_status pm_merge_logs(pm_merge *m, pmapdb_error *err);
/* What was refused. */
pmapdb_status pm_merge_beside(pm_merge *m, pmapdb_error *err);
/* Which sweeps are known. */
pmapdb_status pm_merge_find_sweeps(pm_merge *m, pmapdb_error *err);

/* ---- behind them ---- */

/* Sweeps and their jobs, with processes or without: a sweep that is here is here as a whole. */
pmapdb_status pm_merge_sweeps(pm_merge *m, pmapdb_error *err);
/* How far the names there were pruned. */
pmapdb_status pm_merge_pruned(pm_merge *m, pmapdb_error *err);

#endif
