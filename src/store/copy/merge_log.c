/* merge_log: logs without times. Known by the sequence of their blocks, as in an import
 * (write/import_log.h): a log of the other store stands for a file, and the time of its last block
 * for the file's mtime. */
#include "store/copy/merge_run.h"

#include "base/buf.h"
#include "store/dict/captures.h"
#include "store/write/import_log.h"
#include <stdlib.h>

static sqlite3_stmt *blocks_of(pm_merge *m, int64_t log_id)
{
    return pm_sql_ask(m->from->sql, pm_sql_script_text(PM_LOG_BLOCKS), PM_ARGS(PM_I(log_id)));
}

/* Reads a log of the other store, including pruned blocks. *last_ms: the time of its last block. */
static pm_log_block *read_log(pm_merge *m, int64_t log_id, size_t *n, int64_t *last_ms)
{
    sqlite3_stmt *row = blocks_of(m, log_id);
    pm_log_block *block = NULL;
    size_t cap = 0;

    *last_ms = PMAPDB_UNKNOWN;
    for (*n = 0; pm_merge_next(m, row);) {
        PM_SQL_STEP(m->into->sql, pm_grow(&block, &cap, *n, sizeof *block, &err));
        if (!pm_sql_ok(m->into->sql))
            continue;
        block[(*n)++] =
            (pm_log_block){.pid = pm_col_int(row, 0), .hash = (uint64_t)pm_col_int(row, 1)};
        if (pm_col_ms(row, 2) > *last_ms)
            *last_ms = pm_col_ms(row, 2);
    }
    return block;
}

/* Finds the log in this store, and its blocks. A new block that was taken before the last known
 * block of its pid gets a time after that block, as in an import. */
static void find_log(pm_merge *m, int64_t log_id, int64_t host_id)
{
    int64_t last_ms, here = 0;
    size_t n, i = 0;
    pm_log_block *block = read_log(m, log_id, &n, &last_ms);
    sqlite3_stmt *row;

    if (n && pm_merge_ok(m))
        here = pm_log_find(m->into->sql, host_id, block, n, last_ms, &last_ms);
    if (here)
        pm_merge_note(m, "log", log_id, here);
    for (row = here ? blocks_of(m, log_id) : NULL; row && pm_merge_next(m, row); i++) {
        int64_t there = pm_col_int(row, 4); /* PMAPDB_UNKNOWN: a prune removed the snapshot */

        if (i == 0 || block[i].pid != block[i - 1].pid)
            last_ms = PMAPDB_UNKNOWN;
        if (block[i].known)
            last_ms = block[i].taken_ms;
        if (there == PMAPDB_UNKNOWN)
            continue;
        if (block[i].known)
            pm_merge_note(m, "log_block", there,
                          block[i].snapshot_id == PMAPDB_UNKNOWN ? PM_MERGE_PRUNED
                                                                 : block[i].snapshot_id);
        else if (pm_col_ms(row, 2) <= last_ms)
            pm_merge_note(m, "log_time", there, last_ms + 1 + (int64_t)i);
    }
    free(block);
}

void pm_merge_find_logs(pm_merge *m)
{
    sqlite3_stmt *row = pm_sql_ask(
        m->from->sql, "SELECT import_log_id, name FROM import_log LEFT JOIN host USING (host_id)",
        PM_NO_ARGS);

    while (pm_merge_next(m, row)) {
        const char *host = pm_merge_host(m, pm_col_text(row, 1).data);
        int64_t host_id = pm_host_find(m->into->sql, host);

        if (host_id >= 0)
            find_log(m, pm_col_int(row, 0), host_id);
    }
}

int64_t pm_merge_log(pm_merge *m, int64_t there)
{
    int64_t here = there ? pm_merge_noted(m, "log", there) : 0;

    if (!there || here)
        return here;
    here = pm_log_new(m->into->sql, pm_merge_host(m, pm_recall_who(m->recall)->host));
    pm_merge_note(m, "log", there, here);
    return here;
}
