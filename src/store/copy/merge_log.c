/* merge_log: logs without times. Known by the sequence of their blocks, as in an import
 * (write/import_log.h): a log of the other store stands for a file, and the time of its last block
 * for the file's mtime. */
#include "store/copy/merge_run.h"

#include "base/buf.h"
#include "store/write/import_log.h"
#include <stdlib.h>

typedef struct their_block {
    int64_t snapshot_id; /* PMAPDB_UNKNOWN: a prune removed the snapshot */
    int64_t taken_ms;
} their_block;

/* A log of the other store, including pruned blocks, in the order of PM_LOG_BLOCKS. */
typedef struct log {
    pm_log_block *block;
    their_block *there;
    size_t n, cap_blocks, cap_there;
    int64_t last_ms;
} log;

static void read_log(pm_merge *m, int64_t log_id, log *out)
{
    sqlite3_stmt *row =
        pm_sql_ask(m->from->sql, pm_sql_script_text(PM_LOG_BLOCKS), PM_ARGS(PM_I(log_id)));

    out->last_ms = PMAPDB_UNKNOWN;
    while (pm_merge_next(m, row)) {
        pm_sql *into = m->into->sql;

        PM_SQL_STEP(into, pm_grow(&out->block, &out->cap_blocks, out->n, sizeof *out->block, &err));
        PM_SQL_STEP(into, pm_grow(&out->there, &out->cap_there, out->n, sizeof *out->there, &err));
        if (!pm_sql_ok(into))
            continue;
        out->block[out->n] =
            (pm_log_block){.pid = pm_col_int(row, 0), .hash = (uint64_t)pm_col_int(row, 1)};
        out->there[out->n++] = (their_block){pm_col_int(row, 4), pm_col_ms(row, 2)};
        if (pm_col_ms(row, 2) > out->last_ms)
            out->last_ms = pm_col_ms(row, 2);
    }
}

/* Finds the log in this store. A new block that was taken before the last known block of its pid
 * gets a time after that block, as in an import. */
static void match(pm_merge *m, int64_t log_id, int64_t host_id, log *l)
{
    int64_t last_ms, pid = PMAPDB_UNKNOWN;
    int64_t here = pm_log_find(m->into->sql, host_id, l->block, l->n, l->last_ms, &last_ms);

    if (!here)
        return;
    pm_merge_set(m, &m->logs, log_id, here);
    for (size_t i = 0; i < l->n; i++) {
        const pm_log_block *b = &l->block[i];
        const their_block *t = &l->there[i];

        if (b->pid != pid)
            last_ms = PMAPDB_UNKNOWN;
        pid = b->pid;
        if (b->known)
            last_ms = b->taken_ms;
        if (t->snapshot_id == PMAPDB_UNKNOWN)
            continue;
        if (b->known)
            pm_merge_set(m, &m->log_blocks, t->snapshot_id,
                         b->snapshot_id == PMAPDB_UNKNOWN ? PM_MERGE_PRUNED : b->snapshot_id);
        else if (t->taken_ms <= last_ms)
            pm_merge_set(m, &m->log_times, t->snapshot_id, last_ms + 1 + (int64_t)i);
    }
}

void pm_merge_find_logs(pm_merge *m)
{
    sqlite3_stmt *row = m->into ? pm_sql_ask(m->from->sql,
                                             "SELECT l.import_log_id, h.name FROM import_log l "
                                             "LEFT JOIN host h ON h.host_id = l.host_id",
                                             PM_NO_ARGS)
                                : NULL;

    while (row && pm_merge_next(m, row)) {
        const char *host = pm_merge_host(m, pm_col_text(row, 1).data);
        int64_t host_id =
            host ? pm_sql_value(m->into->sql, "SELECT host_id FROM host WHERE name = ?1",
                                PM_ARGS(PM_S(host)), -1)
                 : 0;
        log l = {0};

        if (host_id >= 0)
            read_log(m, pm_col_int(row, 0), &l);
        if (l.n && pm_merge_ok(m))
            match(m, pm_col_int(row, 0), host_id, &l);
        free(l.block);
        free(l.there);
    }
}

int64_t pm_merge_log(pm_merge *m, int64_t there)
{
    int64_t here = there ? pm_merge_get(&m->logs, there) : 0;

    if (!there || here)
        return here;
    here = pm_log_new(m->into->sql, pm_merge_host(m, pm_recall_who(m->recall)->host));
    pm_merge_set(m, &m->logs, there, here);
    return here;
}
