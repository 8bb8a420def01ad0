/* label_test: whose names they are, what they make of lineages, and what becomes of them in a prune
 * and in a merge. */
#include "label_kit.h"
#include "merged.h"
#include "whole.h"

/* ---- names ---- */

static void half_of_a_row_is_enough(void **state)
{
    const kit *k = kit_of(state);
    pm_label_stored stored;

    put_java(k, 7, T0, 64);
    /* 64 KiB of heap, of which 32 are named; 31 of 64 of the second row; two names in the third */
    stored = name(k, 7, T0,
                  "10000000 32 Java Heap\n20000000 31 GC\n30000000 24 Code\n"
                  "30006000 40 Metaspace\n");
    assert_int_equal(stored.mappings, 2);
    assert_int_equal(stored.size_kib, 128);
    assert_int_equal(stored.lineages, 2);
    kit_expect(k, CATEGORIES,
               "268435456|anonymous/jvm-heap|label\n536870912|anonymous|?\n"
               "805306368|anonymous/jvm-metaspace|label\n");
    assert_true(whole_store(k));
}

static void the_first_name_stays(void **state)
{
    const kit *k = kit_of(state);

    put_java(k, 7, T0, 64);
    put_java(k, 7, T0 + 60000, 128); /* it grows: the same lineage */
    name(k, 7, T0, "10000000 64 Java Heap\n");
    kit_expect(k,
               "SELECT count(*), sum(size_kib) FROM mappings WHERE category = 'anonymous/jvm-heap'",
               "2|192\n");
    assert_int_equal(name(k, 7, T0 + 60000, "10000000 128 GC\n").lineages, 0);
    kit_expect(k, "SELECT count(*) FROM mappings WHERE category = 'anonymous/jvm-heap'", "2\n");
    assert_true(whole_store(k));
}

static void known_ones_change_nothing(void **state)
{
    const kit *k = kit_of(state);
    pm_label_stored again;

    put_java(k, 7, T0, 64);
    assert_false(name(k, 7, T0, "10000000 64 Java Heap\n20000000 64 GC\n").duplicate);
    again = name(k, 7, T0, "10000000 64 Java Heap\n20000000 64 GC\n");
    assert_true(again.duplicate);
    assert_int_equal(again.mappings, PMAPDB_UNKNOWN);
    /* any difference makes it another report of that moment */
    assert_false(name(k, 7, T0, "10000000 64 Java Heap\n20000000 63 GC\n").duplicate);
    assert_false(name(k, 7, T0, "10000000 64 Java Heap\n").duplicate);
    assert_false(name(k, 7, T0, "10000000 64 Java heap\n").duplicate);
    assert_false(name(k, 7, T0, "10000000 64 -Java heap\n").duplicate);
    assert_false(name(k, 7, T0, "10000000 64 Java heap\n").duplicate);
    assert_true(name(k, 7, T0, "10000000 64 Java heap\n").duplicate);
    kit_expect(k, "SELECT start, length, label FROM label", "268435456|65536|Java heap\n");
}

/* A capture that came since and lies nearer is named, too. */
static void known_ones_name_what_is_new(void **state)
{
    const kit *k = kit_of(state);
    int64_t since;

    put_java(k, 7, T0, 64);
    name(k, 7, T0 + 60000, "40000000 64 GC\n");
    kit_expect(k, NAMED, "");
    kit_ok(pm_label_newest(k->store, &since, NULL), NULL);
    put_more(k, 7, T0 + 59000);
    assert_true(name_since(k, 7, T0 + 60000, "40000000 64 GC\n", since).duplicate);
    kit_expect(k, NAMED, "anonymous/jvm-gc|1073741824\n");
    assert_true(whole_store(k));
}

static void what_nobody_covers_is_native(void **state)
{
    const kit *k = kit_of(state);

    put_java(k, 7, T0, 64);
    name(k, 7, T0, "10000000 64 Metaspace\n");
    put_more(k, 7, T0 + 60000);
    /* what rules would have said of the second row */
    assert_int_equal(
        sqlite3_exec(k->store->db,
                     "UPDATE region SET category_id = (SELECT category_id FROM "
                     "categories WHERE category = 'anonymous/jvm-metaspace') WHERE "
                     "start = 536870912; UPDATE lineage SET rule = 'by hand', "
                     "category_id = (SELECT category_id FROM categories WHERE category "
                     "= 'anonymous/jvm-metaspace') WHERE lineage_id IN (SELECT "
                     "lineage_id FROM region WHERE start = 536870912)",
                     NULL, NULL, NULL),
        SQLITE_OK);
    name(k, 7, T0 + 60000, "20000000 16 Metaspace\n");
    kit_expect(k, NAMED, "anonymous/jvm-metaspace|268435456\nanonymous/jvm-native|536870912\n");
}

/* ---- whose they are ---- */

static void the_nearest_capture_is_named(void **state)
{
    const kit *k = kit_of(state);

    put_java(k, 7, T0, 64);
    put_java(k, 8, T0 + 5000, 64);
    put_more(k, 7, T0 + 60000);
    assert_int_equal(name(k, 7, T0 + 29000, "10000000 64 GC\n").snapshot_ms, T0);
    assert_int_equal(name(k, 7, T0 + 31000, "10000000 64 GC\n").snapshot_ms, T0 + 60000);
    assert_int_equal(name(k, 7, 0, "10000000 64 GC\n").snapshot_ms, T0);
    assert_int_equal(name(k, 7, T0 * 2, "10000000 64 GC\n").snapshot_ms, T0 + 60000);
}

static void it_must_be_known(void **state)
{
    const kit *k = kit_of(state);
    pm_capture *sums = kit_totals(k, PM_DIALECT_ROLLUP, 9, T0);

    kit_put(k, sums); /* no mapping of it could be named */
    assert_int_equal(try_name(k, 9, NULL, "10000000 64 GC\n"), PMAPDB_INPUT);
    assert_int_equal(try_name(k, 7, NULL, "10000000 64 GC\n"), PMAPDB_INPUT);
    assert_int_equal(try_name(k, PMAPDB_UNKNOWN, NULL, "10000000 64 GC\n"), PMAPDB_INPUT);
    put_on(k, 7, "a");
    assert_int_equal(try_name(k, 7, NULL, "10000000 64 GC\n"), PMAPDB_OK);
    assert_int_equal(try_name(k, 7, "b", "10000000 64 GC\n"), PMAPDB_INPUT);
    put_on(k, 7, "b");
    assert_int_equal(try_name(k, 7, NULL, "10000000 64 GC\n"), PMAPDB_INPUT);
    assert_int_equal(try_name(k, 7, "b", "10000000 64 GC\n"), PMAPDB_OK);
    kit_expect(k, "SELECT count(*) FROM label", "2\n");
}

/* ---- stores ---- */

static void a_merge_takes_them_over(void **state)
{
    kit *whole = new_kit(), *part = new_kit(), *here = new_kit();
    void *k;

    (void)state;
    put_java(whole, 7, T0, 64);
    name(whole, 7, T0, "10000000 64 Java Heap\n");
    /* one store knows nothing of the process, one has another capture of it */
    put_java(part, 7, T0 + 1000, 64);
    merge(here, whole);
    merge(part, whole);
    kit_expect(here, "SELECT start, length, source, label FROM label",
               "268435456|65536|nmt|Java Heap\n");
    kit_expect(here, NAMED, "anonymous/jvm-heap|268435456\n");
    kit_expect(part, "SELECT count(*) FROM label", "1\n");
    kit_expect(part, NAMED, "anonymous/jvm-heap|268435456\n");
    merge(part, whole);
    kit_expect(part, "SELECT count(*) FROM label", "1\n");
    assert_true(whole_store(here));
    assert_true(whole_store(part));
    k = whole;
    kit_leave(&k);
    k = part;
    kit_leave(&k);
    k = here;
    kit_leave(&k);
}

static void prune(const kit *k, int64_t last)
{
    pmapdb_prune_options options;
    pmapdb_prune_result result;
    pmapdb_error err = {0};

    pmapdb_prune_defaults(&options);
    options.keep.last = last;
    kit_ok(pmapdb_prune(k->store, &options, &result, &err), &err);
}

static void a_prune_leaves_what_is_of_something(void **state)
{
    const kit *k = kit_of(state);

    for (int i = 0; i < 6; i++) {
        put_java(k, 7, T0 + i * INT64_C(60000), 64);
        name(k, 7, T0 + i * INT64_C(60000), "10000000 64 Java Heap\n");
    }
    prune(k, 2);
    kit_expect(k, "SELECT count(*), min(taken_ms) FROM label", "2|1700000240000\n");
    kit_expect(k, NAMED, "anonymous/jvm-heap|268435456\n");
    assert_true(whole_store(k));
    /* the last one of a process takes them with it */
    put_java(k, 8, T0 + 600000, 64);
    name(k, 8, T0 + 600000, "10000000 64 Java Heap\n");
    prune(k, 1);
    kit_expect(k, "SELECT p.pid, count(*) FROM label JOIN process p USING (process_id) GROUP BY 1",
               "8|1\n");
    assert_true(whole_store(k));
}

/* ---- captures that come late ---- */

/* Of a stack by its size and guard, before and behind what was named otherwise. */
static void late_captures_ask_no_rules(void **state)
{
    const kit *k = kit_of(state);

    for (int i = 2; i >= 0; i -= 2) { /* the later one first */
        pm_capture *c = kit_capture(k, i ? PM_DIALECT_PMAP_SMALL_X : PM_DIALECT_SMAPS, 7,
                                    T0 + i * INT64_C(60000));

        kit_map(k, c, 0x10000000 - 4096, 4, "---p", "");
        kit_map(k, c, 0x10000000, 1024, "rw-p", "");
        kit_put(k, c);
        if (i)
            name(k, 7, T0 + i * INT64_C(60000), "10000000 1024 Code\n");
    }
    kit_expect(k, "SELECT category, count(*) FROM mappings GROUP BY 1",
               "anonymous/jvm-code|2\nreserve/guard|2\n");
    kit_expect(k, "SELECT rule FROM lineage ORDER BY 1", "guard\nlabel\n");
    assert_true(whole_store(k));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_KIT(half_of_a_row_is_enough),           IN_KIT(the_first_name_stays),
        IN_KIT(known_ones_change_nothing),         IN_KIT(known_ones_name_what_is_new),
        IN_KIT(what_nobody_covers_is_native),      IN_KIT(late_captures_ask_no_rules),
        IN_KIT(the_nearest_capture_is_named),      IN_KIT(it_must_be_known),
        cmocka_unit_test(a_merge_takes_them_over), IN_KIT(a_prune_leaves_what_is_of_something),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
