/* ranges: live ranges of address spaces, a treap each. */
#include "perf/ranges.h"

#include "base/buf.h"
#include <stdlib.h>

typedef struct pm_range_node {
    pm_range range;
    uint32_t left, right; /* in an unused node, left is the next unused node */
    uint32_t rank;        /* random heap order keeps the tree shallow */
} node;

void pm_ranges_free(pm_ranges *r)
{
    free(r->node);
    *r = (pm_ranges){0};
}

/* xorshift: the same sequence in every run */
static uint32_t next_rank(pm_ranges *r)
{
    r->chance = r->chance ? r->chance : 0x9e3779b97f4a7c15U;
    r->chance ^= r->chance << 13;
    r->chance ^= r->chance >> 7;
    r->chance ^= r->chance << 17;
    return (uint32_t)(r->chance >> 32);
}

static pmapdb_status new_node(pm_ranges *r, const pm_range *range, uint32_t *out, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    if (r->live >= PM_RANGES_MAX)
        return pm_fail(err, PMAPDB_INPUT,
                       "more than %zu ranges are mapped at once: record fewer processes",
                       PM_RANGES_MAX);
    *out = r->unused;
    if (r->unused) {
        r->unused = r->node[r->unused].left;
    } else {
        r->n += r->n == 0; /* node 0 means no node */
        st = pm_grow(&r->node, &r->cap, r->n, sizeof *r->node, err);
        if (st == PMAPDB_OK && r->n == 1)
            r->node[0] = (node){.left = 0};
        *out = (uint32_t)r->n;
        r->n += st == PMAPDB_OK;
    }
    if (st == PMAPDB_OK)
        r->node[*out] = (node){.range = *range, .rank = next_rank(r)};
    r->live += st == PMAPDB_OK;
    return st;
}

static void drop_node(pm_ranges *r, uint32_t at)
{
    r->node[at].left = r->unused;
    r->unused = at;
    r->live--;
}

/* Splits a tree into the ranges that start below `start` and the rest. Iterative, so the depth of
 * the tree does not matter. */
static void split(pm_ranges *r, uint32_t root, uint64_t start, uint32_t *below, uint32_t *rest)
{
    while (root) {
        node *n = &r->node[root];

        if (n->range.start < start) {
            *below = root;
            below = &n->right;
            root = n->right;
        } else {
            *rest = root;
            rest = &n->left;
            root = n->left;
        }
    }
    *below = *rest = 0;
}

static void join(pm_ranges *r, uint32_t low, uint32_t high, uint32_t *root)
{
    while (low && high) {
        if (r->node[low].rank > r->node[high].rank) {
            *root = low;
            root = &r->node[low].right;
            low = *root;
        } else {
            *root = high;
            root = &r->node[high].left;
            high = *root;
        }
    }
    *root = low ? low : high;
}

pmapdb_status pm_ranges_put(pm_ranges *r, pm_space *space, const pm_range *range, pmapdb_error *err)
{
    uint32_t made = 0, low, high;
    pmapdb_status st = new_node(r, range, &made, err);

    if (st != PMAPDB_OK)
        return st;
    split(r, *space, range->start, &low, &high);
    join(r, low, made, space);
    low = *space;
    join(r, low, high, space);
    return PMAPDB_OK;
}

/* Cuts the range that contains `at` into two. */
static pmapdb_status cut(pm_ranges *r, pm_space *space, uint64_t at, pmapdb_error *err)
{
    uint32_t found = 0;
    pm_range rest;

    for (uint32_t i = *space; i;)
        if (r->node[i].range.start < at) {
            found = i;
            i = r->node[i].right;
        } else {
            i = r->node[i].left;
        }
    if (!found || r->node[found].range.end <= at)
        return PMAPDB_OK;
    rest = r->node[found].range;
    rest.start = at;
    r->node[found].range.end = at;
    return pm_ranges_put(r, space, &rest, err);
}

/* Takes the leftmost node out of *root. */
static uint32_t take_first(pm_ranges *r, uint32_t *root)
{
    uint32_t *at = root, first;

    while (r->node[*at].left)
        at = &r->node[*at].left;
    first = *at;
    *at = r->node[first].right;
    return first;
}

pmapdb_status pm_ranges_take(pm_ranges *r, pm_space *space, uint64_t start, uint64_t end,
                             pm_ranges_each each, void *ctx, pmapdb_error *err)
{
    uint32_t low, mid, high;
    pmapdb_status st = start < end ? cut(r, space, start, err) : PMAPDB_OK;

    if (st == PMAPDB_OK && start < end)
        st = cut(r, space, end, err);
    if (st != PMAPDB_OK || !*space || start >= end)
        return st;
    split(r, *space, start, &low, &mid);
    split(r, mid, end, &mid, &high);
    join(r, low, high, space);
    while (mid && st == PMAPDB_OK) {
        uint32_t first = take_first(r, &mid);
        pm_range piece = r->node[first].range;

        drop_node(r, first);
        st = each(ctx, &piece, err);
    }
    return st;
}

/* Searches from the root, so a walk needs neither a stack nor parent links. */
static uint32_t at_or_after(const pm_ranges *r, uint32_t root, uint64_t start)
{
    uint32_t found = 0;

    while (root)
        if (r->node[root].range.start >= start) {
            found = root;
            root = r->node[root].left;
        } else {
            root = r->node[root].right;
        }
    return found;
}

pmapdb_status pm_ranges_walk(const pm_ranges *r, pm_space space, pm_ranges_each each, void *ctx,
                             pmapdb_error *err)
{
    uint64_t start = 0;
    uint32_t at;
    pmapdb_status st = PMAPDB_OK;

    while (st == PMAPDB_OK && (at = at_or_after(r, space, start)) != 0) {
        start = r->node[at].range.start + 1;
        st = each(ctx, &r->node[at].range, err);
    }
    return st;
}
