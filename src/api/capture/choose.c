/* choose: smaps or maps for a process, by the cost of earlier readings. */
#include "api/capture/run.h"

#include "base/clock/clock.h"
#include <stdio.h>

static void learn_stored(pm_budget *own, pm_budget_host *host, const pm_reading *r)
{
    pm_budget_learn(own, host,
                    &(pm_budget_reading){.kept = *r,
                                         .largest_kib = PMAPDB_UNKNOWN,
                                         .longest_cpu_us = PMAPDB_UNKNOWN});
}

/* Recalls the costs that the store has for the host and this process. Only for a process that would
 * be too slow without them: most processes are small. */
static void recall(pm_capture_run *run, pm_target *t)
{
    pm_reading readings[PM_BUDGET_READINGS];
    pm_sql *sql = run->store->sql;
    size_t n = 0;
    bool has = false;

    if (!run->recalled &&
        did(run, pm_reading_host(sql, run->host, readings, PM_BUDGET_READINGS, &n, &run->error)))
        for (size_t i = 0; i < n; i++)
            learn_stored(&(pm_budget){0}, &run->budget, &readings[i]);
    run->recalled = true;
    if (!t->budget.known && !t->recalled &&
        did(run, pm_reading_own(sql, run->host, run->boot_id, t->pid, t->start_time, readings, &has,
                                &run->error)) &&
        has)
        learn_stored(&t->budget, NULL, readings);
    t->recalled = true;
}

/* Predicts the stall from as little as possible: statm, then the costs in the store, then maps. */
static int64_t predict(pm_capture_run *run, const pm_proc *p, pm_target *t, pm_proc_extent *extent)
{
    int64_t now_ms = pm_clock_now(), most_us = run->options->max_stall_us, us;

    us = pm_budget_predict(&t->budget, &run->budget, now_ms, extent, most_us, NULL);
    if (us <= most_us)
        return us;
    recall(run, t);
    if (!pm_proc_largest(p, extent))
        return PMAPDB_UNKNOWN;
    return pm_budget_predict(&t->budget, &run->budget, now_ms, extent, most_us, t->degraded);
}

pm_dialect pm_capture_choose(pm_capture_run *run, const pm_proc *p, pm_target *t)
{
    const pmapdb_capture_options *o = run->options;
    pm_proc_extent extent;

    t->live.predicted_us = PMAPDB_UNKNOWN;
    if (o->measure != PMAPDB_MEASURE_AUTO)
        return o->measure == PMAPDB_MEASURE_MAPS ? PM_DIALECT_MAPS : PM_DIALECT_SMAPS;
    if (pm_proc_statm(p, &extent))
        t->live.predicted_us = predict(run, p, t, &extent);
    if (t->live.predicted_us <= o->max_stall_us)
        return PM_DIALECT_SMAPS;
    t->live.degraded = t->degraded;
    return PM_DIALECT_MAPS;
}

static int64_t most_in_one_kib(const pm_capture *c)
{
    uint64_t most = 0;

    for (size_t i = 0; i < c->n_rows; i++) {
        const pm_mapping *m = pm_capture_row(c, i);
        uint64_t kib = m->value[PM_RSS] + m->value[PM_SWAP];

        most = kib > most ? kib : most;
    }
    return (int64_t)most;
}

void pm_capture_learn(pm_capture_run *run, pm_target *t, int64_t longest_cpu_us)
{
    pm_budget_learn(&t->budget, &run->budget,
                    &(pm_budget_reading){.kept = {.taken_ms = t->live.utc_ms,
                                                  .resident_kib = t->live.rss_kib,
                                                  .swap_kib = t->live.swap_kib,
                                                  .mappings = (int64_t)t->capture.n_rows,
                                                  .cpu_us = t->live.cpu_us,
                                                  .longest_us = t->live.longest_us},
                                         .largest_kib = most_in_one_kib(&t->capture),
                                         .longest_cpu_us = longest_cpu_us});
}
