/* who_what: lineages, categories, addresses -> lineages. */
#include "cli/who_what.h"

#include "base/near.h"
#include "base/num.h"
#include "base/pool.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define LEAST_DIGITS 6 /* of an address whose digits are all decimal: no lineage has so many */

/* A mapping of one of the two moments. */
typedef struct place {
    int64_t lineage, size, rss;
    uint64_t start, end; /* 0: behind the highest address */
    uint32_t category;   /* in the pool */
    bool newer, taken;
} place;

typedef struct places {
    place *place;
    size_t n, cap;
    pm_pool *pool;
} places;

void pm_who_moment(const pm_side *side, char *out, size_t size)
{
    if (side->snapshot_id != PMAPDB_UNKNOWN)
        snprintf(out, size, "@%" PRId64, side->snapshot_id);
    else
        snprintf(out, size, "%s", side->taken_at);
}

/* ---- what there is ---- */

static pmapdb_status add_place(places *p, const pmapdb_rows *rows, bool newer, pmapdb_error *err)
{
    char category[128];
    place *one;
    pmapdb_status st = pm_grow(&p->place, &p->cap, p->n, sizeof *p->place, err);

    if (st != PMAPDB_OK)
        return st;
    one = &p->place[p->n++];
    *one = (place){.lineage = pm_side_int(rows, "lineage_id"),
                   .size = pm_side_int(rows, "size_kib"),
                   .rss = pm_side_int(rows, "rss_kib"),
                   .start = (uint64_t)pm_side_int(rows, "start"),
                   .end = (uint64_t)pm_side_int(rows, "end"),
                   .newer = newer};
    pm_side_text(rows, "category", category, sizeof category);
    return pm_pool_text(p->pool, pm_text_of(category), &one->category, err);
}

static pmapdb_status read_moment(places *p, pmapdb_store *store, const pm_who_ask *ask, bool newer,
                                 pmapdb_error *err)
{
    char moment[32];
    pmapdb_rows *rows = NULL;
    bool has = false;
    pmapdb_status st = pmapdb_query(store, "mappings", &rows, err);

    pm_who_moment(newer ? ask->newer : ask->older, moment, sizeof moment);
    if (st == PMAPDB_OK)
        st = pmapdb_bind(rows, "snapshot", moment, err);
    if (st == PMAPDB_OK && ask->process)
        st = pmapdb_bind(rows, "process", ask->process, err);
    if (st == PMAPDB_OK && ask->dialect)
        st = pmapdb_bind(rows, "dialect", ask->dialect, err);
    while (st == PMAPDB_OK && (st = pmapdb_next(rows, &has, err)) == PMAPDB_OK && has)
        st = add_place(p, rows, newer, err);
    pmapdb_rows_close(rows);
    return st;
}

/* ---- a word ---- */

static size_t take_lineage(places *p, int64_t lineage)
{
    size_t n = 0;

    for (size_t i = 0; i < p->n; i++)
        if (p->place[i].lineage == lineage) {
            p->place[i].taken = true;
            n++;
        }
    return n;
}

static size_t take_category(places *p, pm_text word)
{
    size_t n = 0;

    for (size_t i = 0; i < p->n; i++) {
        pm_text category = pm_pool_text_get(p->pool, p->place[i].category);

        if (pm_text_equal(category, word) ||
            (category.len > word.len && category.data[word.len] == '/' &&
             pm_text_starts(category, word))) {
            p->place[i].taken = true;
            n++;
        }
    }
    return n;
}

/* Of the newer moment, else of the older. */
static size_t take_address(places *p, uint64_t address)
{
    for (int newer = 1; newer >= 0; newer--)
        for (size_t i = 0; i < p->n; i++)
            if (p->place[i].newer == newer && p->place[i].start <= address &&
                address <= p->place[i].end - 1)
                return take_lineage(p, p->place[i].lineage);
    return 0;
}

/* "0x7f00", "7f00", "7fffffff0000"; not "12": that is a lineage. */
static bool is_address(pm_text word, uint64_t *address)
{
    bool marked = pm_text_starts(word, PM_TEXT("0x")) || pm_text_starts(word, PM_TEXT("0X"));
    pm_text digits = marked ? pm_text_from(word, 2) : word;
    uint64_t decimal;

    return digits.len && pm_num_hex(digits.data, digits.data + digits.len, address) == digits.len &&
           (marked || digits.len >= LEAST_DIGITS || !pm_num_all(digits, &decimal));
}

static int compare_ids(const void *x, const void *y)
{
    const uint32_t *a = x, *b = y;

    return *a < *b ? -1 : *a > *b;
}

/* The categories that there are, each once, in the order in which they came. */
static pmapdb_status no_category(const places *p, pm_text word, pmapdb_error *err)
{
    uint32_t *ids = calloc(p->n + 1, sizeof *ids);
    pm_buf all = {0};
    pm_near near;
    pmapdb_status st = PMAPDB_OK;

    if (!ids)
        return pm_fail_nomem(err);
    pm_near_start(&near, word);
    for (size_t i = 0; i < p->n; i++)
        ids[i] = p->place[i].category;
    qsort(ids, p->n, sizeof *ids, compare_ids);
    for (size_t i = 0; i < p->n && st == PMAPDB_OK; i++) {
        pm_text category = pm_pool_text_get(p->pool, ids[i]);

        if (i && ids[i] == ids[i - 1])
            continue;
        pm_near_try(&near, category);
        st = pm_buf_addf(&all, err, " %.*s", (int)category.len, category.data);
    }
    if (st == PMAPDB_OK)
        st = pm_fail(err, PMAPDB_NOTFOUND,
                     "'%.*s' is no lineage, category or address of the process%s its categories "
                     "are:%s; --process names another process",
                     (int)word.len, word.data, pm_near_hint(&near), all.data ? all.data : " none");
    pm_buf_free(&all);
    free(ids);
    return st;
}

static pmapdb_status take_word(places *p, pm_text word, pmapdb_error *err)
{
    bool letter = word.len > 1 && (word.data[0] == 'L' || word.data[0] == 'l');
    uint64_t number, address;
    bool numbered = pm_num_all(letter ? pm_text_from(word, 1) : word, &number);
    bool placed = is_address(word, &address);

    if (numbered && number <= INT64_MAX && take_lineage(p, (int64_t)number))
        return PMAPDB_OK;
    if (numbered && !placed)
        return pm_fail(err, PMAPDB_NOTFOUND,
                       "no lineage %.*s in either snapshot; pmapdb top-lineages shows them",
                       (int)word.len, word.data);
    if (take_category(p, word))
        return PMAPDB_OK;
    if (!placed)
        return no_category(p, word, err);
    if (take_address(p, address))
        return PMAPDB_OK;
    return pm_fail(err, PMAPDB_NOTFOUND,
                   "nothing is mapped at %" PRIx64
                   " in either snapshot; pmapdb mappings shows what "
                   "is",
                   address);
}

/* ---- all of it ---- */

static int64_t add(int64_t a, int64_t b)
{
    return a == PMAPDB_UNKNOWN || b == PMAPDB_UNKNOWN ? PMAPDB_UNKNOWN : a + b;
}

static pmapdb_status give(const places *p, bool all, pm_who_what *out, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    for (size_t i = 0; i < p->n && st == PMAPDB_OK; i++) {
        const place *one = &p->place[i];

        if (!one->taken && !all)
            continue;
        out->size[one->newer] = add(out->size[one->newer], one->size);
        out->rss[one->newer] = add(out->rss[one->newer], one->rss);
        if (!all)
            st = pm_buf_addf(&out->lineages, err, "%s%" PRId64, out->lineages.len ? "," : "[",
                             one->lineage);
    }
    return st == PMAPDB_OK && !all ? pm_buf_addf(&out->lineages, err, "]") : st;
}

pmapdb_status pm_who_what_find(pm_who_what *out, pmapdb_store *store, const pm_who_ask *ask,
                               pmapdb_error *err)
{
    places p = {0};
    pmapdb_status st = pm_pool_new(&p.pool, err);

    *out = (pm_who_what){0};
    for (int newer = 0; newer < 2 && st == PMAPDB_OK; newer++)
        st = read_moment(&p, store, ask, newer, err);
    for (size_t i = 0; i < ask->n_words && st == PMAPDB_OK; i++)
        st = take_word(&p, pm_text_of(ask->word[i]), err);
    if (st == PMAPDB_OK)
        st = give(&p, ask->n_words == 0, out, err);
    free(p.place);
    pm_pool_free(p.pool);
    return st;
}

void pm_who_what_free(pm_who_what *what)
{
    pm_buf_free(&what->lineages);
}
