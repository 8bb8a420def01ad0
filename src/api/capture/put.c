/* put: stores the processes of a beat that wait, all or none. */
#include "api/capture/run.h"

#include "api/check.h"
#include "api/event.h"
#include "base/clock/clock.h"
#include <inttypes.h>
#include <stdio.h>

/* ---- news ---- */

void pm_capture_tell(const pm_capture_run *run, int64_t pid, bool trouble, const char *text)
{
    char path[512] = "";

    if (!run->options->on_event)
        return;
    if (pid != PMAPDB_UNKNOWN)
        snprintf(path, sizeof path, "%s/%" PRId64,
                 run->options->proc ? run->options->proc : "/proc", pid);
    run->options->on_event(run->options->ctx,
                           &(pmapdb_capture_event){.news = {.path = path,
                                                            .error = text,
                                                            .trouble = trouble,
                                                            .snapshot_id = PMAPDB_UNKNOWN,
                                                            .pid = pid},
                                                   .read_us = PMAPDB_UNKNOWN,
                                                   .predicted_us = PMAPDB_UNKNOWN});
}

static void tell_stored(const pm_capture_run *run, const pm_target *t)
{
    const char *const warnings[] = {t->stored.doubt};
    char path[64];
    pmapdb_capture_event event = {.read_us = t->live.read_us,
                                  .predicted_us = t->live.predicted_us,
                                  .degraded = t->live.degraded};

    snprintf(path, sizeof path, "%s%s", t->capture.source_dir, t->capture.source_name);
    event.news = pm_event_of(&t->capture, &t->stored, path);
    event.news.n_warnings = t->stored.doubt[0] ? 1 : 0;
    event.news.warnings = warnings;
    run->options->on_event(run->options->ctx, &event);
}

/* ---- one transaction ---- */

/* *refused: the target that the store refuses; the transaction must then be rolled back. */
static void put_all(pm_capture_run *run, int64_t *capture_id, pm_target **refused)
{
    pm_sql *sql = run->store->sql;

    *capture_id = pm_sweep_begin(sql, *capture_id);
    for (size_t i = 0; i < run->targets.n && run->st == PMAPDB_OK; i++) {
        pm_target *t = run->targets.item[i];

        if (t->waiting && !t->refused &&
            !did(run, pm_store_put_within(run->store, &t->capture, PM_SWEEP_MS, capture_id,
                                          &t->stored, &run->error)))
            *refused = run->st == PMAPDB_INPUT ? t : NULL;
    }
    if (run->st != PMAPDB_OK)
        return;
    run->sweep.counts.ended_ms = pm_clock_now();
    pm_capture_pages_put(run, *capture_id);
    pm_sweep_end(sql, &run->sweep, *capture_id, run->sweep.counts.ended_ms);
    did(run, pm_sql_end(sql, &run->error));
}

static pm_target *transaction(pm_capture_run *run)
{
    int64_t capture_id = run->capture_id;
    pm_target *refused = NULL;

    if (!did(run, pm_store_begin(run->store, &run->error)))
        return NULL;
    put_all(run, &capture_id, &refused);
    if (run->st == PMAPDB_OK && did(run, pm_store_commit(run->store, &run->error)))
        run->capture_id = capture_id;
    else
        pm_store_rollback(run->store);
    return refused;
}

static void settle(pm_capture_run *run, pm_target *t)
{
    t->waiting = false;
    if (t->refused)
        return;
    t->clearing.process_id = t->stored.process_id;
    run->sweep.counts.stored++;
    if (run->options->on_event)
        tell_stored(run, t);
}

void pm_capture_put(pm_capture_run *run)
{
    pm_capture_pages_read(run);
    for (pm_target *refused; run->st == PMAPDB_OK && (refused = transaction(run));) {
        refused->refused = true; /* the fault of this process: the others go on */
        run->result->trouble++;
        pm_capture_tell(run, refused->pid, true, run->error.text);
        run->st = PMAPDB_OK;
    }
    for (size_t i = 0; i < run->targets.n && run->st == PMAPDB_OK; i++)
        if (run->targets.item[i]->waiting)
            settle(run, run->targets.item[i]);
}
