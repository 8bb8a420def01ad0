/* Replay against a model that knows nothing but pages: each call changes every page it touches, one
 * by one; what becomes of each page must be the same. Then the cases that random calls seldom make.
 */
#include "store/kit.h"

#include "perf/replay.h"
#include <sys/mman.h>

#define PAGES 96
#define BASE ((uint64_t)0x10000)
#define PAGE ((uint64_t)4096)

static uint64_t pick(uint64_t n)
{
    static uint64_t seed = 1;

    return kit_below(&seed, n);
}

/* One page's share of an extent, or of a foreign one. */
typedef struct bit {
    uint64_t page;
    int64_t call_id, born_ns, died_ns; /* born_ns -1: foreign */
} bit;

typedef struct bits {
    bit *bit;
    size_t n, cap;
} bits;

static void add_bit(bits *b, bit new)
{
    kit_ok(pm_grow(&b->bit, &b->cap, b->n, sizeof *b->bit, NULL), NULL);
    b->bit[b->n++] = new;
}

static pmapdb_status on_extent(void *ctx, size_t space, const pm_range *r, int64_t died_ns,
                               pmapdb_error *err)
{
    (void)space;
    (void)err;
    for (uint64_t at = r->start; at < r->end; at += PAGE)
        add_bit(ctx,
                (bit){at, r->call_id, r->born_ns == PMAPDB_UNKNOWN ? -1 : r->born_ns, died_ns});
    return PMAPDB_OK;
}

/* ---- the model ---- */

typedef struct model {
    struct owned {
        int64_t call_id, born_ns; /* 0: nothing */
    } page[PAGES];
    uint64_t brk; /* pages; 0: unknown */
    bits bits;
} model;

static uint64_t address(uint64_t page)
{
    return BASE + page * PAGE;
}

static void model_drop(model *m, uint64_t page, int64_t call_id, int64_t ns, bool foreign)
{
    struct owned *o = &m->page[page];

    if (o->call_id)
        add_bit(&m->bits, (bit){address(page), o->call_id, o->born_ns, ns});
    else if (foreign)
        add_bit(&m->bits, (bit){address(page), call_id, -1, ns});
    *o = (struct owned){0, 0};
}

static void model_give(model *m, uint64_t page, uint64_t n, const pm_traced_call *c, bool foreign)
{
    for (uint64_t i = page; i < page + n; i++) {
        model_drop(m, i, c->call_id, c->end_ns, foreign);
        m->page[i] = (struct owned){c->call_id, c->end_ns};
    }
}

static void model_mremap(model *m, const pm_traced_call *c, uint64_t from, uint64_t old,
                         uint64_t new, uint64_t to)
{
    struct owned lifted[PAGES] = {{0, 0}};
    uint64_t kept = old < new ? old : new;

    for (uint64_t i = kept; i < old; i++)
        model_drop(m, from + i, c->call_id, c->begin_ns, true);
    if (to == from) {
        if (new > old)
            model_give(m, from + old, new - old, c, false);
        return;
    }
    for (uint64_t i = 0; i < kept; i++) {
        lifted[i] = m->page[from + i];
        model_drop(m, from + i, c->call_id, c->begin_ns, false);
    }
    for (uint64_t i = 0; i < new; i++) {
        model_drop(m, to + i, c->call_id, c->end_ns, true); /* MREMAP_FIXED */
        if (i >= kept)
            m->page[to + i] = (struct owned){c->call_id, c->end_ns};
        else if (lifted[i].call_id)
            m->page[to + i] = (struct owned){lifted[i].call_id, c->end_ns};
    }
}

/* ---- random calls ---- */

static void both(pm_replay *r, pm_traced_call *c)
{
    kit_ok(pm_replay_begin(r, 0, c, NULL), NULL);
    if (c->end_ns != PMAPDB_UNKNOWN)
        kit_ok(pm_replay_end(r, 0, c, NULL), NULL);
}

static void random_mmap(model *m, pm_traced_call *c, uint64_t page, uint64_t n, bool fails)
{
    bool fixed = pick(2);

    *c = (pm_traced_call){.call_id = c->call_id,
                          .begin_ns = c->begin_ns,
                          .end_ns = c->end_ns,
                          .kind = PM_CALL_MMAP,
                          .has = 63,
                          .arg = {address(page), n * PAGE - pick(PAGE), 3, fixed ? MAP_FIXED : 0},
                          .ret = fails ? (uint64_t)-12 : address(page)};
    if (!fails)
        model_give(m, page, n, c, fixed);
}

static void random_brk(model *m, pm_traced_call *c, uint64_t page, bool fails)
{
    c->kind = PM_CALL_BRK;
    c->has = 1;
    c->arg[0] = pick(3) ? address(page) - pick(PAGE) : 0;
    c->ret = c->arg[0];
    if (m->brk && (fails || !c->arg[0]))
        c->ret = address(m->brk);
    else if (!c->arg[0])
        c->ret = address(page);
    page = (c->ret - BASE + PAGE - 1) / PAGE;
    for (uint64_t i = page; m->brk && i < m->brk; i++)
        model_drop(m, i, c->call_id, c->begin_ns, true);
    if (m->brk && page > m->brk)
        model_give(m, m->brk, page - m->brk, c, false);
    m->brk = page;
}

static void one_call(model *m, pm_traced_call *c)
{
    uint64_t page = 1 + pick(PAGES - 30), n = 1 + pick(12), to;
    uint64_t new = 1 + pick(12);
    bool fails = pick(8) == 0;

    switch (pick(5)) {
    case 0:
    case 1:
        random_mmap(m, c, page, n, fails);
        return;
    case 2:
        c->kind = PM_CALL_MUNMAP;
        c->has = 3;
        c->arg[0] = address(page);
        c->arg[1] = n * PAGE;
        c->ret = fails ? (uint64_t)-22 : 0;
        for (uint64_t i = page; !fails && i < page + n; i++)
            model_drop(m, i, c->call_id, c->begin_ns, true);
        return;
    case 3:
        random_brk(m, c, page, fails);
        return;
    default:
        to = pick(2) ? page : 1 + pick(PAGES - 30);
        if (to != page && to < page + (n > new ? n : new) && page < to + (n > new ? n : new))
            to = page; /* the kernel refuses overlapping ranges */
        *c = (pm_traced_call){.call_id = c->call_id,
                              .begin_ns = c->begin_ns,
                              .end_ns = c->end_ns,
                              .kind = PM_CALL_MREMAP,
                              .has = 31,
                              .arg = {address(page), n * PAGE, new *PAGE,
                                      to == page ? 0 : MREMAP_FIXED | MREMAP_MAYMOVE, address(to)},
                              .ret = fails ? (uint64_t)-14 : address(to)};
        if (!fails)
            model_mremap(m, c, page, n, new, to);
    }
}

static int compare_bits(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(bit));
}

static void same_bits(bits *got, bits *want)
{
    assert_int_equal(got->n, want->n);
    qsort(got->bit, got->n, sizeof *got->bit, compare_bits);
    qsort(want->bit, want->n, sizeof *want->bit, compare_bits);
    for (size_t i = 0; i < got->n; i++)
        assert_memory_equal(&got->bit[i], &want->bit[i], sizeof(bit));
}

TEST(as_page_by_page)
{
    for (int round = 0; round < 60; round++) {
        bits got = {0};
        model m = {.brk = 0};
        pm_replay *r = NULL;

        kit_ok(pm_replay_new(1, on_extent, &got, &r, NULL), NULL);
        for (int64_t i = 1; i <= 400; i++) {
            pm_traced_call c = {.call_id = i, .begin_ns = 10 * i, .end_ns = 10 * i + 5};

            one_call(&m, &c);
            both(r, &c);
        }
        kit_ok(pm_replay_finish(r, NULL), NULL);
        for (uint64_t i = 0; i < PAGES; i++)
            model_drop(&m, i, 0, PMAPDB_UNKNOWN, false);
        same_bits(&got, &m.bits);
        pm_replay_free(r);
        free(got.bit);
        free(m.bits.bit);
    }
}

/* ---- cases ---- */

typedef struct world {
    bits bits;
    pm_replay *r;
} world;

static int begin_world(void **state)
{
    static world w;

    w = (world){.r = NULL};
    *state = &w;
    return pm_replay_new(2, on_extent, &w.bits, &w.r, NULL);
}

static int end_world(void **state)
{
    world *w = *state;

    pm_replay_free(w->r);
    free(w->bits.bit);
    return 0;
}

#define CASE(function) TEST_OF(world *w, function, begin_world, end_world)

static size_t pages_of(const world *w, int64_t call_id, bool live)
{
    size_t n = 0;

    for (size_t i = 0; i < w->bits.n; i++)
        n += w->bits.bit[i].call_id == call_id && w->bits.bit[i].born_ns >= 0 &&
             (w->bits.bit[i].died_ns == PMAPDB_UNKNOWN) == live;
    return n;
}

static void call(const world *w, pm_traced_call c)
{
    both(w->r, &c);
}

static pm_traced_call mapped(int64_t call_id, int64_t begin_ns, uint64_t pages, uint64_t at)
{
    return (pm_traced_call){call_id,      begin_ns, begin_ns + 1, {0, pages * PAGE, 3, 0}, at,
                            PM_CALL_MMAP, 15};
}

static pm_traced_call moved(int64_t call_id, int64_t begin_ns, int64_t end_ns, uint64_t from,
                            uint64_t pages, uint64_t new_pages, uint64_t to)
{
    return (pm_traced_call){
        call_id, begin_ns,       end_ns, {from, pages * PAGE, new_pages * PAGE, MREMAP_MAYMOVE},
        to,      PM_CALL_MREMAP, 15};
}

CASE(huge_pages_round_up)
{
    pm_traced_call usual = mapped(1, 1, 0, 0x40000000), small = mapped(2, 3, 0, 0x80000000);

    usual.arg[1] = small.arg[1] = 5000;
    usual.arg[3] = MAP_HUGETLB | MAP_PRIVATE;
    small.arg[3] = MAP_HUGETLB | (16U << 26);
    call(w, usual);
    call(w, small);
    kit_ok(pm_replay_finish(w->r, NULL), NULL);
    assert_int_equal(pages_of(w, 1, true), 512);
    assert_int_equal(pages_of(w, 2, true), 16);
}

/* A copy leaves the old one: of shared memory (old_len 0), or with MREMAP_DONTUNMAP. */
CASE(copies_are_new)
{
    pm_traced_call kept = moved(3, 5, 6, BASE, 4, 4, 0x200000);

    kept.arg[3] |= MREMAP_DONTUNMAP;
    call(w, mapped(1, 1, 4, BASE));
    call(w, moved(2, 3, 4, BASE, 0, 2, 0x100000));
    call(w, kept);
    kit_ok(pm_replay_finish(w->r, NULL), NULL);
    assert_int_equal(pages_of(w, 1, true), 4);
    assert_int_equal(pages_of(w, 2, true), 2);
    assert_int_equal(pages_of(w, 3, true), 4);
}

/* If another thread maps the old place during a move, its mapping is not moved. */
CASE(moves_only_what_was_there)
{
    pm_traced_call move = moved(2, 10, 40, BASE, 2, 2, 0x100000), other = mapped(3, 20, 2, BASE);

    call(w, mapped(1, 1, 2, BASE));
    kit_ok(pm_replay_begin(w->r, 0, &move, NULL), NULL);
    kit_ok(pm_replay_end(w->r, 0, &other, NULL), NULL);
    kit_ok(pm_replay_end(w->r, 0, &move, NULL), NULL);
    call(w, (pm_traced_call){4, 50, 60, {BASE, 2 * PAGE}, 0, PM_CALL_MUNMAP, 3});
    kit_ok(pm_replay_finish(w->r, NULL), NULL);
    assert_int_equal(pages_of(w, 1, true), 2);
    assert_int_equal(pages_of(w, 3, false), 2);
    assert_int_equal(pages_of(w, 3, true), 0);
}

CASE(two_move_at_once)
{
    pm_traced_call a = moved(3, 10, 40, BASE, 1, 2, 0x100000);
    pm_traced_call b = moved(4, 20, 30, 0x50000, 1, 3, 0x200000);

    call(w, mapped(1, 1, 1, BASE));
    call(w, mapped(2, 1, 1, 0x50000));
    kit_ok(pm_replay_begin(w->r, 0, &a, NULL), NULL);
    kit_ok(pm_replay_begin(w->r, 0, &b, NULL), NULL);
    kit_ok(pm_replay_end(w->r, 0, &b, NULL), NULL);
    kit_ok(pm_replay_end(w->r, 0, &a, NULL), NULL);
    w->bits.n = 0;
    kit_ok(pm_replay_finish(w->r, NULL), NULL);
    assert_int_equal(w->bits.n, 5);
    assert_int_equal(w->bits.bit[0].page, 0x100000);
    assert_int_equal(w->bits.bit[0].call_id, 1);
    assert_int_equal(w->bits.bit[2].page, 0x200000);
    assert_int_equal(w->bits.bit[2].call_id, 2);
}

/* munmap counts without its exit; the address of an mmap without its exit is unknown. */
CASE(half_calls)
{
    call(w, mapped(1, 1, 4, BASE));
    call(w, (pm_traced_call){2, 3, PMAPDB_UNKNOWN, {BASE, PAGE}, 0, PM_CALL_MUNMAP, 3});
    call(w, (pm_traced_call){
                3, 4, PMAPDB_UNKNOWN, {BASE, 4 * PAGE, 3, MAP_FIXED}, 0, PM_CALL_MMAP, 15});
    call(w, (pm_traced_call){4, PMAPDB_UNKNOWN, 5, {0}, 0x100000, PM_CALL_MMAP, 0});
    call(w, (pm_traced_call){5, PMAPDB_UNKNOWN, 6, {0}, BASE, PM_CALL_MREMAP, 0});
    kit_ok(pm_replay_finish(w->r, NULL), NULL);
    assert_int_equal(pages_of(w, 1, false), 1);
    assert_int_equal(pages_of(w, 1, true), 3);
    assert_int_equal(w->bits.n, 4);
}

/* An exec of a shell; a lost brk is not an exec. */
CASE(exec_clears_all)
{
    call(w, (pm_traced_call){1, 1, 2, {0}, 0x550000000000, PM_CALL_BRK, 1});
    call(w, mapped(2, 3, 1, BASE));
    call(w, (pm_traced_call){3, 5, 6, {0}, 0x550000100000, PM_CALL_BRK, 1});
    call(w, (pm_traced_call){4, 7, 8, {0x550000101000}, 0x550000101000, PM_CALL_BRK, 1});
    assert_int_equal(w->bits.n, 0);
    call(w, (pm_traced_call){5, 9, 10, {0}, 0x560000000000, PM_CALL_BRK, 1});
    assert_int_equal(pages_of(w, 2, false), 1);
    assert_int_equal(pages_of(w, 4, false), 1);
    kit_ok(pm_replay_finish(w->r, NULL), NULL);
    assert_int_equal(w->bits.n, 2);
}

CASE(spaces_are_apart)
{
    pm_traced_call free_it = (pm_traced_call){2, 3, 4, {BASE, PAGE}, 0, PM_CALL_MUNMAP, 3};

    call(w, mapped(1, 1, 1, BASE));
    kit_ok(pm_replay_begin(w->r, 1, &free_it, NULL), NULL);
    kit_ok(pm_replay_finish(w->r, NULL), NULL);
    assert_int_equal(pages_of(w, 1, true), 1);
}

static pmapdb_status is_a_range(void *ctx, size_t space, const pm_range *r, int64_t died_ns,
                                pmapdb_error *err)
{
    (void)ctx;
    (void)space;
    (void)died_ns;
    (void)err;
    assert_true(r->start < r->end);
    return PMAPDB_OK;
}

/* Impossible addresses and lengths do no harm. */
TEST(absurd_lengths)
{
    static const uint64_t odd[] = {0, 1, PAGE - 1, BASE, UINT64_MAX, UINT64_MAX - PAGE, 1ULL << 63};
    pm_replay *r = NULL;

    kit_ok(pm_replay_new(1, is_a_range, NULL, &r, NULL), NULL);
    for (int i = 1; i < 20000; i++) {
        pm_traced_call c = {.call_id = i,
                            .begin_ns = i,
                            .end_ns = i,
                            .kind = (uint8_t)pick(PM_CALL_COUNT),
                            .has = (uint8_t)pick(64),
                            .ret = odd[pick(7)]};

        for (int k = 0; k < PM_CALL_ARGS; k++)
            c.arg[k] = pick(4) ? odd[pick(7)] : pick(UINT64_MAX);
        both(r, &c);
    }
    kit_ok(pm_replay_finish(r, NULL), NULL);
    pm_replay_free(r);
}

RUN_TESTS(NULL, NULL)
