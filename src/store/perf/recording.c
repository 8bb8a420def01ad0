/* recording: stores a text of perf script, and finds its processes and their clocks. */
#include "store/perf/recording.h"

#include "base/hash.h"
#include "perf/replay.h"
#include "store/write/process.h"

/* ---- events ---- */

void pm_recording_begin(pm_recording *r, pmapdb_store *s)
{
    *r = (pm_recording){.store = s, .sql = s->sql};
    pm_sql_do(r->sql, "BEGIN", PM_NO_ARGS); /* else each row would be a transaction */
    pm_sql_script(r->sql, "recording-begin", NULL, 0);
}

void pm_recording_free(pm_recording *r)
{
    pm_store_rollback(r->store);
    pm_sql_script(r->sql, "recording-end", NULL, 0);
    pm_sql_end(r->sql, NULL);
}

/* Finds a chain by its hash, or stores its frames, the outermost caller at depth 1. *n: frames.
 * Returns 0 if all of its frames are the kernel's. */
static int64_t chain_of(pm_recording *r, pm_text text, int64_t *n)
{
    int64_t chain = text.len ? (int64_t)(pm_hash(text.data, text.len, 0) >> 1) : 0;
    pm_perf_frame f;
    size_t at = 0;

    *n = pm_sql_value(r->sql, "SELECT max(depth) FROM temp.traced_frame WHERE chain = ?1",
                      PM_ARGS(PM_I(chain)), 0);
    if (*n)
        return chain;
    while (pm_perf_next_frame(text, &at, &f))
        ++*n;
    at = 0;
    for (int64_t depth = *n; pm_perf_next_frame(text, &at, &f); depth--)
        pm_sql_do(r->sql, "INSERT INTO temp.traced_frame VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                  PM_ARGS(PM_I(chain), PM_I(depth), PM_T(f.symbol),
                          PM_BITS(f.symbol.len ? f.offset : f.address), PM_T(f.dso),
                          PM_I(f.inlined)));
    return *n ? chain : 0;
}

static pm_arg argument(const pm_perf_event *e, int i)
{
    if (e->exit)
        return i == 0 ? PM_BITS(e->ret) : PM_I(PMAPDB_UNKNOWN);
    return e->has & 1U << i ? PM_BITS(e->arg[i]) : PM_I(PMAPDB_UNKNOWN);
}

pmapdb_status pm_recording_add(void *recording, const pm_perf_event *e, pmapdb_error *err)
{
    pm_recording *r = recording;
    int64_t frames, chain = chain_of(r, e->chain, &frames);

    r->any_chain |= e->chain.len > 0;
    r->brks += chain && e->kind == PM_CALL_BRK;
    r->short_brks += frames == 1 && e->kind == PM_CALL_BRK;
    r->names_pids |= e->pid != PMAPDB_UNKNOWN;
    pm_sql_do(r->sql,
              "INSERT INTO temp.traced_event VALUES (NULL, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, "
              "?10, ?11, ?12, ?13)",
              PM_ARGS(PM_I(e->time_ns), PM_I(e->pid), PM_I(e->tid), PM_T(e->comm), PM_I(e->kind),
                      PM_I(e->exit), argument(e, 0), argument(e, 1), argument(e, 2), argument(e, 3),
                      argument(e, 4), argument(e, 5), PM_I(chain)));
    return pm_sql_end(r->sql, err);
}

/* ---- rows ---- */

static void insert_calls(pm_recording *r, const pm_perf_counts *counts, uint64_t hash,
                         const char *file, const pmapdb_perf_options *o)
{
    int64_t host_id = pm_host_of(r->sql, o->host), deepest;
    uint64_t lost =
        counts->lost_records > counts->lost_samples ? counts->lost_records : counts->lost_samples;

    r->recording_id = pm_sql_do(
        r->sql,
        "INSERT INTO recording (hash, host_id, file, first_ns, last_ns, calls, failed, "
        "unended, unbegun, bad, lost) SELECT ?1, ?2, ?3, min(time_ns), max(time_ns), 0, 0, "
        "0, 0, ?4, nullif(?5, 0) FROM temp.traced_event",
        PM_ARGS(PM_BITS(hash), PM_I(host_id), PM_S(file), PM_I(counts->bad),
                PM_I(lost > INT32_MAX ? INT32_MAX : lost)));
    pm_sql_script(r->sql, "recording-events", NULL, 0);
    pm_sql_script(r->sql, "recording-threads",
                  PM_PARAMS({":recording_id", PM_I(r->recording_id)}, {":host_id", PM_I(host_id)},
                            {":pid", PM_I(o->pid)}, {":offset_ns", PM_I(o->clock_offset_ns)}));
    deepest = pm_sql_value(r->sql, "SELECT max(depth) FROM temp.traced_frame", PM_NO_ARGS, 0);
    for (int64_t depth = 1; depth <= deepest && pm_sql_ok(r->sql); depth++)
        pm_sql_script(r->sql, "recording-stacks", PM_PARAMS({":depth", PM_I(depth)}));
    pm_sql_script(r->sql, "recording-calls", PM_PARAMS({":recording_id", PM_I(r->recording_id)}));
}

/* ---- extents ---- */

static pmapdb_status on_extent(void *ctx, size_t space, const pm_range *range, int64_t died_ns,
                               pmapdb_error *err)
{
    const pm_recording *r = ctx;

    pm_sql_do(r->sql,
              "INSERT INTO extent (traced_process_id, start, length, call_id, died_ns, born_ns) "
              "VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
              PM_ARGS(PM_I(r->first_process + (int64_t)space), PM_BITS(range->start),
                      PM_BITS(range->end - range->start), PM_I(range->call_id), PM_I(died_ns),
                      PM_I(range->born_ns)));
    return pm_sql_end(r->sql, err);
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

static pmapdb_status insert_extents(pm_recording *r, pmapdb_error *err)
{
    int64_t n = pm_sql_value(r->sql, "SELECT count(*) FROM traced_process WHERE recording_id = ?1",
                             PM_ARGS(PM_I(r->recording_id)), 0);
    sqlite3_stmt *row;
    pm_replay *replay = NULL;
    pmapdb_status st = pm_replay_new((size_t)n, on_extent, r, &replay, err);

    r->first_process = pm_sql_value(
        r->sql, "SELECT min(traced_process_id) FROM traced_process WHERE recording_id = ?1",
        PM_ARGS(PM_I(r->recording_id)), 0);
    row = pm_sql_ask(r->sql,
                     "SELECT h.exit, h.traced_process_id, c.call_id, c.kind, c.begin_ns, c.end_ns, "
                     "c.ret, c.a0, c.a1, c.a2, c.a3, c.a4, c.a5 FROM temp.traced_half h "
                     "JOIN call c ON c.call_id = h.call_id ORDER BY h.at",
                     PM_NO_ARGS);
    while (st == PMAPDB_OK && pm_sql_next(r->sql, row)) {
        pm_traced_call call = call_of(row);
        size_t space = (size_t)(pm_col_int(row, 1) - r->first_process);

        st = pm_col_int(row, 0) ? pm_replay_end(replay, space, &call, err)
                                : pm_replay_begin(replay, space, &call, err);
    }
    if (st != PMAPDB_OK && row)
        pm_sql_done(row);
    PM_STEP(st, pm_replay_finish(replay, err));
    pm_replay_free(replay);
    return st;
}

/* ---- into the store ---- */

/* True if --pid was given and a process of the stored recording does not have that pid. */
static bool needs_pid(pm_recording *r, int64_t pid)
{
    return pid != PMAPDB_UNKNOWN &&
           pm_sql_value(
               r->sql,
               "SELECT count(*) FROM traced_process WHERE recording_id = ?1 AND pid IS NOT ?2 "
               "AND pid_source <> 'text'",
               PM_ARGS(PM_I(r->recording_id), PM_I(pid)), 0) > 0;
}

/* Runs in a transaction. */
static pmapdb_status put(pm_recording *r, const pm_perf_counts *counts, uint64_t hash,
                         const char *file, const pmapdb_perf_options *o, pmapdb_error *err)
{
    pmapdb_status st;

    r->recording_id = pm_sql_value(r->sql, "SELECT recording_id FROM recording WHERE hash = ?1",
                                   PM_ARGS(PM_BITS(hash)), 0);
    r->known = r->recording_id && !needs_pid(r, o->pid);
    if (r->known) {
        pm_sql_do(r->sql,
                  "UPDATE traced_process SET offset_ns = ?2, slack_ns = CASE WHEN ?2 IS NOT NULL "
                  "THEN 0 END, offset_source = CASE WHEN ?2 IS NOT NULL THEN 'given' END, "
                  "process_id = NULL WHERE recording_id = ?1 AND (?2 IS NOT NULL OR "
                  "offset_source = 'given')",
                  PM_ARGS(PM_I(r->recording_id), PM_I(o->clock_offset_ns)));
        return pm_sql_end(r->sql, err);
    }
    pm_sql_script(r->sql, "recording-remove", PM_PARAMS({":recording_id", PM_I(r->recording_id)}));
    insert_calls(r, counts, hash, file, o);
    st = pm_sql_end(r->sql, err);
    return st == PMAPDB_OK ? insert_extents(r, err) : st;
}

pmapdb_status pm_recording_store(pm_recording *r, const pm_perf_counts *counts, uint64_t hash,
                                 const char *file, const pmapdb_perf_options *o, pmapdb_error *err)
{
    pmapdb_store *s = r->store;
    pmapdb_status st = PMAPDB_OK;

    if (o->pid != PMAPDB_UNKNOWN && r->names_pids)
        st = pm_fail(err, PMAPDB_USAGE, "'%s' names the process of each thread: leave --pid out",
                     file);
    PM_STEP(st, pm_store_commit(s, err)); /* of the temporary tables */
    /* recording-remove: foreign keys would search all referring tables for each row */
    PM_STEP(st, pm_store_begin_tidying(s, err));
    PM_STEP(st, pm_store_begin(s, err));
    PM_STEP(st, put(r, counts, hash, file, o, err));
    PM_STEP(st, pm_store_commit(s, err));
    if (st != PMAPDB_OK)
        pm_store_rollback(s);
    pm_store_end_tidying(s);
    return st;
}

/* ---- its processes ---- */

pmapdb_status pm_perf_link(pmapdb_store *s, pmapdb_error *err)
{
    int64_t any = pm_sql_value(s->sql,
                               "SELECT 1 FROM traced_process WHERE pid IS NOT NULL AND pruned = 0 "
                               "AND process_id + offset_ns IS NULL LIMIT 1",
                               PM_NO_ARGS, 0);
    int64_t pair = 0;
    pmapdb_status st = pm_sql_end(s->sql, err);

    if (st != PMAPDB_OK || !any)
        return st;
    st = pm_store_begin(s, err);
    if (st != PMAPDB_OK)
        return st;
    pm_sql_script(s->sql, "link-pairs", NULL, 0);
    /* one pair after another, because the edges of one pair may fill much memory */
    while (
        (pair = pm_sql_value(
             s->sql, "SELECT min(pair) FROM temp.link_pair WHERE pair > ?1 AND lo_ns IS NOT NULL",
             PM_ARGS(PM_I(pair)), 0)) != 0)
        pm_sql_script(s->sql, "link-align", PM_PARAMS({":pair", PM_I(pair)}));
    pm_sql_script(s->sql, "link-choose", NULL, 0);
    return pm_store_end(s, err);
}
