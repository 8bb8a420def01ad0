/* replay: calls -> extents. */
#include "perf/replay.h"

#include "base/buf.h"
#include <stdlib.h>
#include <sys/mman.h>

#define EXEC_APART ((uint64_t)1 << 30)

typedef struct space {
    pm_ranges ranges;
    bool knows_break; /* a brk was seen, so the end of the heap is known */
    uint64_t brk;
} space;

struct pm_replay {
    pm_replay_fn on_extent;
    void *ctx;
    space *space;
    size_t n;
    struct lifted { /* ranges between the enter and the exit of an mremap */
        int64_t call_id;
        pm_range range;
    } * lifted;
    size_t n_lifted, cap_lifted;
};

typedef enum way {
    QUIET,   /* ranges that no call mapped are not reported */
    FOREIGN, /* ranges that no call mapped are reported */
    LIFT     /* QUIET, and the pieces move: they are kept for the exit */
} way;

/* One unmapping. */
typedef struct taking {
    pm_replay *r;
    size_t space;
    int64_t call_id, died_ns;
    uint64_t at; /* addresses below are done */
    way how;
} taking;

pmapdb_status pm_replay_new(size_t n, pm_replay_fn on_extent, void *ctx, pm_replay **made,
                            pmapdb_error *err)
{
    pm_replay *r = calloc(1, sizeof *r);

    if (r)
        r->space = calloc(n ? n : 1, sizeof *r->space);
    if (!r || !r->space) {
        free(r);
        return pm_fail_nomem(err);
    }
    r->on_extent = on_extent;
    r->ctx = ctx;
    r->n = n;
    *made = r;
    return PMAPDB_OK;
}

void pm_replay_free(pm_replay *r)
{
    if (!r)
        return;
    for (size_t i = 0; i < r->n; i++)
        pm_ranges_free(&r->space[i].ranges);
    free(r->space);
    free(r->lifted);
    free(r);
}

/* ---- pages ---- */

/* Saturates at the last page. */
static uint64_t round_up(uint64_t bytes, uint64_t page)
{
    return bytes > UINT64_MAX - page ? UINT64_MAX - page + 1 : (bytes + page - 1) & ~(page - 1);
}

static uint64_t pages(uint64_t bytes)
{
    return round_up(bytes, PM_REPLAY_PAGE);
}

/* The end of a range; saturates. */
static uint64_t end_of(uint64_t start, uint64_t length)
{
    return length > UINT64_MAX - start ? UINT64_MAX : start + length;
}

/* The flags hold the logarithm of the page size; 0 is the default of the host, nearly always 2 MiB.
 */
static uint64_t mmap_length(const pm_traced_call *c)
{
    unsigned log2 = (unsigned)(c->arg[3] >> MAP_HUGE_SHIFT) & MAP_HUGE_MASK;
    bool huge = c->has & 8 && c->arg[3] & MAP_HUGETLB;

    return huge ? round_up(c->arg[1], (uint64_t)1 << (log2 ? log2 : 21)) : pages(c->arg[1]);
}

/* ---- unmapping ---- */

static pmapdb_status tell_foreign(taking *t, uint64_t end, pmapdb_error *err)
{
    pm_range range = {t->at, end, t->call_id, PMAPDB_UNKNOWN};

    if (t->how != FOREIGN || t->at >= end)
        return PMAPDB_OK;
    return t->r->on_extent(t->r->ctx, t->space, &range, t->died_ns, err);
}

static pmapdb_status piece_dies(void *ctx, const pm_range *piece, pmapdb_error *err)
{
    taking *t = ctx;
    pm_replay *r = t->r;
    /* the clocks of two processors may differ slightly */
    bool early = t->died_ns != PMAPDB_UNKNOWN && t->died_ns < piece->born_ns;
    pmapdb_status st = tell_foreign(t, piece->start, err);

    t->at = piece->end;
    PM_STEP(st, r->on_extent(r->ctx, t->space, piece, early ? piece->born_ns : t->died_ns, err));
    if (t->how != LIFT)
        return st;
    PM_STEP(st, pm_grow(&r->lifted, &r->cap_lifted, r->n_lifted, sizeof *r->lifted, err));
    if (st == PMAPDB_OK)
        r->lifted[r->n_lifted++] = (struct lifted){t->call_id, *piece};
    return st;
}

static pmapdb_status take(pm_replay *r, size_t at, const pm_traced_call *c, int64_t died_ns,
                          way how, uint64_t start, uint64_t end, pmapdb_error *err)
{
    taking t = {r, at, c->call_id, died_ns, start, how};
    pmapdb_status st = pm_ranges_take(&r->space[at].ranges, start, end, piece_dies, &t, err);

    return st == PMAPDB_OK ? tell_foreign(&t, end, err) : st;
}

/* ---- mapping ---- */

/* foreign: the program chose the address, so it may replace a range that was mapped before the
 * recording. Otherwise the kernel chose a free address, and any range there was unmapped by a call
 * that was lost. */
static pmapdb_status give(pm_replay *r, size_t at, const pm_traced_call *c, uint64_t start,
                          uint64_t length, bool foreign, pmapdb_error *err)
{
    pm_range range = {start, end_of(start, length), c->call_id, c->end_ns};
    pmapdb_status st;

    if (range.start >= range.end)
        return PMAPDB_OK;
    st = take(r, at, c, c->end_ns, foreign ? FOREIGN : QUIET, range.start, range.end, err);
    return st == PMAPDB_OK ? pm_ranges_put(&r->space[at].ranges, &range, err) : st;
}

static pmapdb_status end_mmap(pm_replay *r, size_t at, const pm_traced_call *c, pmapdb_error *err)
{
    bool fixed = c->has & 8 && c->arg[3] & MAP_FIXED;

    if (!(c->has & 2)) /* without an enter the length is unknown */
        return PMAPDB_OK;
    return give(r, at, c, c->ret, mmap_length(c), fixed, err);
}

/* ---- brk ---- */

/* A new program asks for the end of its heap, and address space layout randomisation puts it far
 * from the old heap. Lost calls move the end less. */
static bool is_exec(const space *s, const pm_traced_call *c)
{
    uint64_t apart = c->ret > s->brk ? c->ret - s->brk : s->brk - c->ret;

    return s->knows_break && c->has & 1 && c->arg[0] == 0 && apart > EXEC_APART;
}

/* The kernel returns the end of the heap, whatever the program asked for. The growth belongs to
 * this call only if the call asked for it; otherwise a call was lost. */
static pmapdb_status end_brk(pm_replay *r, size_t at, const pm_traced_call *c, pmapdb_error *err)
{
    space *s = &r->space[at];
    uint64_t old = pages(s->brk), now = pages(c->ret);
    bool asked = c->has & 1 && c->arg[0] == c->ret, known = s->knows_break;
    bool all = is_exec(s, c);

    s->brk = c->ret;
    s->knows_break = true;
    if (all)
        return take(r, at, c, c->end_ns, QUIET, 0, UINT64_MAX, err);
    if (known && now < old) /* finds ranges only if the enter was lost */
        return take(r, at, c, c->end_ns, QUIET, now, old, err);
    if (!known || !asked || now == old)
        return PMAPDB_OK;
    return give(r, at, c, old, now - old, false, err);
}

static pmapdb_status begin_brk(pm_replay *r, size_t at, const pm_traced_call *c, pmapdb_error *err)
{
    const space *s = &r->space[at];
    bool asked = c->has & 1 && c->arg[0] == c->ret;

    if (c->end_ns == PMAPDB_UNKNOWN || !s->knows_break || pages(c->ret) >= pages(s->brk))
        return PMAPDB_OK;
    return take(r, at, c, c->begin_ns, asked ? FOREIGN : QUIET, pages(c->ret), pages(s->brk), err);
}

/* ---- mremap ---- */

static bool moves(const pm_traced_call *c)
{
    return c->ret != c->arg[0];
}

/* True if an old mapping of some length stays: all of the new mapping belongs to this call. */
static bool leaves_old(const pm_traced_call *c)
{
    return c->has & 8 && c->arg[3] & MREMAP_DONTUNMAP;
}

static pmapdb_status begin_mremap(pm_replay *r, size_t at, const pm_traced_call *c,
                                  pmapdb_error *err)
{
    uint64_t start = c->arg[0], old = pages(c->arg[1]), new = pages(c->arg[2]);
    uint64_t kept = old < new ? old : new;
    pmapdb_status st;

    if (c->end_ns == PMAPDB_UNKNOWN || (c->has & 7) != 7 || leaves_old(c))
        return PMAPDB_OK;
    st = take(r, at, c, c->begin_ns, FOREIGN, end_of(start, kept), end_of(start, old), err);
    if (st != PMAPDB_OK || !moves(c))
        return st;
    /* ranges from before the recording only move */
    return take(r, at, c, c->begin_ns, LIFT, start, end_of(start, kept), err);
}

static pmapdb_status put_down(pm_replay *r, size_t at, const pm_traced_call *c, pmapdb_error *err)
{
    size_t kept = 0;
    pmapdb_status st = PMAPDB_OK;

    for (size_t i = 0; i < r->n_lifted; i++) {
        struct lifted *l = &r->lifted[i];
        pm_range moved = {l->range.start - c->arg[0] + c->ret, l->range.end - c->arg[0] + c->ret,
                          l->range.call_id, c->end_ns};

        if (l->call_id != c->call_id)
            r->lifted[kept++] = *l;
        else if (st == PMAPDB_OK && moved.start < moved.end)
            st = pm_ranges_put(&r->space[at].ranges, &moved, err);
    }
    r->n_lifted = kept;
    return st;
}

static pmapdb_status end_mremap(pm_replay *r, size_t at, const pm_traced_call *c, pmapdb_error *err)
{
    uint64_t old = pages(c->arg[1]), new = pages(c->arg[2]);
    bool fixed = c->has & 8 && c->arg[3] & MREMAP_FIXED;
    pmapdb_status st = PMAPDB_OK;

    if ((c->has & 7) != 7)
        return PMAPDB_OK;
    if (leaves_old(c))
        return give(r, at, c, c->ret, new, fixed, err);
    if (moves(c))
        st = take(r, at, c, c->end_ns, fixed ? FOREIGN : QUIET, c->ret, end_of(c->ret, new), err);
    if (st == PMAPDB_OK)
        st = put_down(r, at, c, err);
    if (st == PMAPDB_OK && new > old)
        st = give(r, at, c, end_of(c->ret, old), new - old, false, err);
    return st;
}

/* ---- calls ---- */

static pmapdb_status begin_munmap(pm_replay *r, size_t at, const pm_traced_call *c,
                                  pmapdb_error *err)
{
    if ((c->has & 3) != 3)
        return PMAPDB_OK;
    return take(r, at, c, c->begin_ns, FOREIGN, c->arg[0], end_of(c->arg[0], pages(c->arg[1])),
                err);
}

/* True if the call ended and failed. */
static bool failed(const pm_traced_call *c)
{
    return c->end_ns != PMAPDB_UNKNOWN && pm_call_errno(c->kind, c->ret) != 0;
}

pmapdb_status pm_replay_begin(pm_replay *r, size_t at, const pm_traced_call *c, pmapdb_error *err)
{
    if (c->kind == PM_CALL_BRK) /* a failed brk still returns the end of the heap */
        return begin_brk(r, at, c, err);
    if (failed(c))
        return PMAPDB_OK;
    if (c->kind == PM_CALL_MUNMAP)
        return begin_munmap(r, at, c, err);
    return c->kind == PM_CALL_MREMAP ? begin_mremap(r, at, c, err) : PMAPDB_OK;
}

pmapdb_status pm_replay_end(pm_replay *r, size_t at, const pm_traced_call *c, pmapdb_error *err)
{
    if (c->kind == PM_CALL_BRK)
        return end_brk(r, at, c, err);
    if (failed(c))
        return PMAPDB_OK;
    if (c->kind == PM_CALL_MMAP)
        return end_mmap(r, at, c, err);
    return c->kind == PM_CALL_MREMAP ? end_mremap(r, at, c, err) : PMAPDB_OK;
}

pmapdb_status pm_replay_finish(pm_replay *r, pmapdb_error *err)
{
    static const pm_traced_call none;
    pmapdb_status st = PMAPDB_OK;

    for (size_t i = 0; i < r->n && st == PMAPDB_OK; i++)
        st = take(r, i, &none, PMAPDB_UNKNOWN, QUIET, 0, UINT64_MAX, err);
    return st;
}
