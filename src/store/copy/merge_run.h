/* merge_run: functions that the parts of a merge share. merge.c reads the other store process by
 * process; merge_log.c recognises the logs without times.
 *
 * The two handles keep failures (file/sql.h); the handle of `from` keeps them if the other store is
 * the cause. Steps continue only while pm_merge_ok is true.
 *
 * Table temp.copied maps the row `there` of the other store to the same row `here`, by kind. For
 * three kinds `here` is not an id: "beat" is 1 for a beat that this store has or pruned,
 * "log_block" is the `known` of a snapshot of a log, "log_time" is the time in this store of a new
 * snapshot of a log, if it differs. */
#ifndef PM_STORE_COPY_MERGE_RUN_H
#define PM_STORE_COPY_MERGE_RUN_H

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
    bool in_transaction;
    bool is_whole;   /* the rows belong together: no commit between them */
    size_t rows;     /* rows written in the transaction */
    uint64_t stored; /* captures stored in the transaction */
} pm_merge;

bool pm_merge_ok(const pm_merge *m);

/* Steps to the next row of a statement of the other store; false after any failure, too. */
bool pm_merge_next(pm_merge *m, sqlite3_stmt *row);

void pm_merge_note(pm_merge *m, const char *kind, int64_t there, int64_t here);
/* Returns 0 for a row that was not noted. */
int64_t pm_merge_noted(const pm_merge *m, const char *kind, int64_t there);

/* Returns the name in this store of a host in the other store; NULL: unknown. */
const char *pm_merge_host(const pm_merge *m, const char *there);

/* Notes the logs that this store has, and their blocks. */
void pm_merge_find_logs(pm_merge *m);
/* Returns the log in this store; 0 for 0. */
int64_t pm_merge_log(pm_merge *m, int64_t there);

#endif
