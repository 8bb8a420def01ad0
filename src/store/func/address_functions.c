/* address_functions: address_set(...), address_overlap(...). A join of ranges with ranges visits
 * every pair in SQLite; these look a range up. */
#include "store/func/address_functions.h"

#include "base/buf.h"
#include "base/hash.h"
#include <sqlite3ext.h>
#include <stdlib.h>

SQLITE_EXTENSION_INIT3

/* The last byte and not the one behind it: that of the highest mapping would be 0. */
typedef struct span {
    uint64_t first, last;
} span;

typedef struct spans {
    span *span;
    size_t n, cap;
} spans;

/* What address_set says is a number, the hash of the ranges, by which the connection knows them for
 * a while: SQLite copies the arguments of a function at every row, and a set can be of a MiB. */
#define KEPT 16

typedef struct kept_sets {
    struct kept {
        int64_t id;
        spans spans; /* sorted; they neither touch nor overlap */
    } kept[KEPT];
    size_t next; /* the oldest */
} kept_sets;

static bool span_of(sqlite3_value *start, sqlite3_value *length, span *out)
{
    int64_t n = sqlite3_value_int64(length);

    if (sqlite3_value_type(start) != SQLITE_INTEGER ||
        sqlite3_value_type(length) != SQLITE_INTEGER || n <= 0)
        return false;
    out->first = (uint64_t)sqlite3_value_int64(start);
    out->last = out->first + (uint64_t)n - 1;
    return out->last >= out->first;
}

static void set_step(sqlite3_context *out, int argc, sqlite3_value **argv)
{
    spans *s = sqlite3_aggregate_context(out, sizeof *s);
    span one;

    (void)argc;
    if (!s || (span_of(argv[0], argv[1], &one) &&
               pm_grow(&s->span, &s->cap, s->n, sizeof *s->span, NULL) != PMAPDB_OK)) {
        sqlite3_result_error_nomem(out);
        return;
    }
    if (span_of(argv[0], argv[1], &one))
        s->span[s->n++] = one;
}

static int compare(const void *x, const void *y)
{
    const span *a = x, *b = y;

    return a->first < b->first ? -1 : a->first > b->first;
}

/* Neighbours become one; returns how many are left. */
static size_t merge(span *s, size_t n)
{
    size_t kept = 0;

    qsort(s, n, sizeof *s, compare);
    for (size_t i = 0; i < n; i++) {
        span *back = kept ? &s[kept - 1] : NULL;

        if (!back || (s[i].first > back->last && s[i].first - back->last > 1))
            s[kept++] = s[i];
        else if (s[i].last > back->last)
            back->last = s[i].last;
    }
    return kept;
}

static struct kept *find_set(kept_sets *sets, int64_t id)
{
    for (size_t i = 0; i < KEPT; i++)
        if (sets->kept[i].spans.n && sets->kept[i].id == id)
            return &sets->kept[i];
    return NULL;
}

static void set_final(sqlite3_context *out)
{
    kept_sets *sets = sqlite3_user_data(out);
    spans *s = sqlite3_aggregate_context(out, 0);
    struct kept *k;
    int64_t id;

    if (!s || !s->n)
        return;
    s->n = merge(s->span, s->n);
    id = (int64_t)pm_hash(s->span, s->n * sizeof *s->span);
    k = find_set(sets, id);
    if (!k) {
        k = &sets->kept[sets->next];
        sets->next = (sets->next + 1) % KEPT;
    }
    free(k->spans.span);
    *k = (struct kept){id, *s};
    sqlite3_result_int64(out, id);
}

/* The first that does not end before the address. */
static size_t find(const spans *s, uint64_t address)
{
    size_t low = 0, high = s->n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (s->span[middle].last < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void address_overlap(sqlite3_context *out, int argc, sqlite3_value **argv)
{
    const struct kept *k = find_set(sqlite3_user_data(out), sqlite3_value_int64(argv[0]));
    const span *s, *end;
    int64_t bytes = 0;
    span want;

    (void)argc;
    if (sqlite3_value_type(argv[0]) == SQLITE_NULL || !span_of(argv[1], argv[2], &want))
        return;
    if (!k) {
        sqlite3_result_error(out, "address_overlap: no set of this statement", -1);
        return;
    }
    end = k->spans.span + k->spans.n;
    for (s = k->spans.span + find(&k->spans, want.first); s < end && s->first <= want.last; s++) {
        uint64_t first = s->first > want.first ? s->first : want.first;
        uint64_t last = s->last < want.last ? s->last : want.last;

        bytes += (int64_t)(last - first + 1);
    }
    sqlite3_result_int64(out, bytes);
}

static void free_sets(void *p)
{
    kept_sets *sets = p;

    for (size_t i = 0; i < KEPT; i++)
        free(sets->kept[i].spans.span);
    free(sets);
}

int pm_address_functions_add(struct sqlite3 *db)
{
    int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
    kept_sets *sets = calloc(1, sizeof *sets);
    int rc;

    if (!sets)
        return SQLITE_NOMEM;
    /* The first one frees them, with the connection or where it fails. */
    rc = sqlite3_create_function_v2(db, "address_set", 2, flags, sets, NULL, set_step, set_final,
                                    free_sets);
    return rc == SQLITE_OK ? sqlite3_create_function_v2(db, "address_overlap", 3, flags, sets,
                                                        address_overlap, NULL, NULL, NULL)
                           : rc;
}
