/* leak_series: runs -> points -> a verdict. */
#include "store/func/leak_series.h"

#include "store/func/leak_json.h"
#include <math.h>
#include <stdlib.h>

/* As in category_runs: a step longer than this many median steps is a gap. */
#define GAP_STEPS 3

pmapdb_status pm_leak_series_add(pm_leak_series *s, const pm_stretch *run, pmapdb_error *err)
{
    pmapdb_status st = pm_grow(&s->run, &s->cap_runs, s->n_runs, sizeof *s->run, err);

    if (st != PMAPDB_OK)
        return st;
    s->run[s->n_runs++] = *run;
    s->snapshots += run->n;
    return PMAPDB_OK;
}

void pm_leak_series_free(pm_leak_series *s)
{
    free(s->run);
    *s = (pm_leak_series){0};
}

static int order_of(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

/* Compares all values: the answer must not depend on the order of the rows. */
static int compare(const void *left, const void *right)
{
    const pm_stretch *a = left, *b = right;
    int order = order_of(a->first_ms, b->first_ms);

    if (order == 0)
        order = order_of(a->last_ms, b->last_ms);
    if (order == 0)
        order = order_of(a->life, b->life);
    if (order == 0)
        order = isnan(a->value) || isnan(b->value) ? isnan(b->value) - isnan(a->value)
                                                   : (a->value > b->value) - (a->value < b->value);
    return order ? order : order_of(a->n, b->n);
}

typedef struct step {
    double ms;
    int64_t times;
} step;

static int compare_steps(const void *left, const void *right)
{
    const step *a = left, *b = right;

    return (a->ms > b->ms) - (a->ms < b->ms);
}

/* The longest step that is not a gap. */
static pmapdb_status longest_step(const pm_leak_series *s, double *out, pmapdb_error *err)
{
    step *steps = calloc(2 * s->n_runs + 1, sizeof *steps);
    int64_t all = 0, seen = 0;
    size_t n = 0;

    if (!steps)
        return pm_fail_nomem(err);
    for (size_t i = 0; i < s->n_runs; i++) {
        const pm_stretch *r = &s->run[i];

        if (r->n > 1)
            steps[n++] = (step){(double)(r->last_ms - r->first_ms) / (double)(r->n - 1), r->n - 1};
        if (i > 0)
            steps[n++] = (step){fmax(0, (double)(r->first_ms - r[-1].last_ms)), 1};
    }
    qsort(steps, n, sizeof *steps, compare_steps);
    for (size_t i = 0; i < n; i++)
        all += steps[i].times;
    *out = INFINITY;
    for (size_t i = 0; i < n && seen < (all + 1) / 2; i++) {
        seen += steps[i].times;
        *out = GAP_STEPS * steps[i].ms;
    }
    free(steps);
    return PMAPDB_OK;
}

static bool goes_on(const pm_stretch *a, const pm_stretch *b, double longest)
{
    bool same = a->value == b->value || (isnan(a->value) && isnan(b->value));

    return same && a->life == b->life && b->first_ms >= a->last_ms &&
           (double)(b->first_ms - a->last_ms) <= longest;
}

/* Joins equal neighbours: the places where equal runs were cut mean nothing. */
static void join(pm_leak_series *s, double longest)
{
    size_t n = 0;

    for (size_t i = 0; i < s->n_runs; i++) {
        if (n > 0 && goes_on(&s->run[n - 1], &s->run[i], longest)) {
            s->run[n - 1].last_ms = s->run[i].last_ms;
            s->run[n - 1].n += s->run[i].n;
        } else {
            s->run[n++] = s->run[i];
        }
    }
    s->n_runs = n;
}

typedef struct points {
    int64_t *ms;
    double *value;
    int32_t *life;
} points;

static void spread(const pm_leak_series *s, points *p)
{
    int32_t life = 0;
    size_t at = 0;

    for (size_t i = 0; i < s->n_runs; i++) {
        const pm_stretch *r = &s->run[i];

        life += i > 0 && r->life != r[-1].life;
        for (int64_t k = 0; k < r->n; k++, at++) {
            double share = r->n > 1 ? (double)k / (double)(r->n - 1) : 0;

            p->ms[at] = k == r->n - 1
                            ? r->last_ms
                            : r->first_ms + llrint(share * (double)(r->last_ms - r->first_ms));
            p->value[at] = r->value;
            p->life[at] = life;
        }
    }
}

/* Each snapshot is a run of the only key of a process: the judge of processes decides, by this
 * metric alone. */
static pmapdb_status judge(const pm_leak_series *s, const points *p, pm_leak_run *run, pm_leak *out,
                           pmapdb_error *err)
{
    const pm_metric metric = s->page_kib == 0 ? PM_METRIC_MAPPINGS : PM_METRIC_RSS;
    const pm_leak_key key = {"", "", run, (size_t)s->snapshots};
    const pm_leak_process process = {p->ms, p->life, (size_t)s->snapshots, &key, 1, NULL};
    const pm_leak_options options = {
        .metric = (int)metric, .limit_kib = s->limit_kib, .room = s->room};

    for (size_t i = 0; i < process.n; i++) {
        run[i].first = run[i].last = (uint32_t)i;
        for (int m = 0; m < PM_METRIC_COUNT; m++)
            run[i].value[m] = m == (int)metric ? p->value[i] : NAN;
    }
    return pm_leaks_judge(&process, &options, out, err);
}

pmapdb_status pm_leak_series_judge(pm_leak_series *s, pm_buf *json, pmapdb_error *err)
{
    size_t n = (size_t)s->snapshots;
    points p = {calloc(n + 1, sizeof *p.ms), calloc(n + 1, sizeof *p.value),
                calloc(n + 1, sizeof *p.life)};
    pm_leak_run *run = calloc(n + 1, sizeof *run);
    pm_leak rows[2];
    double longest = INFINITY;
    bool ready = p.ms && p.value && p.life && run;
    pmapdb_status st = ready ? PMAPDB_OK : pm_fail_nomem(err);

    if (ready)
        qsort(s->run, s->n_runs, sizeof *s->run, compare);
    for (size_t i = 1; i < s->n_runs && st == PMAPDB_OK; i++)
        if (s->run[i].first_ms < s->run[i - 1].last_ms)
            st = pm_fail(err, PMAPDB_USAGE,
                         "leak_verdict: runs overlap, so they are of more than one series");
    if (ready && st == PMAPDB_OK)
        st = longest_step(s, &longest, err);
    if (ready && st == PMAPDB_OK) {
        join(s, longest);
        spread(s, &p);
        st = judge(s, &p, run, rows, err);
    }
    if (st == PMAPDB_OK)
        st = pm_leak_json_add(json, &rows[1], &(pm_leak_label){{NULL, 0}, {NULL, 0}}, err);
    free(p.ms);
    free(p.value);
    free(p.life);
    free(run);
    return st;
}
