/* import_log: files of captures without times, identified by the sequence of their blocks. */
#include "store/write/import_log.h"

#include "base/buf.h"
#include "store/write/process.h"
#include <stdlib.h>

/* The relation between a stored log and a file. */
typedef struct relation {
    bool log_in_file, file_in_log; /* one is a prefix of the other, per pid */
    int64_t last_ms;
} relation;

/* Compares the stored log with the file, block by block. With `mark`, marks the blocks of the file
 * that the log contains. */
static relation relate(pm_sql *sql, int64_t log_id, pm_log_block *blocks, size_t n, bool mark)
{
    relation out = {true, true, PMAPDB_UNKNOWN};
    sqlite3_stmt *stmt = pm_sql_ask(sql, PM_LOG_ROWS, PM_ARGS(PM_I(log_id)));
    bool first = true, ended = false;
    int64_t pid = PMAPDB_UNKNOWN;
    size_t from = 0, in_log = 0;

    while (pm_sql_next(sql, stmt)) {
        int64_t row_pid = pm_col_int(stmt, 0), taken_ms = pm_col_ms(stmt, 2);
        pm_log_block *b = NULL;

        if (first || row_pid != pid) {
            from = 0;
            ended = false;
        }
        first = false;
        pid = row_pid;
        while (!ended && from < n && blocks[from].pid != pid)
            from++;
        if (!ended && from < n)
            b = &blocks[from++];
        if (taken_ms > out.last_ms)
            out.last_ms = taken_ms;
        if (!b) {
            ended = true;
            out.log_in_file = false;
            continue;
        }
        in_log++;
        if (b->hash != (uint64_t)pm_col_int(stmt, 1)) {
            out.log_in_file = out.file_in_log = false;
            pm_sql_done(stmt);
            return out;
        }
        if (mark) {
            b->known = true;
            b->taken_ms = taken_ms;
            b->snapshot_id = pm_col_int(stmt, 4);
        }
    }
    out.file_in_log = in_log == n;
    return out;
}

/* Lists the logs of the host, latest first. */
static void candidates(pm_sql *sql, int64_t host_id, int64_t **ids, size_t *n)
{
    size_t cap = 0;
    sqlite3_stmt *stmt = pm_sql_ask(
        sql,
        "SELECT import_log_id FROM import_log WHERE coalesce(host_id, 0) = ?1 ORDER BY "
        "(SELECT max(taken_ms) FROM (SELECT taken_ms FROM snapshot s WHERE s.import_log_id = "
        "import_log.import_log_id UNION ALL SELECT taken_ms FROM forgotten t WHERE t.import_log_id "
        "= "
        "import_log.import_log_id)) DESC",
        PM_ARGS(PM_I(host_id == PMAPDB_UNKNOWN ? 0 : host_id)));

    while (pm_sql_next(sql, stmt)) {
        PM_SQL_STEP(sql, pm_grow(ids, &cap, *n, sizeof **ids, &err));
        if (pm_sql_ok(sql))
            (*ids)[(*n)++] = pm_col_int(stmt, 0);
    }
}

/* Finds the log for the file. A log that contains the whole file comes first: an old, rotated file
 * may also begin like the fresh log of an idle process. */
static int64_t find(pm_sql *sql, const int64_t *ids, size_t n_ids, pm_log_block *blocks, size_t n,
                    int64_t written_ms)
{
    int64_t continued = 0;

    for (size_t i = 0; i < n_ids; i++) {
        relation r = relate(sql, ids[i], blocks, n, false);

        if (r.last_ms == PMAPDB_UNKNOWN)
            continue; /* the import was killed before it stored a block */
        if (r.file_in_log &&
            (written_ms == PMAPDB_UNKNOWN || written_ms / 1000 <= r.last_ms / 1000))
            return ids[i];
        if (!continued && r.log_in_file && !r.file_in_log)
            continued = ids[i];
    }
    return continued;
}

int64_t pm_log_find(pm_sql *sql, int64_t host_id, pm_log_block *blocks, size_t n,
                    int64_t written_ms, int64_t *last_ms)
{
    int64_t *ids = NULL, log_id;
    size_t n_ids = 0;

    candidates(sql, host_id, &ids, &n_ids);
    log_id = find(sql, ids, n_ids, blocks, n, written_ms);
    *last_ms = log_id ? relate(sql, log_id, blocks, n, true).last_ms : PMAPDB_UNKNOWN;
    free(ids);
    return log_id;
}

int64_t pm_log_new(pm_sql *sql, const char *host)
{
    pm_sql_do(sql, "INSERT INTO import_log (host_id) VALUES (?1)",
              PM_ARGS(PM_I(pm_host_of(sql, host))));
    return pm_sql_last_id(sql);
}

pmapdb_status pm_log_match(pmapdb_store *s, const char *host, pm_log_block *blocks, size_t n,
                           int64_t written_ms, int64_t *log_id, int64_t *last_ms, pmapdb_error *err)
{
    pmapdb_status st = pm_store_begin(s, err);

    if (st != PMAPDB_OK)
        return st;
    *log_id = pm_log_find(s->sql, pm_host_of(s->sql, host), blocks, n, written_ms, last_ms);
    if (!*log_id)
        *log_id = pm_log_new(s->sql, host);
    return pm_store_end(s, err);
}
