/* leak_series: runs -> points -> a verdict. */
#include "store/func/leak_series.h"

#include "store/func/leak_json.h"
#include <math.h>
#include <stdio.h>
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

/* Fails if the series has two values at one time. */
static pmapdb_status check_order(const pm_leak_series *s, pmapdb_error *err)
{
    for (size_t i = 1; i < s->n_runs; i++)
        if (s->run[i].first_ms < s->run[i - 1].last_ms)
            return pm_fail(err, PMAPDB_USAGE,
                           "leak_verdict: runs overlap, so they are of more than one series");
    return PMAPDB_OK;
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

/* The time of snapshot i of a run. */
static int64_t time_of(const pm_stretch *r, int64_t i)
{
    double share = r->n > 1 ? (double)i / (double)(r->n - 1) : 0;

    return i == r->n - 1 ? r->last_ms
                         : r->first_ms + llrint(share * (double)(r->last_ms - r->first_ms));
}

static void spread(const pm_leak_series *s, points *p)
{
    int32_t life = 0;
    size_t at = 0;

    for (size_t i = 0; i < s->n_runs; i++) {
        const pm_stretch *r = &s->run[i];

        life += i > 0 && r->life != r[-1].life;
        for (int64_t k = 0; k < r->n; k++, at++) {
            p->ms[at] = time_of(r, k);
            p->value[at] = r->value;
            p->life[at] = life;
        }
    }
}

static void explain_too_few(const pm_trend *t, pm_leak *row)
{
    if (t->snapshots < PM_TREND_MIN)
        snprintf(row->reason, sizeof row->reason, "%zu snapshot%s: %d are needed", t->snapshots,
                 t->snapshots == 1 ? "" : "s", PM_TREND_MIN);
    else
        snprintf(row->reason, sizeof row->reason, "%s",
                 isnan(row->last) ? "the values are unknown"
                                  : "no life is long enough for a verdict");
}

static void describe(const pm_leak_series *s, pm_leak *row)
{
    const pm_trend *t = &row->trend;

    row->verdict = t->verdict;
    row->confidence = t->confidence;
    for (size_t i = 0; i < s->n_runs; i++) {
        if (isnan(s->run[i].value))
            continue;
        row->first = isnan(row->first) ? s->run[i].value : row->first;
        row->last = s->run[i].value;
    }
    row->limit = s->limit_kib;
    if ((t->verdict == PM_VERDICT_LEAK || t->verdict == PM_VERDICT_SUSPECT) && t->rate > 0)
        row->eta_h = fmax(0, (s->limit_kib - row->last) / t->rate);
    if (isnan(s->limit_kib))
        row->eta_h = NAN; /* fmax ignores NaN */
    snprintf(row->reason, sizeof row->reason, "%s", t->reason);
    if (t->verdict == PM_VERDICT_TOO_FEW)
        explain_too_few(t, row);
}

pmapdb_status pm_leak_series_judge(pm_leak_series *s, pm_buf *json, pmapdb_error *err)
{
    size_t n = (size_t)s->snapshots;
    points p = {calloc(n + 1, sizeof *p.ms), calloc(n + 1, sizeof *p.value),
                calloc(n + 1, sizeof *p.life)};
    pm_leak row = {.first = NAN, .last = NAN, .limit = NAN, .eta_h = NAN, .mappings_rate = NAN};
    pm_trend_options options = {
        .count = s->page_kib == 0, .quantum = s->page_kib > 0 ? s->page_kib : 1, .room = s->room};
    double longest = INFINITY;
    bool ready = p.ms && p.value && p.life;
    pmapdb_status st = ready ? PMAPDB_OK : pm_fail_nomem(err);

    if (ready) {
        qsort(s->run, s->n_runs, sizeof *s->run, compare);
        st = check_order(s, err);
    }
    if (ready && st == PMAPDB_OK)
        st = longest_step(s, &longest, err);
    if (ready && st == PMAPDB_OK) {
        join(s, longest);
        spread(s, &p);
        st = pm_trend_judge(&(pm_series){n, p.ms, p.value, p.life}, &options, &row.trend, err);
    }
    if (st == PMAPDB_OK) {
        row.newest_ms = s->run[s->n_runs - 1].last_ms;
        describe(s, &row);
        st = pm_leak_json_add(json, &row, &(pm_leak_label){{NULL, 0}, {NULL, 0}}, err);
    }
    free(p.ms);
    free(p.value);
    free(p.life);
    return st;
}
