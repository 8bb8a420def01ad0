/* address: address_set(...), address_overlap(...). SQLite joins ranges with ranges by visiting
 * every pair; these functions look a range up. */
#include "store/func/functions.h"

#include "store/func/argument.h"
#include <stdlib.h>

/* Has the last byte, not the one after it: for the highest mapping that would be 0. */
typedef struct span {
    uint64_t first, last;
} span;

typedef struct spans {
    span *span;
    size_t n, cap;
} spans;

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
    if (s && !span_of(argv[0], argv[1], &one))
        return;
    if (!s || pm_grow(&s->span, &s->cap, s->n, sizeof *s->span, NULL) != PMAPDB_OK)
        sqlite3_result_error_nomem(out);
    else
        s->span[s->n++] = one;
}

static int compare(const void *x, const void *y)
{
    const span *a = x, *b = y;

    return a->first < b->first ? -1 : a->first > b->first;
}

/* Sorts the spans and joins neighbours; returns the number that is left. */
static size_t join(span *s, size_t n)
{
    size_t kept = 0;

    qsort(s, n, sizeof *s, compare);
    for (size_t i = 0; i < n; i++) {
        span *before = kept ? &s[kept - 1] : NULL;

        if (!before || (s[i].first > before->last && s[i].first - before->last > 1))
            s[kept++] = s[i];
        else if (s[i].last > before->last)
            before->last = s[i].last;
    }
    return kept;
}

static void set_final(sqlite3_context *out)
{
    spans *s = sqlite3_aggregate_context(out, 0);

    if (s && s->n)
        sqlite3_result_blob64(out, s->span, join(s->span, s->n) * sizeof *s->span,
                              SQLITE_TRANSIENT);
    if (s)
        free(s->span);
}

static span span_at(const char *set, size_t i)
{
    span s;

    memcpy(&s, set + i * sizeof s, sizeof s); /* SQLite does not align a blob */
    return s;
}

/* The first span that does not end before the address. */
static size_t find(const char *set, size_t n, uint64_t address)
{
    size_t low = 0, high = n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (span_at(set, middle).last < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void address_overlap(sqlite3_context *out, int argc, sqlite3_value **argv)
{
    const char *set = sqlite3_value_blob(argv[0]);
    size_t n = (size_t)sqlite3_value_bytes(argv[0]) / sizeof(span);
    uint64_t bytes = 0;
    span want;

    (void)argc;
    if (sqlite3_value_type(argv[0]) == SQLITE_NULL || !span_of(argv[1], argv[2], &want))
        return;
    for (size_t i = find(set, n, want.first); i < n; i++) {
        span s = span_at(set, i);
        uint64_t first = s.first > want.first ? s.first : want.first;
        uint64_t last = s.last < want.last ? s.last : want.last;

        if (s.first > want.last || s.first > s.last) /* no set made here contains such a span */
            break;
        bytes += last - first + 1;
    }
    sqlite3_result_int64(out, (int64_t)bytes);
}

int pm_address_functions_add(struct sqlite3 *db)
{
    int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
    int rc = sqlite3_create_function_v2(db, "address_set", 2, flags, NULL, NULL, set_step,
                                        set_final, NULL);

    return rc == SQLITE_OK ? sqlite3_create_function_v2(db, "address_overlap", 3, flags, NULL,
                                                        address_overlap, NULL, NULL, NULL)
                           : rc;
}
