/* recording: a text of perf script on its way into the store. */
#include "store/perf/recording_run.h"

#include "store/perf/remove.h"
#include "store/process.h"
#include <stdlib.h>

pmapdb_status pm_recording_new(pm_recording **out, pmapdb_error *err)
{
    pm_recording *r = calloc(1, sizeof *r);
    pmapdb_status st;

    if (!r)
        return pm_fail_nomem(err);
    r->result = (pm_recording_result){
        .lost = PMAPDB_UNKNOWN, .first_ns = PMAPDB_UNKNOWN, .last_ns = PMAPDB_UNKNOWN};
    st = pm_spool_new(&r->spool, err);
    if (st != PMAPDB_OK) {
        pm_recording_free(r);
        return st;
    }
    *out = r;
    return PMAPDB_OK;
}

void pm_recording_free(pm_recording *r)
{
    if (!r)
        return;
    pm_spool_free(r->spool);
    pm_threads_free(&r->threads);
    free(r);
}

/* ---- as it is read ---- */

pmapdb_status pm_recording_event(void *recording, const pm_perf_event *e, pmapdb_error *err)
{
    pm_recording *r = recording;
    pm_recording_result *sum = &r->result;
    pm_trace_event event = {
        .time_ns = e->time_ns, .kind = (uint8_t)e->kind, .has = (uint8_t)e->has, .exit = e->exit};
    pmapdb_status st = pm_threads_of(&r->threads, e->pid, e->tid, e->comm, &event.thread, err);

    if (st != PMAPDB_OK)
        return st;
    if (e->exit)
        event.arg[0] = e->ret;
    else
        memcpy(event.arg, e->arg, sizeof event.arg);
    if (sum->first_ns == PMAPDB_UNKNOWN || e->time_ns < sum->first_ns)
        sum->first_ns = e->time_ns;
    if (e->time_ns > sum->last_ns) /* unknown is less than any */
        sum->last_ns = e->time_ns;
    return pm_spool_put(r->spool, &event, e->chain, err);
}

pmapdb_status pm_recording_lost(void *recording, uint64_t n, pmapdb_error *err)
{
    pm_recording *r = recording;

    (void)err;
    if (r->result.lost == PMAPDB_UNKNOWN)
        r->result.lost = 0;
    r->result.lost += n > INT32_MAX ? INT32_MAX : (int64_t)n;
    return PMAPDB_OK;
}

pmapdb_status pm_recording_bad(void *recording, uint64_t line, const char *why, pmapdb_error *err)
{
    pm_recording *r = recording;

    (void)line;
    (void)why;
    (void)err;
    r->result.bad++;
    return PMAPDB_OK;
}

/* ---- into the store ---- */

static pmapdb_status check(const pm_recording *r, const pm_recording_options *o, pmapdb_error *err)
{
    for (size_t i = 0; o->pid != PMAPDB_UNKNOWN && i < r->threads.n; i++)
        if (r->threads.thread[i].pid != PMAPDB_UNKNOWN)
            return pm_fail(err, PMAPDB_USAGE,
                           "'%s' says itself which process each thread is of: leave --pid out",
                           o->file);
    if (r->threads.n == 0)
        return pm_fail(err, PMAPDB_INPUT, "'%s': no events", o->file);
    return PMAPDB_OK;
}

static pmapdb_status insert(pm_recording *r, pmapdb_store *s, uint64_t hash,
                            const pm_recording_options *o, int64_t host_id, pmapdb_error *err)
{
    const pm_recording_result *sum = &r->result;
    pmapdb_status st = pm_sql_run(
        s->sql,
        "INSERT INTO recording (hash, host_id, file, first_ns, last_ns, calls, failed, unended, "
        "unbegun, bad, lost) VALUES (?1, ?2, ?3, ?4, ?5, 0, 0, 0, 0, ?6, ?7)",
        PM_ARGS(PM_BITS(hash), PM_I(host_id), PM_S(o->file), PM_I(sum->first_ns),
                PM_I(sum->last_ns), PM_I(sum->bad), PM_I(sum->lost)),
        err);

    r->result.recording_id = pm_sql_last_id(s->sql);
    return st;
}

static pmapdb_status insert_tracees(pm_recording *r, pmapdb_store *s, int64_t offset_ns,
                                    pmapdb_error *err)
{
    bool given = offset_ns != PMAPDB_UNKNOWN;
    pmapdb_status st = PMAPDB_OK;

    for (size_t i = 0; i < r->threads.n_tracees && st == PMAPDB_OK; i++) {
        pm_trace_tracee *t = &r->threads.tracee[i];

        st = pm_sql_run(
            s->sql,
            "INSERT INTO traced_process (recording_id, pid, pid_source, offset_ns, slack_ns, "
            "offset_source, pruned) VALUES (?1, ?2, ?3, ?4, ?5, ?6, 0)",
            PM_ARGS(PM_I(r->result.recording_id), PM_I(t->pid), PM_S(t->source), PM_I(offset_ns),
                    PM_I(given ? 0 : PMAPDB_UNKNOWN), PM_S(given ? "given" : NULL)),
            err);
        t->tracee_id = pm_sql_last_id(s->sql);
        r->result.homeless += t->pid == PMAPDB_UNKNOWN ? t->n_threads : 0;
    }
    r->result.tracees = r->threads.n_tracees;
    r->result.threads = r->threads.n;
    return st;
}

static pmapdb_status store(pm_recording *r, pmapdb_store *s, uint64_t hash,
                           const pm_recording_options *o, pmapdb_error *err)
{
    const pm_recording_result *sum = &r->result;
    int64_t host_id = PMAPDB_UNKNOWN;
    pmapdb_status st = pm_host_of(s->sql, o->host, &host_id, err);

    if (st == PMAPDB_OK)
        st = pm_threads_settle(&r->threads, s->sql, host_id, o->pid, err);
    if (st == PMAPDB_OK)
        st = insert(r, s, hash, o, host_id, err);
    if (st == PMAPDB_OK)
        st = insert_tracees(r, s, o->clock_offset_ns, err);
    if (st == PMAPDB_OK)
        st = pm_recording_run(r, s->sql, err);
    if (st == PMAPDB_OK)
        st = pm_sql_run(s->sql,
                        "UPDATE recording SET calls = ?2, failed = ?3, unended = ?4, unbegun = ?5 "
                        "WHERE recording_id = ?1",
                        PM_ARGS(PM_I(sum->recording_id), PM_I(sum->calls), PM_I(sum->failed),
                                PM_I(sum->unended), PM_I(sum->unbegun)),
                        err);
    return st;
}

/* What was given once and is not given any more is found out again, like any other. */
static pmapdb_status take_offset(pm_sql *sql, int64_t recording_id, int64_t offset_ns,
                                 pmapdb_error *err)
{
    if (offset_ns == PMAPDB_UNKNOWN)
        return pm_sql_run(sql,
                          "UPDATE traced_process SET offset_ns = NULL, slack_ns = NULL, "
                          "offset_source = NULL, process_id = NULL "
                          "WHERE recording_id = ?1 AND offset_source = 'given'",
                          PM_ARGS(PM_I(recording_id)), err);
    return pm_sql_run(
        sql,
        "UPDATE traced_process SET offset_ns = ?2, slack_ns = 0, offset_source = 'given', "
        "process_id = NULL WHERE recording_id = ?1",
        PM_ARGS(PM_I(recording_id), PM_I(offset_ns)), err);
}

static pmapdb_status find(pmapdb_store *s, uint64_t hash, int64_t *recording_id, pmapdb_error *err)
{
    return pm_sql_int(s->sql, "SELECT recording_id FROM recording WHERE hash = ?1",
                      PM_ARGS(PM_BITS(hash)), 0, recording_id, err);
}

/* It was stored when nobody knew its pid, and now somebody does. */
static pmapdb_status forget_nameless(pmapdb_store *s, uint64_t hash, int64_t pid, pmapdb_error *err)
{
    int64_t id = 0, nameless = 0;
    pmapdb_status st = find(s, hash, &id, err);

    if (st == PMAPDB_OK && id)
        st = pm_sql_int(
            s->sql,
            "SELECT count(*) FROM traced_process WHERE recording_id = ?1 AND pid IS NOT ?2 "
            "AND pid_source <> 'text'",
            PM_ARGS(PM_I(id), PM_I(pid)), 0, &nameless, err);
    return st == PMAPDB_OK && nameless ? pm_recording_remove(s, id, err) : st;
}

pmapdb_status pm_recording_store(pm_recording *r, pmapdb_store *s, uint64_t hash,
                                 const pm_recording_options *options, pm_recording_result *out,
                                 pmapdb_error *err)
{
    int64_t id = 0;
    pmapdb_status st = check(r, options, err);

    if (st == PMAPDB_OK && options->pid != PMAPDB_UNKNOWN)
        st = forget_nameless(s, hash, options->pid, err);
    if (st == PMAPDB_OK)
        st = pm_store_begin(s, err);
    if (st != PMAPDB_OK)
        return st;
    st = find(s, hash, &id, err);
    if (st == PMAPDB_OK && id)
        st = take_offset(s->sql, id, options->clock_offset_ns, err);
    else if (st == PMAPDB_OK)
        st = store(r, s, hash, options, err);
    if (st == PMAPDB_OK)
        st = pm_store_commit(s, err);
    if (st != PMAPDB_OK) {
        pm_store_rollback(s);
        return st;
    }
    *out = r->result;
    out->known = id != 0;
    out->recording_id = id ? id : r->result.recording_id;
    return PMAPDB_OK;
}
