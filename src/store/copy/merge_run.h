/* merge_run: functions that the parts of a merge share. merge.c reads the other store process by
 * process; merge_log.c recognises the logs without times, merge_beats.c the beats of live captures;
 * merge_perf.c copies recordings.
 *
 * The two handles keep failures (file/sql.h); the handle of `from` keeps them if the other store is
 * the cause. Steps continue only while pm_merge_ok is true. */
#ifndef PM_STORE_COPY_MERGE_RUN_H
#define PM_STORE_COPY_MERGE_RUN_H

#include "base/map.h"
#include "store/copy/merge.h"
#include "store/recall/recall.h"

/* pm_recall_item.known: the snapshot in this store; 0: a new snapshot; or: */
#define PM_MERGE_PRUNED (-1) /* this store pruned the snapshot */

typedef struct pm_merge {
    pmapdb_store *into; /* NULL: an empty store, in a dry run */
    pmapdb_store *from;
    const pmapdb_merge_options *options;
    pm_merge_counts *counts;
    pm_recall *recall;
    pm_map captures; /* capture_id in the other store -> in this store */
    pm_map beats; /* capture_id of a beat in the other store that this store has or pruned -> 1 */
    pm_map logs;  /* log_id in the other store -> in this store */
    pm_map log_blocks; /* snapshot of a log in the other store -> `known` */
    pm_map log_times;  /* new snapshot of a log there -> its time here, if different */
    bool in_transaction;
    bool is_whole;   /* the rows belong together: no commit between them */
    size_t rows;     /* rows written in the transaction */
    uint64_t stored; /* captures stored in the transaction */
} pm_merge;

bool pm_merge_ok(const pm_merge *m);

/* Steps to the next row of a statement of the other store; false after any failure, too. */
bool pm_merge_next(pm_merge *m, sqlite3_stmt *row);

void pm_merge_set(pm_merge *m, pm_map *map, int64_t key, int64_t value);
/* Returns 0 if the map has no such key. */
int64_t pm_merge_get(const pm_map *map, int64_t key);

/* Rows that are copied as they are. `read` asks the other store: ?1 is an id there, ?2 the same
 * here, ?3 the host of whatever has none. ?N of `write` is column N, and so in `note`, which then
 * notes the id of the new row. */
typedef struct pm_merge_copy {
    const char *read, *write, *note; /* note may be NULL */
} pm_merge_copy;

void pm_merge_rows(pm_merge *m, const pm_merge_copy *copy, size_t n, int64_t there, int64_t here);

/* ---- transactions: short, so that no other writer waits for long ---- */

void pm_merge_begin(pm_merge *m); /* does nothing inside a transaction */
void pm_merge_commit(pm_merge *m);
void pm_merge_wrote(pm_merge *m); /* counts one row; may commit */

/* ---- hosts ---- */

/* Returns the name in this store of a host in the other store; NULL: unknown. */
const char *pm_merge_host(const pm_merge *m, const char *there);

/* ---- logs, beats, recordings ---- */

void pm_merge_find_logs(pm_merge *m);
/* Returns the log in this store; 0 for 0. */
int64_t pm_merge_log(pm_merge *m, int64_t there);

void pm_merge_find_beats(pm_merge *m);
/* Runs after the processes: a stored beat is stored in full. */
void pm_merge_store_beats(pm_merge *m);

/* Runs after the processes, to which the events of recordings are matched. */
void pm_merge_recordings(pm_merge *m);

#endif
