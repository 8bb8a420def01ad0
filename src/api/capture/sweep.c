/* sweep: one beat: reads all selected processes, then stores them. */
#include "api/capture/run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define ENDED_MOST 1000
#define FORGET_BEATS 10000

/* ---- what a run remembers about each process between beats ---- */

static void free_target(pm_target *target)
{
    pm_live_map_free(&target->map);
    pm_buf_free(&target->memory);
    pm_buf_free(&target->cmdline);
    pm_buf_free(&target->environment);
    free(target);
}

static void forget(pm_targets *t, pm_target *target)
{
    t->ended++;
    free_target(target);
}

pm_target *pm_targets_get(pm_targets *t, int64_t pid, int64_t start_time)
{
    size_t at = t->n;
    pm_target *new;

    while (at > 0 && t->item[at - 1]->pid >= pid)
        at--;
    if (at < t->n && t->item[at]->pid == pid && t->item[at]->start_time == start_time)
        return t->item[at];
    if (pm_grow(&t->item, &t->cap, t->n, sizeof(pm_target *), NULL) != PMAPDB_OK)
        return NULL;
    new = calloc(1, sizeof *new);
    if (!new)
        return NULL;
    *new = (pm_target){.pid = pid, .start_time = start_time};
    if (at < t->n && t->item[at]->pid == pid) {
        forget(t, t->item[at]);
    } else {
        memmove(t->item + at + 1, t->item + at, (t->n - at) * sizeof(pm_target *));
        t->n++;
    }
    return t->item[at] = new;
}

/* Forgets the targets that this beat did not meet. */
static void sweep_targets(pm_targets *t, uint64_t beat)
{
    size_t kept = 0;

    for (size_t i = 0; i < t->n; i++)
        if (t->item[i]->beat == beat)
            t->item[kept++] = t->item[i];
        else
            forget(t, t->item[i]);
    t->n = kept;
}

void pm_targets_free(pm_targets *t)
{
    for (size_t i = 0; i < t->n; i++)
        free_target(t->item[i]);
    free(t->item);
}

/* ---- processes without a snapshot ---- */

static const char *const fates[] = {
    [PM_PROC_GOOD] = "",
    [PM_PROC_GONE] = "it ended while it was read",
    [PM_PROC_ZOMBIE] = "it has ended (a zombie)",
    [PM_PROC_KERNEL] = "a kernel thread, which has no memory map",
    [PM_PROC_UNREADABLE] = "this user may not read its memory map: ",
    [PM_PROC_CHANGED] = "it became another program while it was read",
    [PM_PROC_THREAD] = "a thread of process ",
    [PM_PROC_TORN] = "its map changed too quickly while it was read: no part of it was stored",
};

/* Returns what would help. Root in a container may lack CAP_SYS_PTRACE. */
static const char *way_out(const pm_capture_run *run)
{
    return run->copied ? "the copy of /proc has no memory map of it; root can make one"
           : geteuid() ? "run as root or with CAP_SYS_PTRACE"
                       : "root lacks CAP_SYS_PTRACE over this process: run with that capability";
}

/* Reports a process without a snapshot. opened: the process existed before it was read; leader: the
 * process of a thread.
 *
 * Only a process that the user named is trouble: if the first beat misses it, or, for a map that
 * changes too quickly, if there is no further beat, which may succeed. Of the other processes, the
 * end and a change of program are reported, and the first map that changes too quickly. */
static void miss(pm_capture_run *run, int64_t pid, pm_proc_fate fate, bool opened, int64_t leader)
{
    pm_named *named = pm_select_named(&run->selection, pid);
    bool torn = fate == PM_PROC_TORN, first = run->n_begun == 1;
    bool vanished = opened && (fate == PM_PROC_GONE || fate == PM_PROC_CHANGED);
    bool trouble = named && (torn ? run->options->every_ms == PMAPDB_UNKNOWN : first);
    bool news = torn ? trouble || !run->told_torn : named || vanished;
    const char *what = fates[fate];
    char number[24] = "", text[160];

    if (named && !opened && (fate == PM_PROC_GONE || fate == PM_PROC_ZOMBIE))
        what = named->start_time != PMAPDB_UNKNOWN ? "it has ended"
               : fate == PM_PROC_GONE              ? "no such process"
                                                   : what;
    if (fate == PM_PROC_THREAD)
        snprintf(number, sizeof number, "%" PRId64, leader);
    snprintf(text, sizeof text, "%s%s", what, fate == PM_PROC_UNREADABLE ? way_out(run) : number);
    run->sweep.counts.unreadable += fate == PM_PROC_UNREADABLE;
    run->sweep.counts.vanished += vanished;
    run->sweep.counts.changed += torn;
    run->result->trouble += trouble;
    run->told_torn |= torn;
    if (named && !torn)
        named->done = fate != PM_PROC_CHANGED;
    if (news)
        pm_capture_tell(run, pid, trouble, text);
}

static void tell_unreadable(pm_capture_run *run)
{
    uint64_t n = run->sweep.counts.unreadable;
    char text[128];

    if (run->selection.named || run->told_unreadable || !n)
        return;
    snprintf(text, sizeof text, "%llu process%s cannot be read: %s", (unsigned long long)n,
             n == 1 ? "" : "es", way_out(run));
    run->told_unreadable = true;
    pm_capture_tell(run, PMAPDB_UNKNOWN, false, text);
}

/* ---- one process ---- */

/* True if the process is larger than --on-rss-above, by statm, which costs the process nothing. */
static bool is_large(const pm_capture_run *run, const pm_proc *p)
{
    int64_t above_kib = run->options->rss_above_kib;
    pm_proc_extent extent;

    return above_kib == PMAPDB_UNKNOWN || !pm_proc_statm(p, &extent) ||
           extent.resident_kib > above_kib;
}

static void capture_opened(pm_capture_run *run, const pm_proc *p)
{
    pm_target *t = pm_targets_get(&run->targets, p->pid, p->life.start_time);
    pm_proc_fate fate;

    if (!t) {
        did(run, pm_fail_nomem(&run->error));
        return;
    }
    t->beat = run->n_begun;
    if (!is_large(run, p)) {
        run->sweep.counts.unmoved++;
        return;
    }
    fate = pm_capture_read(run, p, t);
    run->map_bytes += pm_live_map_bytes(&t->map);
    if (run->copied && fate != PM_PROC_GOOD && fate != PM_PROC_TORN)
        fate = PM_PROC_UNREADABLE; /* the user who made the copy could not read the process */
    if (run->st == PMAPDB_INPUT) { /* the fault of this process: the others go on */
        run->result->trouble++;
        pm_capture_tell(run, p->pid, true, run->error.text);
        run->st = PMAPDB_OK;
    } else if (run->st == PMAPDB_OK && fate != PM_PROC_GOOD) {
        miss(run, p->pid, fate, true, t->live.leader);
    } else if (run->st == PMAPDB_OK) {
        run->sweep.counts.degraded +=
            t->live.degraded && t->capture.block.dialect == PM_DIALECT_MAPS;
    }
}

/* True unless p is another process with the same pid. */
static bool is_named_one(pm_capture_run *run, const pm_proc *p, pm_named *named)
{
    if (named->start_time == PMAPDB_UNKNOWN)
        named->start_time = p->life.start_time;
    if (named->start_time == p->life.start_time)
        return true;
    miss(run, p->pid, PM_PROC_GONE, false, 0);
    return false;
}

static void capture_pid(pm_capture_run *run, int64_t pid)
{
    pm_named *named = pm_select_named(&run->selection, pid);
    pm_proc p;
    pm_proc_fate fate;
    bool holds = false, hidden = false;

    if (!did(run, pm_proc_open(run->root, pid, &p, &fate, &run->error)))
        return;
    if (fate != PM_PROC_GOOD) {
        miss(run, pid, fate, false, 0);
        return;
    }
    if ((!named || is_named_one(run, &p, named)) &&
        did(run, pm_select_holds(&run->selection, run->root, &p, run->machine, &holds, &hidden,
                                 &run->error))) {
        if (holds)
            capture_opened(run, &p);
        else if (hidden)
            miss(run, pid, PM_PROC_UNREADABLE, false, 0);
    }
    pm_proc_close(&p);
}

/* ---- all processes ---- */

static void forget_maps(pm_capture_run *run)
{
    for (size_t i = 0; i < run->targets.n; i++)
        pm_live_map_free(&run->targets.item[i]->map);
    run->map_bytes = 0;
}

static void capture_all(pm_capture_run *run)
{
    const pmapdb_capture_options *o = run->options;
    pm_selection *s = &run->selection;

    pm_proc_host_renew(run->machine);
    did(run, pm_proc_memory(run->root, &run->sweep.memory, &run->error));
    if (run->st == PMAPDB_OK)
        did(run, pm_select_list(s, run->root, &run->error));
    for (size_t i = 0; i < s->n_pids && run->st == PMAPDB_OK; i++) {
        if (!did(run, pm_steps_tell(&(pm_steps){o->ctx, o->on_progress}, "reading", "processes", i,
                                    s->n_pids, &run->error)))
            return;
        capture_pid(run, s->pids[i]);
        if (run->map_bytes > PM_MAPS_BYTES) {
            pm_capture_put(run);
            forget_maps(run);
        }
    }
    if (run->st == PMAPDB_OK)
        tell_unreadable(run);
    pm_capture_put(run);
    if (run->options->touched_ms != PMAPDB_UNKNOWN)
        pm_capture_touched_clear(run);
}

/* Forgets ended processes and replaced files, which must not pile up over months: the store's
 * writer remembers everything that it met. Reading the rest again costs a few ms per process. */
static void forget_the_past(pm_capture_run *run)
{
    pm_targets *t = &run->targets;
    size_t bytes = 0;

    for (size_t i = 0; i < t->n; i++)
        bytes += pm_live_map_bytes(&t->item[i]->map);
    if (bytes > PM_MAPS_BYTES)
        forget_maps(run);
    if (t->ended < ENDED_MOST && run->n_begun % FORGET_BEATS != 0)
        return;
    pm_store_forget(run->store);
    t->ended = 0;
}

/* True if the store has this copy of /proc already. */
static bool is_known_copy(pm_capture_run *run)
{
    pm_sql *sql = run->store->sql;
    bool known = run->copied && run->st == PMAPDB_OK && pm_sweep_known(sql, &run->sweep);

    if (did(run, pm_sql_end(sql, &run->error)) && known)
        pm_capture_tell(run, PMAPDB_UNKNOWN, false, "the store has this copy of /proc already");
    return known;
}

void pm_capture_sweep(pm_capture_run *run)
{
    if (!is_known_copy(run))
        capture_all(run);
    for (size_t i = 0; run->st != PMAPDB_OK && i < run->targets.n; i++)
        run->targets.item[i]->waiting = false;
    sweep_targets(&run->targets, run->n_begun);
    forget_the_past(run);
}
