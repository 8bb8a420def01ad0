/* findings: summarizes each run in a few numbers, and compares the numbers of A with those of B. */
#include "cli/compare/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const pm_measure_names[PM_MEASURES] = {"level", "peak", "growth", "per_work",
                                                   "mappings"};
const char *const pm_outcome_names[PM_OUTCOMES] = {"same", "better", "worse", "cannot tell"};

#define SECONDS_PER_HOUR 3600.0
/* (2.58 + 0.84)^2: a two-sided test at 1 % finds a difference in 4 of 5 samples. */
#define POWER 11.68
#define RUNS_MIN 5 /* of each: fewer never have p below 1 % */
#define RUNS_MAX 1000

/* ---- summaries ---- */

/* The course of one key in one run. A run with a block has 0 of a key that the block lacks. */
typedef struct course {
    double rss[PM_BLOCKS + 1], most[PM_BLOCKS + 1], mappings[PM_BLOCKS + 1];
} course;

typedef struct table {
    const pm_runs *runs;
    const pm_one_run **run; /* those that are not left out, A's first */
    size_t n, n_keys;
    course *cell; /* n rows of n_keys */
} table;

/* Numbers the runs anew, A's first; *place of a run that is left out is n. */
static void order_runs(table *t, size_t *place)
{
    for (int b = 0; b < 2; b++)
        for (size_t i = 0; i < t->runs->n; i++)
            if (t->runs->run[i].of_b == b && !t->runs->run[i].left_out) {
                place[i] = t->n;
                t->run[t->n++] = &t->runs->run[i];
            }
    for (size_t i = 0; i < t->runs->n; i++)
        if (t->runs->run[i].left_out)
            place[i] = t->n;
}

static void fill(table *t, const size_t *place)
{
    for (size_t i = 0; i < t->runs->n_points; i++) {
        const pm_run_point *p = &t->runs->point[i];
        course *c;

        if (place[p->run] == t->n)
            continue;
        c = &t->cell[place[p->run] * t->n_keys + p->key];
        c->rss[p->block] = p->rss_kib;
        c->most[p->block] = p->rss_max_kib;
        c->mappings[p->block] = p->mappings;
    }
}

static void open_table(table *t, const pm_runs *runs)
{
    size_t *place = calloc(runs->n + 1, sizeof *place), n_keys = 0;

    for (size_t i = 0; i < runs->n_points; i++)
        if (runs->point[i].key >= n_keys)
            n_keys = runs->point[i].key + 1;
    *t = (table){.runs = runs,
                 .run = calloc(runs->n + 1, sizeof *t->run),
                 .n_keys = n_keys,
                 .cell = calloc(runs->n * n_keys + 1, sizeof *t->cell)};
    if (!place || !t->run || !t->cell)
        pm_cli_no_memory();
    order_runs(t, place);
    fill(t, place);
    free(place);
}

/* Slope of the least squares line through the used blocks. NaN: x is unknown in one, or never
 * changes. */
static double slope_of(const pm_one_run *run, const double *x, const double *rss)
{
    double n = 0, t = 0, y = 0, tt = 0, ty = 0;

    for (int b = 1; b <= PM_BLOCKS; b++)
        if (run->used[b]) {
            n++;
            t += x[b];
            y += rss[b];
        }
    for (int b = 1; b <= PM_BLOCKS; b++)
        if (run->used[b]) {
            tt += (x[b] - t / n) * (x[b] - t / n);
            ty += (x[b] - t / n) * (rss[b] - y / n);
        }
    return tt > 0 ? ty / tt : NAN;
}

static double mean_of(const pm_one_run *run, const double *values)
{
    double sum = 0, n = 0;

    for (int b = 1; b <= PM_BLOCKS; b++)
        if (run->used[b]) {
            sum += values[b];
            n++;
        }
    return sum / n;
}

static double most_of(const pm_one_run *run, const double *values)
{
    double most = 0;

    for (int b = 0; b <= PM_BLOCKS; b++)
        if (run->used[b])
            most = isnan(values[b]) || isnan(most) ? NAN : fmax(most, values[b]);
    return most;
}

/* One sample of a key: a run. */
static void sum_up_run(const pm_one_run *run, const course *c, double *out)
{
    out[PM_LEVEL] = mean_of(run, c->rss);
    out[PM_PEAK] = most_of(run, c->most);
    out[PM_GROWTH] = slope_of(run, run->at_s, c->rss) * SECONDS_PER_HOUR;
    out[PM_PER_WORK] = slope_of(run, run->work, c->rss);
    out[PM_PIECES] = mean_of(run, c->mappings);
}

/* One sample of a key: a block of the only run, and the step to it from the block before. */
static void sum_up_block(const pm_one_run *run, const course *c, int before, int b, double *out)
{
    out[PM_LEVEL] = c->rss[b];
    out[PM_PEAK] = c->most[b];
    out[PM_GROWTH] =
        (c->rss[b] - c->rss[before]) / (run->at_s[b] - run->at_s[before]) * SECONDS_PER_HOUR;
    out[PM_PER_WORK] = (c->rss[b] - c->rss[before]) / (run->work[b] - run->work[before]);
    out[PM_PIECES] = c->mappings[b];
}

/* Rows of PM_MEASURES numbers for each key; returns the number of rows. */
static size_t samples_of_run(const table *t, size_t i, bool blocks, double *out)
{
    const pm_one_run *run = t->run[i];
    const course *c = &t->cell[i * t->n_keys];
    size_t n = 0, width = t->n_keys * PM_MEASURES;
    int before = 0;

    for (size_t k = 0; k < t->n_keys && !blocks; k++)
        sum_up_run(run, &c[k], out + k * PM_MEASURES);
    if (!blocks)
        return 1;
    for (int b = 1; b <= PM_BLOCKS; b++) {
        if (!run->used[b])
            continue;
        for (size_t k = 0; k < t->n_keys && before; k++)
            sum_up_block(run, &c[k], before, b, out + n * width + k * PM_MEASURES);
        n += before != 0;
        before = b;
    }
    return n;
}

/* ---- outcomes ---- */

static int64_t runs_needed(const pm_finding *f)
{
    double n = 2 * POWER * pow(f->contrast.deviation / f->tolerance, 2);

    if (isnan(n) || !(f->tolerance > 0) || n > RUNS_MAX)
        return PMAPDB_UNKNOWN;
    return (int64_t)fmax(ceil(n), RUNS_MIN);
}

void pm_finding_judge(pm_finding *f, const pm_findings *all, double tolerance, double alpha)
{
    bool is_growth = f->measure == PM_GROWTH || f->measure == PM_PER_WORK;
    const pm_contrast *c = &f->contrast;
    double difference = c->b - c->a;

    f->tolerance = tolerance;
    f->runs_needed = PMAPDB_UNKNOWN;
    if (isnan(c->p) || (all->blocks && !is_growth))
        f->outcome = PM_CANNOT_TELL;
    else if (c->p_adjusted <= alpha && fabs(difference) > tolerance)
        f->outcome = difference > 0 ? PM_WORSE : PM_BETTER;
    else if ((c->low >= -tolerance && c->high <= tolerance) || (!c->a && !c->b) ||
             c->p_adjusted <= alpha) /* the difference is real, but does not matter */
        f->outcome = PM_SAME;
    else
        f->outcome = PM_CANNOT_TELL;
    if (f->outcome != PM_CANNOT_TELL)
        return;
    f->runs_needed = runs_needed(f);
    if (all->least > alpha && f->runs_needed == PMAPDB_UNKNOWN && !isnan(c->p))
        f->runs_needed = RUNS_MIN;
}

/* What the difference of a measure must exceed to matter. */
static double tolerance_of(const table *t, const pm_contrast *total, pm_measure m, double share)
{
    double level = fmax(fabs(total[PM_LEVEL].a), fabs(total[PM_LEVEL].b));
    const pm_one_run *run = t->run[0];
    int last = 0;

    for (int b = 1; b <= PM_BLOCKS; b++)
        if (run->used[b])
            last = b;
    switch (m) {
    case PM_PIECES:
        return share * fmax(fabs(total[PM_PIECES].a), fabs(total[PM_PIECES].b));
    case PM_GROWTH:
        return share * level / (run->at_s[last] / SECONDS_PER_HOUR);
    case PM_PER_WORK:
        return share * level / run->work[last];
    default:
        return share * level;
    }
}

static bool is_total(pm_text key)
{
    return pm_text_equal(key, PM_TEXT("total"));
}

/* Orders total first, then by key; of one key by measure. */
static int compare_findings(const void *x, const void *y)
{
    const pm_finding *a = x, *b = y;
    int order;

    if (is_total(a->key) != is_total(b->key))
        return is_total(a->key) ? -1 : 1;
    order = memcmp(a->key.data, b->key.data, a->key.len < b->key.len ? a->key.len : b->key.len);
    if (!order)
        order = (a->key.len > b->key.len) - (a->key.len < b->key.len);
    return order ? order : (int)a->measure - (int)b->measure;
}

/* ---- p ---- */

static bool can_be_compared(const pm_runs *runs, pm_text key, pm_measure m)
{
    return !(runs->only_total && !is_total(key)) && !(runs->no_memory && m != PM_PIECES);
}

/* Mean of a column over the samples of A and B. */
static double pooled(const pm_findings *f, size_t column)
{
    double sum = 0;

    for (size_t i = 0; i < f->n_samples; i++)
        sum += f->samples[i * f->width + column];
    return sum / (double)f->n_samples;
}

/* True if the column varies by more than the tolerance: only such a column can differ by more. This
 * does not depend on which sample is of A, so p_adjusted need not take the others into account. */
static bool varies(const pm_findings *f, size_t column, double tolerance)
{
    double least = INFINITY, most = -INFINITY;

    for (size_t i = 0; i < f->n_samples; i++) {
        least = fmin(least, f->samples[i * f->width + column]);
        most = fmax(most, f->samples[i * f->width + column]);
    }
    return most - least > tolerance;
}

static void permute(const pm_findings *f, const bool *judged, pm_contrast *out)
{
    pmapdb_error err;

    pm_cli_must(pm_permute(f->samples, f->n_samples_a, f->n_samples - f->n_samples_a, f->width,
                           judged, out, &err),
                &err);
}

static size_t find_total(const table *t)
{
    for (size_t k = 0; k < t->n_keys; k++)
        if (is_total(pm_pool_text_get(t->runs->keys, (uint32_t)k)))
            return k * PM_MEASURES;
    pm_cli_die("the runs have no row of total: they are not of pmapdb baseline");
}

static void choose(const pm_findings *f, const table *t, double share, bool *judged)
{
    size_t total = find_total(t);
    pm_contrast mean[PM_MEASURES];

    for (size_t m = 0; m < PM_MEASURES; m++)
        mean[m].a = mean[m].b = pooled(f, total + m);
    for (size_t i = 0; i < f->width; i++) {
        pm_measure m = (pm_measure)(i % PM_MEASURES);
        pm_text key = pm_pool_text_get(t->runs->keys, (uint32_t)(i / PM_MEASURES));

        judged[i] =
            can_be_compared(t->runs, key, m) && varies(f, i, tolerance_of(t, mean, m, share));
    }
}

static void conclude(pm_findings *out, const table *t, const pm_contrast *contrasts, double share,
                     double alpha)
{
    const pm_contrast *total = contrasts + find_total(t);

    for (size_t i = PM_MEASURES; i < out->width; i++) { /* the pool's text 0 is no key */
        pm_finding f = {.key = pm_pool_text_get(t->runs->keys, (uint32_t)(i / PM_MEASURES)),
                        .measure = (pm_measure)(i % PM_MEASURES),
                        .column = i,
                        .contrast = contrasts[i]};

        if ((t->runs->only_total && !is_total(f.key)) ||
            (f.measure == PM_PER_WORK && !t->runs->by_work))
            continue;
        if (!can_be_compared(t->runs, f.key, f.measure))
            f.contrast.p = f.contrast.p_adjusted = NAN;
        pm_finding_judge(&f, out, tolerance_of(t, total, f.measure, share), alpha);
        out->item[out->n++] = f;
    }
    qsort(out->item, out->n, sizeof *out->item, compare_findings);
}

static void take_samples(pm_findings *out, const table *t)
{
    for (size_t i = 0; i < t->n; i++) {
        out->n_samples +=
            samples_of_run(t, i, out->blocks, out->samples + out->n_samples * out->width);
        if (!t->run[i]->of_b)
            out->n_samples_a = out->n_samples;
    }
    out->least = pm_permute_least(out->n_samples_a, out->n_samples - out->n_samples_a);
}

void pm_findings_make(pm_findings *out, const pm_runs *runs, double share, double alpha)
{
    pm_contrast *contrasts;
    bool *judged;
    table t;

    *out = (pm_findings){.n_a = pm_runs_count(runs, false), .n_b = pm_runs_count(runs, true)};
    if (!out->n_a || !out->n_b)
        pm_cli_die("%s has no run that can be compared", out->n_a ? "B" : "A");
    out->blocks = out->n_a == 1 && out->n_b == 1;
    open_table(&t, runs);
    out->width = t.n_keys * PM_MEASURES;
    out->samples = calloc(t.n * PM_BLOCKS * out->width + 1, sizeof *out->samples);
    out->item = calloc(out->width + 1, sizeof *out->item);
    contrasts = calloc(out->width + 1, sizeof *contrasts);
    judged = calloc(out->width + 1, sizeof *judged);
    if (!out->samples || !out->item || !contrasts || !judged)
        pm_cli_no_memory();
    take_samples(out, &t);
    choose(out, &t, share, judged);
    permute(out, judged, contrasts);
    conclude(out, &t, contrasts, share, alpha);
    free(contrasts);
    free(judged);
    free(t.run);
    free(t.cell);
}

void pm_findings_correct(const pm_findings *all, pm_finding *const *chosen, size_t n)
{
    pm_contrast *contrasts = calloc(all->width + 1, sizeof *contrasts);
    bool *judged = calloc(all->width + 1, sizeof *judged);

    if (!contrasts || !judged)
        pm_cli_no_memory();
    for (size_t i = 0; i < n; i++) /* what has no p keeps none */
        judged[chosen[i]->column] = !isnan(chosen[i]->contrast.p);
    permute(all, judged, contrasts);
    for (size_t i = 0; i < n; i++)
        if (judged[chosen[i]->column])
            chosen[i]->contrast = contrasts[chosen[i]->column];
    free(contrasts);
    free(judged);
}

void pm_findings_free(pm_findings *findings)
{
    free(findings->item);
    free(findings->samples);
}
