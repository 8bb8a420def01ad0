/* prune: plan, remove, tidy, give space back; and again where the store is still too large. */
#include "base/clock.h"
#include "base/err.h"
#include "store/prune/compact.h"
#include "store/prune/prune_remove.h"
#include "store/space.h"

typedef struct prune {
    pmapdb_store *store;
    const pmapdb_prune_options *options;
    pmapdb_prune_result *result;
    pm_steps steps;
    pm_plan plan;
} prune;

void pmapdb_prune_defaults(pmapdb_prune_options *o)
{
    *o = (pmapdb_prune_options){.max_kib = PMAPDB_UNKNOWN};
}

static pmapdb_status check_options(const pmapdb_prune_options *o, pmapdb_error *err)
{
    bool rules = pm_prune_has_rules(&o->keep);
    pmapdb_status st = pm_prune_check_rules(&o->keep, err);

    if (st != PMAPDB_OK)
        return st;
    if (!rules && o->max_kib == PMAPDB_UNKNOWN && !o->drop)
        return pm_fail(err, PMAPDB_USAGE, "a prune wants at least one rule of what to keep");
    if (o->drop && (rules || o->max_kib != PMAPDB_UNKNOWN))
        return pm_fail(err, PMAPDB_USAGE, "drop takes no rule of what to keep");
    if ((o->process && !*o->process) || (o->host && !*o->host))
        return pm_fail(err, PMAPDB_USAGE, "'' names no process and no host; all of them have none");
    if (o->drop && !o->process && !o->host)
        return pm_fail(err, PMAPDB_USAGE, "drop what? a process or a host");
    if (o->max_kib != PMAPDB_UNKNOWN && o->max_kib <= 0)
        return pm_fail(err, PMAPDB_USAGE, "the largest size of the store must be above zero");
    return PMAPDB_OK;
}

/* ---- telling ---- */

static pmapdb_status tell_moment(const prune *p, const pm_plan_series *series,
                                 const pm_plan_moment *m, pm_buf *why, pmapdb_error *err)
{
    bool kept = pm_plan_is_kept(m);
    pmapdb_status st = PMAPDB_OK;

    pm_buf_clear(why);
    if (kept)
        st = pm_prune_why(m->why, why, err);
    if (st != PMAPDB_OK)
        return st;
    p->options->on_moment(
        p->options->ctx,
        &(pmapdb_prune_moment){.host = series->host,
                               .name = series->name,
                               .moment_ms = m->moment_ms,
                               .snapshots = (int64_t)m->n,
                               .kept = kept,
                               .why = kept ? pm_buf_text(why).data : pm_fate_text(m->fate)});
    return PMAPDB_OK;
}

static pmapdb_status tell_moments(const prune *p, pmapdb_error *err)
{
    pm_buf why = {0};
    pmapdb_status st = PMAPDB_OK;

    for (size_t i = 0; i < p->plan.n_series && p->options->on_moment && st == PMAPDB_OK; i++)
        for (size_t k = 0; k < p->plan.series[i].n && st == PMAPDB_OK; k++)
            st = tell_moment(p, &p->plan.series[i], &p->plan.moment[p->plan.series[i].first + k],
                             &why, err);
    pm_buf_free(&why);
    return st;
}

/* "last 5, daily 30" */
static pmapdb_status count_rules(const pm_plan *plan, const pm_plan_series *series, pm_buf *out,
                                 pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;
    bool first = true;

    for (int bit = 0; bit < PM_KEPT_COUNT && st == PMAPDB_OK; bit++) {
        size_t n = 0;

        for (size_t k = 0; k < series->n; k++) {
            const pm_plan_moment *m = &plan->moment[series->first + k];

            n += pm_plan_is_kept(m) && (m->why & (PM_KEPT(bit) | PM_KEPT_OLDEST(bit)));
        }
        if (n == 0)
            continue;
        st = pm_buf_add(out, ", ", first ? 0 : 2, err);
        if (st == PMAPDB_OK)
            st = pm_prune_why(PM_KEPT(bit), out, err);
        if (st == PMAPDB_OK)
            st = pm_buf_addf(out, err, " %zu", n);
        first = false;
    }
    return st;
}

static pmapdb_status tell_one_series(const prune *p, const pm_plan_series *series, pm_buf *why,
                                     pmapdb_error *err)
{
    pmapdb_prune_series told = {.host = series->host, .name = series->name};
    pmapdb_prune_result *r = p->result;
    pmapdb_status st;

    for (size_t k = 0; k < series->n; k++) {
        const pm_plan_moment *m = &p->plan.moment[series->first + k];
        bool kept = pm_plan_is_kept(m);

        *(kept ? &told.moments_kept : &told.moments_removed) += 1;
        *(kept ? &told.snapshots_kept : &told.snapshots_removed) += (int64_t)m->n;
    }
    r->moments_kept += (uint64_t)told.moments_kept;
    r->moments_removed += (uint64_t)told.moments_removed;
    r->snapshots_kept += (uint64_t)told.snapshots_kept;
    r->snapshots_removed += (uint64_t)told.snapshots_removed;
    pm_buf_clear(why);
    st = count_rules(&p->plan, series, why, err);
    told.why = pm_buf_text(why).data;
    if (st == PMAPDB_OK && p->options->on_series)
        p->options->on_series(p->options->ctx, &told);
    return st;
}

static pmapdb_status tell_series(const prune *p, pmapdb_error *err)
{
    pm_buf why = {0};
    pmapdb_status st = PMAPDB_OK;

    p->result->series = p->plan.n_series;
    for (size_t i = 0; i < p->plan.n_series && st == PMAPDB_OK; i++)
        st = tell_one_series(p, &p->plan.series[i], &why, err);
    pm_buf_free(&why);
    return st;
}

/* ---- the size of the store ---- */

/* What a snapshot weighs on average. */
static double weight_of_one(const pm_space *space, size_t snapshots)
{
    int64_t all = space->used_kib - space->bare_kib;

    return all > 0 && snapshots ? (double)all / (double)snapshots : 1;
}

/* How many snapshots weigh so many KiB; somewhat fewer, because the oldest ones share what they
 * show with those that stay. */
static size_t snapshots_of(int64_t kib, const pm_space *space, size_t snapshots)
{
    double n = 0.8 * (double)kib / weight_of_one(space, snapshots);

    return n > 1 ? (size_t)n : 1;
}

static size_t count_kept(const pm_plan *plan)
{
    size_t n = 0;

    for (size_t i = 0; i < plan->n_moments; i++)
        n += pm_plan_is_kept(&plan->moment[i]) ? plan->moment[i].n : 0;
    return n;
}

/* What would be left, if every snapshot weighed the same. */
static void estimate(prune *p, const pm_space *space, size_t snapshots)
{
    const pmapdb_prune_options *o = p->options;
    double each = weight_of_one(space, snapshots);
    int64_t left;
    size_t taken;

    do {
        size_t gone = p->plan.n_ids - count_kept(&p->plan);

        left = space->used_kib - (int64_t)(each * (double)gone);
        p->result->fits = o->max_kib == PMAPDB_UNKNOWN || left <= o->max_kib;
        taken =
            p->result->fits
                ? 0
                : pm_plan_shrink(&p->plan, (size_t)((double)(left - o->max_kib) / each), o->force);
    } while (taken);
    p->result->kib_after = left;
}

static int64_t newest_to_go(const pm_plan *plan)
{
    int64_t newest = INT64_MIN;

    for (size_t i = 0; i < plan->n_moments; i++)
        if (!pm_plan_is_kept(&plan->moment[i]) && plan->moment[i].moment_ms > newest)
            newest = plan->moment[i].moment_ms;
    return newest;
}

/* What a full disk has no room to tidy stays for the next prune: no answer depends on it. */
static pmapdb_status unless_full(pmapdb_status st, const pmapdb_error *err)
{
    return pm_space_is_full(st, err) ? PMAPDB_OK : st;
}

/* What the plan says, and what an earlier prune left behind. */
static pmapdb_status carry_out(prune *p, pmapdb_error *err)
{
    pmapdb_status st = pm_prune_remove(p->store, &p->plan, &p->steps, err);

    if (st == PMAPDB_OK)
        st = unless_full(pm_tidy_processes(p->store, &p->steps, err), err);
    return st == PMAPDB_OK
               ? unless_full(pm_tidy_rest(p->store, newest_to_go(&p->plan), &p->steps, err), err)
               : st;
}

/* Step by step, measured each time. */
static pmapdb_status shrink(prune *p, pmapdb_error *err)
{
    const pmapdb_prune_options *o = p->options;
    pm_space space;
    pmapdb_status st = pm_space_read(p->store, &space, err);

    p->result->fits = o->max_kib == PMAPDB_UNKNOWN || space.used_kib <= o->max_kib;
    while (st == PMAPDB_OK && !p->result->fits) {
        size_t n = snapshots_of(space.used_kib - o->max_kib, &space, count_kept(&p->plan));

        if (pm_plan_shrink(&p->plan, n, o->force) == 0)
            return PMAPDB_OK;
        st = carry_out(p, err);
        if (st == PMAPDB_OK)
            st = pm_space_read(p->store, &space, err);
        p->result->fits = space.used_kib <= o->max_kib;
    }
    return st;
}

/* ---- the run ---- */

static pmapdb_status work(prune *p, pmapdb_error *err)
{
    pm_space space;
    pmapdb_status st = carry_out(p, err);

    if (st == PMAPDB_OK)
        st = shrink(p, err);
    if (st == PMAPDB_OK)
        st = pm_space_give_back(p->store, &p->steps, &p->result->held, err);
    if (st == PMAPDB_OK)
        st = pm_space_read(p->store, &space, err);
    if (st != PMAPDB_OK)
        return st;
    p->result->kib_after = space.file_kib;
    p->result->wants_vacuum = !space.shrinks && space.used_kib < space.file_kib;
    return PMAPDB_OK;
}

static pmapdb_status run(prune *p, pmapdb_error *err)
{
    pm_space space;
    int64_t all = 0;
    pmapdb_status st = pm_space_read(p->store, &space, err);

    if (st == PMAPDB_OK)
        st = pm_sql_int(p->store->sql, "SELECT count(*) FROM snapshot", PM_NO_ARGS, 0, &all, err);
    if (st == PMAPDB_OK)
        st = pm_plan_read(p->store, p->options, pm_clock_now(), &p->plan, err);
    if (st != PMAPDB_OK)
        return st;
    p->result->kib_before = space.file_kib;
    if (p->options->dry_run)
        estimate(p, &space, (size_t)all);
    st = tell_moments(p, err);
    if (st != PMAPDB_OK || p->options->dry_run)
        return st;
    st = pm_store_begin_tidying(p->store, err);
    if (st == PMAPDB_OK)
        st = work(p, err);
    pm_store_end_tidying(p->store);
    return st;
}

pmapdb_status pmapdb_prune(pmapdb_store *store, const pmapdb_prune_options *options,
                           pmapdb_prune_result *result, pmapdb_error *err)
{
    prune p = {.store = store,
               .options = options,
               .result = result,
               .steps = {options->ctx, options->on_progress}};
    pmapdb_error own = {0}; /* what did not fit on the disk is known by its error */
    pmapdb_status st = check_options(options, err);

    if (st != PMAPDB_OK)
        return st;
    err = err ? err : &own;
    *result = (pmapdb_prune_result){0};
    st = run(&p, err);
    if (st == PMAPDB_OK)
        st = tell_series(&p, err);
    pm_plan_free(&p.plan);
    return st;
}

pmapdb_status pmapdb_compact(pmapdb_store *store, const pmapdb_compact_options *options,
                             pmapdb_compact_result *result, pmapdb_error *err)
{
    pmapdb_error own = {0}; /* as above */

    return pm_store_compact(store, options, result, err ? err : &own);
}
