/* leak_process: runs between times -> runs between places of the timeline -> verdicts. */
#include "store/func/leak_process.h"

#include "store/func/leak_json.h"
#include <math.h>
#include <stdlib.h>

#define WHOLE "total" /* also the slug of captures with only sums: judged as the whole */

pmapdb_status pm_leak_moments_add(pm_leak_moments *to, pm_leak_moment moment, pmapdb_error *err)
{
    pmapdb_status st = pm_grow(&to->at, &to->cap, to->n, sizeof *to->at, err);

    if (st == PMAPDB_OK)
        to->at[to->n++] = moment;
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
    free(l->captures.at);
    free(l->totals.at);
    free(l->run);
    *l = (pm_leak_lives){0};
}

/* ---- the timeline ---- */

/* NaN sorts last. */
static int compare_reals(double a, double b)
{
    if (isnan(a) || isnan(b))
        return isnan(a) - isnan(b);
    return (a > b) - (a < b);
}

static int compare_moments(const void *left, const void *right)
{
    const pm_leak_moment *a = left, *b = right;
    int order = (a->ms > b->ms) - (a->ms < b->ms);

    if (order == 0)
        order = compare_reals(a->rss, b->rss);
    if (order == 0)
        order = compare_reals(a->swap, b->swap);
    return order ? order : (a->life > b->life) - (a->life < b->life);
}

/* Sorts, and keeps one of several moments of equal time: one with known values, if there is one. */
static void order_moments(pm_leak_moments *m)
{
    size_t n = 0;

    if (m->n)
        qsort(m->at, m->n, sizeof *m->at, compare_moments);
    for (size_t i = 0; i < m->n; i++)
        if (n == 0 || m->at[n - 1].ms != m->at[i].ms)
            m->at[n++] = m->at[i];
    m->n = n;
}

/* The first place with a time of at least ms. */
static size_t place_of(const pm_leak_lives *l, int64_t ms)
{
    size_t low = 0, high = l->captures.n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (l->captures.at[middle].ms < ms)
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

/* Compares all values, not ids: sums of doubles must not depend on the order of the rows. */
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

/* Moments in the form of src/stats. */
typedef struct timeline {
    int64_t *ms;
    int32_t *life; /* lives that follow each other: 0, 1 ... */
    double *rss, *swap;
} timeline;

typedef struct asked {
    timeline captures, totals;
    pm_leak_run *run;
    pm_leak_key *key;
    pm_text *text; /* of each key */
    size_t n_keys;
    pm_leak *answer;
    size_t *order;
} asked;

static void timeline_free(timeline *t)
{
    free(t->ms);
    free(t->life);
    free(t->rss);
    free(t->swap);
}

static void asked_free(asked *a)
{
    timeline_free(&a->captures);
    timeline_free(&a->totals);
    free(a->run);
    free(a->key);
    free(a->text);
    free(a->answer);
    free(a->order);
}

static bool timeline_new(pm_leak_moments *m, timeline *t)
{
    order_moments(m);
    t->ms = calloc(m->n + 1, sizeof *t->ms);
    t->life = calloc(m->n + 1, sizeof *t->life);
    t->rss = calloc(m->n + 1, sizeof *t->rss);
    t->swap = calloc(m->n + 1, sizeof *t->swap);
    if (!t->ms || !t->life || !t->rss || !t->swap)
        return false;
    for (size_t i = 0; i < m->n; i++) {
        t->ms[i] = m->at[i].ms;
        t->life[i] = i == 0 ? 0 : t->life[i - 1] + (m->at[i].life != m->at[i - 1].life);
        t->rss[i] = m->at[i].rss;
        t->swap[i] = m->at[i].swap;
    }
    return true;
}

static pmapdb_status asked_new(pm_leak_lives *l, asked *a, pmapdb_error *err)
{
    a->run = calloc(l->n_runs + 1, sizeof *a->run);
    a->key = calloc(l->n_runs + 1, sizeof *a->key);
    a->text = calloc(l->n_runs + 1, sizeof *a->text);
    a->answer = calloc(l->n_runs + 1, sizeof *a->answer);
    a->order = calloc(l->n_runs + 1, sizeof *a->order);
    return a->run && a->key && a->text && a->answer && a->order &&
                   timeline_new(&l->captures, &a->captures) && timeline_new(&l->totals, &a->totals)
               ? PMAPDB_OK
               : pm_fail_nomem(err);
}

/* Drops a key without a run in the timeline. */
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

    for (size_t i = 0; i < a->n_keys; i++)
        a->order[i] = i;
    if (whole->rss_from == PM_RSS_TOTALS && whole->trend.last_ms > newest_ms)
        newest_ms = whole->trend.last_ms; /* of a snapshot of another dialect */
    qsort_r(a->order, a->n_keys, sizeof *a->order, compare_answers, a);
    pm_buf_addf(json, NULL, "[");
    pm_leak_json_add(json, whole, &(pm_leak_label){PM_TEXT(WHOLE), PM_TEXT(WHOLE), newest_ms},
                     NULL);
    for (size_t i = 0; i < a->n_keys; i++) {
        size_t k = a->order[i];

        if (strcmp(a->key[k].category, WHOLE) == 0)
            continue;
        pm_buf_addf(json, NULL, ",");
        pm_leak_json_add(json, &a->answer[1 + k],
                         &(pm_leak_label){a->text[k], pm_text_of(a->key[k].category), last_ms},
                         NULL);
    }
    return pm_buf_addf(json, err, "]");
}

pmapdb_status pm_leak_lives_judge(pm_leak_lives *l, pm_buf *json, pmapdb_error *err)
{
    asked a = {0};
    pmapdb_status st = asked_new(l, &a, err);

    if (st == PMAPDB_OK) {
        pm_leak_totals totals = {a.totals.ms, a.totals.life, a.totals.rss, a.totals.swap,
                                 l->totals.n};
        pm_leak_process process = {a.captures.ms, a.captures.life, l->captures.n, a.key, 0,
                                   &totals};

        if (l->n_runs)
            qsort_r(l->run, l->n_runs, sizeof *l->run, compare_runs, l->texts);
        set_keys(l, &a);
        process.n_keys = a.n_keys;
        st = pm_leaks_judge(&process, &l->options, a.answer, err);
    }
    if (st == PMAPDB_OK)
        st = write_answers(&a, l->captures.n ? l->captures.at[l->captures.n - 1].ms : INT64_MIN,
                           json, err);
    asked_free(&a);
    return st;
}
