/* apply_within_test: merges stores that have other rules. PMAPDB_SEEDS=N: the number of histories.
 */
#include "answers.h"
#include "applied.h"
#include "merged.h"
#include "whole.h"
#include "world.h"

#define T0 1700000000000
#define SEEDS 4
#define MANY 700 /* captures of one process: more than one window of a merge */

/* ---- merging ---- */

static pm_capture *capture_of(const kit *k, const world *w, size_t i, int64_t ms, uint64_t *seed)
{
    static const pm_dialect dialects[] = {PM_DIALECT_PMAP_SMALL_X, PM_DIALECT_SMAPS};

    if (kit_below(seed, 9) == 0)
        return world_totals(k, w, PM_DIALECT_ROLLUP, 7, ms, seed);
    /* The stronger dialect begins in the middle, and decides again in a later window. */
    return world_capture(k, w, dialects[i > MANY * 6 / 7 || kit_below(seed, 40) == 0], 7, ms, seed);
}

static void put_both(const kit *a, const kit *b, size_t n, uint64_t seed)
{
    static pm_capture *of_a[MANY], *of_b[MANY];
    world w = {0};

    for (int i = 0; i < 10; i++)
        world_add(&w, &seed);
    for (int i = 0; i < 4; i++)
        world_thread(&w, &seed);
    for (size_t i = 0; i < n; i++) {
        int64_t ms = T0 + (int64_t)i * 60000;
        uint64_t again = seed;

        of_a[i] = capture_of(a, &w, i, ms, &seed);
        of_b[i] = capture_of(b, &w, i, ms, &again);
        for (uint64_t steps = kit_below(&seed, 3); steps > 0; steps--)
            world_step(&w, &seed);
    }
    kit_store_all(a, of_a, n, n / 6);
    kit_store_all(b, of_b, n, n / 6);
    for (size_t i = 0; i < n; i++) {
        pm_capture_free(of_a[i]);
        pm_capture_free(of_b[i]);
    }
}

static bool merge_into(size_t n, uint64_t seed, const char *there, const char *here)
{
    kit *one = kit_new(), *other = kit_new(), *into = kit_new();
    pm_buf want = {0}, got = {0}, unused = {0};
    bool same;

    applied_use(one, here);
    applied_use(other, there);
    applied_use(into, here);
    put_both(one, other, n, seed);
    merge(into, other);
    answers(one, &want);
    answers(into, &got);
    kit_rows(into, &unused, APPLIED_UNUSED);
    same = answers_equal(&got, &want) && unused.len == 0;
    same = same && (strcmp(here, KIT_RULES) != 0 || whole_store(into));
    if (!same)
        print_error("%zu captures, seed %llu %s\n", n, (unsigned long long)seed,
                    pm_buf_text(&unused).data);
    pm_buf_free(&want);
    pm_buf_free(&got);
    pm_buf_free(&unused);
    kit_free(one);
    kit_free(other);
    kit_free(into);
    return same;
}

TEST(a_store_of_other_rules)
{
    uint64_t failed = 0;

    for (WORLD_SEEDS(seed, SEEDS)) {
        failed += !merge_into(30, seed, APPLIED_OTHERS, KIT_RULES);
        failed += !merge_into(30, seed, KIT_RULES, APPLIED_OTHERS);
    }
    assert_int_equal(failed, 0);
}

TEST(in_several_windows)
{
    assert_true(merge_into(MANY, 1, APPLIED_OTHERS, KIT_RULES));
}

/* Applies rules once, as another program would, between two windows. */
static bool apply_meanwhile(void *ctx, const pmapdb_progress *progress)
{
    kit *into = ctx;

    (void)progress;
    if (into->store)
        return true;
    kit_open(into);
    applied_to(into, KIT_RULES, true, NULL);
    return true;
}

TEST(rules_change_meanwhile)
{
    kit *one = kit_new(), *other = kit_new(), *into = kit_new(), *again = kit_new();
    pmapdb_merge_options options = {
        .sweep_ms = KIT_SWEEP, .ctx = again, .on_progress = apply_meanwhile};
    pm_merge_counts counts;
    pm_buf want = {0}, got = {0};
    pmapdb_error err = {0};
    bool theirs;

    applied_use(other, APPLIED_OTHERS);
    applied_use(into, APPLIED_OTHERS);
    put_both(one, other, MANY, 3);
    kit_remove_store(again);
    snprintf(again->path, sizeof again->path, "%s", into->path);
    kit_ok(pm_merge_store(into->store, other->store, &options, &counts, &theirs, &err), &err);
    answers(one, &want);
    answers(into, &got);
    assert_true(answers_equal(&got, &want));
    assert_true(whole_store(into));
    pm_buf_free(&want);
    pm_buf_free(&got);
    kit_close(again);
    again->path[0] = '\0';
    kit_free(again);
    kit_free(one);
    kit_free(other);
    kit_free(into);
}

RUN_TESTS(NULL, NULL)
