/* leak_process: runs between places of epochs -> runs between places of the timeline -> verdicts.
 */
#include "store/func/leak_process.h"

#include <math.h>
#include <stdlib.h>

#define WHOLE "total"

pmapdb_status pm_leak_rows_add(pm_leak_rows *rows, const pm_leak_row *row, pm_text key,
                               pm_text category, pmapdb_error *err)
{
    pm_leak_row copy = *row;
    pmapdb_status st = rows->texts ? PMAPDB_OK : pm_pool_new(&rows->texts, err);

    PM_STEP(st, pm_pool_text(rows->texts, key, &copy.key, err));
    PM_STEP(st, pm_pool_text(rows->texts, category, &copy.category, err));
    PM_STEP(st, pm_grow(&rows->row, &rows->cap, rows->n, sizeof *rows->row, err));
    if (st == PMAPDB_OK)
        rows->row[rows->n++] = copy;
    return st;
}

void pm_leak_rows_free(pm_leak_rows *rows)
{
    pm_pool_free(rows->texts);
    free(rows->row);
    *rows = (pm_leak_rows){0};
}

void pm_leak_lives_free(pm_leak_lives *l)
{
    pm_leak_rows_free(&l->moments);
    pm_leak_rows_free(&l->runs);
    pm_leak_rows_free(&l->windows);
}

/* ---- orders ---- */

static int order_of(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

/* Compares values: sums of doubles must not depend on the order of the rows. NaN sorts last. */
static int compare_values(const pm_leak_row *a, const pm_leak_row *b)
{
    int order = 0;

    for (int m = 0; m < PM_METRIC_COUNT && order == 0; m++) {
        double x = a->sums.value[m], y = b->sums.value[m];

        order = isnan(x) || isnan(y) ? isnan(x) - isnan(y) : (x > y) - (x < y);
    }
    return order ? order : order_of(a->life, b->life);
}

/* Of equal times, the snapshot that shows the keys comes first. */
static int compare_moments(const void *left, const void *right)
{
    const pm_leak_row *a = left, *b = right;
    int order = order_of(a->ms, b->ms);

    if (order == 0)
        order = a->sums.hides_keys - b->sums.hides_keys;
    return order ? order : compare_values(a, b);
}

static int compare_texts(pm_text a, pm_text b)
{
    int order = memcmp(a.data, b.data, a.len < b.len ? a.len : b.len);

    return order ? order : (a.len > b.len) - (a.len < b.len);
}

static int compare_keys(const pm_pool *of_a, const pm_leak_row *a, const pm_pool *of_b,
                        const pm_leak_row *b)
{
    int order = compare_texts(of_a->texts[a->key], of_b->texts[b->key]);

    return order ? order : compare_texts(of_a->texts[a->category], of_b->texts[b->category]);
}

static bool same_key(const pm_leak_row *a, const pm_leak_row *b)
{
    return a->key == b->key && a->category == b->category;
}

/* By key, then by place or time. */
static int compare_rows(const void *left, const void *right, void *texts)
{
    const pm_leak_row *a = left, *b = right;
    int order = same_key(a, b) ? 0 : compare_keys(texts, a, texts, b);

    if (order == 0)
        order = order_of(a->epoch, b->epoch);
    if (order == 0)
        order = order_of(a->first, b->first);
    if (order == 0)
        order = order_of(a->last, b->last);
    if (order == 0)
        order = compare_values(a, b);
    return order ? order : order_of(a->n, b->n);
}

static void sort_rows(pm_leak_rows *rows)
{
    if (rows->n)
        qsort_r(rows->row, rows->n, sizeof *rows->row, compare_rows, rows->texts);
}

/* ---- the timeline ---- */

/* Where a place of an epoch is in the timeline. */
typedef struct spot {
    int64_t epoch, off;
    uint32_t at;
} spot;

static int compare_spots(const void *left, const void *right)
{
    const spot *a = left, *b = right;
    int order = order_of(a->epoch, b->epoch);

    return order ? order : order_of(a->off, b->off);
}

typedef struct asked {
    spot *spot; /* of all moments, by place */
    size_t n_spots;
    int64_t *ms; /* of the timeline */
    int32_t *life;
    pm_leak_sums *sums;
    size_t n;
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
    const pm_leak_row *run = l->runs.row;
    size_t n = l->moments.n + 1, n_keys = 1;

    for (size_t i = 1; i < l->runs.n; i++)
        n_keys += !same_key(&run[i], &run[i - 1]);
    a->spot = calloc(n, sizeof *a->spot);
    a->ms = calloc(n, sizeof *a->ms);
    a->life = calloc(n, sizeof *a->life);
    a->sums = calloc(n, sizeof *a->sums);
    a->run = calloc(l->runs.n + 1, sizeof *a->run);
    a->key = calloc(n_keys, sizeof *a->key);
    a->window = calloc(l->windows.n + 1, sizeof *a->window);
    a->windows = calloc(n_keys, sizeof *a->windows);
    a->answer = calloc(n_keys + 1, sizeof *a->answer);
    return a->spot && a->ms && a->life && a->sums && a->run && a->key && a->window && a->windows &&
                   a->answer
               ? PMAPDB_OK
               : pm_fail_nomem(err);
}

/* Of several moments of equal time the first counts; if its rss is unknown, it takes the rss and
 * the swap of another one. Lives that follow each other are 0, 1 ... */
static void set_moments(pm_leak_rows *moments, asked *a)
{
    const pm_leak_row *kept = NULL;

    if (moments->n)
        qsort(moments->row, moments->n, sizeof *moments->row, compare_moments);
    for (const pm_leak_row *m = moments->row; m < moments->row + moments->n; m++) {
        pm_leak_sums *sums = &a->sums[a->n];

        if (!kept || kept->ms != m->ms) {
            a->ms[a->n] = m->ms;
            a->life[a->n] = kept ? a->life[a->n - 1] + (m->life != kept->life) : 0;
            *sums = m->sums;
            a->n++;
            kept = m;
        } else if (isnan(sums[-1].value[PM_METRIC_RSS])) {
            sums[-1].vm_rss = m->sums.vm_rss;
            sums[-1].value[PM_METRIC_RSS] = m->sums.value[PM_METRIC_RSS];
            sums[-1].value[PM_METRIC_SWAP] = m->sums.value[PM_METRIC_SWAP];
        }
        a->spot[a->n_spots++] = (spot){m->epoch, m->first, (uint32_t)a->n - 1};
    }
    qsort(a->spot, a->n_spots, sizeof *a->spot, compare_spots);
}

/* ---- the keys ---- */

/* The number of spots before a place. */
static size_t spots_before(const asked *a, int64_t epoch, int64_t off)
{
    const spot wanted = {epoch, off, 0};
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
static pm_leak_windows windows_of(const pm_leak_lives *l, const asked *a, const pm_leak_row *run,
                                  size_t *next)
{
    const pm_leak_rows *w = &l->windows;
    pm_leak_windows out = {0};
    int order = 0;

    for (; *next < w->n; ++*next, out.n += order == 0) {
        order = compare_keys(w->texts, &w->row[*next], l->runs.texts, run);
        if (order > 0)
            break;
    }
    out.window = a->window + *next - out.n;
    return out;
}

/* Drops a run without a snapshot, and a key without a run. */
static void set_keys(const pm_leak_lives *l, asked *a)
{
    const pm_leak_row *last = NULL;
    size_t n = 0, window = 0;

    for (size_t i = 0; i < l->windows.n; i++) {
        const pm_leak_row *w = &l->windows.row[i];

        a->window[i] = (pm_leak_window){w->first, w->last, w->sums.value[0], w->sums.value[1],
                                        w->sums.value[2]};
    }
    for (const pm_leak_row *r = l->runs.row; r < l->runs.row + l->runs.n; r++) {
        size_t first = spots_before(a, r->epoch, r->first);
        size_t end = spots_before(a, r->epoch, r->last + 1);

        if (first >= end)
            continue;
        if (!last || !same_key(last, r)) {
            a->windows[a->n_keys] = windows_of(l, a, r, &window);
            a->key[a->n_keys++] =
                (pm_leak_key){l->runs.texts->texts[r->key].data,
                              l->runs.texts->texts[r->category].data, &a->run[n], 0};
        }
        last = r;
        a->key[a->n_keys - 1].n_runs++;
        a->run[n] = (pm_leak_run){.first = a->spot[first].at, .last = a->spot[end - 1].at};
        memcpy(a->run[n].value, r->sums.value, sizeof a->run[n].value);
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
        return pm_leak_json_add(json, &a->answer[1], NULL, NULL, err);
    qsort_r(a->answer + 1, a->n_keys, sizeof *a->answer, compare_answers, a->key);
    pm_buf_addf(json, NULL, "[");
    pm_leak_json_add(json, &a->answer[0], WHOLE, WHOLE, NULL);
    for (const pm_leak *row = a->answer + 1; row <= a->answer + a->n_keys; row++) {
        pm_buf_addf(json, NULL, ",");
        pm_leak_json_add(json, row, a->key[row->key].key, a->key[row->key].category, NULL);
    }
    return pm_buf_addf(json, err, "]");
}

pmapdb_status pm_leak_lives_judge(pm_leak_lives *l, pm_buf *json, pmapdb_error *err)
{
    bool is_series = l->n_spread > 0;
    asked a = {0};
    pmapdb_status st;

    sort_rows(&l->windows);
    sort_rows(&l->runs);
    st = is_series ? pm_leak_lives_spread(l, err) : PMAPDB_OK;
    PM_STEP(st, asked_new(l, &a, err));
    if (st == PMAPDB_OK) {
        set_moments(&l->moments, &a);
        set_keys(l, &a);
        l->options.touched = l->windows.n ? a.windows : NULL;
        st = pm_leaks_judge(
            &(pm_leak_process){a.ms, a.life, a.n, a.key, a.n_keys, is_series ? NULL : a.sums},
            &l->options, a.answer, err);
    }
    PM_STEP(st, write_answers(&a, is_series, json, err));
    asked_free(&a);
    return st;
}
