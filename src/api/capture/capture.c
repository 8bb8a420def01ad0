/* capture: stores live processes, once or at every beat. */
#include "api/capture/lock.h"
#include "api/capture/run.h"
#include "api/check.h"
#include "base/clock/clock.h"
#include "base/hash.h"
#include "store/file/watch.h"
#include "store/perf/recording.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#define MAX_STALL_US 50000
#define EVERY_MIN_MS 100
#define NS_PER_MS 1000000
#define PATIENCE_MIN_MS 1000
#define SECOND_NS 1000000000
/* The longest wait of a run before it checks whether to stop, and reads both clocks. */
#define LOOK_NS SECOND_NS

/* ---- options ---- */

void pmapdb_capture_defaults(pmapdb_capture_options *o)
{
    *o = (pmapdb_capture_options){.max_stall_us = MAX_STALL_US,
                                  .every_ms = PMAPDB_UNKNOWN,
                                  .count = PMAPDB_UNKNOWN,
                                  .touched_ms = PMAPDB_UNKNOWN,
                                  .rss_above_kib = PMAPDB_UNKNOWN};
}

static const char *wrong_option(const pmapdb_capture_options *o)
{
    for (size_t i = 0; i < o->n_pids; i++)
        if (o->pids[i] < 1 || o->pids[i] > INT32_MAX)
            return "a pid must be 1 or more";
    if ((o->n_pids > 0) + (o->match != NULL) + o->all != 1)
        return "capture wants one of: pids, --match, --all";
    if ((o->name && !*o->name) || (o->host && !*o->host))
        return "--name and --host cannot be empty";
    if (o->all && o->name)
        return "--name is for processes of one kind, not for --all";
    if (o->every_ms != PMAPDB_UNKNOWN &&
        (o->every_ms < EVERY_MIN_MS || o->every_ms > PM_EVERY_MAX_MS))
        return "--every must be at least 100ms and at most one year";
    if (o->touched_ms != PMAPDB_UNKNOWN && o->touched_ms < 0)
        return "--touched cannot be below zero";
    if (o->touched_ms != PMAPDB_UNKNOWN && o->measure != PMAPDB_MEASURE_AUTO &&
        o->measure != PMAPDB_MEASURE_SMAPS)
        return "--touched needs smaps, which tells Referenced";
    if (o->count != PMAPDB_UNKNOWN && o->every_ms == PMAPDB_UNKNOWN)
        return "--count needs --every";
    if (o->count != PMAPDB_UNKNOWN && o->count < 1)
        return "--count must be above zero";
    if (o->max_stall_us < 0 || o->lock_wait_ms < 0)
        return "--max-stall and --lock-wait cannot be below zero";
    return NULL;
}

/* Makes the expressions and regexes only to see whether they parse. */
pmapdb_status pm_capture_check(const pmapdb_capture_options *o, pmapdb_error *err)
{
    const char *wrong = wrong_option(o);
    pm_keep_cmdline keep = {0};
    pm_selection s = {0};
    pmapdb_status st;

    if (wrong)
        return pm_fail(err, PMAPDB_USAGE, "%s", wrong);
    st = pm_keep_cmdline_init(o->keep_cmdline, o->n_keep_cmdline, &keep, err);
    PM_STEP(st, pm_select_init(&s, o, err));
    pm_keep_cmdline_free(&keep);
    pm_select_free(&s);
    return st;
}

/* ---- when beats are due ---- */

static int64_t boundary_after(int64_t utc_ns, int64_t step_ns)
{
    return (utc_ns / step_ns + 1) * step_ns;
}

/* A smaller difference comes from the slewing of a clock (NTP), or from an interruption between the
 * readings of the two clocks. */
static int64_t tolerance(const pm_beats *b)
{
    return b->step_ns / 4 < SECOND_NS ? b->step_ns / 4 : SECOND_NS;
}

void pm_beats_begin(pm_beats *b, int64_t step_ns, pm_clocks now)
{
    *b = (pm_beats){step_ns, now.utc_ns, now};
}

/* True if the beat at due_ns, or a later one, begins now. *missed: the beats that passed before it.
 */
static bool begins(pm_beats *b, int64_t now_ns, int64_t *missed)
{
    int64_t late = now_ns - b->due_ns, steps = late / b->step_ns;

    if (late - steps * b->step_ns <= b->step_ns / 4) {
        *missed = steps;
        /* The first beat is at any time; the beats after it are at boundaries. */
        b->due_ns = b->due_ns + steps * b->step_ns + b->step_ns / 2;
        b->due_ns = boundary_after(b->due_ns, b->step_ns);
        return true;
    }
    *missed = steps + 1;
    b->due_ns = boundary_after(now_ns, b->step_ns);
    return false;
}

pm_beat_look pm_beats_look(pm_beats *b, pm_clocks now)
{
    int64_t moved = (now.utc_ns - b->seen.utc_ns) - (now.mono_ns - b->seen.mono_ns);
    pm_beat_look look = {0};

    b->seen = now;
    if (moved > tolerance(b) || moved < -tolerance(b)) {
        look.moved_ns = moved;
        b->due_ns = boundary_after(now.utc_ns, b->step_ns);
    }
    if (now.utc_ns >= b->due_ns && begins(b, now.utc_ns, &look.missed))
        return look;
    look.wait_ns = b->due_ns - now.utc_ns;
    if (look.wait_ns > LOOK_NS)
        look.wait_ns = LOOK_NS;
    return look;
}

/* Reads both clocks at one instant: tries again after an interruption, and takes the best try. */
static pm_clocks clocks_now(void)
{
    pm_clocks best = {0};
    int64_t width = INT64_MAX;

    for (int tries = 0; tries < 10 && width > NS_PER_MS / 10; tries++) {
        int64_t before = pm_now_ns(CLOCK_MONOTONIC), utc = pm_now_ns(CLOCK_REALTIME);
        int64_t after = pm_now_ns(CLOCK_MONOTONIC);

        if (after - before < width) {
            width = after - before;
            best = (pm_clocks){utc, before};
        }
    }
    return best;
}

/* Waits; returns early after a signal, and the caller checks again. */
static void wait_for(int64_t ns)
{
    const struct timespec span = {ns / 1000000000, ns % 1000000000};

    clock_nanosleep(CLOCK_MONOTONIC, 0, &span, NULL);
}

/* ---- one beat ---- */

static void begin_beat(pm_capture_run *run, uint64_t missed)
{
    pm_clocks now = clocks_now();

    run->st = PMAPDB_OK;
    run->capture_id = 0;
    run->map_bytes = 0;
    run->n_begun++;
    run->sweep = (pm_sweep){.host = run->host,
                            .boot_id = run->boot_id,
                            .selection = run->shown.data,
                            .every_ms = run->options->every_ms,
                            .started_ms = now.utc_ns / NS_PER_MS,
                            .mono_ns = now.mono_ns,
                            .counts = {.ended_ms = PMAPDB_UNKNOWN, .missed = missed}};
    if (run->copied)
        did(run,
            pm_proc_copy_time(run->root, &run->sweep.started_ms, &run->sweep.mono_ns, &run->error));
    pm_capture_pages_begin(run);
}

/* Reports hidden processes. They are not listed, so they cannot be counted as unreadable; a hidden
 * process that is named by pid looks like one that does not exist. */
static void tell_hidden(const pm_capture_run *run)
{
    bool asked = !run->selection.named || run->result->trouble;

    if (run->n_begun == 1 && asked && !run->options->proc && pm_proc_hides(run->root))
        pm_capture_tell(run, PMAPDB_UNKNOWN, false,
                        "processes of others are hidden: /proc is mounted with hidepid; run as "
                        "root or with CAP_SYS_PTRACE");
}

/* Adds the beat to the result and reports it. */
static void end_beat(pm_capture_run *run, int64_t moved_ns)
{
    pmapdb_capture_beat *beat = &run->sweep.counts;
    pmapdb_capture_result *r = run->result;

    beat->started_ms = run->sweep.started_ms;
    beat->moved_ms = moved_ns / NS_PER_MS;
    beat->lost = run->st == PMAPDB_OK ? NULL : &run->error;
    r->beats += run->st == PMAPDB_OK;
    r->stored += beat->stored;
    r->vanished += beat->vanished;
    r->degraded += beat->degraded;
    r->unmoved += beat->unmoved;
    r->changed += beat->changed;
    if (run->st != PMAPDB_STOPPED && run->options->on_beat)
        run->options->on_beat(run->options->ctx, beat);
}

static void keep_beat(pm_capture_run *run, uint64_t missed, int64_t moved_ns)
{
    begin_beat(run, missed);
    pm_capture_sweep(run);
    tell_hidden(run);
    end_beat(run, moved_ns);
}

/* ---- all beats ---- */

/* False if the file of the store was removed or replaced. The run ends then: only a new run can
 * open the current file. */
static bool has_store(pm_capture_run *run, const pm_watch_files *files)
{
    pmapdb_status st = pm_watch_check(run->store, files, &run->error);

    run->st = st == PMAPDB_OK ? run->st : st;
    return st == PMAPDB_OK;
}

static bool is_over(const pm_capture_run *run)
{
    const pmapdb_capture_options *o = run->options;

    run->result->ended = run->n_begun > 0 && !pm_select_any_left(&run->selection);
    return run->result->ended || (o->count != PMAPDB_UNKNOWN && run->n_begun >= (uint64_t)o->count);
}

/* A lost beat does not end the run: it counts as missed before the next beat. */
static void keep_beats(pm_capture_run *run, const pm_watch_files *files)
{
    const pm_steps steps = {run->options->ctx, run->options->on_progress};
    pm_beats beats;
    int64_t missed = 0, moved_ns = 0;

    pm_beats_begin(&beats, run->options->every_ms * NS_PER_MS, clocks_now());
    while (!is_over(run) && run->st != PMAPDB_STOPPED) {
        pm_beat_look look = pm_beats_look(&beats, clocks_now());

        missed += look.missed;
        moved_ns += look.moved_ns;
        run->result->missed += (uint64_t)look.missed;
        if (pm_steps_tell(&steps, "waiting", NULL, 0, 0, &run->error) != PMAPDB_OK) {
            if (has_store(run, files))
                run->st = PMAPDB_STOPPED;
            return;
        }
        if (look.wait_ns) {
            wait_for(look.wait_ns);
            continue;
        }
        if (!has_store(run, files))
            return;
        keep_beat(run, missed, moved_ns);
        missed = run->st == PMAPDB_OK ? 0 : missed + 1;
        moved_ns = 0;
        if (run->st != PMAPDB_OK && run->st != PMAPDB_STOPPED)
            run->result->missed++;
    }
    if (run->st != PMAPDB_STOPPED && has_store(run, files))
        run->st = PMAPDB_OK;
}

/* Runs the beats. A beat waits for another writer for at most one step, or for a second if the step
 * is shorter; before the first beat, a run is as patient as any other writer. */
static void keep_beats_in_time(pm_capture_run *run, const pm_watch_files *files)
{
    int64_t before = run->store->patience_ms, every_ms = run->options->every_ms;
    int64_t ms = every_ms < PATIENCE_MIN_MS ? PATIENCE_MIN_MS : every_ms;

    pm_store_set_patience(run->store, ms < before ? ms : before);
    keep_beats(run, files);
    pm_store_set_patience(run->store, before);
}

/* Names the selection. An expression over the command line or the environment may contain a secret:
 * only its hash is shown. */
static pmapdb_status show_selection(pm_capture_run *run)
{
    pm_text text = pm_buf_text(&run->selection.text);

    if (run->selection.needs & (PM_NEED_CMDLINE | PM_NEED_ENVIRONMENT))
        return pm_buf_addf(&run->shown, &run->error, "--match #%016" PRIx64,
                           pm_hash(text.data, text.len, 0));
    return pm_buf_add(&run->shown, text.data, text.len, &run->error);
}

/* Opens /proc, and finds the name of its machine. For the /proc of a container, gethostname() would
 * give this machine's name, under which the container's pids would be other processes. */
static pmapdb_status open_proc(pm_capture_run *run)
{
    const pmapdb_capture_options *o = run->options;
    const char *path = o->proc ? o->proc : "/proc";
    pmapdb_status st = pm_copy_open(path, o->n_keep_env > 0, &run->copy, &run->error);

    if (st != PMAPDB_OK)
        return st;
    run->root = run->copy.root;
    if (run->copy.damage[0]) {
        run->result->trouble++;
        pm_capture_tell(run, PMAPDB_UNKNOWN, true, run->copy.damage);
    }
    run->copied = pm_proc_is_copy(run->root);
    run->selection.self = pm_proc_self(run->root);
    if (o->host)
        snprintf(run->host, sizeof run->host, "%s", o->host);
    else if (run->copied && !pm_proc_copy_host(run->root, run->host, sizeof run->host))
        return pm_fail(&run->error, PMAPDB_USAGE,
                       "'%s' is a copy of a /proc without sys/kernel/hostname: give --host", path);
    else if (!run->copied && run->selection.self == PMAPDB_UNKNOWN)
        return pm_fail(&run->error, PMAPDB_USAGE,
                       "'%s' has the pids of another pid namespace: give --host, such as the name "
                       "of the container",
                       path);
    else if (!run->copied && gethostname(run->host, sizeof run->host - 1) != 0)
        return pm_fail(&run->error, PMAPDB_USAGE, "this machine's name is too long: give --host");
    return PMAPDB_OK;
}

static bool open_run(pm_capture_run *run)
{
    const pmapdb_capture_options *o = run->options;
    pmapdb_error *err = &run->error;

    return did(run, pm_select_init(&run->selection, o, err)) &&
           did(run,
               pm_keep_cmdline_init(o->keep_cmdline, o->n_keep_cmdline, &run->keep_cmdline, err)) &&
           did(run, pm_names_read(o->names, &run->names, err)) && did(run, show_selection(run)) &&
           did(run, open_proc(run)) && did(run, pm_proc_boot_id(run->root, run->boot_id, err)) &&
           did(run, pm_proc_host_new(run->root, &run->machine, err)) &&
           pm_capture_pages_open(run) && pm_capture_touched_open(run) &&
           (run->store->in_memory ||
            did(run, pm_capture_lock(run->store->path, run->host, run->selection.text.data,
                                     o->lock_wait_ms, o->on_progress, o->ctx, &run->lock, err)));
}

static void close_run(pm_capture_run *run)
{
    if (run->lock >= 0)
        close(run->lock);
    pm_proc_host_free(run->machine);
    pm_capture_pages_close(run);
    pm_idle_free(run->idle);
    pm_copy_close(&run->copy);
    pm_select_free(&run->selection);
    pm_keep_cmdline_free(&run->keep_cmdline);
    pm_names_close(&run->names);
    pm_buf_free(&run->shown);
    pm_targets_free(&run->targets);
}

pmapdb_status pmapdb_capture(pmapdb_store *store, const pmapdb_capture_options *options,
                             pmapdb_capture_result *result, pmapdb_error *err)
{
    pm_capture_run run = {.store = store,
                          .options = options,
                          .result = result,
                          .copy = {.root = -1},
                          .root = -1,
                          .lock = -1};
    pm_watch_files files = {0};

    *result = (pmapdb_capture_result){0};
    if (options->every_ms != PMAPDB_UNKNOWN) /* a single beat is too short to lose the files */
        pm_watch_begin(store, &files);
    if (did(&run, pm_capture_check(options, &run.error)) && open_run(&run)) {
        if (options->every_ms == PMAPDB_UNKNOWN)
            keep_beat(&run, 0, 0);
        else
            keep_beats_in_time(&run, &files);
    }
    if (run.st == PMAPDB_OK) /* perf may have recorded calls of these processes */
        did(&run, pm_perf_link(store, &run.error));
    close_run(&run);
    if (run.st != PMAPDB_OK && err)
        *err = run.error;
    return run.st;
}
