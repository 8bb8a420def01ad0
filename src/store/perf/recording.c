/* recording: stores a text of perf script. */
#include "store/perf/recording.h"

#include "perf/replay.h"
#include "store/write/process.h"

typedef struct writing {
    const pm_trace *t;
    pm_sql *sql;
    int64_t recording_id;
    int64_t first_process; /* id of the first address space; the others follow */
} writing;

/* ---- events ---- */

static pm_arg argument(const pm_trace_event *e, int i)
{
    return e->has & 1U << i ? PM_BITS(e->arg[i]) : PM_I(PMAPDB_UNKNOWN);
}

static void insert_events(writing *w, uint64_t hash, const pm_recording_options *o)
{
    int64_t host_id = pm_host_of(w->sql, o->host);

    pm_sql_do(w->sql,
              "CREATE TEMP TABLE traced_event (place INTEGER PRIMARY KEY, time_ns, pid, tid, comm, "
              "kind, exit, a0, a1, a2, a3, a4, a5, chain)",
              PM_NO_ARGS);
    for (size_t i = 0; pm_sql_ok(w->sql) && i < w->t->n_events; i++) {
        const pm_trace_event *e = &w->t->event[i];

        pm_sql_do(w->sql,
                  "INSERT INTO traced_event VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, "
                  "?12, ?13, ?14)",
                  PM_ARGS(PM_I(i), PM_I(e->time_ns), PM_I(e->pid), PM_I(e->tid), PM_S(e->comm),
                          PM_I(e->kind), PM_I(e->exit), argument(e, 0), argument(e, 1),
                          argument(e, 2), argument(e, 3), argument(e, 4), argument(e, 5),
                          PM_I(e->chain)));
    }
    pm_sql_do(
        w->sql,
        "INSERT INTO recording (hash, host_id, file, first_ns, last_ns, calls, failed, "
        "unended, unbegun, bad, lost) SELECT ?1, ?2, ?3, min(time_ns), max(time_ns), 0, 0, "
        "0, 0, ?4, ?5 FROM temp.traced_event",
        PM_ARGS(PM_BITS(hash), PM_I(host_id), PM_S(o->file), PM_I(w->t->bad), PM_I(w->t->lost)));
    w->recording_id = pm_sql_last_id(w->sql);
    pm_sql_script(w->sql, "recording-events", NULL, 0);
    pm_sql_script(w->sql, "recording-threads",
                  PM_PARAMS({":recording_id", PM_I(w->recording_id)}, {":host_id", PM_I(host_id)},
                            {":pid", PM_I(o->pid)}, {":offset_ns", PM_I(o->clock_offset_ns)}));
}

/* ---- stacks ---- */

/* Writes the frames of a chain into temp.traced_frame. The text has the callee first; its depth is
 * 0 or below until the chain ends. Returns the number of frames. */
static int64_t insert_frames(writing *w, uint32_t chain)
{
    pm_text text = pm_pool_text_get(w->t->chains, chain);
    pm_perf_frame f;
    size_t at = 0;
    int64_t n = 0;

    for (; pm_sql_ok(w->sql) && pm_perf_next_frame(text, &at, &f); n++)
        pm_sql_do(w->sql, "INSERT INTO traced_frame VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                  PM_ARGS(PM_I(chain), PM_BITS(-n), PM_T(f.symbol),
                          PM_BITS(f.symbol.len ? f.offset : f.address), PM_T(f.dso),
                          PM_I(f.inlined)));
    pm_sql_do(w->sql, "UPDATE traced_frame SET depth = depth + ?2 WHERE chain = ?1",
              PM_ARGS(PM_I(chain), PM_I(n)));
    return n;
}

static void insert_stacks(writing *w)
{
    int64_t deepest = 0;

    pm_sql_exec(w->sql,
                "DROP TABLE IF EXISTS temp.traced_frame; DROP TABLE IF EXISTS temp.traced_stack; "
                "CREATE TEMP TABLE traced_frame (chain, depth, symbol, offset, dso, inlined); "
                "CREATE INDEX temp.traced_frame_chain ON traced_frame (chain); "
                "CREATE TEMP TABLE traced_stack (chain INTEGER PRIMARY KEY, stack_id)",
                "write");
    for (uint32_t i = 1; i <= w->t->n_chains && pm_sql_ok(w->sql); i++) {
        int64_t n = insert_frames(w, i);

        deepest = n > deepest ? n : deepest;
    }
    pm_sql_do(w->sql, "CREATE INDEX temp.traced_frame_depth ON traced_frame (depth)", PM_NO_ARGS);
    for (int64_t depth = 1; depth <= deepest && pm_sql_ok(w->sql); depth++)
        pm_sql_script(w->sql, "recording-stacks", PM_PARAMS({":depth", PM_I(depth)}));
}

/* ---- extents ---- */

static pmapdb_status on_extent(void *ctx, size_t space, const pm_range *range, int64_t died_ns,
                               pmapdb_error *err)
{
    const writing *w = ctx;

    pm_sql_do(w->sql,
              "INSERT INTO extent (traced_process_id, start, length, call_id, born_ns, died_ns) "
              "VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
              PM_ARGS(PM_I(w->first_process + (int64_t)space), PM_BITS(range->start),
                      PM_BITS(range->end - range->start), PM_I(range->call_id),
                      PM_I(range->born_ns), PM_I(died_ns)));
    return pm_sql_end(w->sql, err);
}

static pmapdb_status on_foreign(void *ctx, size_t space, const pm_range *range, int64_t died_ns,
                                pmapdb_error *err)
{
    const writing *w = ctx;

    pm_sql_do(w->sql,
              "INSERT INTO foreign_extent (traced_process_id, start, length, call_id, died_ns) "
              "VALUES (?1, ?2, ?3, ?4, ?5)",
              PM_ARGS(PM_I(w->first_process + (int64_t)space), PM_BITS(range->start),
                      PM_BITS(range->end - range->start), PM_I(range->call_id), PM_I(died_ns)));
    return pm_sql_end(w->sql, err);
}

static pm_traced_call call_of(sqlite3_stmt *row)
{
    pm_traced_call c = {.call_id = pm_col_int(row, 2),
                        .kind = (uint8_t)pm_col_int(row, 3),
                        .begin_ns = pm_col_int(row, 4),
                        .end_ns = pm_col_int(row, 5),
                        .ret = (uint64_t)sqlite3_column_int64(row, 6)};

    for (int i = 0; i < PM_CALL_ARGS; i++) {
        bool has = sqlite3_column_type(row, 7 + i) != SQLITE_NULL;

        c.arg[i] = (uint64_t)sqlite3_column_int64(row, 7 + i);
        c.has |= (uint8_t)((unsigned)has << i);
    }
    return c;
}

static pmapdb_status replay(writing *w, pmapdb_error *err)
{
    const pm_replay_out out = {w, on_extent, on_foreign};
    int64_t n = pm_sql_value(w->sql, "SELECT count(*) FROM traced_process WHERE recording_id = ?1",
                             PM_ARGS(PM_I(w->recording_id)), 0);
    sqlite3_stmt *row;
    pm_replay *r = NULL;
    pmapdb_status st = pm_replay_new((size_t)n, &out, &r, err);

    w->first_process = pm_sql_value(
        w->sql, "SELECT min(traced_process_id) FROM traced_process WHERE recording_id = ?1",
        PM_ARGS(PM_I(w->recording_id)), 0);
    row = pm_sql_ask(w->sql,
                     "SELECT h.exit, h.traced_process_id, c.call_id, c.kind, c.begin_ns, c.end_ns, "
                     "c.ret, c.a0, c.a1, c.a2, c.a3, c.a4, c.a5 FROM temp.traced_half h "
                     "JOIN call c ON c.call_id = h.call_id ORDER BY h.at",
                     PM_NO_ARGS);
    while (st == PMAPDB_OK && pm_sql_next(w->sql, row)) {
        pm_traced_call call = call_of(row);
        size_t space = (size_t)(pm_col_int(row, 1) - w->first_process);

        st = pm_col_int(row, 0) ? pm_replay_end(r, space, &call, err)
                                : pm_replay_begin(r, space, &call, err);
    }
    if (st != PMAPDB_OK && row)
        pm_sql_done(row);
    PM_STEP(st, pm_replay_finish(r, err));
    pm_replay_free(r);
    return st;
}

static pmapdb_status write_all(writing *w, uint64_t hash, const pm_recording_options *o,
                               pmapdb_error *err)
{
    pmapdb_status st;

    insert_events(w, hash, o);
    insert_stacks(w);
    pm_sql_script(w->sql, "recording-calls", PM_PARAMS({":recording_id", PM_I(w->recording_id)}));
    st = pm_sql_end(w->sql, err);
    PM_STEP(st, replay(w, err));
    return st;
}

/* ---- a known recording ---- */

/* True if the pid was unknown when the recording was stored, and is given now. */
static bool is_nameless(pm_sql *sql, int64_t id, int64_t pid)
{
    return id && pid != PMAPDB_UNKNOWN &&
           pm_sql_value(
               sql,
               "SELECT count(*) FROM traced_process WHERE recording_id = ?1 AND pid IS NOT ?2 "
               "AND pid_source <> 'text'",
               PM_ARGS(PM_I(id), PM_I(pid)), 0) > 0;
}

/* ---- into the store ---- */

static pmapdb_status check(const pm_trace *t, const pm_recording_options *o, pmapdb_error *err)
{
    for (size_t i = 0; o->pid != PMAPDB_UNKNOWN && i < t->n_events; i++)
        if (t->event[i].pid != PMAPDB_UNKNOWN)
            return pm_fail(err, PMAPDB_USAGE,
                           "'%s' names the process of each thread: leave --pid out", o->file);
    return t->n_events ? PMAPDB_OK : pm_fail(err, PMAPDB_INPUT, "'%s': no events", o->file);
}

/* Runs in a transaction. */
static pmapdb_status put(writing *w, uint64_t hash, const pm_recording_options *o, bool *known,
                         pmapdb_error *err)
{
    int64_t id = pm_sql_value(w->sql, "SELECT recording_id FROM recording WHERE hash = ?1",
                              PM_ARGS(PM_BITS(hash)), 0);
    pmapdb_status st;

    w->recording_id = id;
    *known = id && !is_nameless(w->sql, id, o->pid);
    if (*known)
        pm_sql_do(w->sql,
                  "UPDATE traced_process SET offset_ns = ?2, slack_ns = CASE WHEN ?2 IS NOT NULL "
                  "THEN 0 END, offset_source = CASE WHEN ?2 IS NOT NULL THEN 'given' END, "
                  "process_id = NULL WHERE recording_id = ?1 AND (?2 IS NOT NULL OR "
                  "offset_source = 'given')",
                  PM_ARGS(PM_I(id), PM_I(o->clock_offset_ns)));
    else if (id)
        pm_sql_script(w->sql, "recording-remove", PM_PARAMS({":recording_id", PM_I(id)}));
    st = pm_sql_end(w->sql, err);
    return st == PMAPDB_OK && !*known ? write_all(w, hash, o, err) : st;
}

pmapdb_status pm_recording_store(const pm_trace *t, pmapdb_store *s, uint64_t hash,
                                 const pm_recording_options *o, pm_recording_result *out,
                                 pmapdb_error *err)
{
    writing w = {.t = t, .sql = s->sql};
    bool known = false;
    pmapdb_status st = check(t, o, err);

    if (st == PMAPDB_OK)
        st = pm_store_begin_tidying(s, err); /* the removal may leave frames without a call */
    if (st == PMAPDB_OK)
        st = pm_store_begin(s, err);
    PM_STEP(st, put(&w, hash, o, &known, err));
    PM_STEP(st, pm_store_commit(s, err));
    if (st != PMAPDB_OK)
        pm_store_rollback(s);
    pm_store_end_tidying(s);
    if (st == PMAPDB_OK)
        *out = (pm_recording_result){w.recording_id, known};
    return st;
}
