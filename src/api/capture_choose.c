/* capture_choose: smaps or maps of a process, by what reading it did cost before. */
#include "api/capture_run.h"

#include "base/clock.h"
#include "store/write/live_reading.h"
#include <stdio.h>

/* ---- what was learnt before this run ---- */

static pm_budget_reading reading_of(const pm_reading *r)
{
    return (pm_budget_reading){.taken_ms = r->taken_ms,
                               .resident_kib = r->resident_kib,
                               .swap_kib = r->swap_kib,
                               .largest_kib = PMAPDB_UNKNOWN,
                               .mappings = r->mappings,
                               .cpu_us = r->cpu_us,
                               .longest_us = r->longest_us,
                               .longest_cpu_us = PMAPDB_UNKNOWN};
}

static pmapdb_status recall_host(pm_capture_run *run, pmapdb_error *err)
{
    pm_reading readings[PM_BUDGET_READINGS];
    size_t n = 0;
    pmapdb_status st =
        pm_reading_host(run->store->sql, run->host, readings, PM_BUDGET_READINGS, &n, err);

    for (size_t i = 0; i < n && st == PMAPDB_OK; i++) {
        pm_budget other = {0};
        pm_budget_reading reading = reading_of(&readings[i]);

        pm_budget_learn(&other, &run->budget, &reading);
    }
    run->recalled = true;
    return st;
}

static pmapdb_status recall_own(pm_capture_run *run, pm_target *t, pmapdb_error *err)
{
    pm_reading found;
    bool has;
    pmapdb_status st = pm_reading_own(run->store->sql, run->host, run->boot_id, t->pid,
                                      t->start_time, &found, &has, err);

    if (st == PMAPDB_OK && has) {
        pm_budget_reading reading = reading_of(&found);

        pm_budget_learn(&t->budget, NULL, &reading);
    }
    t->recalled = true;
    return st;
}

/* Only of what would be too slow without: most processes are small. */
static pmapdb_status recall(pm_capture_run *run, pm_target *t, pmapdb_error *err)
{
    pmapdb_status st = run->recalled ? PMAPDB_OK : recall_host(run, err);

    return st == PMAPDB_OK && !t->budget.known && !t->recalled ? recall_own(run, t, err) : st;
}

/* ---- the choice ---- */

pmapdb_status pm_capture_choose(pm_capture_run *run, const pm_proc *p, pm_target *t,
                                pm_dialect *dialect, pmapdb_error *err)
{
    const pmapdb_capture_options *o = run->options;
    bool fresh = !run->recalled || (!t->budget.known && !t->recalled);
    pm_budget_verdict verdict;
    int64_t now_ms = pm_clock_now();
    pmapdb_status st = PMAPDB_OK;

    *dialect = o->measure == PMAPDB_MEASURE_MAPS ? PM_DIALECT_MAPS : PM_DIALECT_SMAPS;
    t->live.predicted_us = PMAPDB_UNKNOWN;
    if (o->measure != PMAPDB_MEASURE_AUTO ||
        !pm_budget_ask(&t->budget, &run->budget, now_ms, o->max_stall_us, p, &verdict))
        return PMAPDB_OK;
    if (verdict.choice != PM_BUDGET_SMAPS && fresh) {
        st = recall(run, t, err);
        if (st == PMAPDB_OK &&
            !pm_budget_ask(&t->budget, &run->budget, now_ms, o->max_stall_us, p, &verdict))
            return PMAPDB_OK;
    }
    t->live.predicted_us = verdict.predicted_us;
    if (verdict.choice == PM_BUDGET_SMAPS)
        return st;
    *dialect = PM_DIALECT_MAPS;
    snprintf(t->degraded, sizeof t->degraded, "%s", verdict.why);
    t->live.degraded = t->degraded;
    return st;
}

static int64_t most_in_one_kib(const pm_capture *c)
{
    uint64_t most = 0;

    for (size_t i = 0; i < c->n_rows; i++) {
        const pm_mapping *m = pm_capture_row(c, i);
        uint64_t kib = m->value[PM_RSS] + m->value[PM_SWAP];

        if (kib > most)
            most = kib;
    }
    return (int64_t)most;
}

void pm_capture_learn(pm_capture_run *run, pm_target *t, int64_t longest_cpu_us)
{
    pm_budget_learn(&t->budget, &run->budget,
                    &(pm_budget_reading){.taken_ms = t->live.utc_ms,
                                         .resident_kib = t->live.rss_kib,
                                         .swap_kib = t->live.swap_kib,
                                         .largest_kib = most_in_one_kib(&t->capture),
                                         .mappings = (int64_t)t->capture.n_rows,
                                         .cpu_us = t->live.cpu_us,
                                         .longest_us = t->live.longest_us,
                                         .longest_cpu_us = longest_cpu_us});
}
