/* order_test: the answers do not depend on the order in which captures are stored.
 *
 * A seed gives a history of two processes of one name: several dialects, partial captures and
 * captures with sums only, equal times, mappings that grow, split, merge, move, vanish and come
 * back, stacks of threads and guards, which lose their neighbours. It is stored in time order, then
 * in other orders; everything except the ids must be equal. PMAPDB_SEEDS=N: the number of seeds. */
#include "answers.h"
#include "whole.h"
#include "world.h"

#define SEEDS 8

/* ---- a history ---- */

static const int64_t steps[] = {0, 1, 300, 700, 1000, 1001, 5000, 60000};

/* Records sums only, in dialects with and without other captures, often the same sums as before. */
static void record_totals(const kit *k, world_history *h, const world *w, int64_t pid, int64_t ms,
                          uint64_t *seed)
{
    static const pm_dialect dialects[] = {PM_DIALECT_ROLLUP, PM_DIALECT_PMAP_SMALL_X,
                                          PM_DIALECT_PMAP, PM_DIALECT_ROLLUP};

    for (uint64_t n = kit_below(seed, 3); n > 0 && h->n < WORLD_CAPTURES; n--) {
        pm_dialect dialect = dialects[kit_below(seed, 4)];
        pm_capture *c =
            world_totals(k, w, dialect, pid, ms + (int64_t)kit_below(seed, 3) * 100, seed);

        c->ordinal = (int64_t)h->n;
        h->capture[h->n++] = c;
    }
}

static void record(const kit *k, world_history *h, const world *w, int64_t pid, int64_t ms,
                   uint64_t *seed)
{
    static const pm_dialect dialects[] = {PM_DIALECT_SMAPS, PM_DIALECT_PMAP_XX,
                                          PM_DIALECT_PMAP_SMALL_X, PM_DIALECT_PMAP};
    uint64_t which = 1 + kit_below(seed, 15);

    /* few dialects for the most part, so that epochs fill */
    if (kit_below(seed, 3))
        which &= 5;
    if (!which)
        which = 1;
    for (size_t i = 0; i < 4 && h->n < WORLD_CAPTURES; i++) {
        pm_capture *c;

        if (!(which & (1U << i)))
            continue;
        c = world_capture(k, w, dialects[i], pid, ms + (int64_t)kit_below(seed, 3) * 100, seed);
        c->ordinal = (int64_t)h->n;
        h->capture[h->n++] = c;
    }
}

/* Makes a history; process 100 sometimes returns to an earlier state. */
static void make_history(const kit *k, world_history *h, uint64_t seed)
{
    world w[2] = {0}, remembered;
    int64_t ms = 1700000000000;
    size_t beats = 8 + kit_below(&seed, 24);
    bool two = kit_below(&seed, 2), totals = kit_below(&seed, 3);

    *h = (world_history){0};
    for (int i = 0; i < 6; i++) {
        world_add(&w[0], &seed);
        world_add(&w[1], &seed);
        world_thread(&w[i % 2], &seed);
    }
    remembered = w[0];
    for (size_t b = 0; b < beats; b++) {
        size_t n = kit_below(&seed, 6);

        for (size_t i = 0; i < n; i++)
            world_step(&w[kit_below(&seed, 2)], &seed);
        if (kit_below(&seed, 8) == 0)
            w[0] = remembered;
        if (kit_below(&seed, 6) == 0)
            remembered = w[0];
        record(k, h, &w[0], 100, ms, &seed);
        if (two)
            record(k, h, &w[1], 101, ms, &seed);
        if (totals)
            record_totals(k, h, &w[b % 2], two ? 100 + (int64_t)b % 2 : 100, ms, &seed);
        ms += steps[kit_below(&seed, COUNT(steps))];
    }
}

static int by_time(const void *a, const void *b)
{
    const pm_capture *x = *(pm_capture *const *)a, *y = *(pm_capture *const *)b;

    if (x->taken_ms != y->taken_ms)
        return x->taken_ms < y->taken_ms ? -1 : 1;
    if (x->block.dialect != y->block.dialect)
        return x->block.dialect < y->block.dialect ? -1 : 1;
    if (x->pid != y->pid)
        return x->pid < y->pid ? -1 : 1;
    return x->ordinal < y->ordinal ? -1 : x->ordinal > y->ordinal;
}

static void sort(world_history *h)
{
    qsort(h->capture, h->n, sizeof h->capture[0], by_time);
}

/* Puts a few captures out of order, as overlapping cron jobs and an older file do. */
static void disturb(world_history *h, uint64_t seed)
{
    sort(h);
    for (size_t i = 0; i + 1 < h->n; i++) {
        size_t at = i + kit_below(&seed, 4);

        if (at < h->n && kit_below(&seed, 3) == 0)
            world_swap(h, i, at);
    }
}

static void reverse(world_history *h)
{
    sort(h);
    for (size_t i = 0; i < h->n / 2; i++)
        world_swap(h, i, h->n - 1 - i);
}

/* ---- the captures as they were given ---- */

static void add_number(pm_buf *out, int64_t v)
{
    if (v == PMAPDB_UNKNOWN)
        pm_buf_add(out, "|?", 2, NULL);
    else
        pm_buf_addf(out, NULL, "|%lld", (long long)v);
}

/* Appends the rows that the view should show; captures with sums only have none. */
static void write_rows(const pm_capture *c, pm_buf *out)
{
    static const enum pm_field fields[] = {PM_SIZE,          PM_RSS,  PM_PSS,
                                           PM_PRIVATE_DIRTY, PM_SWAP, PM_KSM};
    const pm_mapping **rows = kit_rows_by_start(c);

    for (size_t i = 0; i < c->n_rows; i++) {
        const pm_mapping *m = rows[i];

        pm_buf_addf(out, NULL, "%lld|%lld|%lld|%s|%.*s", (long long)c->block.hash,
                    (long long)m->start, (long long)m->end, m->perms, (int)m->path.len,
                    m->path.data);
        for (size_t f = 0; f < COUNT(fields); f++)
            add_number(out, pm_has(m, PM_BIT(fields[f])) ? (int64_t)m->value[fields[f]]
                                                         : PMAPDB_UNKNOWN);
        add_number(out, pm_has(m, PM_HAS_OFFSET) ? (int64_t)m->offset : PMAPDB_UNKNOWN);
        pm_buf_add(out, "\n", 1, NULL);
    }
    free(rows);
}

/* Appends the sums of a capture with sums only, which categories show. */
static void write_sums(const pm_capture *c, pm_buf *out)
{
    if (c->block.state != PM_STATE_TOTALS)
        return;
    pm_buf_addf(out, NULL, "%lld|total", (long long)c->block.hash);
    for (int i = 0; i < PM_TOTAL_COUNT; i++)
        add_number(out, c->block.totals.v[i] < 0 ? PMAPDB_UNKNOWN : c->block.totals.v[i]);
    pm_buf_add(out, "\n", 1, NULL);
}

static int by_hash(const void *a, const void *b)
{
    int64_t x = (int64_t)(*(pm_capture *const *)a)->block.hash;
    int64_t y = (int64_t)(*(pm_capture *const *)b)->block.hash;

    return x < y ? -1 : x > y;
}

/* Appends the rows that the queries in `given` should return. Sorts the history by hash. */
static void write_given(world_history *h, pm_buf *out)
{
    qsort(h->capture, h->n, sizeof h->capture[0], by_hash);
    for (size_t i = 0; i < h->n; i++)
        pm_buf_addf(out, NULL, "%lld|%lld|%lld\n", (long long)h->capture[i]->block.hash,
                    (long long)h->capture[i]->pid, (long long)h->capture[i]->taken_ms);
    for (size_t i = 0; i < h->n; i++)
        write_rows(h->capture[i], out);
    for (size_t i = 0; i < h->n; i++)
        write_sums(h->capture[i], out);
}

static const char *const given[] = {
    "SELECT s.hash, p.pid, s.taken_ms FROM snapshot s JOIN process p ON p.process_id = "
    "s.process_id ORDER BY 1",
    "SELECT s.hash, m.start, m.end, m.perms, m.path, m.size_kib, m.rss_kib, m.pss_kib, "
    "m.private_dirty_kib, m.swap_kib, m.ksm_kib, m.offset FROM snapshot s JOIN mappings m ON "
    "m.snapshot_id = s.snapshot_id ORDER BY s.hash, m.start",
    "SELECT s.hash, c.category, c.mappings, c.size_kib, c.rss_kib, c.pss_kib, c.private_kib, "
    "c.private_dirty_kib, c.swap_kib FROM snapshot s JOIN categories c ON c.snapshot_id = "
    "s.snapshot_id WHERE s.state = 'totals' ORDER BY 1",
};

static bool gives_back(const kit *k, const pm_buf *want)
{
    pm_buf got = {0};
    bool equal;

    for (size_t i = 0; i < COUNT(given); i++)
        kit_rows(k, &got, given[i]);
    equal = answers_equal(&got, want);
    pm_buf_free(&got);
    return equal;
}

/* ---- one history in one order ---- */

/* together: the number of captures in each transaction. */
static bool store_all(kit *k, const world_history *h, size_t reopen, size_t together,
                      const pm_buf *want, pm_buf *out)
{
    size_t step = reopen ? reopen * together : h->n;

    kit_anew(k);
    for (size_t i = 0; i < h->n; i += step) {
        if (i > 0) {
            kit_reopen(k);
        }
        kit_store_all(k, h->capture + i, i + step < h->n ? step : h->n - i, together);
    }
    answers(k, out);
    return whole_store(k) && gives_back(k, want);
}

static bool try_seed(kit *k, uint64_t seed)
{
    static const char *const orders[] = {"shuffled", "disturbed", "reversed", "shuffled, reopened"};
    world_history h;
    pm_buf want = {0}, in_order = {0}, other = {0};
    bool good;

    make_history(k, &h, seed);
    write_given(&h, &want);
    sort(&h);
    good = store_all(k, &h, 0, seed % 2 ? 1 : 7, &want, &in_order);
    for (int i = 0; i < 4 && good; i++) {
        if (i == 1)
            disturb(&h, seed);
        else if (i == 2)
            reverse(&h);
        else
            world_shuffle(&h, seed + (uint64_t)i);
        if (i > 0 && (seed + (uint64_t)i) % 3 != 0)
            continue;
        good = store_all(k, &h, i == 3 ? 5 : 0, (seed + (uint64_t)i) % 2 ? 7 : 1, &want, &other) &&
               answers_equal(&other, &in_order);
        if (!good)
            print_error("seed %llu, %s: %zu captures\n", (unsigned long long)seed, orders[i], h.n);
    }
    pm_buf_free(&want);
    pm_buf_free(&in_order);
    pm_buf_free(&other);
    world_free(&h);
    return good;
}

IN_KIT(order_does_not_matter)
{
    int failed = 0;

    for (WORLD_SEEDS(seed, SEEDS))
        failed += !try_seed(k, seed);
    assert_int_equal(failed, 0);
}

RUN_TESTS(NULL, NULL)
