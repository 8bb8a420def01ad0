/* timeline_test: beats, who leads them, and what each capture takes its lineages from. */
#include "kit.h"

#include "store/timeline.h"

#define S PM_DIALECT_SMAPS
#define XX PM_DIALECT_PMAP_XX
#define X PM_DIALECT_PMAP_SMALL_X
#define P PM_DIALECT_PMAP

typedef struct beat {
    int64_t ms;
    pm_dialect dialect;
    int complete;
    int leads, base; /* wanted; base -1: none */
} beat;

static pm_beat_item item_of(const beat *b, int64_t id)
{
    return (pm_beat_item){.snapshot_id = id,
                          .taken_ms = b->ms,
                          .dialect = b->dialect,
                          .state = b->complete ? PM_STATE_COMPLETE : PM_STATE_PARTIAL};
}

/* In both orders of insertion. */
static void check(const beat *beats, size_t n)
{
    for (int backwards = 0; backwards < 2; backwards++) {
        pm_timeline t = {0};
        size_t at;

        for (size_t i = 0; i < n; i++) {
            size_t k = backwards ? n - 1 - i : i;
            pm_beat_item item = item_of(&beats[k], (int64_t)k + 1);

            item.ordinal = (int64_t)k;
            assert_int_equal(pm_timeline_insert(&t, &item, &at, NULL), PMAPDB_OK);
            assert_int_equal(t.item[at].snapshot_id, k + 1);
        }
        pm_timeline_derive(&t, KIT_SWEEP);
        for (size_t i = 0; i < n; i++) {
            size_t base = beats[i].base < 0 ? PM_NO_BASE : (size_t)beats[i].base;

            assert_int_equal(t.item[i].snapshot_id, i + 1);
            if (t.item[i].leads != (beats[i].leads != 0) || t.item[i].base != base)
                print_error("item %zu: leads %d, base %zd\n", i, t.item[i].leads,
                            (ssize_t)t.item[i].base);
            assert_int_equal(t.item[i].leads, beats[i].leads != 0);
            assert_int_equal(t.item[i].base, base);
        }
        pm_timeline_free(&t);
    }
}

#define CHECK(...) \
    check((const beat[]){__VA_ARGS__}, sizeof((const beat[]){__VA_ARGS__}) / sizeof(beat))

static void leaders_form_the_spine(void **state)
{
    (void)state;
    CHECK({0, S, 1, 1, -1}, {5000, S, 1, 1, 0}, {10000, S, 1, 1, 1});
    /* the one with most fields leads, others borrow from it, wherever it stands in its beat */
    CHECK({0, X, 1, 0, 1}, {100, S, 1, 1, -1}, {200, P, 1, 0, 1}, {5000, X, 1, 1, 1});
    CHECK({0, S, 1, 1, -1}, {0, X, 1, 0, 0}, {5000, S, 1, 1, 0}, {5000, XX, 1, 0, 2},
          {5000, X, 1, 0, 2});
}

static void partial_captures_never_lead(void **state)
{
    (void)state;
    CHECK({0, S, 0, 0, 1}, {100, X, 1, 1, -1}, {5000, S, 0, 0, 1}, {9000, S, 1, 1, 1});
    /* without any leader a stream continues itself */
    CHECK({0, S, 0, 0, -1}, {100, X, 0, 0, -1}, {5000, S, 0, 0, 0}, {5000, X, 0, 0, 1});
    /* complete and partial ones of one dialect are two streams */
    CHECK({0, S, 0, 0, -1}, {5000, S, 1, 1, -1}, {9000, S, 0, 0, 1});
}

static void beat_ends(void **state)
{
    (void)state;
    /* at the sweep */
    CHECK({0, S, 1, 1, -1}, {KIT_SWEEP, X, 1, 0, 0});
    CHECK({0, S, 1, 1, -1}, {KIT_SWEEP + 1, X, 1, 1, 0});
    /* counted from its first, not from the one before */
    CHECK({0, X, 1, 0, 1}, {600, S, 1, 1, -1}, {1200, P, 1, 1, 1});
    /* where a dialect comes again */
    CHECK({0, S, 1, 1, -1}, {300, S, 1, 1, 0}, {600, S, 1, 1, 1});
    CHECK({0, X, 1, 0, 1}, {100, S, 1, 1, -1}, {500, X, 1, 1, 1}, {700, P, 1, 0, 2});
    /* at one moment too */
    CHECK({0, S, 1, 1, -1}, {0, S, 1, 1, 0}, {0, X, 1, 0, 1});
    /* a partial one counts as its dialect */
    CHECK({0, S, 0, 0, -1}, {300, S, 1, 1, -1});
}

static void ties_are_broken_by_what_was_read(void **state)
{
    static const pm_beat_item items[] = {
        {.snapshot_id = 1, .taken_ms = 5, .dialect = S, .ordinal = 0, .hash = 9},
        {.snapshot_id = 2, .taken_ms = 5, .dialect = S, .ordinal = 1, .hash = -3},
        {.snapshot_id = 3, .taken_ms = 5, .dialect = S, .ordinal = 1, .hash = 3},
        {.snapshot_id = 4, .taken_ms = 5, .dialect = X, .ordinal = 0, .hash = 1},
        {.snapshot_id = 5, .taken_ms = 6, .dialect = S, .ordinal = 0, .hash = 0},
    };

    (void)state;
    for (uint64_t seed = 1; seed < 50; seed++) {
        uint64_t chance = seed;
        pm_timeline t = {0};
        bool done[5] = {false};
        size_t at;

        for (size_t n = 0; n < 5;) {
            size_t k = kit_below(&chance, 5);

            if (done[k])
                continue;
            done[k] = true;
            n++;
            assert_int_equal(pm_timeline_insert(&t, &items[k], &at, NULL), PMAPDB_OK);
        }
        for (size_t i = 0; i < 5; i++)
            assert_int_equal(t.item[i].snapshot_id, i + 1);
        pm_timeline_free(&t);
    }
}

static void before_in_stream(void **state)
{
    static const beat beats[] = {{0, S, 1, 0, 0}, {1, X, 1, 0, 0}, {2, S, 0, 0, 0},
                                 {3, S, 1, 0, 0}, {4, X, 1, 0, 0}, {5, S, 0, 0, 0}};
    static const size_t wanted[] = {PM_NO_BASE, PM_NO_BASE, PM_NO_BASE, 0, 1, 2};
    pm_timeline t = {0};
    size_t at;

    (void)state;
    for (size_t i = 0; i < 6; i++) {
        pm_beat_item item = item_of(&beats[i], (int64_t)i);

        assert_int_equal(pm_timeline_insert(&t, &item, &at, NULL), PMAPDB_OK);
    }
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(pm_timeline_before_in_stream(&t, i), wanted[i]);
    pm_timeline_free(&t);
}

/* What an append reads of a long history gives its end the same bases as the whole does; sums only
 * are in neither. */
static void tail_is_as_good_as_the_whole(void **state)
{
    kit *k = kit_of(state);
    pm_timeline tail = {0}, whole = {0};
    uint64_t seed = 7;
    int64_t ms = 1700000000000;
    size_t skipped;

    for (int i = 0; i < 150; i++) {
        pm_capture *c = kit_capture(k, kit_below(&seed, 2) ? S : X, 5, ms);

        kit_map(k, c, 0x10000, 64, "rw-p", "");
        kit_map(k, c, 0x7ff000000000, 132, "rw-p", "[stack]");
        kit_put(k, c);
        if (kit_below(&seed, 3) == 0) { /* in no beat */
            c = kit_totals(k, kit_below(&seed, 2) ? X : PM_DIALECT_ROLLUP, 5, ms);
            kit_total(c, PM_TOTAL_RSS, PM_BIT(PM_RSS), 98);
            kit_put(k, c);
        }
        ms += kit_below(&seed, 3) ? 400 : 3000;
    }
    assert_int_equal(pm_timeline_load(k->store->sql, 1, &whole, NULL), PMAPDB_OK);
    assert_int_equal(pm_timeline_load_tail(k->store->sql, 1, KIT_SWEEP, &tail, NULL), PMAPDB_OK);
    assert_int_equal(whole.n, 150);
    assert_true(whole.whole);
    assert_false(tail.whole);
    assert_true(tail.n > 2 && tail.n < 150);
    pm_timeline_derive(&whole, KIT_SWEEP);
    pm_timeline_derive(&tail, KIT_SWEEP);
    skipped = whole.n - tail.n;
    for (size_t i = 0; i < tail.n; i++) {
        assert_int_not_equal(tail.item[i].state, PM_STATE_TOTALS);
        assert_int_equal(tail.item[i].snapshot_id, whole.item[i + skipped].snapshot_id);
        assert_int_equal(tail.item[i].leads, whole.item[i + skipped].leads);
        if (tail.item[i].base != PM_NO_BASE)
            assert_int_equal(tail.item[i].base + skipped, whole.item[i + skipped].base);
    }
    assert_int_not_equal(tail.item[tail.n - 1].base, PM_NO_BASE);
    pm_timeline_free(&tail);
    pm_timeline_free(&whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaders_form_the_spine),
        cmocka_unit_test(partial_captures_never_lead),
        cmocka_unit_test(beat_ends),
        cmocka_unit_test(ties_are_broken_by_what_was_read),
        cmocka_unit_test(before_in_stream),
        IN_KIT(tail_is_as_good_as_the_whole),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
