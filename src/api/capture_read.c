/* capture_read: one process -> a capture that waits to be stored. */
#include "api/capture_run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#define TRIES 3 /* at a map that changes while it is read */

/* ---- the map ---- */

static pmapdb_status feed(void *ctx, const char *bytes, size_t n, size_t *taken, pmapdb_error *err)
{
    return pm_live_map_feed(ctx, bytes, n, taken, err);
}

static pmapdb_status read_map(const pm_proc *p, pm_target *t, pm_dialect dialect,
                              int64_t *longest_cpu_us, pm_proc_fate *fate, pmapdb_error *err)
{
    const char *file = pm_dialect_name(dialect);
    pm_proc_reading reading;
    pm_capture *c = &t->capture;
    const uint32_t *rows = NULL;
    pmapdb_status st = pm_target_begin_map(t, dialect, err);

    if (st == PMAPDB_OK)
        st = pm_proc_read_map(p, file, 0, feed, t->map, &reading, fate, err);
    if (st != PMAPDB_OK || *fate != PM_PROC_GOOD)
        return st;
    t->live.mono_ns = reading.mono_ns;
    t->live.utc_ms = reading.utc_ms;
    t->live.read_us = reading.read_us;
    t->live.cpu_us = reading.cpu_us;
    t->live.longest_us = reading.longest_us;
    *longest_cpu_us = reading.longest_cpu_us;
    st = pm_live_map_finish(t->map, &c->block, &c->pool, &rows, &c->n_rows, err);
    c->rows = (uint32_t *)rows; /* until the next reading, which comes when this is stored */
    if (st == PMAPDB_OK && c->n_rows == 0)
        *fate = PM_PROC_GONE; /* its memory went before it did */
    return st;
}

/* A map whose mappings overlap is of no moment, and is read again. */
static pmapdb_status read_whole_map(const pm_proc *p, pm_target *t, pm_dialect dialect,
                                    int64_t *longest_cpu_us, pm_proc_fate *fate, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_INPUT;

    for (int i = 0; i < TRIES && st == PMAPDB_INPUT; i++)
        st = read_map(p, t, dialect, longest_cpu_us, fate, err);
    if (st != PMAPDB_INPUT || !pm_live_map_torn(t->map))
        return st;
    *fate = PM_PROC_TORN;
    return PMAPDB_OK;
}

/* ---- what stands beside it ---- */

static pmapdb_status read_standing(const pm_capture_run *run, const pm_proc *p, pm_target *t,
                                   pmapdb_error *err)
{
    const pmapdb_capture_options *o = run->options;
    pm_standing *standing = &t->live.standing;
    unsigned want = (PM_WANT_ALL | PM_WANT_ARGUMENTS) & ~(o->n_keep_env ? 0U : PM_WANT_ENVIRONMENT);
    pmapdb_status st = pm_proc_standing(p, run->machine, want, &t->memory, standing, err);

    if (st == PMAPDB_OK)
        st = pm_proc_keep_arguments(standing->cmdline, run->keep_cmdline, &t->cmdline,
                                    &standing->cmdline, err);
    if (st == PMAPDB_OK && o->n_keep_env)
        st = pm_proc_keep_environment(standing->environment, o->keep_env, o->n_keep_env,
                                      &t->environment, &standing->environment, err);
    return st;
}

static void set_name(const pm_capture_run *run, const pm_proc *p, pm_target *t)
{
    pm_text name = pm_text_basename(t->live.standing.exe);

    t->capture.name_rank = PM_NAME_EXE;
    if (run->options->name) {
        name = pm_text_of(run->options->name);
        t->capture.name_rank = PM_NAME_GIVEN;
    } else if (!name.len) {
        name = pm_text_of(p->comm);
        t->capture.name_rank = PM_NAME_COMM;
    }
    snprintf(t->name, sizeof t->name, "%.*s", (int)name.len, name.data);
    t->capture.name = t->name;
}

/* The kernel's own sums, read right behind the map, prove those of the rows. */
static void check_sums(pm_target *t)
{
    pm_block *b = &t->capture.block;

    b->tool_size_kib = t->live.size_kib;
    b->tool_rss_kib = t->live.rss_kib;
    b->checked = b->totals.v[PM_TOTAL_RSS] >= 0 && b->totals.v[PM_TOTAL_RSS] == t->live.rss_kib
                     ? PM_CHECKED_STATUS
                     : PM_CHECKED_NONE;
}

static void identify(const pm_capture_run *run, const pm_proc *p, pm_target *t, pm_dialect dialect)
{
    pm_capture *c = &t->capture;

    snprintf(t->source_dir, sizeof t->source_dir, "/proc/%" PRId64 "/", p->pid);
    c->source_dir = t->source_dir;
    c->source_name = (char *)pm_dialect_name(dialect);
    c->host = run->host;
    c->pid = c->block.pid = p->pid;
    c->block.command = t->live.standing.cmdline;
    c->start_time = p->life.start_time;
    c->taken_ms = run->sweep.started_ms;
    c->time_source = PM_TIME_LIVE;
    c->live = &t->live;
}

pmapdb_status pm_capture_read(pm_capture_run *run, const pm_proc *p, pm_target *t,
                              pm_proc_fate *fate, pmapdb_error *err)
{
    pm_dialect dialect;
    int64_t longest_cpu_us = 0;
    pmapdb_status st;
    int failed;

    t->capture = (pm_capture){0};
    t->live = (pm_live){.boot_id = run->boot_id};
    t->refused = false;
    st = pm_capture_choose(run, p, t, &dialect, err);
    if (st == PMAPDB_OK)
        st = read_whole_map(p, t, dialect, &longest_cpu_us, fate, err);
    pm_target_weigh(&run->targets, t);
    if (st != PMAPDB_OK || *fate != PM_PROC_GOOD)
        return st;
    failed = pm_proc_status(p, &t->live);
    if (failed == ENOMEM)
        return pm_fail_nomem(err);
    if (failed) {
        *fate = PM_PROC_GONE;
        return PMAPDB_OK;
    }
    if (dialect == PM_DIALECT_SMAPS)
        pm_capture_learn(run, t, longest_cpu_us);
    st = read_standing(run, p, t, err);
    if (st != PMAPDB_OK)
        return st;
    *fate = pm_proc_same(p); /* what stands beside the map is of the same program */
    identify(run, p, t, dialect);
    set_name(run, p, t);
    check_sums(t);
    t->waiting = *fate == PM_PROC_GOOD;
    return PMAPDB_OK;
}
