/* threads: those that a recording shows, and which of them share an address space. */
#include "store/perf/threads.h"

#include "base/buf.h"
#include <stdlib.h>

void pm_threads_free(pm_threads *t)
{
    free(t->thread);
    free(t->slot);
    free(t->tracee);
    pm_pairs_free(&t->by_pid);
    *t = (pm_threads){0};
}

static uint32_t *slot_of(const pm_threads *t, int64_t pid, int64_t tid)
{
    uint64_t mixed = ((uint64_t)pid * 31 + (uint64_t)tid) * 0x9e3779b97f4a7c15U;
    size_t at = (size_t)(mixed >> 20) & (t->n_slots - 1);

    while (t->slot[at] &&
           (t->thread[t->slot[at] - 1].pid != pid || t->thread[t->slot[at] - 1].tid != tid))
        at = (at + 1) & (t->n_slots - 1);
    return &t->slot[at];
}

static pmapdb_status grow(pm_threads *t, pmapdb_error *err)
{
    size_t n = t->n_slots ? 2 * t->n_slots : 256;
    uint32_t *slots = calloc(n, sizeof *slots);

    if (!slots)
        return pm_fail_nomem(err);
    free(t->slot);
    t->slot = slots;
    t->n_slots = n;
    for (size_t i = 0; i < t->n; i++)
        *slot_of(t, t->thread[i].pid, t->thread[i].tid) = (uint32_t)i + 1;
    return PMAPDB_OK;
}

static pmapdb_status add(pm_threads *t, int64_t pid, int64_t tid, uint32_t *index,
                         pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;
    uint32_t *slot;

    if (2 * t->n >= t->n_slots)
        st = grow(t, err);
    if (st != PMAPDB_OK || !t->slot)
        return st;
    slot = slot_of(t, pid, tid);
    if (!*slot && t->n >= PM_THREADS_MAX)
        return pm_fail(err, PMAPDB_INPUT, "more than %zu threads", PM_THREADS_MAX);
    if (!*slot) {
        st = pm_grow(&t->thread, &t->cap, t->n, sizeof *t->thread, err);
        if (st != PMAPDB_OK)
            return st;
        t->thread[t->n++] = (pm_trace_thread){.pid = pid, .tid = tid};
        *slot = (uint32_t)t->n;
    }
    *index = *slot - 1;
    return PMAPDB_OK;
}

pmapdb_status pm_threads_of(pm_threads *t, int64_t pid, int64_t tid, pm_text comm, uint32_t *index,
                            pmapdb_error *err)
{
    pm_trace_thread *thread;
    size_t n = comm.len < sizeof thread->comm ? comm.len : sizeof thread->comm - 1;
    pmapdb_status st = PMAPDB_OK;

    *index = (uint32_t)t->last;
    if (!t->n || t->thread[t->last].pid != pid || t->thread[t->last].tid != tid)
        st = add(t, pid, tid, index, err);
    if (st != PMAPDB_OK)
        return st;
    t->last = *index;
    thread = &t->thread[*index];
    memcpy(thread->comm, comm.data ? comm.data : "", n);
    thread->comm[n] = '\0';
    return PMAPDB_OK;
}

/* ---- tracees ---- */

static pmapdb_status into(pm_threads *t, pm_trace_thread *thread, int64_t pid, const char *source,
                          pmapdb_error *err)
{
    size_t at = (size_t)pm_pairs_get(&t->by_pid, pid + 1);
    pmapdb_status st = PMAPDB_OK;

    if (!at) {
        st = pm_grow(&t->tracee, &t->cap_tracees, t->n_tracees, sizeof *t->tracee, err);
        at = t->n_tracees + 1;
        if (st == PMAPDB_OK)
            st = pm_pairs_put(&t->by_pid, pid + 1, (int64_t)at, err);
        if (st != PMAPDB_OK)
            return st;
        t->tracee[t->n_tracees++] = (pm_trace_tracee){.pid = pid, .source = source};
    }
    t->tracee[at - 1].n_threads++;
    thread->tracee = at - 1;
    return st;
}

static pmapdb_status is_process(pm_sql *sql, int64_t host_id, int64_t tid, bool *out,
                                pmapdb_error *err)
{
    int64_t found;
    pmapdb_status st = pm_sql_int(sql,
                                  "SELECT 1 FROM process p WHERE coalesce(p.pid, -1) = ?1 "
                                  "AND (?2 IS NULL OR p.host_id IS NULL OR p.host_id = ?2) LIMIT 1",
                                  PM_ARGS(PM_I(tid), PM_I(host_id)), 0, &found, err);

    *out = found != 0;
    return st;
}

/* Of the threads without a pid: how many there are, how many have the id of a process, and the last
 * of these. */
typedef struct nameless {
    size_t n, processes;
    int64_t pid;
} nameless;

static pmapdb_status look(pm_threads *t, pm_sql *sql, int64_t host_id, nameless *out,
                          pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    *out = (nameless){0};
    for (size_t i = 0; i < t->n && st == PMAPDB_OK; i++) {
        bool is = false;

        if (t->thread[i].pid != PMAPDB_UNKNOWN)
            continue;
        st = is_process(sql, host_id, t->thread[i].tid, &is, err);
        out->n++;
        out->processes += is;
        out->pid = is || out->n == 1 ? t->thread[i].tid : out->pid;
    }
    return st;
}

static pmapdb_status settle_nameless(pm_threads *t, pm_trace_thread *thread, pm_sql *sql,
                                     int64_t host_id, const nameless *of, pmapdb_error *err)
{
    bool is = false;
    pmapdb_status st;

    if (of->processes == 1 || of->n == 1)
        return into(t, thread, of->pid, of->n == 1 && of->processes ? "thread" : "assumed", err);
    st = is_process(sql, host_id, thread->tid, &is, err);
    if (st != PMAPDB_OK)
        return st;
    return is ? into(t, thread, thread->tid, "thread", err)
              : into(t, thread, PMAPDB_UNKNOWN, "unknown", err);
}

pmapdb_status pm_threads_settle(pm_threads *t, pm_sql *sql, int64_t host_id, int64_t given,
                                pmapdb_error *err)
{
    nameless of = {0};
    pmapdb_status st = PMAPDB_OK;

    if (given == PMAPDB_UNKNOWN)
        st = look(t, sql, host_id, &of, err);
    for (size_t i = 0; i < t->n && st == PMAPDB_OK; i++) {
        pm_trace_thread *thread = &t->thread[i];

        if (thread->pid != PMAPDB_UNKNOWN)
            st = into(t, thread, thread->pid, "text", err);
        else if (given != PMAPDB_UNKNOWN)
            st = into(t, thread, given, "given", err);
        else
            st = settle_nameless(t, thread, sql, host_id, &of, err);
    }
    return st;
}
