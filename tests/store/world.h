/* world: captures of processes whose mappings grow, split, merge, move, vanish and come back;
 * threads come with their stacks and guards. The same seed gives the same captures. */
#ifndef TESTS_STORE_WORLD_H
#define TESTS_STORE_WORLD_H

#include "kit.h"

#include "base/num.h"

#define WORLD_PAGES 240 /* of 64 KiB, so that a stack of 1 MiB is a mapping like others */
#define WORLD_PAGE 65536U
#define WORLD_STACK 16
#define WORLD_MAPS 28
#define WORLD_BASE 0x7f0000000000U
#define WORLD_CAPTURES 256

/* The kinds of mappings. */
typedef struct world_kind {
    const char *perms, *path;
    uint64_t inode; /* 0: no file */
} world_kind;

static const world_kind world_kinds[] = {
    {"rw-p", "", 0},
    {"---p", "", 0},
    {"r--p", "", 0},
    {"rw-p", "[heap]", 0},
    {"r-xp", "/opt/app/bin/app", 11},
    {"r--p", "/usr/lib/libx.so.1", 12},
    {"rw-s", "/dev/shm/ring", 13},
    {"r--p", "/var/cache/data (deleted)", 14},
};
#define WORLD_KINDS (COUNT(world_kinds))

typedef struct world_map {
    uint64_t page, n, offset; /* in pages */
    size_t kind;
    uint64_t rss, dirty, swap;
} world_map;

typedef struct world {
    world_map map[WORLD_MAPS];
    size_t n;
} world;

typedef struct world_history {
    pm_capture *capture[WORLD_CAPTURES];
    size_t n;
} world_history;

static inline bool world_is_free(const world *w, uint64_t page, uint64_t n, size_t but)
{
    for (size_t i = 0; i < w->n; i++)
        if (i != but && page < w->map[i].page + w->map[i].n && w->map[i].page < page + n)
            return false;
    return page + n <= WORLD_PAGES;
}

static inline void world_touch(world_map *m, uint64_t *seed)
{
    m->rss = kit_below(seed, m->n * 4 + 1);
    m->dirty = kit_below(seed, m->rss + 1);
    m->swap = kit_below(seed, 3);
}

static inline void world_add(world *w, uint64_t *seed)
{
    world_map m = {.page = kit_below(seed, WORLD_PAGES),
                   .n = 1 + kit_below(seed, 12),
                   .kind = kit_below(seed, WORLD_KINDS)};

    if (w->n == WORLD_MAPS || !world_is_free(w, m.page, m.n, WORLD_MAPS))
        return;
    if (world_kinds[m.kind].inode)
        m.offset = kit_below(seed, 4);
    world_touch(&m, seed);
    w->map[w->n++] = m;
}

/* Adds a guard and a stack right above it; they may touch other mappings. */
static inline void world_thread(world *w, uint64_t *seed)
{
    world_map guard = {
        .page = kit_below(seed, WORLD_PAGES), .n = 1 + kit_below(seed, 3), .kind = 1};
    world_map stack = {.page = guard.page + guard.n, .n = WORLD_STACK, .kind = 0};

    if (kit_below(seed, 4) == 0)
        guard.n = WORLD_STACK + kit_below(seed, 2); /* the largest guard, or a reserve */
    stack.page = guard.page + guard.n;
    if (w->n + 2 > WORLD_MAPS || !world_is_free(w, guard.page, guard.n + stack.n, WORLD_MAPS))
        return;
    world_touch(&stack, seed);
    w->map[w->n++] = guard;
    w->map[w->n++] = stack;
}

static inline void world_drop(world *w, size_t i)
{
    w->map[i] = w->map[--w->n];
}

/* Grows a mapping up or down; the offset of a file follows its start. */
static inline void world_grow(world *w, size_t i, uint64_t *seed)
{
    world_map m = w->map[i];
    uint64_t by = 1 + kit_below(seed, 4);

    if (kit_below(seed, 2) && m.page >= by && (m.offset >= by || !world_kinds[m.kind].inode)) {
        m.page -= by;
        m.offset -= world_kinds[m.kind].inode ? by : 0;
    }
    m.n += by;
    if (world_is_free(w, m.page, m.n, i))
        w->map[i] = m;
}

static inline void world_split(world *w, size_t i, uint64_t *seed)
{
    world_map *m = &w->map[i], tail = *m;
    uint64_t head = 1 + kit_below(seed, m->n), hole = kit_below(seed, 2);

    if (w->n == WORLD_MAPS || head + hole >= m->n)
        return;
    tail.page += head + hole;
    tail.n -= head + hole;
    tail.offset += world_kinds[m->kind].inode ? head + hole : 0;
    m->n = head;
    if (m->rss > m->n * 4)
        m->rss = m->dirty = m->n * 4;
    w->map[w->n++] = tail;
}

/* Merges a mapping with the equal one right above it, as the kernel does. */
static inline void world_merge(world *w, size_t i)
{
    for (size_t k = 0; k < w->n; k++) {
        const world_map *next = &w->map[k];
        world_map *m = &w->map[i];
        bool file = world_kinds[m->kind].inode != 0;

        if (next->page == m->page + m->n && next->kind == m->kind &&
            (!file || next->offset == m->offset + m->n)) {
            m->n += next->n;
            world_drop(w, k);
            return;
        }
    }
}

static inline void world_move(world *w, size_t i, uint64_t *seed)
{
    uint64_t page = kit_below(seed, WORLD_PAGES);

    if (world_is_free(w, page, w->map[i].n, i))
        w->map[i].page = page;
}

static inline void world_step(world *w, uint64_t *seed)
{
    size_t i = w->n ? kit_below(seed, w->n) : 0;

    if (w->n < 4) {
        world_add(w, seed);
        return;
    }
    switch (kit_below(seed, 12)) {
    case 0:
    case 1:
        world_add(w, seed);
        break;
    case 2:
        world_drop(w, i);
        break;
    case 3:
        world_grow(w, i, seed);
        break;
    case 4:
        world_split(w, i, seed);
        break;
    case 5:
        world_merge(w, i);
        break;
    case 6:
        world_move(w, i, seed);
        break;
    case 7: /* mprotect */
        if (w->map[i].kind < 3)
            w->map[i].kind = (w->map[i].kind + 1 + kit_below(seed, 2)) % 3;
        break;
    case 8:
        world_thread(w, seed);
        break;
    default:
        world_touch(&w->map[i], seed);
    }
}

/* ---- captures of a world ---- */

static inline void world_numbers(const world_map *m, pm_dialect dialect, pm_mapping *out)
{
    pm_set(out, PM_SIZE, m->n * (WORLD_PAGE / 1024));
    if (dialect == PM_DIALECT_PMAP)
        return;
    pm_set(out, PM_RSS, m->rss);
    if (dialect == PM_DIALECT_PMAP_SMALL_X) {
        pm_set(out, PM_DIRTY, m->dirty);
        return;
    }
    pm_set(out, PM_PSS, m->rss - m->rss / 3);
    pm_set(out, PM_PRIVATE_DIRTY, m->dirty);
    pm_set(out, PM_PRIVATE_CLEAN, m->rss - m->dirty);
    pm_set(out, PM_SHARED_CLEAN, 0);
    pm_set(out, PM_SHARED_DIRTY, 0);
    pm_set(out, PM_SWAP, m->swap);
    if (dialect == PM_DIALECT_SMAPS)
        pm_set(out, PM_KSM, m->swap / 2);
}

static inline void world_row(const kit *k, pm_capture *c, const world_map *m)
{
    const world_kind *kind = &world_kinds[m->kind];
    pm_dialect dialect = c->block.dialect;
    bool narrow = dialect >= PM_DIALECT_PMAP_SMALL_X;
    pm_text path = pm_text_of(kind->path);
    pm_mapping row = {.start = WORLD_BASE + m->page * WORLD_PAGE};

    row.end = row.start + m->n * WORLD_PAGE;
    snprintf(row.perms, sizeof row.perms, "%s", kind->perms);
    if (narrow)
        path = path.len && path.data[0] == '[' ? PM_TEXT("") : pm_text_basename(path);
    else {
        row.present = PM_HAS_OFFSET | PM_HAS_DEVICE | PM_HAS_INODE | PM_HAS_PSEUDO;
        row.offset = m->offset * WORLD_PAGE;
        row.inode = kind->inode;
        row.dev_major = kind->inode ? 8 : 0;
    }
    if (dialect == PM_DIALECT_SMAPS) {
        row.present |= PM_HAS_FLAGS;
        row.flags = PM_TEXT("rd mr mw");
    }
    row.path = path;
    world_numbers(m, dialect, &row);
    kit_add(k, c, &row);
}

/* Adds the stack, which never changes in a life and identifies it. */
static inline void world_stack(const kit *k, pm_capture *c)
{
    pm_mapping row = {.start = 0x7ffc00000000U + (uint64_t)c->pid * 0x100000,
                      .path = PM_TEXT("[stack]"),
                      .perms = "rw-p"};
    world_map numbers = {.n = 3, .rss = 8, .dirty = 8};

    row.end = row.start + UINT64_C(3) * WORLD_PAGE;
    if (c->block.dialect < PM_DIALECT_PMAP_SMALL_X)
        row.present = PM_HAS_OFFSET | PM_HAS_DEVICE | PM_HAS_INODE | PM_HAS_PSEUDO;
    if (c->block.dialect == PM_DIALECT_SMAPS)
        row.present |= PM_HAS_FLAGS;
    world_numbers(&numbers, c->block.dialect, &row);
    kit_add(k, c, &row);
}

/* Returns the sums that smaps_rollup, or the footer of pmap -x or pmap, shows. */
static inline pm_capture *world_totals(const kit *k, const world *w, pm_dialect dialect,
                                       int64_t pid, int64_t ms, uint64_t *seed)
{
    pm_capture *c = kit_totals(k, dialect, pid, ms);
    uint64_t size = 3 * (WORLD_PAGE / 1024), rss = 8, dirty = 8, swap = 0;

    c->block.hash = kit_random(seed);
    kit_name(c, "app", PM_NAME_HEADER);
    for (size_t i = 0; i < w->n; i++) {
        size += w->map[i].n * (WORLD_PAGE / 1024);
        rss += w->map[i].rss;
        dirty += w->map[i].dirty;
        swap += w->map[i].swap;
    }
    if (dialect != PM_DIALECT_ROLLUP)
        kit_total(c, PM_TOTAL_SIZE, PM_BIT(PM_SIZE), size);
    if (dialect != PM_DIALECT_PMAP)
        kit_total(c, PM_TOTAL_RSS, PM_BIT(PM_RSS), rss);
    if (dialect == PM_DIALECT_ROLLUP) {
        kit_total(c, PM_TOTAL_PRIVATE, PM_BIT(PM_PRIVATE_CLEAN), rss);
        kit_total(c, PM_TOTAL_PRIVATE_DIRTY, PM_BIT(PM_PRIVATE_DIRTY), dirty);
        kit_total(c, PM_TOTAL_SWAP, PM_BIT(PM_SWAP), swap);
    }
    return c;
}

static inline pm_capture *world_capture(const kit *k, const world *w, pm_dialect dialect,
                                        int64_t pid, int64_t ms, uint64_t *seed)
{
    pm_capture *c = kit_capture(k, dialect, pid, ms);
    bool partial = kit_below(seed, 12) == 0;

    c->block.hash = kit_random(seed);
    kit_name(c, "app", PM_NAME_HEADER);
    for (size_t i = 0; i < w->n; i++)
        if (!partial || kit_below(seed, 4))
            world_row(k, c, &w->map[i]);
    world_stack(k, c);
    if (partial)
        kit_partial(c);
    return c;
}

static inline void world_free(world_history *h)
{
    for (size_t i = 0; i < h->n; i++)
        pm_capture_free(h->capture[i]);
    h->n = 0;
}

static inline void world_swap(world_history *h, size_t i, size_t k)
{
    pm_capture *c = h->capture[i];

    h->capture[i] = h->capture[k];
    h->capture[k] = c;
}

static inline void world_shuffle(world_history *h, uint64_t seed)
{
    for (size_t i = h->n; i > 1; i--)
        world_swap(h, i - 1, kit_below(&seed, i));
}

/* Returns the number in an environment variable, or `otherwise` if it is not set. */
static inline uint64_t world_given(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);

    if (text)
        assert_true(pm_num_all(pm_text_of(text), &otherwise));
    return otherwise;
}

/* for (WORLD_SEEDS(seed, 12)): 12 seeds, or PMAPDB_SEEDS of them, from 1 or PMAPDB_SEED. */
#define WORLD_SEEDS(seed, n)                                                                 \
    uint64_t seed = world_given("PMAPDB_SEED", 1), seed##s = world_given("PMAPDB_SEEDS", n); \
    seed##s > 0;                                                                             \
    seed##s--, seed++

#endif
