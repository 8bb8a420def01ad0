/* leak_process: runs between places of epochs -> runs between places of the timeline -> verdicts.
 */
#include "store/func/leak_process.h"

#include "store/func/leak_json.h"
#include <math.h>
#include <stdlib.h>

#define WHOLE "total"

pmapdb_status pm_leak_lives_moment(pm_leak_lives *l, const pm_leak_moment *moment,
                                   pmapdb_error *err)
{
    pmapdb_status st = pm_grow(&l->moment, &l->cap_moments, l->n_moments, sizeof *l->moment, err);

    if (st == PMAPDB_OK)
        l->moment[l->n_moments++] = *moment;
    return st;
}

pmapdb_status pm_leak_lives_run(pm_leak_lives *l, pm_text key, pm_text category,
                                const pm_leak_piece *run, pmapdb_error *err)
{
    pmapdb_status st = l->texts ? PMAPDB_OK : pm_pool_new(&l->texts, err);
    pm_leak_piece *to;

    PM_STEP(st, pm_grow(&l->run, &l->cap_runs, l->n_runs, sizeof *l->run, err));
    if (st != PMAPDB_OK)
        return st;
    to = &l->run[l->n_runs++];
    *to = *run;
    st = pm_pool_text(l->texts, key, &to->key, err);
    PM_STEP(st, pm_pool_text(l->texts, category, &to->category, err));
    return st;
}

pmapdb_status pm_leak_lives_window(pm_leak_lives *l, pm_text key, pm_text category,
                                   const pm_leak_window *window, pmapdb_error *err)
{
    pm_leak_touch touch = {.window = *window};
    pmapdb_status st = l->touch_texts ? PMAPDB_OK : pm_pool_new(&l->touch_texts, err);

    PM_STEP(st, pm_pool_text(l->touch_texts, key, &touch.key, err));
    PM_STEP(st, pm_pool_text(l->touch_texts, category, &touch.category, err));
    PM_STEP(st, pm_grow(&l->touch, &l->cap_touches, l->n_touches, sizeof *l->touch, err));
    if (st == PMAPDB_OK)
        l->touch[l->n_touches++] = touch;
    return st;
}

void pm_leak_lives_move(pm_leak_lives *to, pm_leak_lives *from)
{
    pm_leak_lives rest = {0};

    if (!from)
        return;
    if (from->moment) {
        to->moment = from->moment;
        to->n_moments = from->n_moments;
    } else if (from->run) {
        to->texts = from->texts;
        to->run = from->run;
        to->n_runs = from->n_runs;
    } else {
        to->touch_texts = from->touch_texts;
        to->touch = from->touch;
        to->n_touches = from->n_touches;
    }
    *from = rest;
}

void pm_leak_lives_free(pm_leak_lives *l)
{
    free(l->touch);
    pm_pool_free(l->touch_texts);
    pm_pool_free(l->texts);
    free(l->moment);
    free(l->run);
    *l = (pm_leak_lives){0};
}

/* ---- the timeline ---- */

/* Where a place of an epoch is in the timeline. */
typedef struct spot {
    pm_leak_place place;
    uint32_t at;
} spot;

static int compare_spots(const void *left, const void *right)
{
    const spot *a = left, *b = right;

    if (a->place.epoch != b->place.epoch)
        return a->place.epoch < b->place.epoch ? -1 : 1;
    return (a->place.off > b->place.off) - (a->place.off < b->place.off);
}

/* Of equal times, the snapshot that shows the keys comes first. NaN sorts last. */
static int compare_moments(const void *left, const void *right)
{
    const pm_leak_moment *a = left, *b = right;
    int order = (a->ms > b->ms) - (a->ms < b->ms);

    if (order == 0)
        order = a->sums.hides_keys - b->sums.hides_keys;
    for (int m = 0; m < PM_METRIC_COUNT && order == 0; m++) {
        double x = a->sums.value[m], y = b->sums.value[m];

        order = isnan(x) || isnan(y) ? isnan(x) - isnan(y) : (x > y) - (x < y);
    }
    return order ? order : (a->life > b->life) - (a->life < b->life);
}

/* Sorts, and keeps the first of several moments of equal time, with an rss that another one knows.
 * Fills a spot for each. */
static void order_moments(pm_leak_lives *l, spot *spots)
{
    size_t n = 0;

    if (l->n_moments)
        qsort(l->moment, l->n_moments, sizeof *l->moment, compare_moments);
    for (size_t i = 0; i < l->n_moments; i++) {
        pm_leak_moment *last = n ? &l->moment[n - 1] : NULL;
        const pm_leak_sums *sums = &l->moment[i].sums;

        spots[i].place = l->moment[i].place;
        if (!last || last->ms != l->moment[i].ms) {
            l->moment[n++] = l->moment[i];
        } else if (isnan(last->sums.value[PM_METRIC_RSS])) {
            last->sums.vm_rss = sums->vm_rss;
            last->sums.value[PM_METRIC_RSS] = sums->value[PM_METRIC_RSS];
            last->sums.value[PM_METRIC_SWAP] = sums->value[PM_METRIC_SWAP];
        }
        spots[i].at = (uint32_t)n - 1;
    }
    qsort(spots, l->n_moments, sizeof *spots, compare_spots);
    l->n_moments = n;
}

/* ---- the keys ---- */

static int compare_texts(pm_text a, pm_text b)
{
    int order = memcmp(a.data, b.data, a.len < b.len ? a.len : b.len);

    return order ? order : (a.len > b.len) - (a.len < b.len);
}

static int compare_keys(const pm_pool *texts, uint32_t key, uint32_t category,
                        const pm_pool *other_texts, uint32_t other_key, uint32_t other_category)
{
    int order = compare_texts(texts->texts[key], other_texts->texts[other_key]);

    return order ? order
                 : compare_texts(texts->texts[category], other_texts->texts[other_category]);
}

/* Compares all values, not ids: sums of doubles must not depend on the order of the rows. */
static int compare_runs(const void *left, const void *right, void *texts)
{
    const pm_leak_piece *a = left, *b = right;

    if (a->key != b->key || a->category != b->category)
        return compare_keys(texts, a->key, a->category, texts, b->key, b->category);
    if (a->epoch != b->epoch)
        return a->epoch < b->epoch ? -1 : 1;
    if (a->first != b->first)
        return a->first < b->first ? -1 : 1;
    if (a->last != b->last)
        return a->last < b->last ? -1 : 1;
    for (int i = 0; i < PM_METRIC_COUNT; i++) {
        double x = a->value[i], y = b->value[i];

        if (isnan(x) || isnan(y) ? isnan(x) != isnan(y) : x != y)
            return isnan(x) || x < y ? -1 : 1;
    }
    if (a->life != b->life)
        return a->life < b->life ? -1 : 1;
    return (a->n > b->n) - (a->n < b->n);
}

/* By key, then by time. */
static int compare_touches(const void *left, const void *right, void *texts)
{
    const pm_leak_touch *a = left, *b = right;
    int order = compare_keys(texts, a->key, a->category, texts, b->key, b->category);

    if (order)
        return order;
    return (a->window.from_ms > b->window.from_ms) - (a->window.from_ms < b->window.from_ms);
}

typedef struct asked {
    spot *spot; /* of all moments, by place */
    size_t n_spots;
    int64_t *ms; /* of the timeline */
    int32_t *life;
    pm_leak_sums *sums;
    pm_leak_run *run;
    pm_leak_key *key;
    size_t n_keys;
    pm_leak_window *window;
    pm_leak_windows *windows; /* of each key */
    pm_leak *answer;
} asked;

static void asked_free(asked *a)
{
    free(a->spot);
    free(a->ms);
    free(a->life);
    free(a->sums);
    free(a->run);
    free(a->key);
    free(a->window);
    free(a->windows);
    free(a->answer);
}

static pmapdb_status asked_new(const pm_leak_lives *l, asked *a, pmapdb_error *err)
{
    size_t n_keys = 1;

    for (size_t i = 1; i < l->n_runs; i++)
        n_keys +=
            l->run[i].key != l->run[i - 1].key || l->run[i].category != l->run[i - 1].category;
    a->spot = calloc(l->n_moments + 1, sizeof *a->spot);
    a->ms = calloc(l->n_moments + 1, sizeof *a->ms);
    a->life = calloc(l->n_moments + 1, sizeof *a->life);
    a->sums = calloc(l->n_moments + 1, sizeof *a->sums);
    a->run = calloc(l->n_runs + 1, sizeof *a->run);
    a->key = calloc(n_keys, sizeof *a->key);
    a->window = calloc(l->n_touches + 1, sizeof *a->window);
    a->windows = calloc(n_keys, sizeof *a->windows);
    a->answer = calloc(n_keys + 1, sizeof *a->answer);
    return a->spot && a->ms && a->life && a->sums && a->run && a->key && a->window && a->windows &&
                   a->answer
               ? PMAPDB_OK
               : pm_fail_nomem(err);
}

/* Lives that follow each other are 0, 1 ... */
static void set_moments(pm_leak_lives *l, asked *a)
{
    a->n_spots = l->n_moments;
    order_moments(l, a->spot);
    for (size_t i = 0; i < l->n_moments; i++) {
        const pm_leak_moment *m = &l->moment[i];

        a->ms[i] = m->ms;
        a->life[i] = i == 0 ? 0 : a->life[i - 1] + (m->life != m[-1].life);
        a->sums[i] = m->sums;
    }
}

/* The number of spots before a place. */
static size_t spots_before(const asked *a, int64_t epoch, int64_t off)
{
    spot wanted = {.place = {epoch, off}};
    size_t low = 0, high = a->n_spots;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (compare_spots(&a->spot[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The windows of the key of a run, from *next on; keys and windows are in one order. */
static pm_leak_windows windows_of(const pm_leak_lives *l, const asked *a, const pm_leak_piece *run,
                                  size_t *next)
{
    pm_leak_windows out = {0};

    for (; *next < l->n_touches; ++*next) {
        const pm_leak_touch *t = &l->touch[*next];
        int order =
            compare_keys(l->touch_texts, t->key, t->category, l->texts, run->key, run->category);

        if (order > 0)
            break;
        out.n += order == 0;
    }
    out.window = a->window + *next - out.n;
    return out;
}

/* Drops a run without a snapshot, and a key without a run. */
static void set_keys(const pm_leak_lives *l, asked *a)
{
    size_t n = 0, window = 0;

    for (size_t i = 0; i < l->n_touches; i++)
        a->window[i] = l->touch[i].window;
    for (size_t i = 0; i < l->n_runs; i++) {
        const pm_leak_piece *r = &l->run[i];
        size_t first = spots_before(a, r->epoch, r->first);
        size_t end = spots_before(a, r->epoch, r->last + 1);
        const char *key = l->texts->texts[r->key].data;
        const char *category = l->texts->texts[r->category].data;

        if (first >= end)
            continue;
        if (a->n_keys == 0 || a->key[a->n_keys - 1].key != key ||
            a->key[a->n_keys - 1].category != category) {
            a->windows[a->n_keys] = windows_of(l, a, r, &window);
            a->key[a->n_keys++] = (pm_leak_key){key, category, &a->run[n], 0};
        }
        a->key[a->n_keys - 1].n_runs++;
        a->run[n] = (pm_leak_run){.first = a->spot[first].at, .last = a->spot[end - 1].at};
        memcpy(a->run[n].value, r->value, sizeof r->value);
        n++;
    }
}

/* ---- the answer ---- */

static int compare_answers(const void *left, const void *right, void *keys)
{
    const pm_leak *x = left, *y = right;
    const pm_leak_key *i = (const pm_leak_key *)keys + x->key,
                      *k = (const pm_leak_key *)keys + y->key;
    int order;

    if (x->verdict != y->verdict)
        return x->verdict > y->verdict ? -1 : 1;
    if (x->trend.rate > y->trend.rate || x->trend.rate < y->trend.rate)
        return x->trend.rate > y->trend.rate ? -1 : 1;
    order = strcmp(i->key, k->key);
    return order ? order : strcmp(i->category, k->category);
}

static pmapdb_status write_answers(const asked *a, bool is_series, pm_buf *json, pmapdb_error *err)
{
    if (is_series)
        return pm_leak_json_add(json, &a->answer[1], &(pm_leak_label){{NULL, 0}, {NULL, 0}}, err);
    qsort_r(a->answer + 1, a->n_keys, sizeof *a->answer, compare_answers, a->key);
    pm_buf_addf(json, NULL, "[");
    pm_leak_json_add(json, &a->answer[0], &(pm_leak_label){PM_TEXT(WHOLE), PM_TEXT(WHOLE)}, NULL);
    for (const pm_leak *row = a->answer + 1; row <= a->answer + a->n_keys; row++) {
        const pm_leak_key *key = &a->key[row->key];

        pm_buf_addf(json, NULL, ",");
        pm_leak_json_add(json, row,
                         &(pm_leak_label){pm_text_of(key->key), pm_text_of(key->category)}, NULL);
    }
    return pm_buf_addf(json, err, "]");
}

pmapdb_status pm_leak_lives_judge(pm_leak_lives *l, pm_buf *json, pmapdb_error *err)
{
    asked a = {0};
    pmapdb_status st;

    if (l->n_touches)
        qsort_r(l->touch, l->n_touches, sizeof *l->touch, compare_touches, l->touch_texts);
    if (l->n_runs)
        qsort_r(l->run, l->n_runs, sizeof *l->run, compare_runs, l->texts);
    st = l->n_stretched > 0 ? pm_leak_lives_spread(l, err) : PMAPDB_OK;
    PM_STEP(st, asked_new(l, &a, err));
    if (st == PMAPDB_OK) {
        set_moments(l, &a);
        set_keys(l, &a);
        l->options.touched = l->n_touches ? a.windows : NULL;
        st = pm_leaks_judge(&(pm_leak_process){a.ms, a.life, l->n_moments, a.key, a.n_keys,
                                               l->n_stretched > 0 ? NULL : a.sums},
                            &l->options, a.answer, err);
    }
    PM_STEP(st, write_answers(&a, l->n_stretched > 0, json, err));
    asked_free(&a);
    return st;
}
