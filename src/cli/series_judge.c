/* series_judge: series of a CSV file -> verdicts: by their curves alone, or where size and private
 * memory were measured beside them, by the rules that judge a category. */
#include "cli/series.h"

#include "base/buf.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define PAGE_KIB 4

/* Room for the longest series, used for one after the other. */
typedef struct desk {
    int64_t *ms;
    double *value;
    int32_t *life;
    pm_leak_run *runs;
    double leak_posterior, limit_kib;
    pm_trend_room *room;
} desk;

static pmapdb_status set_desk(const pm_series_set *set, desk *d, pmapdb_error *err)
{
    size_t longest = 0, with_more = 0;

    for (size_t i = 0; i < set->n; i++) {
        if (set->one[i].n > longest)
            longest = set->one[i].n;
        if (set->one[i].n_more && set->one[i].n > with_more)
            with_more = set->one[i].n;
    }
    d->ms = calloc(longest + 1, sizeof *d->ms);
    d->value = calloc(longest + 1, sizeof *d->value);
    d->life = calloc(longest + 1, sizeof *d->life);
    d->runs = calloc(with_more + 1, sizeof *d->runs);
    return d->ms && d->value && d->life && d->runs ? pm_trend_room_open(&d->room, err)
                                                   : pm_fail_nomem(err);
}

static void clear_desk(desk *d)
{
    free(d->ms);
    free(d->value);
    free(d->life);
    free(d->runs);
    pm_trend_room_close(d->room);
}

/* ---- into time order ---- */

static int compare_points(const void *x, const void *y)
{
    const pm_series_point *a = x, *b = y;

    if (a->ms != b->ms)
        return a->ms < b->ms ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

static int compare_more(const void *x, const void *y)
{
    const pm_series_more *a = x, *b = y;

    if (a->ms != b->ms)
        return a->ms < b->ms ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

/* Known points in time order, each moment once: the last one that the file has. */
static size_t lay_out(pm_series_one *one, desk *d)
{
    size_t n = 0;

    qsort(one->points, one->n, sizeof *one->points, compare_points);
    for (size_t i = 0; i < one->n; i++) {
        const pm_series_point *p = &one->points[i];

        if (i + 1 < one->n && one->points[i + 1].ms == p->ms)
            continue;
        if (isnan(p->value))
            continue;
        d->ms[n] = p->ms;
        d->value[n] = p->value;
        d->life[n] = p->life;
        n++;
    }
    return n;
}

/* ---- the curve alone ---- */

static bool has_word(const pm_series_set *set, uint32_t text, const char *word)
{
    return pm_text_equal(pm_pool_text_get(set->words, text), pm_text_of(word));
}

static bool is_stack(const pm_series_set *set, const pm_series_one *one)
{
    return has_word(set, one->category, "stack") || has_word(set, one->category, "tstack") ||
           has_word(set, one->category, "anonymous/thread-stack");
}

static bool is_flagged(pm_verdict v)
{
    return v == PM_VERDICT_LEAK || v == PM_VERDICT_SUSPECT;
}

/* Address space whose resident memory does not grow harms nobody yet. Stacks are counted by their
 * size, touched or not. */
static void ask_companion(const pm_series_set *set, pm_series_one *one)
{
    const pm_series_one *other;

    if (one->found.verdict != PM_VERDICT_LEAK || !one->companion || one->companion > set->n ||
        is_stack(set, one))
        return;
    other = &set->one[one->companion - 1];
    if (!other->judged || is_flagged(other->found.verdict))
        return;
    one->found.verdict = PM_VERDICT_SUSPECT;
    one->found.why_metric = PM_METRIC_RSS;
    snprintf(one->found.reason, sizeof one->found.reason,
             "address space grows, resident memory does not (%s)",
             pm_verdict_name(other->found.verdict));
}

static double eta_of(const pm_leak *found)
{
    double rest = found->limit - found->last;

    if (!is_flagged(found->verdict) || isnan(rest) || !(found->trend.rate > 0))
        return NAN;
    return rest > 0 ? rest / found->trend.rate : 0;
}

static pmapdb_status judge_curve(const pm_series_set *set, pm_series_one *one, const desk *d,
                                 pmapdb_error *err)
{
    bool count = has_word(set, one->metric, "count") || has_word(set, one->metric, "mappings");
    pm_series series = {.n = one->n_known, .ms = d->ms, .value = d->value, .life = d->life};
    pm_trend_options options = {.count = count,
                                .size = has_word(set, one->metric, "size"),
                                .quantum = count              ? 1
                                           : isnan(one->page) ? PAGE_KIB
                                                              : one->page,
                                .leak_posterior = d->leak_posterior,
                                .room = d->room};
    pm_leak *found = &one->found;
    pmapdb_status st = pm_trend_judge(&series, &options, &found->trend, err);

    found->verdict = found->trend.verdict;
    found->metric = count                                ? PM_METRIC_MAPPINGS
                    : has_word(set, one->metric, "size") ? PM_METRIC_SIZE
                                                         : PM_METRIC_RSS;
    found->why_metric = found->metric;
    snprintf(found->reason, sizeof found->reason, "%s", found->trend.reason);
    if (found->metric == PM_METRIC_SIZE)
        ask_companion(set, one);
    found->eta_h = eta_of(found);
    return st;
}

/* ---- with what was measured beside it ---- */

/* The names that other tools give categories. */
static void category_of(const pm_series_set *set, const pm_series_one *one, char *out, size_t size)
{
    static const char *const ours[][2] = {{"", "anonymous"},
                                          {"anon", "anonymous"},
                                          {"anonx", "anonymous"},
                                          {"jit", "anonymous"},
                                          {"tstack", "anonymous/thread-stack"},
                                          {"shm", "shared-memory"},
                                          {"shmem", "shared-memory"},
                                          {"lib", "shared-library"},
                                          {"file", "mapped-file"}};
    pm_text given = pm_pool_text_get(set->words, one->category);

    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (pm_text_equal(given, pm_text_of(ours[i][0])))
            given = pm_text_of(ours[i][1]);
    snprintf(out, size, "%.*s", (int)given.len, given.data);
}

/* A run for every moment. */
static void make_runs(pm_series_one *one, desk *d)
{
    size_t at = 0;

    qsort(one->more, one->n_more, sizeof *one->more, compare_more);
    for (size_t i = 0; i < one->n_known; i++) {
        pm_leak_run run = {.first = (uint32_t)i, .last = (uint32_t)i};

        for (int m = 0; m < PM_METRIC_COUNT; m++)
            run.value[m] = NAN;
        run.value[PM_METRIC_RSS] = d->value[i];
        while (at < one->n_more && one->more[at].ms < d->ms[i])
            at++;
        while (at + 1 < one->n_more && one->more[at + 1].ms == d->ms[i])
            at++; /* of equal times the last one */
        if (at < one->n_more && one->more[at].ms == d->ms[i]) {
            run.value[PM_METRIC_SIZE] = one->more[at].size;
            run.value[PM_METRIC_PRIVATE] = one->more[at].private;
            run.value[PM_METRIC_PRIVATE_DIRTY] = one->more[at].private;
            run.value[PM_METRIC_MAPPINGS] = one->more[at].mappings;
        }
        d->runs[i] = run;
    }
}

static pmapdb_status judge_jointly(const pm_series_set *set, pm_series_one *one, desk *d,
                                   pmapdb_error *err)
{
    char category[64];
    pm_leak_key key = {
        .key = category, .category = category, .runs = d->runs, .n_runs = one->n_known};
    pm_leak_process process = {
        .ms = d->ms, .life = d->life, .n = one->n_known, .keys = &key, .n_keys = 1};
    pm_leak_options options = {.metric = -1,
                               .limit_kib = one->found.limit,
                               .leak_posterior = d->leak_posterior,
                               .room = d->room};
    pm_leak out[2];
    pmapdb_status st;

    category_of(set, one, category, sizeof category);
    make_runs(one, d);
    st = pm_leaks_judge(&process, &options, out, err);
    if (st == PMAPDB_OK)
        one->found = out[1];
    return st;
}

/* ---- all of them ---- */

static pmapdb_status judge_one(const pm_series_set *set, pm_series_one *one, desk *d,
                               pmapdb_error *err)
{
    pmapdb_status st;

    one->n_known = lay_out(one, d);
    one->found.limit = isnan(one->limit) ? d->limit_kib : one->limit;
    one->found.last = one->n_known ? d->value[one->n_known - 1] : NAN;
    one->found.first = one->n_known ? d->value[0] : NAN;
    one->first_ms = one->n_known ? d->ms[0] : 0;
    one->found.mappings_rate = NAN;
    st = one->n_more ? judge_jointly(set, one, d, err) : judge_curve(set, one, d, err);
    one->judged = true;
    free(one->points);
    free(one->more);
    one->points = NULL;
    one->more = NULL;
    one->cap = one->more_cap = one->n = one->n_more = 0;
    return st;
}

pmapdb_status pm_series_judge(pm_series_set *set, double limit_kib, double leak_posterior,
                              pmapdb_error *err)
{
    desk d = {.leak_posterior = leak_posterior, .limit_kib = limit_kib};
    pmapdb_status st = set_desk(set, &d, err);

    /* Sizes last: they ask the verdicts of what is resident of them. */
    for (int sizes = 0; sizes < 2; sizes++)
        for (size_t i = 0; i < set->n && st == PMAPDB_OK; i++)
            if (has_word(set, set->one[i].metric, "size") == (sizes == 1))
                st = judge_one(set, &set->one[i], &d, err);
    clear_desk(&d);
    return st;
}
