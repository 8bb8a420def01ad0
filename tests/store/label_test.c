/* label_test: labels: their processes, their effect on lineages, and their fate in a prune and in a
 * merge. */
#include "label_kit.h"
#include "merged.h"
#include "whole.h"

/* ---- names ---- */

IN_KIT(nine_tenths_of_a_row_are_enough)
{
    pm_label_stored stored;

    put_java(k, 7, T0, 640);
    /* Names cover 576 of 640 KiB of the first row and 57 of 64 KiB of the second row; two names of
     * one category cover the third row. */
    stored = name(k, 7, T0,
                  "10000000 576 Java Heap\n20000000 57 GC\n30000000 24 Class\n"
                  "30006000 40 Metaspace\n");
    assert_int_equal(stored.mappings, 2);
    assert_int_equal(stored.size_kib, 704);
    kit_expect(k, CATEGORIES,
               "268435456|anonymous/jvm-heap|label\n536870912|anonymous|?\n"
               "805306368|anonymous/jvm-metaspace|label\n");
    assert_true(whole_store(k));
}

/* ---- several reports ---- */

static const char *rows_of(const kit *k)
{
    static char text[512];
    sqlite3_stmt *stmt;
    size_t n = 0;

    assert_int_equal(sqlite3_prepare_v2(k->store->db, CATEGORIES, -1, &stmt, NULL), SQLITE_OK);
    while (sqlite3_step(stmt) == SQLITE_ROW)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s ", sqlite3_column_text(stmt, 1));
    sqlite3_finalize(stmt);
    return text;
}

static void put_twice(const kit *k)
{
    put_java(k, 7, T0, 64);
    put_java(k, 7, T0 + 60000, 128); /* the first row grows: the same lineage */
}

static const struct {
    int64_t after_ms;
    const char *lines;
} said[] = {{0, "10000000 64 Java Heap\n20000000 64 Code\n"},
            {10000, "20000000 40 GC\n30000000 64 Metaspace\n"},
            {60000, "10000000 128 GC\n20000000 32 Code\n"}};

/* In any order of import, the last report that names a lineage wins; 40 of 64 KiB are not enough.
 */
TEST(what_was_said_later_wins)
{
    static const size_t orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                       {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

    for (size_t i = 0; i < COUNT(orders); i++) {
        kit *k = kit_new();

        put_twice(k);
        for (size_t j = 0; j < 3; j++)
            name(k, 7, T0 + said[orders[i][j]].after_ms, said[orders[i][j]].lines);
        assert_string_equal(rows_of(k),
                            "anonymous/jvm-gc anonymous/jvm-gc anonymous/jvm-code "
                            "anonymous/jvm-code anonymous/jvm-native anonymous/jvm-native ");
        assert_true(whole_store(k));
        kit_free(k);
    }
}

/* A correct report replaces a wrong one of the same moment completely. */
IN_KIT(another_of_the_same_moment_replaces)
{
    put_twice(k);
    name(k, 7, T0, "10000000 1048576 Java Heap\n");
    assert_string_equal(rows_of(k), "anonymous/jvm-heap anonymous/jvm-heap anonymous/jvm-heap "
                                    "anonymous/jvm-heap anonymous/jvm-heap anonymous/jvm-heap ");
    name(k, 7, T0, "20000000 64 GC\n");
    assert_string_equal(rows_of(k), "anonymous anonymous anonymous/jvm-gc anonymous/jvm-gc "
                                    "anonymous anonymous ");
    kit_expect(k, NAMED, "anonymous/jvm-gc|536870912\n");
    assert_true(whole_store(k));
}

/* The writer keeps lineages in memory; they must lose their names there, too. */
IN_KIT(what_is_stored_next_knows_it)
{
    put_java(k, 7, T0, 64);
    name(k, 7, T0, "10000000 64 Java Heap\n");
    put_java(k, 7, T0 + 60000, 128);
    kit_expect(k, NAMED, "anonymous/jvm-heap|268435456\n");
    name(k, 7, T0, "10000000 40 Java Heap\n");
    put_java(k, 7, T0 + 120000, 256);
    kit_expect(k, NAMED, "");
    kit_expect(k, "SELECT DISTINCT category FROM mappings", "anonymous\n");
    assert_true(whole_store(k));
}

/* NMT names exact ranges; System.map names a whole row after a part of it. */
TEST(of_one_moment_nmt_wins)
{
    static const report both[] = {
        {.pid = 7, .ms = T0, .lines = "10000000 64 Metaspace\n"},
        {.pid = 7, .ms = T0, .lines = "10000000 64 CODE\n", .source = PM_LABELS_SYSTEM_MAP}};

    for (int first = 0; first < 2; first++) {
        kit *k = kit_new();

        put_java(k, 7, T0, 64);
        store_report(k, &both[first]);
        store_report(k, &both[1 - first]);
        kit_expect(k, NAMED, "anonymous/jvm-metaspace|268435456\n");
        kit_free(k);
    }
}

/* A report that was cut off says nothing about mappings that it does not cover, also when the store
 * names the lineages again. */
IN_KIT(a_part_does_not_tell_the_rest)
{
    put_twice(k);
    name(k, 7, T0, "30000000 64 Metaspace\n");
    name_torn(k, T0 + 1000, "20000000 64 Code\n");
    assert_true(name_torn(k, T0 + 1000, "20000000 64 Code\n").duplicate);
    name(k, 7, T0 + 500, "10000000 64 GC\n30000000 64 Metaspace\n");
    kit_expect(k, NAMED,
               "anonymous/jvm-gc|268435456\nanonymous/jvm-code|536870912\n"
               "anonymous/jvm-metaspace|805306368\n");
    assert_false(name(k, 7, T0 + 1000, "20000000 64 Code\n").duplicate);
    kit_expect(k, NAMED,
               "anonymous/jvm-native|268435456\nanonymous/jvm-code|536870912\n"
               "anonymous/jvm-native|805306368\n");
}

IN_KIT(known_ones_change_nothing)
{
    pm_label_stored again;

    put_java(k, 7, T0, 64);
    assert_false(name(k, 7, T0, "10000000 64 Java Heap\n20000000 64 GC\n").duplicate);
    again = name(k, 7, T0, "10000000 64 Java Heap\n20000000 64 GC\n");
    assert_true(again.duplicate);
    assert_int_equal(again.mappings, PMAPDB_UNKNOWN);
    /* Any difference makes another report of that moment. */
    assert_false(name(k, 7, T0, "10000000 64 Java Heap\n20000000 63 GC\n").duplicate);
    assert_false(name(k, 7, T0, "10000000 64 Java Heap\n").duplicate);
    assert_false(name(k, 7, T0, "10000000 64 Java heap\n").duplicate);
    assert_false(name(k, 7, T0, "10000000 64 -Java heap\n").duplicate);
    assert_false(name(k, 7, T0, "10000000 64 Java heap\n").duplicate);
    assert_true(name(k, 7, T0, "10000000 64 Java heap\n").duplicate);
    kit_expect(k, "SELECT start, length, label FROM label", "268435456|65536|Java heap\n");
}

/* A newly stored capture that is nearer to the report is named, too. */
IN_KIT(known_ones_name_what_is_new)
{
    int64_t since;
    pm_label_stored again;

    put_java(k, 7, T0, 64);
    name(k, 7, T0 + 60000, "10000000 64 Code\n40000000 64 GC\n");
    kit_expect(k, NAMED, "anonymous/jvm-code|268435456\n");
    since = kit_number(k->store, "SELECT max(snapshot_id) FROM snapshot");
    put_more(k, 7, T0 + 59000);
    again = store_report(
        k, &(report){7, T0 + 60000, "10000000 64 Code\n40000000 64 GC\n", .since = since});
    assert_true(again.duplicate);
    kit_expect(k, NAMED, "anonymous/jvm-code|268435456\nanonymous/jvm-gc|1073741824\n");
    assert_true(whole_store(k));
}

IN_KIT(what_nobody_covers_is_native)
{
    put_java(k, 7, T0, 64);
    name(k, 7, T0, "10000000 64 Metaspace\n");
    put_more(k, 7, T0 + 60000);
    /* Names the second row, as rules would. */
    kit_exec(k, "UPDATE region SET category_id = (SELECT category_id FROM "
                "category WHERE category = 'anonymous/jvm-metaspace') WHERE "
                "start = 536870912; UPDATE lineage SET rule = 'by hand', "
                "category_id = (SELECT category_id FROM category WHERE category "
                "= 'anonymous/jvm-metaspace') WHERE lineage_id IN (SELECT "
                "lineage_id FROM region WHERE start = 536870912)");
    name(k, 7, T0 + 60000, "10000000 64 Metaspace\n20000000 16 Metaspace\n");
    kit_expect(k, NAMED, "anonymous/jvm-metaspace|268435456\nanonymous/jvm-native|536870912\n");
}

/* ---- whose they are ---- */

IN_KIT(the_nearest_capture_is_named)
{
    put_java(k, 7, T0, 64);
    put_java(k, 8, T0 + 5000, 64);
    put_more(k, 7, T0 + 60000);
    assert_int_equal(name(k, 7, T0 + 29000, GC).snapshot_ms, T0);
    assert_int_equal(name(k, 7, T0 + 31000, GC).snapshot_ms, T0 + 60000);
    assert_int_equal(name(k, 7, T0 - 3600000, GC).snapshot_ms, T0);
    assert_int_equal(name(k, 7, T0 + 3660000, GC).snapshot_ms, T0 + 60000);
    refused(k, 7, 0, T0 - 3600001, "no stored map of pid 7 ");
    refused(k, 7, 0, T0 + 3660001, "no stored map of pid 7 ");
}

/* The pid of a JVM in a container may belong to another process on the host. */
IN_KIT(the_ranges_must_fit)
{
    pm_capture *c = kit_capture(k, PM_DIALECT_SMAPS, 1, T0);

    kit_name(c, "systemd", PM_NAME_HEADER);
    kit_map(k, c, 0x7f0010000000, 64, "rw-p", "");
    kit_put(k, c);
    put_java(k, 7, T0, 64);
    refused(k, 1, 0, T0, "no stored map of pid 1 ");
    refused(k, 1, 8, T0, "no stored map of pid 1 ");
    assert_int_equal(name_first(k, 1, 7).pid, 7);
    assert_int_equal(name_first(k, 8, 7).pid, 7);
    assert_true(name_first(k, 1, 7).duplicate);
    kit_expect(k, "SELECT DISTINCT p.pid FROM label JOIN process p USING (process_id)", "7\n");
    /* The ranges are compared with the process of the given pid only. */
    kit_expect(k, NAMED, "anonymous/jvm-gc|268435456\n");
}

IN_KIT(it_must_be_known)
{
    pm_capture *sums = kit_totals(k, PM_DIALECT_ROLLUP, 9, T0);

    kit_put(k, sums); /* has no mapping to name */
    assert_int_equal(try_name(k, 9, NULL), PMAPDB_INPUT);
    assert_int_equal(try_name(k, 7, NULL), PMAPDB_INPUT);
    assert_int_equal(try_name(k, PMAPDB_UNKNOWN, NULL), PMAPDB_INPUT);
    put_on(k, 7, "a");
    assert_int_equal(try_name(k, 7, NULL), PMAPDB_OK);
    assert_int_equal(try_name(k, 7, "b"), PMAPDB_INPUT);
    put_on(k, 7, "b");
    assert_int_equal(try_name(k, 7, NULL), PMAPDB_INPUT);
    assert_int_equal(try_name(k, 7, "b"), PMAPDB_OK);
    kit_expect(k, "SELECT count(*) FROM label", "2\n");
}

/* ---- stores ---- */

TEST(a_merge_takes_them_over)
{
    kit *whole = kit_new(), *part = kit_new(), *here = kit_new();

    put_java(whole, 7, T0, 64);
    name(whole, 7, T0, "10000000 64 Java Heap\n");
    /* One store does not know the process, one has another capture of the process. */
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
    kit_free(whole);
    kit_free(part);
    kit_free(here);
}

/* A merge keeps that a report was cut off: mappings outside the report keep their names. */
TEST(a_merge_takes_a_part_as_one)
{
    kit *part = kit_new(), *here = kit_new();

    put_java(part, 7, T0, 64);
    name_torn(part, T0 + 1000, "20000000 64 Code\n");
    put_java(here, 7, T0, 64);
    name(here, 7, T0, "10000000 64 Metaspace\n");
    merge(here, part);
    kit_expect(here, NAMED, "anonymous/jvm-metaspace|268435456\nanonymous/jvm-code|536870912\n");
    assert_true(whole_store(here));
    kit_free(part);
    kit_free(here);
}

IN_KIT(a_prune_leaves_what_is_of_something)
{
    for (int i = 0; i < 6; i++) {
        put_java(k, 7, T0 + i * INT64_C(60000), 64);
        name(k, 7, T0 + i * INT64_C(60000), "10000000 64 Java Heap\n");
    }
    kit_keep(k, (pmapdb_keep){.last = 2});
    kit_expect(k, "SELECT count(*), min(taken_ms) FROM label", "2|1700000240000\n");
    kit_expect(k, NAMED, "anonymous/jvm-heap|268435456\n");
    assert_true(whole_store(k));
    /* The labels of a process go with its last snapshot. */
    put_java(k, 8, T0 + 600000, 64);
    name(k, 8, T0 + 600000, "10000000 64 Java Heap\n");
    kit_keep(k, (pmapdb_keep){.last = 1});
    kit_expect(k, "SELECT p.pid, count(*) FROM label JOIN process p USING (process_id) GROUP BY 1",
               "8|1\n");
    assert_true(whole_store(k));
}

/* The nearest capture that is left does not show the fourth row; an older capture does. */
IN_KIT(a_name_outlives_the_capture_that_was_named)
{
    const int64_t hour = 3600000;

    put_more(k, 7, T0);
    put_more(k, 7, T0 + hour);
    put_java(k, 7, T0 + hour + 60000, 64);
    name(k, 7, T0 + hour, "40000000 64 GC\n");
    kit_keep(k, (pmapdb_keep){.hourly = PMAPDB_KEEP_ALL});
    kit_expect(k, "SELECT count(*) FROM snapshots", "2\n");
    name(k, 7, T0 + hour, "20000000 64 Code\n40000000 64 GC\n");
    kit_expect(k, NAMED, "anonymous/jvm-code|536870912\nanonymous/jvm-gc|1073741824\n");
    assert_true(whole_store(k));
}

/* ---- captures that come late ---- */

/* A late capture shows a stack with a guard; the lineage keeps the name of the report. */
IN_KIT(late_captures_ask_no_rules)
{
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

RUN_TESTS(NULL, NULL)
