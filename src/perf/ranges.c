/* ranges: the live ranges of an address space. */
#include "perf/ranges.h"

#include "base/buf.h"
#include <search.h>
#include <stdlib.h>

/* Ranges that overlap are equal. */
static int compare(const void *a, const void *b)
{
    const pm_range *x = a, *y = b;

    return x->end <= y->start ? -1 : x->start >= y->end ? 1 : 0;
}

void pm_ranges_free(pm_ranges *r)
{
    tdestroy(r->root, free);
    free(r->taken);
    *r = (pm_ranges){0};
}

pmapdb_status pm_ranges_put(pm_ranges *r, const pm_range *range, pmapdb_error *err)
{
    pm_range *made, **found = NULL;

    if (range->start >= range->end)
        return PMAPDB_OK;
    made = malloc(sizeof *made);
    if (made) {
        *made = *range;
        found = tsearch(made, &r->root, compare);
    }
    if (!found || *found != made)
        free(made);
    return found ? PMAPDB_OK : pm_fail_nomem(err);
}

/* Removes one range that overlaps start..end, and puts back the parts outside. Its piece becomes
 * taken[n]. */
static pmapdb_status take_one(pm_ranges *r, pm_range *range, uint64_t start, uint64_t end, size_t n,
                              pmapdb_error *err)
{
    pm_range below = *range, piece = *range, above = *range;
    pmapdb_status st = pm_grow(&r->taken, &r->cap_taken, n, sizeof *r->taken, err);

    if (st != PMAPDB_OK)
        return st;
    tdelete(range, &r->root, compare);
    free(range);
    below.end = start;
    above.start = end;
    piece.start = piece.start > start ? piece.start : start;
    piece.end = piece.end < end ? piece.end : end;
    r->taken[n] = piece;
    PM_STEP(st, pm_ranges_put(r, &below, err));
    PM_STEP(st, pm_ranges_put(r, &above, err));
    return st;
}

pmapdb_status pm_ranges_take(pm_ranges *r, uint64_t start, uint64_t end, pm_ranges_each each,
                             void *ctx, pmapdb_error *err)
{
    const pm_range wanted = {.start = start, .end = end};
    pm_range **found;
    size_t n = 0;
    pmapdb_status st = PMAPDB_OK;

    while (st == PMAPDB_OK && start < end && (found = tfind(&wanted, &r->root, compare)))
        st = take_one(r, *found, start, end, n++, err);
    if (n > 1)
        qsort(r->taken, n, sizeof *r->taken, compare);
    for (size_t i = 0; i < n && st == PMAPDB_OK; i++)
        st = each(ctx, &r->taken[i], err);
    return st;
}
