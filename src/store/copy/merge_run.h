/* merge_run: what the parts of a merge share. merge.c goes through the other store process by
 * process, merge_process.c knows a process and its snapshots again, merge_log.c the logs without
 * times, merge_beats.c the beats of live captures.
 *
 * Failures are kept in the two handles (store/sql.h), in that of `from` where the other store is to
 * blame; pm_merge_ok says whether a step may go on. */
#ifndef PM_STORE_COPY_MERGE_RUN_H
#define PM_STORE_COPY_MERGE_RUN_H

#include "base/map.h"
#include "store/copy/merge.h"
#include "store/recall/recall.h"

/* pm_recall_item.known is the snapshot here, 0 for a new one, or: */
#define PM_MERGE_PRUNED (-1) /* it was here, and a prune removed it */

typedef struct pm_merge {
    pmapdb_store *into; /* NULL: an empty store, in a dry run */
    pmapdb_store *from;
    const pm_merge_options *options;
    pm_merge_counts *counts;
    pm_recall *recall;
    pm_map captures;   /* capture_id there -> here */
    pm_map beats;      /* capture_id of a beat there that is here or was pruned here -> 1 */
    pm_map logs;       /* log_id there -> here */
    pm_map log_blocks; /* snapshot of a log there -> `known` */
    pm_map log_times;  /* new snapshot of a log there -> its time here, where that is another */
    bool in_transaction;
    size_t rows;     /* written in it */
    uint64_t stored; /* captures in it */
    int64_t began_ms;
} pm_merge;

/* Keeps a failure: of this store, of the other one. */
void pm_merge_keep(pm_merge *m, pmapdb_status st, const pmapdb_error *err);
void pm_merge_blame(pm_merge *m, pmapdb_status st, const pmapdb_error *err);
bool pm_merge_ok(const pm_merge *m);

/* The next row of a statement of the other store; false after any failure, too. */
bool pm_merge_next(pm_merge *m, sqlite3_stmt *row);

void pm_merge_set(pm_merge *m, pm_map *map, int64_t key, int64_t value);
/* 0: the key has no value. */
int64_t pm_merge_get(const pm_map *map, int64_t key);

/* ---- transactions: short, so that no other writer waits for long ---- */

void pm_merge_begin(pm_merge *m); /* unless one has begun */
void pm_merge_commit(pm_merge *m);
void pm_merge_wrote(pm_merge *m); /* one more row: may commit */

/* ---- hosts and captures ---- */

/* What the host of a row there is called here; NULL: unknown. */
const char *pm_merge_host(const pm_merge *m, const char *there);
/* 0: the unknown host; -1: this store does not have it. */
int64_t pm_merge_host_id(pm_merge *m, const char *host);
/* The row of table capture, made when missing. */
int64_t pm_merge_capture(pm_merge *m, int64_t there);

/* ---- the process of m->recall ---- */

/* Sets item->known. */
void pm_merge_look(pm_merge *m, pm_recall_item *item);
/* Gives the process here what its row there knows and its captures do not tell. */
void pm_merge_facts(pm_merge *m, int64_t process_id);

/* ---- logs and beats ---- */

void pm_merge_find_logs(pm_merge *m);
/* The log here; 0 for 0. */
int64_t pm_merge_log(pm_merge *m, int64_t there);

void pm_merge_find_beats(pm_merge *m);
/* After the processes: a beat that is here is here as a whole. */
void pm_merge_store_beats(pm_merge *m);

#endif
