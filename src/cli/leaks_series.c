/* leaks_series: pmapdb leaks --series FILE.csv: verdicts on series from elsewhere. */
#include "cli/leaks.h"
#include "cli/series.h"
#include "cli/value.h"
#include "cli/write.h"

#include "base/clock.h"
#include "base/num.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const pm_column columns[] = {
    {"series_id", PM_UNIT_TEXT},  {"verdict", PM_UNIT_TEXT},  {"shape", PM_UNIT_TEXT},
    {"rate_per_h", PM_UNIT_REAL}, {"rate_low", PM_UNIT_REAL}, {"rate_high", PM_UNIT_REAL},
    {"confidence", PM_UNIT_REAL}, {"since", PM_UNIT_TIME},    {"detectable_per_h", PM_UNIT_REAL},
    {"limit", PM_UNIT_REAL},      {"eta_h", PM_UNIT_REAL},    {"snapshots", PM_UNIT_COUNT},
    {"lives", PM_UNIT_COUNT},     {"reason", PM_UNIT_TEXT},
};

#define N_COLUMNS ((int)(sizeof columns / sizeof *columns))

/* An estimate: six digits of it say all. */
static pm_value estimate(double v)
{
    char text[40];

    if (!isfinite(v))
        return (pm_value){.kind = PM_VALUE_NULL};
    snprintf(text, sizeof text, "%.6g", v);
    return (pm_value){.kind = PM_VALUE_REAL, .r = strtod(text, NULL)};
}

static pm_value since(const pm_series_one *one, char text[PM_CLOCK_TEXT])
{
    int64_t ms = one->found.trend.since_ms;

    if (one->found.verdict != PM_VERDICT_LEAK && one->found.verdict != PM_VERDICT_SUSPECT)
        return pm_value_text(NULL);
    pm_clock_format(ms == INT64_MIN ? one->first_ms : ms, text);
    return pm_value_text(text);
}

static pmapdb_status write_one(const pm_series_set *set, size_t i, pm_render *render,
                               pmapdb_error *err)
{
    const pm_series_one *one = &set->one[i];
    const pm_leak *found = &one->found;
    bool known = found->verdict != PM_VERDICT_TOO_FEW;
    char text[PM_CLOCK_TEXT];
    pm_value values[N_COLUMNS] = {
        {.kind = PM_VALUE_TEXT, .t = pm_series_id(set, i)},
        pm_value_text(pm_verdict_name(found->verdict)),
        pm_value_text(known ? pm_shape_name(found->trend.shape) : NULL),
        estimate(known ? found->trend.rate : NAN),
        estimate(known ? found->trend.low : NAN),
        estimate(known ? found->trend.high : NAN),
        estimate(known ? found->trend.confidence : NAN),
        since(one, text),
        estimate(known && found->trend.detectable > 0 ? found->trend.detectable : NAN),
        estimate(found->limit),
        estimate(found->eta_h),
        pm_value_int((int64_t)one->n_known),
        pm_value_int(known ? found->trend.lives : PMAPDB_UNKNOWN),
        pm_value_text(*found->reason ? found->reason : NULL),
    };

    return pm_render_row(render, values, err);
}

typedef struct writing {
    const pm_leaks_cmd *l;
    const pm_series_set *set;
} writing;

static pmapdb_status write_all(void *ctx, const pm_sink *sink, pmapdb_error *err)
{
    static const pm_about about = {.name = {"series", 6}, .title = {"Verdicts on series", 18}};
    const writing *w = ctx;
    pm_render_options options = pm_cli_render_options(w->l->cli);
    pm_render *render = NULL;
    pmapdb_status st;

    options.about = &about;
    st = pm_render_new(&options, sink, columns, N_COLUMNS, &render, err);
    for (size_t i = 0; i < w->set->n && st == PMAPDB_OK; i++)
        st = write_one(w->set, i, render, err);
    if (st == PMAPDB_OK)
        st = pm_render_end(render, err);
    if (st == PMAPDB_OK)
        pm_cli_say_left_out(w->l->cli, render);
    pm_render_free(render);
    return st;
}

/* ---- options ---- */

/* What is asked of the store has no place here. */
static pmapdb_status check_options(const pm_leaks_cmd *l, pmapdb_error *err)
{
    static const char *const of_store[] = {"process", "metric", "since", "dialect", "by"};
    const char *files[] = {l->series, l->meta, l->context};
    size_t stdins = 0;

    for (size_t i = 0; i < sizeof of_store / sizeof *of_store; i++)
        if (pm_run_given(&l->args, of_store[i]))
            return pm_fail(err, PMAPDB_USAGE, "--%s asks the store, --series a file: not both",
                           of_store[i]);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        stdins += files[i] && strcmp(files[i], "-") == 0;
    if (stdins > 1)
        return pm_fail(err, PMAPDB_USAGE, "standard input ('-') can be one file only");
    pm_output_keep_apart(l->args.cli, files, sizeof files / sizeof *files, "reads");
    return PMAPDB_OK;
}

static pmapdb_status limit_of(const pm_leaks_cmd *l, double *out, pmapdb_error *err)
{
    const char *given = pm_run_given(&l->args, "limit");
    int64_t kib;

    *out = NAN;
    if (!given)
        return PMAPDB_OK;
    if (!pm_num_size(pm_text_of(given), &kib))
        return pm_fail(err, PMAPDB_USAGE, "--limit wants a size like 4G, not '%s'", given);
    *out = (double)kib;
    return PMAPDB_OK;
}

static pmapdb_status weight_of(const pm_leaks_cmd *l, double *out, pmapdb_error *err)
{
    static const struct {
        const char *name;
        double weight; /* 0: what the detector was tuned to */
    } known[] = {{"low", 0.8}, {"normal", 0}, {"high", 0.35}};
    const char *given = pm_run_given(&l->args, "sensitivity");

    *out = 0;
    if (!given)
        return PMAPDB_OK;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(given, known[i].name) == 0) {
            *out = known[i].weight;
            return PMAPDB_OK;
        }
    return pm_fail(err, PMAPDB_USAGE, "--sensitivity is low, normal or high, not '%s'", given);
}

/* ---- the run ---- */

static pmapdb_status read_all(const pm_leaks_cmd *l, pm_series_set *set, pmapdb_error *err)
{
    pmapdb_status st = pm_series_new(set, err);

    if (st == PMAPDB_OK)
        st = pm_series_read(set, l->series, err);
    if (st == PMAPDB_OK && l->meta)
        st = pm_series_read_meta(set, l->meta, err);
    if (st == PMAPDB_OK && l->context)
        st = pm_series_read_context(set, l->context, err);
    return st;
}

int pm_leaks_series(pm_leaks_cmd *l)
{
    pm_series_set set = {0};
    writing w = {l, &set};
    double limit = NAN, weight = 0;
    pmapdb_error err;
    int exit_code;
    pmapdb_status st = check_options(l, &err);

    if (st == PMAPDB_OK)
        st = limit_of(l, &limit, &err);
    if (st == PMAPDB_OK)
        st = weight_of(l, &weight, &err);
    if (st == PMAPDB_OK) {
        pm_cli_check_zone();
        st = read_all(l, &set, &err);
    }
    if (st == PMAPDB_OK)
        st = pm_series_judge(&set, limit, weight, &err);
    for (size_t i = 0; i < set.n && st == PMAPDB_OK; i++)
        pm_leaks_count(l, pm_text_of(pm_verdict_name(set.one[i].found.verdict)),
                       (int64_t)set.one[i].n_known);
    if (st == PMAPDB_OK)
        st = pm_cli_write_with(l->cli, write_all, &w, &err);
    exit_code = st != PMAPDB_OK ? pm_cli_fail(st, &err) : PM_EXIT_OK;
    if (set.n_bad)
        exit_code = PM_EXIT_TROUBLE;
    pm_series_free(&set);
    return exit_code;
}
