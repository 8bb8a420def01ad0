/* capture_sweep: one beat: reads all that is chosen, then stores it. */
#include "api/capture_run.h"

#include "store/write/live_reading.h"
#include <stdio.h>
#include <unistd.h>

/* What was read waits in memory until all is, so that a beat is stored whole or not at all. With
 * more than this it is stored in parts, and maps are not remembered for the next beat. */
#define WAITING_BYTES ((size_t)256 << 20)

#define ENDED_BYTES ((size_t)32 << 20)
#define FORGET_BEATS 10000

/* Root in a container may lack the right, also over what is outside of it. */
static const char *way_out(void)
{
    return geteuid() ? "run as root or with CAP_SYS_PTRACE"
                     : "root lacks CAP_SYS_PTRACE over it here";
}

/* ---- those that give no snapshot ---- */

static const char *words_of(pm_proc_fate fate)
{
    switch (fate) {
    case PM_PROC_KERNEL:
        return "a kernel thread, which has no memory map";
    case PM_PROC_UNREADABLE:
        return "this user may not read its memory map";
    case PM_PROC_CHANGED:
        return "it became another program while it was read";
    case PM_PROC_TORN:
        return "its map changed too quickly while it was read: nothing of it is kept";
    case PM_PROC_ZOMBIE:
        return "it has ended (a zombie)";
    case PM_PROC_GONE:
    case PM_PROC_GOOD:
        break;
    }
    return "it ended while it was read";
}

/* Of those named by pid, what gives none at the first look is trouble; what ends later is news. */
static void miss_named(pm_capture_run *run, pm_named *named, pm_proc_fate fate, bool opened)
{
    bool first = run->n_begun == 1, seen = named->start_time != PMAPDB_UNKNOWN;
    char text[128];

    if (fate == PM_PROC_UNREADABLE)
        snprintf(text, sizeof text, "%s: %s", words_of(fate), way_out());
    else if (seen && !opened && (fate == PM_PROC_GONE || fate == PM_PROC_ZOMBIE))
        snprintf(text, sizeof text, "it has ended");
    else if (fate == PM_PROC_GONE && !opened)
        snprintf(text, sizeof text, "no such process");
    else
        snprintf(text, sizeof text, "%s", words_of(fate));
    named->done = fate != PM_PROC_CHANGED;
    run->result->trouble += first;
    pm_capture_tell(run, named->pid, first, text);
}

/* The next beat, or run, may well get it; only who asked for this one, once, got nothing. */
static void miss_torn(pm_capture_run *run, int64_t pid, bool is_named)
{
    bool trouble = is_named && run->options->every_ms == PMAPDB_UNKNOWN;

    run->sweep.counts.changed++;
    run->result->trouble += trouble;
    if (trouble || !run->said_changed)
        pm_capture_tell(run, pid, trouble, words_of(PM_PROC_TORN));
    run->said_changed = true;
}

/* Threads have directories in /proc, too, which are not listed. */
static bool is_thread(pm_capture_run *run, const pm_proc *p)
{
    pm_named *named = pm_select_named(&run->selection, p->pid);
    bool seen = !named || named->start_time != PMAPDB_UNKNOWN;
    int64_t leader = seen ? PMAPDB_UNKNOWN : pm_proc_leader(p);
    char text[128];

    if (leader == PMAPDB_UNKNOWN || leader == p->pid)
        return false;
    snprintf(text, sizeof text, "%lld is a thread of process %lld", (long long)p->pid,
             (long long)leader);
    named->done = true;
    run->result->trouble++;
    pm_capture_tell(run, p->pid, true, text);
    return true;
}

/* opened: its end was met while it was read. */
static void miss(pm_capture_run *run, int64_t pid, pm_proc_fate fate, bool opened)
{
    pm_named *named = pm_select_named(&run->selection, pid);
    bool vanished = opened && (fate == PM_PROC_GONE || fate == PM_PROC_CHANGED);

    run->sweep.counts.unreadable += fate == PM_PROC_UNREADABLE;
    run->sweep.counts.vanished += vanished;
    if (fate == PM_PROC_TORN)
        miss_torn(run, pid, named != NULL);
    else if (named)
        miss_named(run, named, fate, opened);
    else if (vanished)
        pm_capture_tell(run, pid, false, words_of(fate));
}

static void tell_unreadable(pm_capture_run *run)
{
    int64_t n = run->sweep.counts.unreadable;
    char text[128];

    if (run->selection.named || run->said_unreadable || !n)
        return;
    snprintf(text, sizeof text,
             n == 1 ? "%lld process cannot be read: %s" : "%lld processes cannot be read: %s",
             (long long)n, way_out());
    run->said_unreadable = true;
    pm_capture_tell(run, PMAPDB_UNKNOWN, false, text);
}

/* ---- those that did not move ---- */

static bool asks_size(const pmapdb_capture_options *o)
{
    return o->growth_percent != PMAPDB_UNKNOWN || o->growth_kib != PMAPDB_UNKNOWN ||
           o->rss_above_kib != PMAPDB_UNKNOWN;
}

/* By as much as was asked for, up or down: what is stored is then never further from the truth. */
static bool has_moved(const pmapdb_capture_options *o, int64_t before_kib, int64_t now_kib)
{
    int64_t by = now_kib > before_kib ? now_kib - before_kib : before_kib - now_kib;

    if (o->growth_kib != PMAPDB_UNKNOWN && by >= o->growth_kib)
        return true;
    return o->growth_percent != PMAPDB_UNKNOWN &&
           (double)by * 100 >= (double)before_kib * (double)o->growth_percent;
}

/* Before the map is read, from what costs the process nothing. */
static pmapdb_status is_wanted(pm_capture_run *run, const pm_proc *p, pm_target *t, bool *wanted,
                               pmapdb_error *err)
{
    const pmapdb_capture_options *o = run->options;
    pm_proc_extent extent;
    pmapdb_status st = PMAPDB_OK;

    *wanted = true;
    if (!asks_size(o) || !pm_proc_statm(p, &extent))
        return PMAPDB_OK;
    if (o->rss_above_kib != PMAPDB_UNKNOWN)
        *wanted = extent.resident_kib > o->rss_above_kib;
    if (!*wanted || (o->growth_percent == PMAPDB_UNKNOWN && o->growth_kib == PMAPDB_UNKNOWN))
        return PMAPDB_OK;
    if (!t->asked && t->rss_kib == PMAPDB_UNKNOWN)
        st = pm_reading_rss(run->store->sql, run->host, run->boot_id, t->pid, t->start_time,
                            &t->rss_kib, err);
    t->asked = true;
    *wanted = t->rss_kib == PMAPDB_UNKNOWN || has_moved(o, t->rss_kib, extent.resident_kib);
    return st;
}

/* ---- one process ---- */

static pmapdb_status capture_open(pm_capture_run *run, const pm_proc *p, pmapdb_error *err)
{
    pm_proc_fate fate = PM_PROC_GOOD;
    pm_target *t;
    bool wanted;
    pmapdb_status st = pm_targets_get(&run->targets, p->pid, p->life.start_time, &t, err);

    if (st != PMAPDB_OK)
        return st;
    t->beat = run->n_begun;
    st = is_wanted(run, p, t, &wanted, err);
    if (st != PMAPDB_OK || !wanted) {
        run->sweep.counts.unmoved += st == PMAPDB_OK;
        return st;
    }
    st = pm_capture_read(run, p, t, &fate, err);
    if (st == PMAPDB_INPUT) { /* its own fault: the others go on */
        run->result->trouble++;
        pm_capture_tell(run, p->pid, true, err->text);
        return PMAPDB_OK;
    }
    if (st == PMAPDB_OK && fate != PM_PROC_GOOD)
        miss(run, p->pid, fate, true);
    else if (st == PMAPDB_OK)
        run->sweep.counts.degraded += t->live.degraded != NULL;
    return st;
}

/* Another process that was given the pid of one that was named is not it. */
static bool is_stranger(pm_capture_run *run, const pm_proc *p)
{
    pm_named *named = pm_select_named(&run->selection, p->pid);

    if (!named)
        return false;
    if (named->start_time == PMAPDB_UNKNOWN)
        named->start_time = p->life.start_time;
    return named->start_time != p->life.start_time;
}

static pmapdb_status capture_pid(pm_capture_run *run, int64_t pid, pmapdb_error *err)
{
    pm_proc p;
    pm_proc_fate fate;
    bool holds, hidden;
    pmapdb_status st = pm_proc_open(run->root, pid, &p, &fate, err);

    if (st != PMAPDB_OK)
        return st;
    if (fate != PM_PROC_GOOD) {
        miss(run, pid, fate, false);
        return PMAPDB_OK;
    }
    if (is_thread(run, &p)) {
        pm_proc_close(&p);
        return PMAPDB_OK;
    }
    if (is_stranger(run, &p)) {
        miss(run, pid, PM_PROC_GONE, false);
        pm_proc_close(&p);
        return PMAPDB_OK;
    }
    st = pm_select_holds(&run->selection, &p, run->machine, &holds, &hidden, err);
    if (st == PMAPDB_OK && holds)
        st = capture_open(run, &p, err);
    else if (st == PMAPDB_OK && hidden)
        miss(run, pid, PM_PROC_UNREADABLE, false);
    pm_proc_close(&p);
    return st;
}

/* ---- all of them ---- */

static pmapdb_status store_part(pm_capture_run *run, pmapdb_error *err)
{
    pmapdb_status st = pm_capture_store(run, err);

    for (size_t i = 0; i < run->targets.n; i++)
        pm_target_forget_map(&run->targets, run->targets.item[i]);
    return st;
}

static pmapdb_status capture_all(pm_capture_run *run, pmapdb_error *err)
{
    pm_selection *s = &run->selection;
    pmapdb_status st = pm_proc_host_renew(run->machine, err);

    if (st == PMAPDB_OK)
        st = pm_select_list(s, run->root, err);
    for (size_t i = 0; i < s->n_pids && st == PMAPDB_OK; i++) {
        if (run->options->on_progress && !run->options->on_progress(run->options->ctx))
            return pm_fail(err, PMAPDB_STOPPED, "stopped");
        st = capture_pid(run, s->pids[i], err);
        if (st == PMAPDB_OK && run->targets.bytes > WAITING_BYTES)
            st = store_part(run, err);
    }
    if (st != PMAPDB_OK)
        return st;
    tell_unreadable(run);
    return pm_capture_store(run, err);
}

/* The store's writer remembers all that it met. Of processes that ended, of files that were
 * replaced, nothing must pile up over months; reading the rest anew costs some ms a process. */
static void forget_the_past(pm_capture_run *run)
{
    if (run->targets.ended_bytes < ENDED_BYTES && run->n_begun % FORGET_BEATS != 0)
        return;
    pm_store_abandon(run->store);
    run->targets.ended_bytes = 0;
}

pmapdb_status pm_capture_sweep(pm_capture_run *run, pmapdb_error *err)
{
    pmapdb_status st = capture_all(run, err);

    for (size_t i = 0; st != PMAPDB_OK && i < run->targets.n; i++)
        run->targets.item[i]->waiting = false;
    pm_targets_sweep(&run->targets, run->n_begun);
    forget_the_past(run);
    return st;
}
