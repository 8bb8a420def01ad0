/* read: reads one process into a capture that waits to be stored. */
#include "api/capture/run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#define COMM_MAX 15
#define TRIES 3 /* for a map that changes while it is read */

/* PMAPDB_INPUT: the mappings overlap, or cannot be parsed. */
static pmapdb_status read_map(const pm_proc *p, pm_target *t, pm_dialect dialect, size_t piece,
                              pm_proc_fate *fate, pmapdb_error *err)
{
    pm_capture *c = &t->capture;
    const uint32_t *rows = NULL;
    pmapdb_status st = pm_live_map_begin(&t->map, dialect, err);

    PM_STEP(st, pm_proc_read_map(p, pm_dialect_names[dialect], piece, pm_live_map_feed, &t->map,
                                 &t->live, fate, err));
    if (st != PMAPDB_OK || *fate != PM_PROC_GOOD)
        return st;
    st = pm_live_map_finish(&t->map, &c->block, &c->pool, &rows, &c->n_rows, err);
    c->rows = (uint32_t *)rows; /* valid until the next reading, which comes after the storing */
    if (st == PMAPDB_OK && c->n_rows == 0)
        *fate = PM_PROC_GONE; /* the memory of a process ends before the process */
    return st;
}

/* Reads the map again if its mappings overlap: such a map mixes several moments. */
static void read_whole_map(pm_capture_run *run, const pm_proc *p, pm_target *t, pm_dialect dialect,
                           size_t piece, pm_proc_fate *fate)
{
    pmapdb_status st = PMAPDB_INPUT;

    for (int i = 0; i < TRIES && st == PMAPDB_INPUT; i++)
        st = read_map(p, t, dialect, piece, fate, &run->error);
    if (st == PMAPDB_INPUT && t->map.torn)
        *fate = PM_PROC_TORN;
    else
        did(run, st);
}

/* ---- facts beside the map ---- */

/* The kernel cuts comm at 15 bytes: then the program's name is used, if it begins with comm. */
static pm_text whole_comm(const pm_standing *s)
{
    pm_text arguments = s->cmdline, argv0 = pm_text_basename(pm_text_cut(&arguments, '\0'));
    pm_text exe = pm_text_basename(s->exe);

    if (s->comm.len < COMM_MAX)
        return s->comm;
    return pm_text_starts(exe, s->comm) ? exe : pm_text_starts(argv0, s->comm) ? argv0 : s->comm;
}

/* Applies the user's rules; the result is empty if none of them holds. */
static pm_text ruled_name(pm_capture_run *run, const pm_proc *p, pm_target *t)
{
    const pm_standing *s = &t->live.standing;
    pm_facts facts = pm_select_facts(p, s);
    pm_text name = PM_TEXT("");

    if (!run->names.n)
        return name;
    pm_buf_clear(&t->cmdline);
    did(run, pm_buf_add(&t->cmdline, s->cmdline.data, s->cmdline.len, &run->error));
    for (size_t i = 0; i < t->cmdline.len; i++)
        if (t->cmdline.data[i] == '\0')
            t->cmdline.data[i] = ' ';
    facts.cmdline = pm_buf_text(&t->cmdline);
    did(run, pm_names_find(&run->names, &facts, &name, &run->error));
    return name;
}

static void set_name(pm_capture_run *run, const pm_proc *p, pm_target *t)
{
    const pm_standing *standing = &t->live.standing;
    pm_text name = run->options->name ? pm_text_of(run->options->name) : ruled_name(run, p, t);

    t->capture.name_rank = name.len ? PM_NAME_GIVEN : PM_NAME_LIVE;
    if (!name.len)
        name = pm_interpreted_name(standing->cmdline);
    if (!name.len)
        name = whole_comm(standing);
    snprintf(t->name, sizeof t->name, "%.*s", (int)name.len, name.data);
    t->capture.name = t->name;
}

static void read_standing(pm_capture_run *run, const pm_proc *p, pm_target *t)
{
    const pmapdb_capture_options *o = run->options;
    pm_standing *standing = &t->live.standing;
    bool environment = o->n_keep_env || run->names.needs & PM_NEED_ENVIRONMENT;
    unsigned want = (PM_NEED_ALL | PM_NEED_ARGUMENTS) & ~(environment ? 0U : PM_NEED_ENVIRONMENT);

    if (!did(run, pm_proc_standing(p, run->machine, want, &t->memory, &t->live, &run->error)))
        return;
    set_name(run, p, t); /* needs all arguments, and may need all of the environment */
    if (did(run, pm_proc_keep_arguments(standing->cmdline, &run->keep_cmdline, &t->cmdline,
                                        &standing->cmdline, &run->error)) &&
        environment)
        did(run, pm_proc_keep_environment(standing->environment, o->keep_env, o->n_keep_env,
                                          &t->environment, &standing->environment, &run->error));
}

/* The kernel's own sums, read right after the map, prove the sums of the rows. */
static void identify(const pm_capture_run *run, const pm_proc *p, pm_target *t, pm_dialect dialect)
{
    pm_capture *c = &t->capture;
    pm_block *b = &c->block;
    int64_t rss = b->totals.v[PM_TOTAL_RSS];

    snprintf(t->source_dir, sizeof t->source_dir, "/proc/%" PRId64 "/", p->pid);
    c->source_dir = t->source_dir;
    c->source_name = (char *)pm_dialect_names[dialect];
    c->host = run->host;
    c->pid = b->pid = p->pid;
    b->command = t->live.standing.cmdline;
    c->start_time = p->life.start_time;
    c->taken_ms = run->sweep.started_ms;
    c->time_source = PM_TIME_LIVE;
    c->live = &t->live;
    b->hash = (uint64_t)t->live.mono_ns; /* tells captures of one time apart */
    b->tool_size_kib = t->live.size_kib;
    b->tool_rss_kib = t->live.rss_kib;
    b->checked = rss >= 0 && rss == t->live.rss_kib ? PM_CHECKED_STATUS : PM_CHECKED_NONE;
}

/* Reads no map: the sums come from status, which pm_capture_read() reads with the other facts. */
static void read_totals(const pm_capture_run *run, pm_target *t)
{
    t->live.mono_ns = run->sweep.mono_ns;
    t->live.utc_ms = run->sweep.started_ms;
    t->capture.block = (pm_block){
        .dialect = PM_DIALECT_ROLLUP, .state = PM_STATE_TOTALS, .time_ms = PMAPDB_UNKNOWN};
    for (int i = 0; i < PM_TOTAL_COUNT; i++)
        t->capture.block.totals.v[i] = PMAPDB_UNKNOWN;
}

pm_proc_fate pm_capture_read(pm_capture_run *run, const pm_proc *p, pm_target *t)
{
    pm_proc_fate fate = PM_PROC_GOOD;
    pm_dialect dialect;
    size_t piece;
    int failed;

    t->capture = (pm_capture){0};
    t->live = (pm_live){.boot_id = run->boot_id};
    t->refused = false;
    dialect = pm_capture_choose(run, p, t, &piece);
    if (run->options->measure == PMAPDB_MEASURE_TOTALS)
        read_totals(run, t);
    else if (run->st == PMAPDB_OK)
        read_whole_map(run, p, t, dialect == PM_DIALECT_PAGEMAP ? PM_DIALECT_MAPS : dialect, piece,
                       &fate);
    if (dialect == PM_DIALECT_PAGEMAP && run->st == PMAPDB_OK && fate == PM_PROC_GOOD &&
        !pm_capture_pages_fill(run, p, t, &fate))
        dialect = PM_DIALECT_MAPS;
    if (run->copied) {
        t->live.mono_ns = run->sweep.mono_ns;
        t->live.utc_ms = run->sweep.started_ms;
    }
    if (run->st != PMAPDB_OK || fate != PM_PROC_GOOD)
        return fate;
    failed = pm_proc_status(p, &t->live);
    if (failed == ENOMEM)
        did(run, pm_fail_nomem(&run->error));
    if (failed)
        return PM_PROC_GONE;
    if (!run->copied && t->live.leader != PMAPDB_UNKNOWN && t->live.leader != p->pid)
        return PM_PROC_THREAD;
    read_standing(run, p, t);
    if (run->st != PMAPDB_OK)
        return fate;
    pm_capture_touched_read(run, p, t);
    fate = pm_proc_same(p); /* the facts beside the map must be of the same program */
    identify(run, p, t, dialect);
    t->waiting = fate == PM_PROC_GOOD;
    return fate;
}
