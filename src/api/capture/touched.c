/* touched: clears the accessed bits of processes, so that Referenced in the captures that follow is
 * what was touched since.
 *
 * The kernel visits every page of the process meanwhile and holds the lock of its memory map: mmap
 * and munmap wait. The CPU time is predicted from the memory in small pages and from earlier
 * clearings; where tasks wait for a processor, the wait is longer by their share of time. The wait
 * must fit --max-stall. The kernel reads the same bits when it looks for pages to take away, so
 * nothing is cleared while any task waits for memory.
 *
 * With page idle tracking the pages are marked, no process waits, and the capture that ends a
 * window reads the marks: Referenced is replaced by what lost its mark.
 *
 * A clearing is stored before it is done and completed after it: if this program is killed in
 * between, the store knows that the bits may have been cleared. The state is only in the store,
 * because short runs from cron and long runs may take turns. */
#include "api/capture/run.h"

#include "base/clock/clock.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLEAR_US_PER_GIB 10000 /* of small pages; a huge page costs a thousandth of its size */
#define UNTRACKED_LEAST 64     /* pages: the kernel begins to track new pages a few at a time */
#define NEARLY 16              /* 1/16: a beat may be so early; so many pages may be untracked */

bool pm_capture_touched_open(pm_capture_run *run)
{
    if (run->options->touched_ms == PMAPDB_UNKNOWN)
        return true;
    if (run->copied)
        return did(run,
                   pm_fail(&run->error, PMAPDB_USAGE,
                           "--touched clears bits of live processes: a copy of /proc has none"));
    return (run->pages.map.entries ||
            did(run, pm_pagemap_open(&run->pages.map, run->root, &run->error))) &&
           did(run, pm_idle_open(&run->pages.map, PM_IDLE_BITMAP, &run->idle, &run->error));
}

/* Says why nothing is cleared; does not say so again before something has been cleared. */
static bool refuse_all(pm_capture_run *run, const char *why)
{
    if (!run->told_clearing)
        pm_capture_tell(run, PMAPDB_UNKNOWN, false, why);
    run->told_clearing = true;
    return false;
}

static bool refuse(pm_capture_run *run, pm_target *t, const char *why)
{
    if (!t->told_not_cleared)
        pm_capture_tell(run, t->pid, false, why);
    t->told_not_cleared = true;
    return false;
}

static int64_t huge_kib(const pm_mapping *m)
{
    return (int64_t)(m->value[PM_ANON_HUGE] + m->value[PM_SHMEM_PMD] + m->value[PM_FILE_PMD]);
}

/* Sets Referenced of each mapping: the resident pages without a mark. Pages that the kernel does
 * not track count as touched if they are few; else Referenced is unknown. */
static pmapdb_status set_referenced(pm_target *t, const pm_idle_pages *pages, uint64_t page_kib,
                                    pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    for (size_t i = 0; i < t->capture.n_rows && st == PMAPDB_OK; i++) {
        pm_mapping m = *pm_capture_row(&t->capture, i);
        int64_t all = pages[i].marked + pages[i].unmarked + pages[i].untracked;
        uint64_t marked = (uint64_t)pages[i].marked * page_kib, rss = m.value[PM_RSS];

        pm_set(&m, PM_REFERENCED, rss > marked ? rss - marked : 0);
        if (pages[i].untracked > UNTRACKED_LEAST && pages[i].untracked * NEARLY > all)
            m.present &= ~PM_BIT(PM_REFERENCED);
        t->capture.block.fields |= m.present;
        st = pm_live_map_replace(&t->map, i, &m, err);
    }
    return st;
}

/* Reads the marks at the end of a window of page idle tracking, and only then: the kernel searches
 * for all processes that map a marked page, which costs more than reading smaps. */
static void read_marks(pm_capture_run *run, const pm_proc *p, pm_target *t)
{
    pm_idle_pages *pages = calloc(t->capture.n_rows + 1, sizeof *pages);
    pm_proc_fate fate = PM_PROC_GONE;
    pmapdb_error err;

    if (!pages)
        did(run, pm_fail_nomem(&run->error));
    else if (did(run, pm_capture_pages_ranges(run, t))) {
        if (pm_idle_walk(run->idle, &run->pages.map, p, &run->pages.ranges, pages, &fate, &err) !=
            PMAPDB_OK)
            refuse(run, t, err.text);
        else if (fate == PM_PROC_GOOD)
            t->live.activity.page_idle =
                did(run, set_referenced(t, pages, run->pages.map.page / 1024, &run->error));
    }
    free(pages);
}

/* Asks the store for the last clearing, which another run may have done. */
static void ask_store(pm_capture_run *run, pm_target *t, bool *marked)
{
    int64_t every_ms = run->options->touched_ms, last_ns;

    t->is_due = did(run, pm_clearing_last(run->store->sql, run->host, run->boot_id, t->pid,
                                          t->start_time, &last_ns, marked, &run->error)) &&
                (last_ns == PMAPDB_UNKNOWN ||
                 (pm_now_ns(CLOCK_MONOTONIC) - last_ns) / 1000000 >= every_ms - every_ms / NEARLY);
}

void pm_capture_touched_read(pm_capture_run *run, const pm_proc *p, pm_target *t)
{
    const pm_block *b = &t->capture.block;
    int64_t small = b->totals.v[PM_TOTAL_RSS], swap = b->totals.v[PM_TOTAL_SWAP];
    bool marked = false;

    t->clearing = (pm_clearing){0};
    t->start_stack = p->life.start_stack;
    if (run->options->touched_ms == PMAPDB_UNKNOWN)
        return;
    ask_store(run, t, &marked);
    if ((b->dialect != PM_DIALECT_SMAPS && !(run->idle && b->dialect == PM_DIALECT_PAGEMAP)) ||
        small < 0 || !pm_proc_activity(p, &t->live.activity))
        return;
    if (t->is_due && marked && run->idle)
        read_marks(run, p, t);
    small += swap < 0 ? 0 : swap;
    for (size_t i = 0; i < t->capture.n_rows; i++)
        small -= huge_kib(pm_capture_row(&t->capture, i));
    t->clearing.small_kib = small > 0 ? small : 0;
    t->clearing.activity = t->live.activity;
}

/* ---- may it be cleared? ---- */

/* False while the machine is short of memory. */
static bool machine_has_memory(pm_capture_run *run)
{
    int64_t pressure = pm_proc_pressure(run->root, "pressure/memory");

    if (pressure == 0)
        return true;
    return refuse_all(run, pressure == PMAPDB_UNKNOWN
                               ? "no accessed bits are cleared: this kernel does not tell its "
                                 "memory pressure (/proc/pressure/memory)"
                               : "no accessed bits are cleared while tasks wait for memory "
                                 "(/proc/pressure/memory)");
}

static bool cgroup_has_memory(pm_capture_run *run, const pm_proc *p, pm_target *t)
{
    int64_t pressure;

    if (!did(run, pm_proc_cgroup_pressure(p, run->machine, &pressure, &run->error)))
        return false;
    if (pressure == 0)
        return true;
    return refuse(run, t,
                  pressure == PMAPDB_UNKNOWN
                      ? "accessed bits not cleared: the kernel does not report whether its cgroup "
                        "is short of memory (memory.pressure)"
                      : "accessed bits not cleared while its cgroup waits for memory "
                        "(memory.pressure)");
}

/* True if the process waits at most for --max-stall. */
static bool fits(pm_capture_run *run, pm_target *t)
{
    int64_t waiting = pm_proc_pressure(run->root, "pressure/cpu"); /* 10,000 is 100 % */
    int64_t predicted_us;
    char why[160];

    if (run->idle)
        return true;
    if (!did(run, pm_clearing_predict(run->store->sql, &t->clearing, CLEAR_US_PER_GIB,
                                      &predicted_us, &run->error)))
        return false;
    if (waiting > 0)
        predicted_us = predicted_us * 10000 / (waiting < 9999 ? 10000 - waiting : 1);
    if (predicted_us <= run->options->max_stall_us)
        return true;
    snprintf(why, sizeof why,
             "accessed bits not cleared: the process would wait for about %lld ms, more than "
             "--max-stall %lld ms",
             (long long)(predicted_us / 1000), (long long)(run->options->max_stall_us / 1000));
    return refuse(run, t, why);
}

static bool is_due(pm_capture_run *run, pm_target *t)
{
    if (!t->clearing.process_id)
        return false;
    if (!t->clearing.activity.known)
        return refuse(run, t,
                      "accessed bits not cleared: reading smaps would already take longer "
                      "than --max-stall");
    return t->is_due;
}

/* ---- clearing ---- */

/* Says why the kernel did not clear. */
static void tell_failed(pm_capture_run *run, pm_target *t, int failed)
{
    char why[192];

    if (failed == ESRCH) /* the process ended: the next beat notes its end */
        return;
    if (failed == EACCES || failed == EPERM)
        snprintf(why, sizeof why,
                 "accessed bits not cleared: only its owner and root may write clear_refs");
    else
        snprintf(why, sizeof why, "accessed bits not cleared: the kernel refuses: %s",
                 failed == ENOENT ? "it has no clear_refs" : strerror(failed));
    refuse(run, t, why);
}

/* Opens the process if it is still the program that was captured. */
static bool open_again(pm_capture_run *run, const pm_target *t, pm_proc *p)
{
    pm_proc_fate fate;

    if (!did(run, pm_proc_open(run->root, t->pid, p, &fate, &run->error)) || fate != PM_PROC_GOOD)
        return false;
    if (p->life.start_time == t->start_time && p->life.start_stack == t->start_stack)
        return true;
    pm_proc_close(p);
    return false;
}

static bool store_clearing(pm_capture_run *run, const pm_clearing *c, bool begin, int64_t clear_us)
{
    if (!did(run, pm_store_begin(run->store, &run->error)))
        return false;
    if (begin)
        pm_clearing_begin(run->store->sql, c);
    else
        pm_clearing_end(run->store->sql, c, clear_us);
    return did(run, pm_store_end(run->store, &run->error));
}

/* Marks all pages, also those of mappings that are newer than the capture. False: maybe some are
 * marked. */
static bool mark(pm_capture_run *run, const pm_proc *p, pm_target *t, int64_t *took_us)
{
    int64_t began = pm_now_ns(CLOCK_THREAD_CPUTIME_ID);
    pm_page_ranges *r = &run->pages.ranges;
    pm_proc_fate fate = PM_PROC_GONE;
    pmapdb_error err;
    pmapdb_status st = pm_page_ranges_read(r, p, &run->pages.map, NULL, &fate, &err);

    if (st == PMAPDB_OK && fate == PM_PROC_GOOD) {
        r->pauses = true;
        st = pm_idle_walk(run->idle, &run->pages.map, p, r, NULL, &fate, &err);
    }
    *took_us = (pm_now_ns(CLOCK_THREAD_CPUTIME_ID) - began) / 1000;
    return st == PMAPDB_OK ? fate == PM_PROC_GOOD : refuse(run, t, err.text);
}

static void clear(pm_capture_run *run, const pm_proc *p, pm_target *t)
{
    int64_t clear_us = PMAPDB_UNKNOWN;
    int failed = 0;

    t->clearing.mono_ns = pm_now_ns(CLOCK_MONOTONIC);
    t->clearing.cleared_ms = pm_now_ns(CLOCK_REALTIME) / 1000000;
    t->clearing.page_idle = run->idle != NULL;
    if (!store_clearing(run, &t->clearing, true, 0) || (run->idle && !mark(run, p, t, &clear_us)))
        return;
    if (!run->idle)
        failed = pm_proc_clear_refs(p, &clear_us);
    if (failed) {
        clear_us = PMAPDB_UNKNOWN;
        tell_failed(run, t, failed);
    }
    if (!store_clearing(run, &t->clearing, false, clear_us) || failed)
        return;
    run->result->cleared += !run->idle;
    run->result->marked += run->idle != NULL;
    run->told_clearing = t->told_not_cleared = false;
}

void pm_capture_touched_clear(pm_capture_run *run)
{
    bool asked = false;

    for (size_t i = 0; i < run->targets.n && run->st == PMAPDB_OK; i++) {
        pm_target *t = run->targets.item[i];
        pm_proc p;

        if (t->beat != run->n_begun || !is_due(run, t))
            continue;
        if (!asked && !machine_has_memory(run))
            return;
        asked = true;
        if (!fits(run, t) || !open_again(run, t, &p))
            continue;
        if (cgroup_has_memory(run, &p, t))
            clear(run, &p, t);
        pm_proc_close(&p);
    }
}
