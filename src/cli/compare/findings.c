/* findings: compares the numbers of the runs of A with those of B. */
#include "cli/compare/compare.h"

#include "cli/run.h"
#include <math.h>
#include <stdlib.h>

const char *const pm_measure_names[PM_MEASURES] = {"level", "peak", "growth", "per_work",
                                                   "mappings"};
const char *const pm_outcome_names[PM_OUTCOMES] = {"same", "better", "worse", "cannot tell"};

/* (2.58 + 0.84)^2: a two-sided test at 1 % finds a difference in 4 of 5 samples. */
#define POWER 11.68
#define RUNS_MIN 5 /* of each: fewer never have p below 1 % */
#define RUNS_MAX 1000

/* ---- samples ---- */

static double real_of(const pmapdb_rows *rows, const char *column)
{
    int i = pm_answer_column(rows, column);

    return pmapdb_rows_type(rows, i) == PMAPDB_NULL ? NAN : pmapdb_rows_real(rows, i);
}

/* Takes the numbers of one key in one run or block. The first key of each is total, and all have
 * the same keys. */
static void take_row(pm_findings *f, const pmapdb_rows *rows)
{
    char *key = pm_text_copy(pm_answer_bytes(rows, "key"));
    bool begins;
    pmapdb_error err;

    if (!key)
        pm_cli_no_memory();
    begins = strcmp(key, "total") == 0;
    f->n_samples += begins;
    f->n_samples_a += begins && !pm_answer_int(rows, "of_b");
    if (!f->n_samples)
        pm_cli_die("the runs have no row of total: they are not of pmapdb baseline");
    if (f->n_samples == 1)
        pm_cli_list_add(&f->keys, key);
    else
        free(key);
    for (size_t m = 0; m < PM_MEASURES; m++) {
        pm_cli_must(pm_grow(&f->samples, &f->cap, f->n_values, sizeof *f->samples, &err), &err);
        f->samples[f->n_values++] = real_of(rows, pm_measure_names[m]);
    }
    f->blocks = pm_answer_int(rows, "blocks");
    f->no_memory = !pm_answer_int(rows, "memory");
    f->hours = real_of(rows, "hours");
    f->work = real_of(rows, "work");
}

static void read_samples(pm_findings *f, pm_buf *sources, const pm_cli *cli)
{
    pmapdb_store *store;
    pmapdb_rows *rows = pm_sources_ask(sources, cli, "compare-samples", &store);
    pm_text note;

    while (pm_run_next(rows)) {
        note = pm_answer_bytes(rows, "note");
        if (!note.data)
            take_row(f, rows);
        else if (!cli->quiet || !pm_answer_int(rows, "minor"))
            pm_cli_say("%s", note.data);
    }
    pmapdb_rows_close(rows);
    pmapdb_close(store);
    f->width = f->keys.n * PM_MEASURES;
    f->n_a = f->blocks ? 1 : f->n_samples_a;
    f->n_b = f->blocks ? 1 : f->n_samples - f->n_samples_a;
    if (!f->n_a || !f->n_b)
        pm_cli_die("%s has no run that can be compared", f->n_a ? "B" : "A");
    f->least = pm_permute_least(f->n_samples_a, f->n_samples - f->n_samples_a);
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

/* What the difference of a measure must exceed to matter; `total` has the measures of total. */
static double tolerance_of(const pm_findings *f, const pm_contrast *total, pm_measure m,
                           double share)
{
    double level = fmax(fabs(total[PM_LEVEL].a), fabs(total[PM_LEVEL].b));

    switch (m) {
    case PM_PIECES:
        return share * fmax(fabs(total[PM_PIECES].a), fabs(total[PM_PIECES].b));
    case PM_GROWTH:
        return share * level / f->hours;
    case PM_PER_WORK:
        return share * level / f->work;
    default:
        return share * level;
    }
}

/* ---- p ---- */

static bool can_be_compared(const pm_findings *f, size_t column)
{
    return !f->no_memory || column % PM_MEASURES == PM_PIECES;
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

/* Chooses all columns that can differ by more than matters. */
static void choose(const pm_findings *f, double share, bool *judged)
{
    pm_contrast mean[PM_MEASURES];

    for (size_t m = 0; m < PM_MEASURES; m++)
        mean[m].a = mean[m].b = pooled(f, m);
    for (size_t i = 0; i < f->width; i++)
        judged[i] = can_be_compared(f, i) &&
                    varies(f, i, tolerance_of(f, mean, (pm_measure)(i % PM_MEASURES), share));
}

/* Compares all columns; those that are `judged` get a p_adjusted. The caller frees the result. */
static pm_contrast *permute(const pm_findings *f, const bool *judged)
{
    pm_contrast *out = calloc(f->width, sizeof *out);
    pmapdb_error err;

    if (!out)
        pm_cli_no_memory();
    pm_cli_must(pm_permute(f->samples, f->n_samples_a, f->n_samples - f->n_samples_a, f->width,
                           judged, out, &err),
                &err);
    return out;
}

static bool *make_judged(const pm_findings *f)
{
    bool *judged = calloc(f->width, sizeof *judged);

    if (!judged)
        pm_cli_no_memory();
    return judged;
}

void pm_findings_make(pm_findings *out, pm_buf *sources, const pm_cli *cli, double share,
                      double alpha)
{
    pm_contrast *contrasts;
    bool *judged;

    *out = (pm_findings){0};
    read_samples(out, sources, cli);
    judged = make_judged(out);
    choose(out, share, judged);
    contrasts = permute(out, judged);
    out->item = calloc(out->width, sizeof *out->item);
    if (!out->item)
        pm_cli_no_memory();
    for (size_t i = 0; i < out->width; i++) {
        pm_finding f = {.key = pm_text_of(out->keys.item[i / PM_MEASURES]),
                        .measure = (pm_measure)(i % PM_MEASURES),
                        .column = i,
                        .contrast = contrasts[i]};

        if (f.measure == PM_PER_WORK && isnan(out->work))
            continue;
        if (!can_be_compared(out, i))
            f.contrast.p = f.contrast.p_adjusted = NAN;
        pm_finding_judge(&f, out, tolerance_of(out, contrasts, f.measure, share), alpha);
        out->item[out->n++] = f;
    }
    free(contrasts);
    free(judged);
}

void pm_findings_correct(const pm_findings *all, pm_finding *const *chosen, size_t n)
{
    bool *judged = make_judged(all);
    pm_contrast *contrasts;

    for (size_t i = 0; i < n; i++) /* what has no p keeps none */
        judged[chosen[i]->column] = !isnan(chosen[i]->contrast.p);
    contrasts = permute(all, judged);
    for (size_t i = 0; i < n; i++)
        if (judged[chosen[i]->column])
            chosen[i]->contrast = contrasts[chosen[i]->column];
    free(contrasts);
    free(judged);
}

void pm_findings_free(pm_findings *findings)
{
    for (size_t i = 0; i < findings->keys.n; i++)
        free((char *)findings->keys.item[i]);
    free(findings->keys.item);
    free(findings->item);
    free(findings->samples);
}
