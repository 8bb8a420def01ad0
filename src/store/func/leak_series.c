/* leak_series: the runs of one series, a key without a name, become the snapshots and runs of a
 * process. */
#include "store/func/leak_process.h"

#include <math.h>
#include <stdlib.h>

/* A step longer than this many median steps is a gap, as in queries/gaps.sql. */
#define GAP_STEPS 3

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
static pmapdb_status longest_step(const pm_leak_rows *runs, double *out, pmapdb_error *err)
{
    step *steps = calloc(2 * runs->n + 1, sizeof *steps);
    int64_t all = 0, seen = 0;
    size_t n = 0;

    if (!steps)
        return pm_fail_nomem(err);
    for (size_t i = 0; i < runs->n; i++) {
        const pm_leak_row *r = &runs->row[i];

        if (r->n > 1)
            steps[n++] = (step){(double)(r->last - r->first) / (double)(r->n - 1), r->n - 1};
        if (i > 0)
            steps[n++] = (step){(double)(r->first - r[-1].last), 1};
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

/* Joins equal neighbours: the places where equal runs were cut mean nothing. */
static void join(pm_leak_rows *runs, int metric, double longest)
{
    pm_leak_row *last = NULL;

    for (pm_leak_row *run = runs->row; run < runs->row + runs->n; run++) {
        double value = run->sums.value[metric], before = last ? last->sums.value[metric] : 0;

        if (last && (value == before || (isnan(value) && isnan(before))) &&
            last->life == run->life && (double)(run->first - last->last) <= longest) {
            last->last = run->last;
            last->n += run->n;
        } else {
            last = last ? last + 1 : runs->row;
            *last = *run;
        }
    }
    runs->n = (size_t)(last - runs->row) + 1;
}

/* Spreads the snapshots of the runs evenly. Of two snapshots at one time, the first counts. */
static pmapdb_status spread(pm_leak_lives *l, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;
    int64_t off = 0, before = INT64_MIN;

    for (size_t i = 0; i < l->runs.n; i++) {
        pm_leak_row *r = &l->runs.row[i], moment = *r;
        int64_t again = 0, place = off;

        for (int64_t k = 0; k < r->n && st == PMAPDB_OK; k++) {
            double share = r->n > 1 ? (double)k / (double)(r->n - 1) : 1;

            moment.ms = r->first + llrint(share * (double)(r->last - r->first));
            moment.first = off++;
            again += moment.ms == before;
            st = pm_leak_rows_add(&l->moments, &moment, PM_TEXT(""), PM_TEXT(""), err);
        }
        before = r->last;
        r->first = place + again;
        r->last = off - 1;
    }
    return st;
}

pmapdb_status pm_leak_lives_spread(pm_leak_lives *l, pmapdb_error *err)
{
    double longest = INFINITY;
    pmapdb_status st;

    for (size_t i = 1; i < l->runs.n; i++)
        if (l->runs.row[i].first < l->runs.row[i - 1].last)
            return pm_fail(err, PMAPDB_USAGE,
                           "leak_verdict: runs overlap, so they are of more than one series");
    st = longest_step(&l->runs, &longest, err);
    if (st != PMAPDB_OK)
        return st;
    join(&l->runs, l->options.metric, longest);
    return spread(l, err);
}
