/* apply_within_test: rules and names in a transaction of somebody else: stores of other rules that
 * are merged, lineages that are named. */
#include "answers.h"
#include "applied.h"
#include "merged.h"
#include "whole.h"
#include "world.h"

#define T0 1700000000000
#define SEEDS 12
#define MANY 700 /* captures of one process: more than are taken over at a time */

/* ---- merging ---- */

static pm_capture *capture_of(const kit *k, const world *w, size_t i, int64_t ms, uint64_t *seed)
{
    static const pm_dialect dialects[] = {PM_DIALECT_PMAP_SMALL_X, PM_DIALECT_SMAPS};

    if (kit_below(seed, 9) == 0)
        return world_totals(k, w, PM_DIALECT_ROLLUP, 7, ms, seed);
    /* the stronger dialect begins in the midst, and in a later window decides again */
    return world_capture(k, w, dialects[i > MANY * 6 / 7 || kit_below(seed, 40) == 0], 7, ms, seed);
}

static void put_both(const kit *a, const kit *b, size_t n, uint64_t seed)
{
    world w = {0};

    for (int i = 0; i < 10; i++)
        world_add(&w, &seed);
    for (int i = 0; i < 4; i++)
        world_thread(&w, &seed);
    for (size_t i = 0; i < n; i++) {
        int64_t ms = T0 + (int64_t)i * 60000;
        uint64_t again = seed;

        kit_put(a, capture_of(a, &w, i, ms, &seed));
        kit_put(b, capture_of(b, &w, i, ms, &again));
        for (uint64_t steps = kit_below(&seed, 3); steps > 0; steps--)
            world_step(&w, &seed);
    }
}

static bool merge_into(size_t n, uint64_t seed, const char *there, const char *here)
{
    kit *one = new_kit(), *other = new_kit(), *into = new_kit();
    pm_buf want = {0}, got = {0}, unused = {0};
    bool same;
    void *k;

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
    kit_leave((k = one, &k));
    kit_leave((k = other, &k));
    kit_leave((k = into, &k));
    return same;
}

static void a_store_of_other_rules(void **state)
{
    uint64_t failed = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        failed += !merge_into(30, seed, APPLIED_OTHERS, KIT_RULES);
        failed += !merge_into(30, seed, KIT_RULES, APPLIED_OTHERS);
    }
    assert_int_equal(failed, 0);
}

static void in_several_windows(void **state)
{
    (void)state;
    assert_true(merge_into(MANY, 1, APPLIED_OTHERS, KIT_RULES));
    assert_true(merge_into(MANY, 2, KIT_RULES, APPLIED_OTHERS));
}

/* Another program, once: between two windows. */
static bool apply_meanwhile(void *ctx, const pm_merge_counts *counts)
{
    kit *into = ctx;

    (void)counts;
    if (into->store)
        return true;
    kit_open(into);
    applied_to(into, KIT_RULES, true, NULL);
    return true;
}

static void rules_change_meanwhile(void **state)
{
    kit *one = new_kit(), *other = new_kit(), *into = new_kit(), *again = new_kit();
    pm_merge_options options = {.sweep_ms = KIT_SWEEP, .ctx = again, .keep_going = apply_meanwhile};
    pm_merge_counts counts;
    pm_buf want = {0}, got = {0};
    pmapdb_error err = {0};
    bool theirs;
    void *k;

    (void)state;
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
    kit_leave((k = again, &k));
    kit_leave((k = one, &k));
    kit_leave((k = other, &k));
    kit_leave((k = into, &k));
}

/* ---- names ---- */

/* 64 KiB of guard and 8 MiB, a block of 2 MiB. */
static void put_one(const kit *k, pm_dialect dialect, int minute)
{
    pm_capture *c = kit_capture(k, dialect, 7, T0 + (int64_t)minute * 60000);

    kit_name(c, "app", PM_NAME_HEADER);
    kit_map(k, c, 0x7f0000000000U, 64, "---p", "");
    kit_map(k, c, 0x7f0000010000U, 8192, "rw-p", "");
    kit_map(k, c, 0x7f0010000000U, 2000 + (uint64_t)minute * 4, "rw-p", "");
    kit_map(k, c, 0x7ff000000000U, 132, "rw-p", "[stack]");
    kit_put(k, c);
}

/* All lineages of the category, until the transaction ends. */
static void name(const kit *k, const char *category, const char *name, const char *rule)
{
    pm_apply_within in = {.sql = k->store->sql};
    pm_apply_ruling ruling = {.ruling = {.rule = rule}};
    pmapdb_error err = {0};

    kit_ok(pm_objects_new(in.sql, &in.objects, &err), &err);
    kit_ok(pm_category_ids_new(in.sql, &in.refine.categories, &err), &err);
    kit_ok(
        pm_sql_int(in.sql, "SELECT process_id FROM process", PM_NO_ARGS, 0, &in.process_id, &err),
        &err);
    kit_ok(pm_sql_int(in.sql,
                      "SELECT lineage_id FROM lineage JOIN category USING (category_id) "
                      "WHERE category = ?1",
                      PM_ARGS(PM_S(category)), 0, &ruling.lineage_id, &err),
           &err);
    if (name)
        kit_ok(pm_category_id(in.refine.categories, pm_text_of(name), PM_TEXT(""), false,
                              &ruling.ruling.kept, &err),
               &err);
    kit_ok(pm_apply_lineages(&in, &ruling, 1, &err), &err);
    pm_category_ids_free(in.refine.categories);
    pm_objects_free(in.objects);
}

static void lineages_are_named(void **state)
{
    static const char rows[] = "SELECT DISTINCT m.category, l.rule, m.mappings FROM "
                               "categories m LEFT JOIN (SELECT c.category, l.rule FROM "
                               "lineage l JOIN category c USING (category_id)) l USING "
                               "(category) ORDER BY 1";
    const kit *k = kit_of(state);

    put_one(k, PM_DIALECT_PMAP_SMALL_X, 0);
    put_one(k, PM_DIALECT_SMAPS, 1);
    put_one(k, PM_DIALECT_SMAPS, 2);
    kit_exec(k, "BEGIN IMMEDIATE");
    name(k, "anonymous", "anonymous/jvm-heap", "by hand");
    name(k, "anonymous/thread-stack", NULL, NULL);
    kit_expect(k, rows,
               "anonymous|?|1\nanonymous/jvm-heap|by hand|1\nreserve/guard|guard|1\n"
               "stack|?|1\n");
    name(k, "anonymous", "anonymous/thread-stack", "stack");
    kit_exec(k, "COMMIT");
    assert_true(whole_store(k));
    kit_expect(k, rows,
               "anonymous/jvm-heap|by hand|1\nanonymous/thread-stack|stack|1\n"
               "reserve/guard|guard|1\nstack|?|1\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_store_of_other_rules),
        cmocka_unit_test(in_several_windows),
        cmocka_unit_test(rules_change_meanwhile),
        IN_KIT(lineages_are_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
