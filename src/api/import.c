/* import: files -> captures -> store, in the order of time, with news of each. */
#include "api/intake.h"

#include "api/import_check.h"
#include "api/labels.h"
#include "api/lines.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/hash.h"
#include "store/perf/link.h"
#include "store/write/moment.h"
#include "store/write/put.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Captures wait in memory until all are read, so that they can be stored in the order of time; with
 * more than this, those at hand are stored first. Only speed and size depend on it: a capture that
 * comes late is put in its place. */
#define WAITING_BYTES (256U << 20)
/* What one file's may take until all of it is read: a log of 10 GiB in which one row in 97 changes
 * from block to block, or a process with five million mappings. */
#define FILE_BYTES ((uint64_t)2 << 30)
#define SWEEP_MS 1000
/* So long a transaction with late captures takes in more, while other writers wait. */
#define LATE_MS 1000

typedef struct import_run {
    pm_intake in;
    const char *const *paths;
    size_t n_paths;
    const pmapdb_import_options *options;
    pmapdb_import_result result;
    pmapdb_import_progress progress;
    /* table capture: one row per file and moment */
    size_t last_file;
    int64_t last_ms, last_capture_id;
    int64_t since; /* snapshots with a greater id are of this run */
} import_run;

void pmapdb_import_defaults(pmapdb_import_options *o)
{
    *o = (pmapdb_import_options){.pid = PMAPDB_UNKNOWN,
                                 .at_ms = PMAPDB_UNKNOWN,
                                 .every_ms = PMAPDB_UNKNOWN,
                                 .first_ms = PMAPDB_UNKNOWN,
                                 .sweep_ms = SWEEP_MS,
                                 .max_memory = FILE_BYTES};
}

/* ---- news ---- */

static bool keep_going(void *ctx)
{
    import_run *run = ctx;

    run->progress.files = run->in.files;
    run->progress.captures = run->in.captures;
    run->progress.bytes = run->in.bytes;
    return !run->options->on_progress ||
           run->options->on_progress(run->options->ctx, &run->progress);
}

static void tell(const import_run *run, const pmapdb_import_event *event)
{
    if (run->options->on_event)
        run->options->on_event(run->options->ctx, event);
}

static pmapdb_status tell_problem(import_run *run, const pm_problem *p, pmapdb_error *err)
{
    bool known = false;
    pmapdb_status st = PMAPDB_OK;

    if (p->hash)
        st = pm_store_refuse(run->in.store, p->hash, p->text, &known, err);
    if (st != PMAPDB_OK)
        return st;
    if (p->trouble) {
        run->result.refused++;
        run->result.new_trouble += !known;
    }
    tell(run, &(pmapdb_import_event){
                  .path = p->path, .error = p->text, .known = known, .trouble = p->trouble});
    return PMAPDB_OK;
}

static pmapdb_status tell_stored(import_run *run, const pm_pending *p, const pm_stored *stored,
                                 const char *name, pmapdb_error *err)
{
    const pm_capture *c = p->capture;
    const pm_block *b = &c->block;
    const char *warnings[3], *notes[PM_LINES_MAX];
    size_t n = 0;
    pm_buf path = {0};
    pmapdb_status st = pm_buf_addf(&path, err, "%s%s", c->source_dir, c->source_name);

    if (p->warning)
        warnings[n++] = p->warning;
    if (stored->ambiguous && c->pid != PMAPDB_UNKNOWN &&
        b->state != PM_STATE_TOTALS) /* sums have nothing else */
        warnings[n++] = "only its pid ties it to the process that it was added to";
    if (stored->doubt[0])
        warnings[n++] = stored->doubt;
    if (st == PMAPDB_OK)
        tell(run, &(pmapdb_import_event){
                      .path = path.data,
                      .snapshot_id = stored->pruned ? PMAPDB_UNKNOWN : stored->snapshot_id,
                      .pid = c->pid,
                      .name = name,
                      .taken_ms = c->taken_ms,
                      .dialect = pm_dialect_name(b->dialect),
                      .state = pm_state_name(b->state),
                      .checked = pm_checked_name(b->checked),
                      .mappings = pm_total_known(b->totals.v[PM_TOTAL_MAPPINGS]),
                      .size_kib = pm_total_known(b->totals.v[PM_TOTAL_SIZE]),
                      .duplicate = stored->duplicate,
                      .missing = b->state == PM_STATE_PARTIAL ? c->missing : NULL,
                      .n_warnings = n,
                      .warnings = warnings,
                      .n_notes = stored->duplicate ? 0 : pm_lines_split(c->notes, notes),
                      .notes = notes,
                  });
    pm_buf_free(&path);
    return st;
}

/* ---- storing ---- */

/* What was read together has one row in table capture. */
static void begin_capture(import_run *run, const pm_pending *p)
{
    if (p->file != run->last_file || p->capture->taken_ms != run->last_ms)
        run->last_capture_id = 0;
    run->last_file = p->file;
    run->last_ms = p->capture->taken_ms;
}

/* Puts a capture into the open transaction. */
static pmapdb_status put(import_run *run, const pm_pending *p, pm_stored *stored, pmapdb_error *err)
{
    pmapdb_status st = pm_store_put_within(run->in.store, p->capture, run->options->sweep_ms,
                                           &run->last_capture_id, stored, err);

    if (st != PMAPDB_INPUT)
        return st;
    /* this capture's fault: the others go on */
    stored->snapshot_id = PMAPDB_UNKNOWN;
    return tell_problem(
        run, &(pm_problem){p->capture->source_name, err->text, true, p->capture->block.hash}, err);
}

static pmapdb_status count_and_tell(import_run *run, const pm_pending *p, const pm_stored *stored,
                                    pmapdb_error *err)
{
    const pm_capture *c = p->capture;
    bool partial = c->block.state == PM_STATE_PARTIAL;
    char name[256] = "?";
    pmapdb_status st = PMAPDB_OK;

    if (stored->snapshot_id == PMAPDB_UNKNOWN) /* refused, and told */
        return PMAPDB_OK;
    if (!stored->pruned)
        st = pm_store_name(run->in.store, stored->process_id, name, sizeof name, err);
    else if (c->name)
        snprintf(name, sizeof name, "%s", c->name);
    if (st != PMAPDB_OK)
        return st;
    run->progress.stored++;
    run->result.duplicates += stored->duplicate;
    run->result.stored += !stored->duplicate;
    run->result.partial += partial;
    run->result.new_trouble += partial && !stored->duplicate;
    return tell_stored(run, p, stored, name, err);
}

/* Captures from..to were put. */
static pmapdb_status commit(import_run *run, size_t from, size_t to, const pm_stored *stored,
                            pmapdb_error *err)
{
    pmapdb_status st = pm_store_put_end(run->in.store, err);

    PM_STEP(st, pm_store_commit(run->in.store, err));
    for (size_t i = from; i < to && st == PMAPDB_OK; i++)
        st = count_and_tell(run, &run->in.pending[i], &stored[i], err);
    return st;
}

/* One transaction: a capture; or, where it comes late for its process, those after it, too, so that
 * what it takes off is put back once. *at: the next one. */
static pmapdb_status store_some(import_run *run, size_t *at, pm_stored *stored, pmapdb_error *err)
{
    size_t from = *at;
    int64_t began_ms = pm_clock_now();
    pmapdb_status st = pm_store_begin(run->in.store, err);

    if (st != PMAPDB_OK)
        return st;
    do {
        begin_capture(run, &run->in.pending[*at]);
        st = put(run, &run->in.pending[*at], &stored[*at], err);
        ++*at;
    } while (st == PMAPDB_OK && *at < run->in.n_pending && pm_store_put_waits(run->in.store) &&
             pm_clock_now() - began_ms < LATE_MS);
    PM_STEP(st, commit(run, from, *at, stored, err));
    if (st != PMAPDB_OK)
        pm_store_abandon(run->in.store);
    return st;
}

/* Stores and reports what waits, then forgets it. */
static pmapdb_status flush(import_run *run, pmapdb_error *err)
{
    pm_intake *in = &run->in;
    pm_stored *stored;
    pmapdb_status st = PMAPDB_OK;

    pm_intake_settle(in);
    run->progress.to_store = run->progress.stored + in->n_pending;
    stored = calloc(in->n_pending + 1, sizeof *stored);
    if (!stored)
        return pm_fail_nomem(err);
    for (size_t i = 0; i < in->n_pending && st == PMAPDB_OK;) {
        st = store_some(run, &i, stored, err);
        if (st == PMAPDB_OK && !keep_going(run))
            st = pm_fail(err, PMAPDB_STOPPED, "stopped");
    }
    free(stored);
    for (size_t i = 0; i < in->n_problems && st == PMAPDB_OK; i++)
        st = tell_problem(run, &in->problems[i], err);
    return st == PMAPDB_OK ? pm_intake_clear(in, err) : st;
}

/* ---- names for memory ---- */

static void tell_labels(import_run *run, const pm_label_pending *p, const pm_label_stored *stored,
                        const char *name)
{
    char *missing = pm_labels_missing(&p->labels), *warning = pm_labels_warning(p, stored);
    const char *warnings[] = {warning};

    run->result.labels += !stored->duplicate;
    run->result.duplicates += stored->duplicate;
    run->result.new_trouble += missing && !stored->duplicate;
    tell(run, &(pmapdb_import_event){
                  .path = p->path,
                  .labels = p->labels.n,
                  .snapshot_id = stored->snapshot_id,
                  .pid = stored->pid,
                  .name = name,
                  .taken_ms = p->put.taken_ms,
                  .dialect = pm_labels_source_name(p->labels.source),
                  .state = pm_state_name(missing ? PM_STATE_PARTIAL : PM_STATE_COMPLETE),
                  .checked = pm_checked_name(PM_CHECKED_NONE),
                  .mappings = stored->mappings,
                  .size_kib = stored->size_kib,
                  .duplicate = stored->duplicate,
                  .missing = missing,
                  .n_warnings = warning != NULL,
                  .warnings = warnings});
    free(missing);
    free(warning);
}

static pmapdb_status store_labels(import_run *run, pm_label_pending *p, pmapdb_error *err)
{
    pm_label_stored stored;
    char name[256] = "?";
    pmapdb_status st;

    p->put.labels = &p->labels;
    p->put.since = run->since;
    st = pm_label_store(run->in.store, &p->put, &stored, err);
    if (st == PMAPDB_INPUT)
        return tell_problem(run, &(pm_problem){p->path, err->text, true, p->named ? 0 : p->hash},
                            err);
    PM_STEP(st, pm_store_name(run->in.store, stored.process_id, name, sizeof name, err));
    if (st == PMAPDB_OK)
        tell_labels(run, p, &stored, name);
    return st;
}

/* Once all captures are stored: in a folder, names may lie before the maps that they are of. */
static pmapdb_status store_all_labels(import_run *run, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    pm_labels_settle(&run->in);
    for (size_t i = 0; i < run->in.n_labels && st == PMAPDB_OK; i++) {
        st = store_labels(run, &run->in.labels[i], err);
        if (st == PMAPDB_OK && !keep_going(run))
            st = pm_fail(err, PMAPDB_STOPPED, "stopped");
    }
    return st;
}

/* ---- reading ---- */

/* A file or directory that cannot be opened concerns only itself. One that was named is trouble
 * each time, and so is one that the machine fails to read; one that lies in a directory and may not
 * be read is told once. */
static pmapdb_status unreadable(import_run *run, const pmapdb_error *why, pmapdb_error *err)
{
    uint64_t hash = pm_hash(why->text, strlen(why->text));

    for (size_t i = 0; i < run->n_paths; i++)
        if (access(run->paths[i], R_OK) != 0 && strstr(why->text, run->paths[i]))
            hash = 0;
    if (pm_err_is_passing(why))
        hash = 0;
    return pm_intake_problem(&run->in, "", why->text, true, hash, err);
}

static pmapdb_status read_all(import_run *run, pm_source *source, pmapdb_error *err)
{
    const pm_source_entry *entry;
    pmapdb_status st = PMAPDB_OK;

    while (st == PMAPDB_OK) {
        pmapdb_error why = {0};

        if (pm_source_next(source, &entry, &why) != PMAPDB_OK) {
            if (!keep_going(run)) /* a signal, while it waited for a FIFO's writer */
                st = pm_fail(err, PMAPDB_STOPPED, "stopped");
            else
                st = why.status == PMAPDB_NOMEM ? pm_fail_nomem(err) : unreadable(run, &why, err);
            continue;
        }
        if (!entry)
            break;
        st = pm_intake_file(&run->in, source, entry, keep_going, run, err);
        if (st == PMAPDB_OK && pm_intake_pooled(&run->in) > WAITING_BYTES)
            st = flush(run, err);
    }
    PM_STEP(st, flush(run, err));
    return st == PMAPDB_OK ? store_all_labels(run, err) : st;
}

/* Processes of one name that were captured together, but further apart than --sweep. */
static pmapdb_status look_for_spread(import_run *run, pmapdb_error *err)
{
    pm_sql *sql = run->in.store->sql;
    sqlite3_stmt *stmt = pm_sql_ask(sql,
                                    "SELECT p.name_id, min(s.taken_ms), max(s.taken_ms) FROM "
                                    "snapshot s CROSS JOIN process p ON p.process_id = "
                                    "s.process_id WHERE s.snapshot_id > ?1 GROUP BY p.name_id",
                                    PM_ARGS(PM_I(run->since)));

    while (pm_sql_next(sql, stmt)) {
        char text[512];
        bool spread = false;
        pmapdb_status st =
            pm_moments_spread(sql, pm_col_int(stmt, 0), pm_col_int(stmt, 1), pm_col_int(stmt, 2),
                              run->options->sweep_ms, &spread, text, sizeof text, err);

        pm_sql_keep(sql, st, err);
        if (st == PMAPDB_OK && spread)
            tell(run, &(pmapdb_import_event){.path = "", .error = text});
    }
    return pm_sql_end(sql, err);
}

pmapdb_status pmapdb_import(pmapdb_store *store, const char *const *paths, size_t n_paths,
                            const pmapdb_import_options *options, pmapdb_import_result *result,
                            pmapdb_error *err)
{
    import_run run = {.paths = paths, .n_paths = n_paths, .options = options};
    pm_source *source = NULL;
    pmapdb_error local;
    pmapdb_status st;

    err = err ? err : &local;
    st = pm_import_check(options, err);
    if (st != PMAPDB_OK)
        return st;
    st = pm_intake_init(&run.in, store, options, err);
    PM_STEP(st, pm_label_newest(store, &run.since, err));
    PM_STEP(st, pm_source_new(paths, n_paths, &source, err));
    if (st == PMAPDB_OK)
        pm_source_limit(source, options->max_unpacked);
    PM_STEP(st, read_all(&run, source, err));
    if (st == PMAPDB_OK && run.result.stored > 1)
        st = look_for_spread(&run, err);
    if (st == PMAPDB_OK && run.result.stored) /* of processes whose calls were recorded, perhaps */
        st = pm_perf_link(store, err);
    run.result.empty = run.in.empty;
    run.result.skipped = run.in.skipped;
    *result = run.result;
    pm_source_free(source);
    pm_intake_free(&run.in);
    return st;
}
