/* align: which time on one clock is which on another, by what both saw. */
#include "store/perf/align.h"

#include "base/buf.h"
#include <stdlib.h>

#define LEAST_VOTES 3
/* An address that changes more often than this is used again and again: its changes say nothing,
 * and there may be millions. */
#define MOST_TIMES 16

typedef struct turn { /* where the number of votes changes */
    int64_t ns;
    int by;
} turn;

typedef struct votes {
    turn *turn;
    size_t n, cap;
} votes;

int pm_align_compare_edges(const void *a, const void *b)
{
    const pm_align_edge *x = a, *y = b;

    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    if (x->on != y->on)
        return x->on ? 1 : -1;
    return x->ns < y->ns ? -1 : x->ns > y->ns;
}

/* Ends behind begins: intervals that only touch agree. */
static int compare_turns(const void *a, const void *b)
{
    const turn *x = a, *y = b;

    if (x->ns != y->ns)
        return x->ns < y->ns ? -1 : 1;
    return y->by - x->by;
}

static pmapdb_status vote(votes *v, int64_t from, int64_t to, pmapdb_error *err)
{
    pmapdb_status st = pm_grow(&v->turn, &v->cap, v->n + 1, sizeof *v->turn, err);

    if (st != PMAPDB_OK)
        return st;
    v->turn[v->n++] = (turn){from, 1};
    v->turn[v->n++] = (turn){to, -1};
    return st;
}

/* The first edge that is not before the step's; those of its kind follow. */
static size_t find(const pm_align_edge *edges, size_t n, const pm_align_step *s)
{
    pm_align_edge wanted = {s->address, INT64_MIN, s->on};
    size_t low = 0;

    while (n > low) {
        size_t mid = low + (n - low) / 2;

        if (pm_align_compare_edges(&edges[mid], &wanted) < 0)
            low = mid + 1;
        else
            n = mid;
    }
    return low;
}

/* Offsets are those where an edge falls into the step: the later the edge, the lower. What overlaps
 * is one vote. */
static pmapdb_status step_votes(votes *v, const pm_align_edge *edge, size_t n,
                                const pm_align_step *s, int64_t lo, int64_t hi, bool *any,
                                pmapdb_error *err)
{
    int64_t from = 0, to = 0;
    bool open = false;
    pmapdb_status st = PMAPDB_OK;

    for (size_t i = n; i-- && st == PMAPDB_OK;) {
        int64_t a = s->from_ns - edge[i].ns, b = s->to_ns - edge[i].ns;

        if (b < lo || a > hi)
            continue;
        if (open && a > to)
            st = vote(v, from, to, err);
        if (!open || a > to)
            from = a;
        to = b;
        open = true;
    }
    *any = open;
    return st == PMAPDB_OK && open ? vote(v, from, to, err) : st;
}

/* Where most votes are, apart from the offsets from..to; returns how many. */
static size_t find_most(const votes *v, int64_t skip_from, int64_t skip_to, int64_t *from,
                        int64_t *to)
{
    size_t now = 0, most = 0;
    bool within = false;

    for (size_t i = 0; i < v->n; i++) {
        const turn *t = &v->turn[i];

        if (within && t->by < 0) {
            *to = t->ns;
            within = false;
        }
        now = t->by > 0 ? now + 1 : now - 1;
        if (t->by > 0 && now > most && (t->ns < skip_from || t->ns > skip_to)) {
            most = now;
            *from = t->ns;
            within = true;
        }
    }
    return most;
}

static pmapdb_status cast(votes *v, const pm_align_edge *edges, size_t n_edges,
                          const pm_align_step *s, int64_t lo, int64_t hi, bool *any,
                          pmapdb_error *err)
{
    size_t first = find(edges, n_edges, s), n = 0;

    while (first + n < n_edges && n <= MOST_TIMES && edges[first + n].on == s->on &&
           edges[first + n].address == s->address)
        n++;
    *any = false;
    return n && n <= MOST_TIMES ? step_votes(v, &edges[first], n, s, lo, hi, any, err) : PMAPDB_OK;
}

pmapdb_status pm_align(const pm_align_edge *edges, size_t n_edges, const pm_align_step *steps,
                       size_t n_steps, int64_t lo_ns, int64_t hi_ns, pm_alignment *out,
                       pmapdb_error *err)
{
    votes v = {0};
    pm_alignment result = {0};
    int64_t from = 0, to = 0, other, width = 0;
    pmapdb_status st = PMAPDB_OK;

    for (size_t i = 0; i < n_steps && st == PMAPDB_OK; i++) {
        const pm_align_step *s = &steps[i];
        bool any;

        st = cast(&v, edges, n_edges, s, lo_ns, hi_ns, &any, err);
        result.of += any;
        if (s->to_ns - s->from_ns > width)
            width = s->to_ns - s->from_ns;
    }
    if (st == PMAPDB_OK && v.n) {
        qsort(v.turn, v.n, sizeof *v.turn, compare_turns);
        result.votes = find_most(&v, 1, 0, &from, &to);
        result.rival = find_most(&v, from - width, to + width, &other, &other);
        result.offset_ns = from + (to - from) / 2;
        result.slack_ns = (to - from + 1) / 2;
        result.found = result.votes >= LEAST_VOTES && result.votes >= 2 * result.rival;
    }
    free(v.turn);
    if (st == PMAPDB_OK)
        *out = result;
    return st;
}
