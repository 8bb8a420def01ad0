/* merge_perf: the recordings of the other store. A temporary table translates ids: row `there` of a
 * kind is row `here` of this store. */
#include "store/copy/merge_run.h"

#include "store/perf/recording.h"

#define HERE(kind, there) \
    "(SELECT here FROM temp.copied WHERE kind = '" kind "' AND there = " there ")"
#define NOTE(kind) "INSERT INTO temp.copied VALUES ('" kind "', ?1, last_insert_rowid())"
#define OF_IT "WHERE t.recording_id = ?1 AND t.pruned = 0 "

/* The rows of recording ?1. A store has each frame and stack once; a caller comes before its
 * callees. Calls keep their order. */
static const pm_merge_copy of_recording[] = {
    {"SELECT coalesce(h.name, ?3) FROM recording r LEFT JOIN host h ON h.host_id = r.host_id "
     "WHERE r.recording_id = ?1 AND coalesce(h.name, ?3) IS NOT NULL",
     "INSERT OR IGNORE INTO host (name) VALUES (?1)", NULL},
    {"SELECT r.recording_id, coalesce(h.name, ?3), r.hash, r.file, r.first_ns, r.last_ns, r.calls, "
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

#define NEW_IDS                                                                            \
    "CREATE TEMP TABLE IF NOT EXISTS copied (kind TEXT NOT NULL, there INTEGER NOT NULL, " \
    "here INTEGER NOT NULL, PRIMARY KEY (kind, there)) WITHOUT ROWID; "                    \
    "DELETE FROM temp.copied; INSERT INTO temp.copied VALUES ('stack', 0, 0)"

/* A recording is known by its hash, so each is copied in one transaction. */
void pm_merge_recordings(pm_merge *m)
{
    pm_sql *into = m->into->sql;
    sqlite3_stmt *row = pm_sql_ask(m->from->sql,
                                   "SELECT recording_id, hash FROM recording r WHERE EXISTS "
                                   "(SELECT 1 FROM traced_process t WHERE t.recording_id = "
                                   "r.recording_id AND t.pruned = 0) ORDER BY 1",
                                   PM_NO_ARGS);

    while (pm_merge_next(m, row)) {
        pm_merge_begin(m);
        if (pm_sql_value(into, "SELECT 1 FROM recording WHERE hash = ?1",
                         PM_ARGS(PM_BITS(sqlite3_column_int64(row, 1))), 0))
            continue;
        pm_sql_exec(into, NEW_IDS, "copy a recording");
        m->is_whole = true;
        pm_merge_rows(m, of_recording, sizeof of_recording / sizeof *of_recording,
                      pm_col_int(row, 0), 0);
        m->is_whole = false;
        pm_merge_commit(m);
    }
    pm_merge_commit(m);
    if (pm_merge_ok(m))
        PM_SQL_STEP(into, pm_perf_link(m->into, &err));
}
