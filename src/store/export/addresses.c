/* addresses: of a redacted export. */
#include "store/export/addresses.h"

#include "base/buf.h"
#include "base/map.h"
#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>

#define GAP ((int64_t)1 << 40)
#define UNIT ((int64_t)1 << 26) /* what a cluster is moved by a multiple of */
#define USUAL_END ((int64_t)1 << 47)

struct pm_addresses {
    pm_cluster *note; /* once settled: the clusters, in the order of (space, start) */
    size_t n, cap;
    pm_map leader; /* space -> the one that it is joined with; none: itself */
};

pmapdb_status pm_addresses_new(pm_addresses **out, pmapdb_error *err)
{
    *out = calloc(1, sizeof **out);
    return *out ? PMAPDB_OK : pm_fail_nomem(err);
}

void pm_addresses_free(pm_addresses *p)
{
    if (!p)
        return;
    free(p->note);
    pm_map_free(&p->leader);
    free(p);
}

pmapdb_status pm_addresses_note(pm_addresses *p, int64_t space, int64_t start, int64_t length,
                                pmapdb_error *err)
{
    pmapdb_status st;
    int64_t end;

    if (start <= 0)
        return PMAPDB_OK;
    if (length < 0 || __builtin_add_overflow(start, length, &end))
        end = start;
    if (p->n && p->note[p->n - 1].space == space && p->note[p->n - 1].start <= start &&
        p->note[p->n - 1].end >= start - UNIT) {
        /* Rows come by address: most of them belong to the one before. */
        if (end > p->note[p->n - 1].end)
            p->note[p->n - 1].end = end;
        return PMAPDB_OK;
    }
    st = pm_grow(&p->note, &p->cap, p->n, sizeof *p->note, err);
    if (st == PMAPDB_OK)
        p->note[p->n++] = (pm_cluster){space, start, end, 0};
    return st;
}

static int64_t leader_of(const pm_addresses *p, int64_t space)
{
    int64_t next;

    while (pm_map_get(&p->leader, (uint64_t)space, &next))
        space = next;
    return space;
}

pmapdb_status pm_addresses_join(pm_addresses *p, int64_t space, int64_t other, pmapdb_error *err)
{
    int64_t a = leader_of(p, space), b = leader_of(p, other);

    return a == b ? PMAPDB_OK : pm_map_put(&p->leader, (uint64_t)b, a, err);
}

/* ---- settling ---- */

static int by_place(const void *left, const void *right)
{
    const pm_cluster *a = left, *b = right;

    if (a->space != b->space)
        return a->space < b->space ? -1 : 1;
    return (a->start > b->start) - (a->start < b->start);
}

/* Neighbours that no gap parts become one. */
static void gather(pm_addresses *p)
{
    size_t n = 0;

    for (size_t i = 0; i < p->n; i++)
        p->note[i].space = leader_of(p, p->note[i].space);
    if (p->n)
        qsort(p->note, p->n, sizeof *p->note, by_place);
    for (size_t i = 0; i < p->n; i++) {
        pm_cluster *last = n ? &p->note[n - 1] : NULL;

        if (last && last->space == p->note[i].space && p->note[i].start - last->end < GAP)
            last->end = p->note[i].end > last->end ? p->note[i].end : last->end;
        else
            p->note[n++] = p->note[i];
    }
    p->n = n;
}

static int by_size(const void *left, const void *right)
{
    const uint64_t *a = left, *b = right;

    return (*a > *b) - (*a < *b);
}

/* In units: from the first to the one after the last that a cluster touches. */
static int64_t first_unit(const pm_cluster *c)
{
    return c->start / UNIT;
}

static int64_t units(const pm_cluster *c)
{
    return c->end / UNIT - first_unit(c) + 1;
}

/* One of 0 .. n - 1, as likely as any other, that nobody can guess. */
static pmapdb_status draw_below(uint64_t n, uint64_t *out, pmapdb_error *err)
{
    uint64_t drawn, most = UINT64_MAX - UINT64_MAX % n;

    do {
        ssize_t got = getrandom(&drawn, sizeof drawn, 0);

        if (got < 0 && errno != EINTR)
            return pm_fail_io(err, errno, "cannot draw random numbers");
        if (got != (ssize_t)sizeof drawn)
            drawn = UINT64_MAX;
    } while (drawn >= most); /* a remainder would be drawn too often */
    *out = drawn % n;
    return PMAPDB_OK;
}

/* The clusters of one space keep their order and stay apart; what is left of the room is shared out
 * at random. */
static pmapdb_status move(pm_cluster *c, size_t n, pmapdb_error *err)
{
    const int64_t apart = GAP / UNIT;
    int64_t need = 1 + apart * (int64_t)(n - 1), room = USUAL_END / UNIT, at = 1;
    uint64_t *rest = calloc(n + 1, sizeof *rest);
    pmapdb_status st = PMAPDB_OK;

    if (!rest)
        return pm_fail_nomem(err);
    for (size_t i = 0; i < n; i++)
        need += units(&c[i]);
    /* Five-level paging, or hardly any room at all. */
    while (room <= need + 1)
        room *= 2;
    for (size_t i = 0; i < n && st == PMAPDB_OK; i++)
        st = draw_below((uint64_t)(room - need), &rest[i], err);
    if (st == PMAPDB_OK)
        qsort(rest, n, sizeof *rest, by_size);
    for (size_t i = 0; i < n && st == PMAPDB_OK; i++) {
        c[i].moved = (at + (int64_t)rest[i] - first_unit(&c[i])) * UNIT;
        at += units(&c[i]) + apart;
    }
    free(rest);
    return st;
}

pmapdb_status pm_addresses_settle(pm_addresses *p, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    gather(p);
    for (size_t from = 0, to; from < p->n && st == PMAPDB_OK; from = to) {
        for (to = from; to < p->n && p->note[to].space == p->note[from].space;)
            to++;
        st = move(&p->note[from], to - from, err);
    }
    return st;
}

/* ---- translating ---- */

int64_t pm_addresses_translate(const pm_addresses *p, int64_t space, int64_t address)
{
    pm_cluster key = {.space = leader_of(p, space), .start = address};
    size_t low = 0, high = p->n;

    if (address <= 0)
        return address;
    while (low < high) { /* the first after it */
        size_t middle = (low + high) / 2;

        if (by_place(&p->note[middle], &key) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low && p->note[low - 1].space == key.space)
        low--;
    else if (low == p->n || p->note[low].space != key.space)
        return 0; /* of a space without addresses */
    return address + p->note[low].moved;
}

size_t pm_addresses_count(const pm_addresses *p)
{
    return p->n;
}

pm_cluster pm_addresses_at(const pm_addresses *p, size_t index)
{
    return p->note[index];
}
