/* copy: copies recordings of another store into this one. A temporary table translates ids: row
 * `there` of a kind is row `here` of this store. */
#include "store/perf/recording.h"

#define HERE(kind, there) \
    "(SELECT here FROM temp.copied WHERE kind = '" kind "' AND there = " there ")"
#define NOTE(kind) "INSERT INTO temp.copied VALUES ('" kind "', ?1, last_insert_rowid())"
#define OF_IT "WHERE t.recording_id = ?1 AND t.pruned = 0 "

/* The kinds of rows, in the order of copying. In `select`, which runs on the other store, ?1 is the
 * recording and ?2 the host for recordings without one. In `insert` and `note`, ?N is column N of
 * the row. A store has each frame and stack once; a caller comes before its callees. Calls keep
 * their order. */
static const struct kind {
    const char *select, *insert, *note; /* note may be NULL */
} kinds[] = {
    {"SELECT coalesce(h.name, ?2) FROM recording r LEFT JOIN host h ON h.host_id = r.host_id "
     "WHERE r.recording_id = ?1 AND coalesce(h.name, ?2) IS NOT NULL",
     "INSERT OR IGNORE INTO host (name) VALUES (?1)", NULL},
    {"SELECT r.recording_id, coalesce(h.name, ?2), r.hash, r.file, r.first_ns, r.last_ns, r.calls, "
     "r.failed, r.unended, r.unbegun, r.bad, r.lost FROM recording r LEFT JOIN host h "
     "ON h.host_id = r.host_id WHERE r.recording_id = ?1",
     "INSERT INTO recording (host_id, hash, file, first_ns, last_ns, calls, failed, unended, "
     "unbegun, bad, lost) VALUES ((SELECT host_id FROM host WHERE name = ?2), ?3, ?4, ?5, ?6, ?7, "
     "?8, ?9, ?10, ?11, ?12)",
     NOTE("recording")},
    {"SELECT frame_id, symbol, offset, dso, inlined FROM frame",
     "INSERT OR IGNORE INTO frame (symbol, offset, dso, inlined) VALUES (?2, ?3, ?4, ?5)",
     "INSERT INTO temp.copied SELECT 'frame', ?1, frame_id FROM frame WHERE symbol = ?2 "
     "AND offset = ?3 AND dso = ?4 AND inlined = ?5"},
    {"SELECT stack_id, caller_id, frame_id FROM stack WHERE stack_id > 0 ORDER BY 1",
     "INSERT OR IGNORE INTO stack (caller_id, frame_id) "
     "VALUES (" HERE("stack", "?2") ", " HERE("frame", "?3") ")",
     "INSERT INTO temp.copied SELECT 'stack', ?1, stack_id FROM stack "
     "WHERE caller_id = " HERE("stack", "?2") " AND frame_id = " HERE("frame", "?3")},
    {"SELECT t.traced_process_id, t.recording_id, t.pid, t.pid_source, t.offset_ns, t.slack_ns, "
     "t.offset_source FROM traced_process t " OF_IT "ORDER BY 1",
     "INSERT INTO traced_process (recording_id, pid, pid_source, offset_ns, slack_ns, "
     "offset_source, "
     "pruned) VALUES (" HERE("recording", "?2") ", ?3, ?4, ?5, ?6, ?7, 0)",
     NOTE("traced_process")},
    {"SELECT h.thread_id, h.traced_process_id, h.tid, h.comm FROM traced_process t JOIN thread h "
     "ON h.traced_process_id = t.traced_process_id " OF_IT "ORDER BY 1",
     "INSERT INTO thread (traced_process_id, tid, comm) VALUES (" HERE("traced_process",
                                                                       "?2") ", ?3, ?4)",
     NOTE("thread")},
    {"SELECT c.call_id, c.thread_id, c.stack_id, c.kind, c.begin_ns, c.end_ns, c.a0, c.a1, c.a2, "
     "c.a3, c.a4, c.a5, c.ret FROM traced_process t JOIN thread h ON h.traced_process_id = "
     "t.traced_process_id "
     "JOIN call c ON c.thread_id = h.thread_id " OF_IT "ORDER BY 1",
     "INSERT INTO call (thread_id, stack_id, kind, begin_ns, end_ns, a0, a1, a2, a3, a4, a5, ret) "
     "VALUES (" HERE("thread",
                     "?2") ", " HERE("stack", "?3") ", ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
     NOTE("call")},
    {"SELECT e.extent_id, e.traced_process_id, e.call_id, e.start, e.length, e.born_ns, e.died_ns "
     "FROM traced_process t JOIN extent e ON e.traced_process_id = t.traced_process_id " OF_IT
     "ORDER BY 1",
     "INSERT INTO extent (traced_process_id, call_id, start, length, born_ns, died_ns) "
     "VALUES (" HERE("traced_process", "?2") ", " HERE("call", "?3") ", ?4, ?5, ?6, ?7)",
     NULL},
    {"SELECT e.foreign_extent_id, e.traced_process_id, e.call_id, e.start, e.length, e.died_ns "
     "FROM traced_process t JOIN foreign_extent e ON e.traced_process_id = "
     "t.traced_process_id " OF_IT "ORDER BY 1",
     "INSERT INTO foreign_extent (traced_process_id, call_id, start, length, died_ns) "
     "VALUES (" HERE("traced_process", "?2") ", " HERE("call", "?3") ", ?4, ?5, ?6)",
     NULL},
};

static void copy_recording(pm_sql *into, pm_sql *from, int64_t recording_id, const char *host)
{
    const pm_arg args[] = {PM_I(recording_id), PM_S(host)};

    pm_sql_do(into,
              "CREATE TEMP TABLE IF NOT EXISTS copied (kind TEXT NOT NULL, there INTEGER NOT NULL, "
              "here INTEGER NOT NULL, PRIMARY KEY (kind, there)) WITHOUT ROWID",
              PM_NO_ARGS);
    pm_sql_do(into, "DELETE FROM temp.copied", PM_NO_ARGS);
    pm_sql_do(into, "INSERT INTO temp.copied VALUES ('stack', 0, 0)", PM_NO_ARGS);
    for (const struct kind *k = kinds; k < kinds + sizeof kinds / sizeof *kinds; k++) {
        size_t n = strstr(k->select, "?2") ? 2 : strstr(k->select, "?1") ? 1 : 0;
        sqlite3_stmt *row = pm_sql_ask(from, k->select, args, n);

        while (pm_sql_ok(into) && pm_sql_next(from, row)) {
            pm_sql_next(into, pm_sql_ask_row(into, k->insert, row));
            if (k->note)
                pm_sql_next(into, pm_sql_ask_row(into, k->note, row));
        }
        if (!pm_sql_ok(into) && row)
            pm_sql_done(row);
    }
}

static pmapdb_status copy_one(pmapdb_store *into, pm_sql *from, int64_t recording_id, uint64_t hash,
                              const char *host, bool *is_theirs, pmapdb_error *err)
{
    pmapdb_error local = {0};
    pmapdb_status st, theirs;

    err = err ? err : &local;
    st = pm_store_begin(into, err);
    if (st != PMAPDB_OK)
        return st;
    if (!pm_sql_value(into->sql, "SELECT 1 FROM recording WHERE hash = ?1", PM_ARGS(PM_BITS(hash)),
                      0))
        copy_recording(into->sql, from, recording_id, host);
    st = pm_sql_end(into->sql, err);
    if (st == PMAPDB_DATABASE && (err->db_code & 0xff) == SQLITE_CONSTRAINT) {
        *is_theirs = true; /* a reference to a missing row breaks NOT NULL */
        st = pm_fail(err, PMAPDB_INPUT, "a row of a recording is missing; the store is damaged");
    }
    theirs = pm_sql_end(from, st == PMAPDB_OK ? err : NULL);
    *is_theirs |= theirs != PMAPDB_OK && theirs != PMAPDB_NOMEM;
    st = st == PMAPDB_OK ? theirs : st;
    PM_STEP(st, pm_store_commit(into, err));
    if (st != PMAPDB_OK)
        pm_store_rollback(into);
    return st;
}

pmapdb_status pm_perf_copy(pmapdb_store *into, pmapdb_store *from, const char *host,
                           bool *is_theirs, pmapdb_error *err)
{
    bool has = true;
    int64_t last = 0;
    sqlite3_stmt *row;
    pmapdb_status st = PMAPDB_OK;

    while (st == PMAPDB_OK && has) {
        uint64_t hash = 0;

        row = pm_sql_ask(from->sql,
                         "SELECT recording_id, hash FROM recording r WHERE recording_id > ?1 "
                         "AND EXISTS (SELECT 1 FROM traced_process t WHERE t.recording_id = "
                         "r.recording_id AND t.pruned = 0) ORDER BY 1 LIMIT 1",
                         PM_ARGS(PM_I(last)));
        has = pm_sql_next(from->sql, row);
        if (has) {
            last = pm_col_int(row, 0);
            hash = (uint64_t)sqlite3_column_int64(row, 1);
            pm_sql_done(row);
        }
        st = pm_sql_end(from->sql, err);
        *is_theirs |= st != PMAPDB_OK && st != PMAPDB_NOMEM;
        if (st == PMAPDB_OK && has)
            st = copy_one(into, from->sql, last, hash, host, is_theirs, err);
    }
    return st;
}
