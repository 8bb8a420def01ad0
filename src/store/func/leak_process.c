/* leak_process: runs in times -> runs in places of the timeline -> verdicts. */
#include "store/func/leak_process.h"

#include "store/func/leak_json.h"
#include <math.h>
#include <stdlib.h>

#define WHOLE "total" /* the slug of captures with sums only, too: they are judged as the whole */

pmapdb_status pm_leak_lives_moment(pm_leak_lives *l, int64_t ms, int64_t life, pmapdb_error *err)
{
    pmapdb_status st = pm_grow(&l->moment, &l->cap_moments, l->n_moments, sizeof *l->moment, err);

    if (st == PMAPDB_OK)
        l->moment[l->n_moments++] = (pm_leak_moment){ms, life};
    return st;
}

pmapdb_status pm_leak_lives_total(pm_leak_lives *l, const pm_leak_total *total, pmapdb_error *err)
{
    pmapdb_status st = pm_grow(&l->total, &l->cap_totals, l->n_totals, sizeof *l->total, err);

    if (st == PMAPDB_OK)
        l->total[l->n_totals++] = *total;
    return st;
}

pmapdb_status pm_leak_lives_run(pm_leak_lives *l, pm_text key, pm_text category, int64_t first_ms,
                                int64_t last_ms, const double *value, pmapdb_error *err)
{
    pm_leak_piece run = {.first_ms = first_ms, .last_ms = last_ms};
    pmapdb_status st = l->texts ? PMAPDB_OK : pm_pool_new(&l->texts, err);

    if (st == PMAPDB_OK)
        st = pm_pool_text(l->texts, key, &run.key, err);
    if (st == PMAPDB_OK)
        st = pm_pool_text(l->texts, category, &run.category, err);
    if (st == PMAPDB_OK)
        st = pm_grow(&l->run, &l->cap_runs, l->n_runs, sizeof *l->run, err);
    if (st != PMAPDB_OK)
        return st;
    memcpy(run.value, value, sizeof run.value);
    l->run[l->n_runs++] = run;
    return PMAPDB_OK;
}

void pm_leak_lives_free(pm_leak_lives *l)
{
    pm_pool_free(l->texts);
    free(l->moment);
    free(l->total);
    free(l->run);
    *l = (pm_leak_lives){0};
}

/* ---- the timeline ---- */

static int compare_moments(const void *left, const void *right)
{
    const pm_leak_moment *a = left, *b = right;

    if (a->ms != b->ms)
        return a->ms < b->ms ? -1 : 1;
    return (a->life > b->life) - (a->life < b->life);
}

/* Of equal times one is left. */
static void order_moments(pm_leak_lives *l)
{
    size_t n = 0;

    if (l->n_moments)
        qsort(l->moment, l->n_moments, sizeof *l->moment, compare_moments);
    for (size_t i = 0; i < l->n_moments; i++)
        if (n == 0 || l->moment[n - 1].ms != l->moment[i].ms)
            l->moment[n++] = l->moment[i];
    l->n_moments = n;
}

/* NaN is the last. */
static int compare_reals(double a, double b)
{
    if (isnan(a) || isnan(b))
        return isnan(a) - isnan(b);
    return (a > b) - (a < b);
}

static int compare_totals(const void *left, const void *right)
{
    const pm_leak_total *a = left, *b = right;
    int order;

    if (a->ms != b->ms)
        return a->ms < b->ms ? -1 : 1;
    order = compare_reals(a->rss, b->rss);
    if (order == 0)
        order = compare_reals(a->swap, b->swap);
    return order ? order : (a->life > b->life) - (a->life < b->life);
}

/* Of equal times one is left, one that knows if there is any. */
static void order_totals(pm_leak_lives *l)
{
    size_t n = 0;

    if (l->n_totals)
        qsort(l->total, l->n_totals, sizeof *l->total, compare_totals);
    for (size_t i = 0; i < l->n_totals; i++)
        if (n == 0 || l->total[n - 1].ms != l->total[i].ms)
            l->total[n++] = l->total[i];
    l->n_totals = n;
}

/* The first place whose time is not before ms. */
static size_t place_of(const pm_leak_lives *l, int64_t ms)
{
    size_t low = 0, high = l->n_moments;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (l->moment[middle].ms < ms)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ---- the keys ---- */

static int compare_texts(pm_text a, pm_text b)
{
    int order = memcmp(a.data, b.data, a.len < b.len ? a.len : b.len);

    return order ? order : (a.len > b.len) - (a.len < b.len);
}

/* By all that they hold, not by ids: sums of doubles must not depend on the order of the rows. */
static int compare_runs(const void *left, const void *right, void *texts)
{
    const pm_leak_piece *a = left, *b = right;

    if (a->key != b->key)
        return compare_texts(pm_pool_text_get(texts, a->key), pm_pool_text_get(texts, b->key));
    if (a->category != b->category)
        return compare_texts(pm_pool_text_get(texts, a->category),
                             pm_pool_text_get(texts, b->category));
    if (a->first_ms != b->first_ms)
        return a->first_ms < b->first_ms ? -1 : 1;
    if (a->last_ms != b->last_ms)
        return a->last_ms < b->last_ms ? -1 : 1;
    for (int i = 0; i < PM_METRIC_COUNT; i++) {
        double x = a->value[i], y = b->value[i];

        if (isnan(x) || isnan(y) ? isnan(x) != isnan(y) : x != y)
            return isnan(x) || x < y ? -1 : 1;
    }
    return 0;
}

typedef struct asked {
    int64_t *ms;
    int32_t *life;
    int64_t *total_ms;
    int32_t *total_life;
    double *total; /* rss of all, then swap of all */
    pm_leak_run *run;
    pm_leak_key *key;
    pm_text *text; /* of each key */
    size_t n_keys;
    pm_leak *answer;
    size_t *order;
} asked;

static void asked_free(asked *a)
{
    free(a->ms);
    free(a->life);
    free(a->total_ms);
    free(a->total_life);
    free(a->total);
    free(a->run);
    free(a->key);
    free(a->text);
    free(a->answer);
    free(a->order);
}

static pmapdb_status asked_new(const pm_leak_lives *l, asked *a, pmapdb_error *err)
{
    a->ms = calloc(l->n_moments + 1, sizeof *a->ms);
    a->life = calloc(l->n_moments + 1, sizeof *a->life);
    a->total_ms = calloc(l->n_totals + 1, sizeof *a->total_ms);
    a->total_life = calloc(l->n_totals + 1, sizeof *a->total_life);
    a->total = calloc(2 * l->n_totals + 1, sizeof *a->total);
    a->run = calloc(l->n_runs + 1, sizeof *a->run);
    a->key = calloc(l->n_runs + 1, sizeof *a->key);
    a->text = calloc(l->n_runs + 1, sizeof *a->text);
    a->answer = calloc(l->n_runs + 1, sizeof *a->answer);
    a->order = calloc(l->n_runs + 1, sizeof *a->order);
    return a->ms && a->life && a->total_ms && a->total_life && a->total && a->run && a->key &&
                   a->text && a->answer && a->order
               ? PMAPDB_OK
               : pm_fail_nomem(err);
}

static void set_timeline(const pm_leak_lives *l, asked *a)
{
    for (size_t i = 0; i < l->n_moments; i++) {
        const pm_leak_moment *m = &l->moment[i];

        a->ms[i] = m->ms;
        a->life[i] = i == 0 ? 0 : a->life[i - 1] + (m->life != m[-1].life);
    }
}

static void set_totals(const pm_leak_lives *l, asked *a)
{
    for (size_t i = 0; i < l->n_totals; i++) {
        const pm_leak_total *t = &l->total[i];

        a->total_ms[i] = t->ms;
        a->total_life[i] = i == 0 ? 0 : a->total_life[i - 1] + (t->life != t[-1].life);
        a->total[i] = t->rss;
        a->total[l->n_totals + i] = t->swap;
    }
}

/* A key without a run in the timeline is none. */
static void set_keys(const pm_leak_lives *l, asked *a)
{
    size_t n = 0;

    for (size_t i = 0; i < l->n_runs; i++) {
        const pm_leak_piece *r = &l->run[i];
        size_t first = place_of(l, r->first_ms);
        size_t end = place_of(l, r->last_ms + 1);
        pm_text key = pm_pool_text_get(l->texts, r->key);
        const char *category = pm_pool_text_get(l->texts, r->category).data;

        if (first >= end)
            continue;
        if (a->n_keys == 0 || a->text[a->n_keys - 1].data != key.data ||
            a->key[a->n_keys - 1].category != category) {
            a->text[a->n_keys] = key;
            a->key[a->n_keys++] = (pm_leak_key){key.data, category, &a->run[n], 0};
        }
        a->key[a->n_keys - 1].n_runs++;
        a->run[n] = (pm_leak_run){.first = (uint32_t)first, .last = (uint32_t)end - 1};
        memcpy(a->run[n].value, r->value, sizeof r->value);
        n++;
    }
}

/* ---- the answer ---- */

static int compare_answers(const void *left, const void *right, void *of)
{
    const asked *a = of;
    size_t i = *(const size_t *)left, k = *(const size_t *)right;
    const pm_leak *x = &a->answer[1 + i], *y = &a->answer[1 + k];
    int order;

    if (x->verdict != y->verdict)
        return x->verdict > y->verdict ? -1 : 1;
    if (x->trend.rate > y->trend.rate || x->trend.rate < y->trend.rate)
        return x->trend.rate > y->trend.rate ? -1 : 1;
    order = compare_texts(a->text[i], a->text[k]);
    return order ? order : strcmp(a->key[i].category, a->key[k].category);
}

static pmapdb_status write_answers(asked *a, int64_t last_ms, pm_buf *json, pmapdb_error *err)
{
    const pm_leak *whole = &a->answer[0];
    int64_t newest_ms = last_ms;
    pmapdb_status st = pm_buf_add(json, "[", 1, err);

    for (size_t i = 0; i < a->n_keys; i++)
        a->order[i] = i;
    if (whole->rss_from == PM_RSS_TOTALS && whole->trend.last_ms > newest_ms)
        newest_ms = whole->trend.last_ms; /* of another dialect */
    qsort_r(a->order, a->n_keys, sizeof *a->order, compare_answers, a);
    if (st == PMAPDB_OK)
        st = pm_leak_json_add(json, whole,
                              &(pm_leak_label){PM_TEXT(WHOLE), PM_TEXT(WHOLE), newest_ms}, err);
    for (size_t i = 0; i < a->n_keys && st == PMAPDB_OK; i++) {
        size_t k = a->order[i];

        if (strcmp(a->key[k].category, WHOLE) == 0)
            continue;
        st = pm_buf_add(json, ",", 1, err);
        if (st == PMAPDB_OK)
            st = pm_leak_json_add(
                json, &a->answer[1 + k],
                &(pm_leak_label){a->text[k], pm_text_of(a->key[k].category), last_ms}, err);
    }
    return st == PMAPDB_OK ? pm_buf_add(json, "]", 1, err) : st;
}

pmapdb_status pm_leak_lives_judge(pm_leak_lives *l, pm_buf *json, pmapdb_error *err)
{
    asked a = {0};
    pmapdb_status st = asked_new(l, &a, err);

    if (st == PMAPDB_OK) {
        pm_leak_process process;
        pm_leak_totals totals;

        order_moments(l);
        order_totals(l);
        if (l->n_runs)
            qsort_r(l->run, l->n_runs, sizeof *l->run, compare_runs, l->texts);
        set_timeline(l, &a);
        set_totals(l, &a);
        set_keys(l, &a);
        totals =
            (pm_leak_totals){a.total_ms, a.total_life, a.total, a.total + l->n_totals, l->n_totals};
        process = (pm_leak_process){a.ms, a.life, l->n_moments, a.key, a.n_keys, &totals};
        st = pm_leaks_judge(&process, &l->options, a.answer, err);
    }
    if (st == PMAPDB_OK)
        st =
            write_answers(&a, l->n_moments ? l->moment[l->n_moments - 1].ms : INT64_MIN, json, err);
    asked_free(&a);
    return st;
}
