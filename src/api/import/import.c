/* import: reads captures from files and stores them in the order of time, with a report of each. */
#include "api/import/intake.h"

#include "api/check.h"
#include "api/event.h"
#include "base/buf.h"
#include "base/clock/clock.h"
#include "base/hash.h"
#include "parse/formats.h"
#include "store/perf/recording.h"
#include "store/write/moment.h"
#include "store/write/put.h"
#include <stdio.h>
#include <stdlib.h>

/* Captures wait in memory until all files are read, so that they can be stored in the order of
 * time; beyond this size, the waiting ones are stored first. Only speed and size depend on it: a
 * late capture is inserted in its place. */
#define WAITING_BYTES (256U << 20)
/* The captures of one file may take this much until all of the file is read: enough for a log of 10
 * GiB in which one row in 97 changes from block to block, or for a process with five million
 * mappings. */
#define FILE_BYTES ((uint64_t)2 << 30)
#define LINES_MAX 16
/* A map further than this from the time of a JVM's report may show other memory. */
#define NEAR_MS 60000

typedef struct import_run {
    pm_intake in;
    const pmapdb_import_options *options;
    pmapdb_import_result result;
    /* table capture: one row per file and moment */
    size_t last_file;
    int64_t last_ms, last_capture_id;
    int64_t since; /* snapshots with a greater id are of this run */
} import_run;

/* ---- options ---- */

void pmapdb_import_defaults(pmapdb_import_options *o)
{
    *o = (pmapdb_import_options){.pid = PMAPDB_UNKNOWN,
                                 .at_ms = PMAPDB_UNKNOWN,
                                 .every_ms = PMAPDB_UNKNOWN,
                                 .first_ms = PMAPDB_UNKNOWN,
                                 .sweep_ms = PM_SWEEP_MS,
                                 .max_memory = FILE_BYTES};
}

/* True for a moment that a calendar can show: years 1 to 9999. */
static bool is_moment(int64_t ms)
{
    return ms == PMAPDB_UNKNOWN || (ms >= -62135596800000 && ms <= 253402300799999);
}

pmapdb_status pm_import_check(const pmapdb_import_options *o, pmapdb_error *err)
{
    pm_dialect dialect;
    pm_keep_cmdline keep = {0};
    pmapdb_status st = PMAPDB_OK;

    if (o->sweep_ms < 0 || o->sweep_ms >= PM_SWEEP_MAX_MS)
        return pm_fail(err, PMAPDB_USAGE, "--sweep must be below one hour");
    if (o->every_ms != PMAPDB_UNKNOWN && o->every_ms <= 0)
        return pm_fail(err, PMAPDB_USAGE, "--every must be above zero");
    if (o->every_ms > PM_EVERY_MAX_MS)
        return pm_fail(err, PMAPDB_USAGE, "--every must be at most one year");
    if (!is_moment(o->at_ms) || !is_moment(o->first_ms))
        return pm_fail(err, PMAPDB_USAGE, "%s must be in the years 1 to 9999",
                       is_moment(o->at_ms) ? "--first" : "--at");
    if (o->first_ms != PMAPDB_UNKNOWN && o->every_ms == PMAPDB_UNKNOWN)
        return pm_fail(err, PMAPDB_USAGE, "--first needs --every");
    if (o->time_from && strcmp(o->time_from, "name") != 0 && strcmp(o->time_from, "mtime") != 0)
        return pm_fail(err, PMAPDB_USAGE, "--time-from is name or mtime, not '%s'", o->time_from);
    if (o->n_keep_cmdline) {
        st = pm_keep_cmdline_init(o->keep_cmdline, o->n_keep_cmdline, &keep, err);
        pm_keep_cmdline_free(&keep);
    }
    if (o->dialect)
        PM_STEP(st, pm_form_find(o->dialect, &dialect, err));
    return st;
}

/* ---- news ---- */

static void tell(const import_run *run, const pmapdb_import_event *event)
{
    if (run->options->on_event)
        run->options->on_event(run->options->ctx, event);
}

static void tell_problem(import_run *run, const pm_problem *p)
{
    bool known = false;

    if (p->hash)
        PM_STEP(run->in.st,
                pm_store_refuse(run->in.store, p->hash, p->text, &known, &run->in.error));
    if (run->in.st != PMAPDB_OK)
        return;
    run->result.refused += p->trouble;
    run->result.new_trouble += p->trouble && !known;
    tell(run, &(pmapdb_import_event){
                  .path = p->path, .error = p->text, .known = known, .trouble = p->trouble});
}

/* Splits the lines of a parser's message into an array. Lines become separate texts, in place; the
 * last element of a full array keeps the rest. */
static size_t split_lines(char *text, const char *out[LINES_MAX])
{
    size_t n = 0;

    for (char *next; text && *text; text = next) {
        next = n + 1 < LINES_MAX ? strchr(text, '\n') : NULL;
        if (next)
            *next++ = '\0';
        out[n++] = text;
    }
    return n;
}

static void tell_stored(import_run *run, const pm_pending *p, const pm_stored *stored)
{
    const pm_capture *c = p->capture;
    const char *warnings[3], *notes[LINES_MAX];
    pmapdb_import_event event;
    pm_buf path = {0};

    PM_STEP(run->in.st, pm_buf_addf(&path, &run->in.error, "%s%s", c->source_dir, c->source_name));
    event = pm_event_of(c, stored, pm_buf_text(&path).data);
    event.warnings = warnings;
    if (p->warning)
        warnings[event.n_warnings++] = p->warning;
    if (stored->ambiguous && c->pid != PMAPDB_UNKNOWN &&
        c->block.state != PM_STATE_TOTALS) /* totals have only sums */
        warnings[event.n_warnings++] = "it was added to a process only because the pid is the same";
    if (stored->doubt[0])
        warnings[event.n_warnings++] = stored->doubt;
    event.n_notes = stored->duplicate ? 0 : split_lines(c->notes, notes);
    event.notes = notes;
    if (run->in.st == PMAPDB_OK)
        tell(run, &event);
    pm_buf_free(&path);
}

/* ---- storing ---- */

/* Puts a capture into the open transaction. The captures of a file and moment share one row in
 * table capture. */
static void put_pending(import_run *run, const pm_pending *p, pm_stored *stored)
{
    pm_intake *in = &run->in;

    if (p->file != run->last_file || p->capture->taken_ms != run->last_ms)
        run->last_capture_id = 0;
    run->last_file = p->file;
    run->last_ms = p->capture->taken_ms;
    PM_STEP(in->st, pm_store_put_within(in->store, p->capture, run->options->sweep_ms,
                                        &run->last_capture_id, stored, &in->error));
    if (in->st != PMAPDB_INPUT)
        return;
    /* the fault of this capture: the others go on */
    in->st = PMAPDB_OK;
    stored->snapshot_id = PMAPDB_UNKNOWN;
    tell_problem(
        run, &(pm_problem){p->capture->source_name, in->error.text, true, p->capture->block.hash});
}

static void count_and_tell(import_run *run, const pm_pending *p, const pm_stored *stored)
{
    bool partial = p->capture->block.state == PM_STATE_PARTIAL;

    if (stored->snapshot_id == PMAPDB_UNKNOWN || run->in.st != PMAPDB_OK) /* refused and reported */
        return;
    run->in.stored++;
    run->result.duplicates += stored->duplicate;
    run->result.stored += !stored->duplicate;
    run->result.partial += partial;
    run->result.new_trouble += partial && !stored->duplicate;
    tell_stored(run, p, stored);
}

/* Stores captures in one transaction: one capture, or, if captures wait for the commit because one
 * came late, as many as fit into PM_LATE_TURNS turns. Returns the index of the next capture. */
static size_t store_some(import_run *run, size_t from, pm_stored *stored)
{
    pm_intake *in = &run->in;
    size_t at = from;

    PM_STEP(in->st, pm_store_begin(in->store, &in->error));
    do {
        put_pending(run, &in->pending[at], &stored[at]);
        at++;
    } while (in->st == PMAPDB_OK && at < in->n_pending && pm_store_put_waits(in->store) &&
             !pm_store_turn_is_over(in->store, PM_LATE_TURNS));
    PM_STEP(in->st, pm_store_commit(in->store, &in->error));
    for (size_t i = from; i < at; i++)
        count_and_tell(run, &in->pending[i], &stored[i]);
    if (in->st != PMAPDB_OK)
        pm_store_rollback(in->store);
    return at;
}

/* Stores and reports the waiting captures. */
static void flush(import_run *run)
{
    pm_intake *in = &run->in;
    pm_stored *stored = NULL;

    if (in->st != PMAPDB_OK)
        return;
    pm_intake_settle(in);
    in->to_store = in->stored + in->n_pending;
    stored = calloc(in->n_pending + 1, sizeof *stored);
    if (!stored)
        in->st = pm_fail_nomem(&in->error);
    for (size_t i = 0; i < in->n_pending && in->st == PMAPDB_OK;) {
        i = store_some(run, i, stored);
        pm_intake_go_on(in);
    }
    free(stored);
    for (size_t i = 0; i < in->n_problems; i++)
        tell_problem(run, &in->problems[i]);
}

/* ---- names for memory ---- */

/* Warns of damage, and of a map that may be of other memory at the same addresses. */
static void tell_labels(import_run *run, const pm_label_pending *p, const pm_label_stored *stored)
{
    int64_t distance_ms = p->put.taken_ms - stored->snapshot_ms;
    bool far = distance_ms > NEAR_MS || distance_ms < -NEAR_MS;
    uint64_t damaged = p->labels.damaged;
    char at[PM_CLOCK_TEXT], missing[160], warning[160];
    const char *warnings[] = {warning};

    pm_clock_format(stored->snapshot_ms, at);
    snprintf(
        warning, sizeof warning,
        "the nearest map is of %s: memory that was at another address then may be named wrongly",
        at);
    snprintf(missing, sizeof missing,
             "%llu %s of the map cannot be read or %s missing, the first is line %llu",
             (unsigned long long)damaged, damaged == 1 ? "line" : "lines",
             damaged == 1 ? "is" : "are", (unsigned long long)p->labels.damaged_line);
    run->result.labels += !stored->duplicate;
    run->result.duplicates += stored->duplicate;
    run->result.new_trouble += damaged && !stored->duplicate;
    tell(run, &(pmapdb_import_event){
                  .path = p->path,
                  .labels = p->labels.n,
                  .snapshot_id = stored->snapshot_id,
                  .pid = stored->pid,
                  .name = stored->name,
                  .taken_ms = p->put.taken_ms,
                  .dialect = pm_labels_source_name(p->labels.source),
                  .state = pm_state_names[damaged ? PM_STATE_PARTIAL : PM_STATE_COMPLETE],
                  .checked = pm_checked_names[PM_CHECKED_NONE],
                  .mappings = stored->mappings,
                  .size_kib = stored->size_kib,
                  .rss_kib = PMAPDB_UNKNOWN,
                  .duplicate = stored->duplicate,
                  .missing = damaged ? missing : NULL,
                  .n_warnings = far,
                  .warnings = warnings});
}

static void store_labels(import_run *run, pm_label_pending *p)
{
    pm_intake *in = &run->in;
    pm_label_stored stored;

    p->put.labels = &p->labels;
    p->put.since = run->since;
    PM_STEP(in->st, pm_label_store(in->store, &p->put, &stored, &in->error));
    if (in->st == PMAPDB_INPUT) {
        in->st = PMAPDB_OK;
        tell_problem(run, &(pm_problem){p->path, in->error.text, true, p->hash});
        return;
    }
    if (in->st == PMAPDB_OK)
        tell_labels(run, p, &stored);
}

/* Runs after all captures are stored: in a folder, files with names may come before their maps. */
static void store_all_labels(import_run *run)
{
    for (size_t i = 0; i < run->in.n_labels && run->in.st == PMAPDB_OK; i++) {
        store_labels(run, &run->in.labels[i]);
        pm_intake_go_on(&run->in);
    }
}

/* ---- reading ---- */

static void read_all(import_run *run)
{
    pm_intake *in = &run->in;
    size_t waiting = 0; /* bytes of captures */

    while (pm_intake_file(in)) {
        waiting += in->held;
        if (pm_pool_bytes(in->pool) + waiting > WAITING_BYTES) {
            flush(run);
            pm_intake_clear(in);
            waiting = 0;
        }
    }
    flush(run);
    store_all_labels(run);
}

/* Looks for processes of one name that were captured together, but further apart than --sweep. */
static void look_for_spread(import_run *run)
{
    pm_sql *sql = run->in.store->sql;
    sqlite3_stmt *stmt = pm_sql_ask(sql,
                                    "SELECT p.name_id, min(s.taken_ms), max(s.taken_ms) FROM "
                                    "snapshot s CROSS JOIN process p ON p.process_id = "
                                    "s.process_id WHERE s.snapshot_id > ?1 GROUP BY p.name_id",
                                    PM_ARGS(PM_I(run->since)));

    while (pm_sql_next(sql, stmt)) {
        char text[512];

        pm_moments_spread(sql, pm_col_int(stmt, 0), pm_col_int(stmt, 1), pm_col_int(stmt, 2),
                          run->options->sweep_ms, text, sizeof text);
        if (pm_sql_ok(sql) && *text)
            tell(run, &(pmapdb_import_event){.path = "", .error = text});
    }
    PM_STEP(run->in.st, pm_sql_end(sql, &run->in.error));
}

pmapdb_status pmapdb_import(pmapdb_store *store, const char *const *paths, size_t n_paths,
                            const pmapdb_import_options *options, pmapdb_import_result *result,
                            pmapdb_error *err)
{
    import_run run = {.options = options};
    pm_intake *in = &run.in;
    pmapdb_status st = pm_import_check(options, err);

    if (st != PMAPDB_OK)
        return st;
    pm_intake_open(in, store, options, paths, n_paths);
    run.since = pm_sql_value(store->sql, "SELECT max(snapshot_id) FROM snapshot", PM_NO_ARGS, 0);
    PM_STEP(in->st, pm_sql_end(store->sql, &in->error));
    read_all(&run);
    if (in->st == PMAPDB_OK && run.result.stored > 1)
        look_for_spread(&run);
    if (run.result.stored) /* perf may have recorded calls of these processes */
        PM_STEP(in->st, pm_perf_link(store, &in->error));
    run.result.empty = in->empty;
    run.result.skipped = in->skipped;
    *result = run.result;
    st = in->st;
    if (st != PMAPDB_OK && err)
        *err = in->error;
    pm_intake_free(in);
    return st;
}
