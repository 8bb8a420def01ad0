/* categories_test: categories that are not built in: the dictionary, and one category inserted by
 * hand, in the store and in every answer. */
#include "asked.h"
#include "kit.h"
#include "whole.h"

#include "store/dict/categories.h"

#define T0 INT64_C(1700000000000)
#define MINUTE 60000

/* ---- the dictionary ---- */

static int64_t id_of(const kit *k, const char *category)
{
    pm_category_ids ids = {0};
    int64_t id = pm_category_id(k->store->sql, &ids, pm_text_of(category), false);

    pm_map_free(&ids.index);
    return id;
}

IN_KIT(ids_and_parents)
{
    int64_t id = id_of(k, "anonymous/test");

    assert_int_equal(id_of(k, "heap"), 1);
    assert_int_equal(id_of(k, "reserve/guard"), 14);
    assert_int_equal(id, 15);
    assert_int_equal(id_of(k, "anonymous/test"), id);
    assert_int_equal(id_of(k, "/usr/lib/x.so"), 16);
    assert_int_equal(id_of(k, "total/x"), 17);
    assert_int_equal(id_of(k, "anonymouse/x"), 18);
    assert_int_equal(id_of(k, "anonymous/test/more"), 19);
    kit_expect(k,
               "SELECT category, parent, description FROM category WHERE category_id > 11 "
               "ORDER BY category_id",
               "total|total|Everything, of captures that give sums only\n"
               "anonymous/thread-stack|anonymous|Stacks of threads: of a usual size, right above a "
               "guard\n"
               "reserve/guard|reserve|Guards: up to 1 MiB, right below writable memory\n"
               "anonymous/test|anonymous|\n/usr/lib/x.so|/usr/lib/x.so|\n"
               "total/x|total/x|\nanonymouse/x|anonymouse/x|\n"
               "anonymous/test/more|anonymous|\n");
    assert_true(whole_store(k));
}

IN_KIT(a_limit)
{
    pm_category_ids ids = {0};
    int64_t id, last = 0;
    char name[32];

    kit_exec(k, "BEGIN");
    for (int i = 15; i <= PM_CATEGORIES_MAX; i++) {
        snprintf(name, sizeof name, "file %d", i);
        last = pm_category_id(k->store->sql, &ids, pm_text_of(name), false);
        assert_int_equal(last, i);
    }
    for (int i = 0; i < 2; i++) { /* The second call remembers that there is no room. */
        id = pm_category_id(k->store->sql, &ids, PM_TEXT("file 2001"), false);
        assert_int_equal(id, 0);
    }
    id = pm_category_id(k->store->sql, &ids, PM_TEXT("file 1234"), false);
    assert_int_equal(id, 1234);
    pm_map_free(&ids.index);
    kit_expect(k, "SELECT count(*) FROM category", "2000\n");
    /* Categories named after files leave some room for categories that rules name. */
    kit_exec(k, "DELETE FROM category WHERE category_id > 1800");
    ids = (pm_category_ids){0};
    id = pm_category_id(k->store->sql, &ids, PM_TEXT("file 2001"), true);
    assert_int_equal(id, 0);
    id = pm_category_id(k->store->sql, &ids, PM_TEXT("file 2001"), false);
    assert_int_equal(id, 1801);
    pm_map_free(&ids.index);
    /* Categories that will be removed do not count. The new ones are stored together. */
    ids = (pm_category_ids){0};
    pm_category_ids_anew(k->store->sql, &ids);
    for (int i = 1; i <= PM_CATEGORIES_MAX; i++) {
        snprintf(name, sizeof name, "other %d", i);
        id = pm_category_id(k->store->sql, &ids, pm_text_of(name), false);
        assert_int_equal(id, -i);
    }
    id = pm_category_id(k->store->sql, &ids, PM_TEXT("one more"), false);
    assert_int_equal(id, 0);
    pm_category_ids_insert(k->store->sql, &ids);
    id = pm_category_id(k->store->sql, &ids, PM_TEXT("other 7"), false);
    assert_int_equal(id, 1808);
    pm_map_free(&ids.index);
    kit_exec(k, "ROLLBACK");
}

/* ---- one by hand ---- */

/* Returns a capture with a heap and `blocks` separate blocks of `kib` KiB; none looks like a stack.
 */
static pm_capture *capture_of(const kit *k, pm_dialect dialect, int minute, int blocks,
                              uint64_t kib)
{
    pm_capture *c = kit_capture(k, dialect, 7, T0 + (int64_t)minute * MINUTE);

    kit_name(c, "app", PM_NAME_HEADER);
    kit_map(k, c, 0x10000, 400, "rw-p", "[heap]");
    for (int i = 0; i < blocks; i++)
        kit_map(k, c, 0x7f0000000000U + (uint64_t)i * 0x10000000, kib, "rw-p", "");
    kit_map(k, c, 0x7ff000000000U, 132, "rw-p", "[stack]");
    return c;
}

static void put(const kit *k, pm_dialect dialect, int minute, int blocks, uint64_t kib)
{
    kit_put(k, capture_of(k, dialect, minute, blocks, kib));
    assert_true(whole_store(k));
}

/* Gives all anonymous memory in the store this category, as a rule would. */
static void set_by_hand(kit *k, const char *category)
{
    char sql[512];

    snprintf(sql, sizeof sql,
             "UPDATE lineage SET category_id = %d, rule = 'by hand' WHERE category_id = 11; "
             "UPDATE region SET category_id = (SELECT l.category_id FROM lineage l WHERE "
             "l.lineage_id = region.lineage_id AND l.rule = 'by hand'); "
             "UPDATE category_version SET category_id = %d WHERE category_id = 11",
             (int)id_of(k, category), (int)id_of(k, category));
    kit_exec(k, sql);
    kit_reopen(k); /* the memory of the writer is out of date */
    assert_true(whole_store(k));
}

IN_KIT(shown_everywhere)
{
    put(k, PM_DIALECT_SMAPS, 0, 1, 1200);
    set_by_hand(k, "anonymous/test");
    put(k, PM_DIALECT_SMAPS, 1, 1, 2200);
    put(k, PM_DIALECT_SMAPS, 2, 2, 2200);
    rows_are(k, "categories", NULL, "category mappings size_kib rss_kib",
             "anonymous 1 2200 1100\nanonymous/test 1 2200 1100\nheap 1 400 200\n"
             "stack 1 132 66\n");
    rows_are(k, "diff-category", NULL, "category size_kib_from size_kib_to rss_kib_delta",
             "anonymous 0 2200 1100\nanonymous/test 1200 2200 500\nheap 400 400 0\n"
             "stack 132 132 0\n");
    rows_are(k, "growth", GIVEN("category", "anonymous"), "category size_kib size_kib_delta",
             "anonymous/test 1200 ?\nanonymous/test 2200 1000\nanonymous 2200 2200\n"
             "anonymous/test 2200 0\n");
    rows_are(k, "growth", GIVEN("category", "anonymous/test"), "category size_kib",
             "anonymous/test 1200\nanonymous/test 2200\nanonymous/test 2200\n");
    rows_are(k, "series", GIVEN("category", "anonymous"), "value", "600\n1100\n2200\n");
    rows_are(k, "series", GIVEN("category", "anonymous/test"), "value", "600\n1100\n1100\n");
    rows_are(k, "mappings", GIVEN("category", "anonymous"), "category size_kib",
             "anonymous/test 2200\nanonymous 2200\n");
    rows_are(k, "largest", GIVEN("category", "anonymous/test"), "category size_kib",
             "anonymous/test 2200\n");
    rows_are(k, "peak", NULL, "category rss_kib_peak",
             "total 2466\nanonymous 1100\nanonymous/test 1100\nheap 200\nstack 66\n");
    rows_are(k, "top-lineages", NULL, "category rss_kib_delta",
             "anonymous 1100\nanonymous/test 500\n");
}

/* A free text is neither a pattern nor part of another category. */
IN_KIT(free_text)
{
    put(k, PM_DIALECT_SMAPS, 0, 1, 1200);
    set_by_hand(k, "[he?p]/x");
    put(k, PM_DIALECT_SMAPS, 1, 1, 2200);
    rows_are(k, "growth", GIVEN("category", "[he?p]/x"), "category size_kib",
             "[he?p]/x 1200\n[he?p]/x 2200\n");
    rows_are(k, "mappings", GIVEN("category", "[he?p]/x"), "category size_kib", "[he?p]/x 2200\n");
    rows_are(k, "series", GIVEN("category", "[he?p]/x"), "value", "600\n1100\n");
    rows_are(k, "series", GIVEN("category", "heap"), "value", "200\n200\n");
}

/* A refined category is judged like its slug: as private memory. */
IN_KIT(leaks_by_the_first_word)
{
    put(k, PM_DIALECT_SMAPS, 0, 1, 10000);
    set_by_hand(k, "anonymous/test");
    for (int i = 1; i < 60; i++)
        kit_put(k, capture_of(k, PM_DIALECT_SMAPS, i, 1, 10000 + (uint64_t)i * 512));
    rows_of_key_are(k, "leaks", NULL, "anonymous/test", "key verdict metric rate_per_h",
                    "anonymous/test leak rss 15360\n");
}

/* A late capture between two that have the category, a weaker one, and one before all. */
IN_KIT(late_captures)
{
    static const char sizes[] = "SELECT c.taken_ms / 60000 - 28333333, c.category, c.size_kib FROM "
                                "categories c WHERE c.category GLOB 'anon*' ORDER BY 1, 2";

    put(k, PM_DIALECT_SMAPS, 10, 1, 1200);
    set_by_hand(k, "anonymous/test");
    put(k, PM_DIALECT_SMAPS, 20, 1, 2200);
    put(k, PM_DIALECT_SMAPS, 15, 2, 1600);
    kit_expect(k, sizes,
               "10|anonymous/test|1200\n15|anonymous|1600\n15|anonymous/test|1600\n"
               "20|anonymous/test|2200\n");
    put(k, PM_DIALECT_PMAP_SMALL_X, 17, 2,
        1600); /* a weaker dialect takes the categories of the lineages that it continues */
    kit_expect(k, sizes,
               "10|anonymous/test|1200\n15|anonymous|1600\n15|anonymous/test|1600\n"
               "17|anonymous|1600\n17|anonymous/test|1600\n20|anonymous/test|2200\n");
    put(k, PM_DIALECT_SMAPS, 5, 1, 800); /* now the first capture, and no rule matches */
    kit_expect(k, sizes,
               "5|anonymous|800\n10|anonymous|1200\n15|anonymous|3200\n"
               "17|anonymous|3200\n20|anonymous|2200\n");
    kit_expect(k, "SELECT count(*) FROM lineage WHERE rule IS NOT NULL", "0\n");
}

/* The strongest capture decides the rule, even if the category is the same. */
IN_KIT(the_rule_of_the_strongest)
{
    pm_capture *c;

    for (int i = 0; i < 2; i++) {
        c = kit_capture(k, i ? PM_DIALECT_SMAPS : PM_DIALECT_PMAP_SMALL_X, 7,
                        T0 + (int64_t)i * MINUTE);
        kit_name(c, "app", PM_NAME_HEADER);
        kit_map(k, c, 0x7f0000000000U, 64, "---p", "");
        kit_map(k, c, 0x7f0000010000U, 8192, "rw-p", "");
        kit_map(k, c, 0x7ff000000000U, 132, "rw-p", "[stack]");
        kit_put(k, c);
        if (i == 0) {
            kit_exec(k, "UPDATE lineage SET rule = 'stack-blind' WHERE rule = 'stack'");
            kit_reopen(k);
        }
    }
    kit_expect(k, "SELECT rule FROM lineage WHERE rule IS NOT NULL ORDER BY 1", "guard\nstack\n");
    assert_true(whole_store(k));
}

static void compact(const kit *k)
{
    pmapdb_compact_options options = {0};
    pmapdb_compact_result result;
    pmapdb_error err = {0};

    kit_ok(pmapdb_compact(k->store, &options, &result, &err), &err);
    assert_true(whole_store(k));
}

IN_KIT(goes_when_nothing_shows_it)
{
    static const char own[] = "SELECT category_id, category FROM category WHERE category_id > 14";

    put(k, PM_DIALECT_SMAPS, 0, 1, 1200);
    set_by_hand(k, "anonymous/test");
    id_of(k, "anonymous/unused");
    put(k, PM_DIALECT_SMAPS, 1, 1, 1200);
    put(k, PM_DIALECT_SMAPS, 2, 0, 0);
    put(k, PM_DIALECT_SMAPS, 3, 0, 0);
    compact(k);
    kit_expect(k, own, "15|anonymous/test\n");
    rows_are(k, "peak", NULL, "category rss_kib_peak",
             "total 866\nanonymous/test 600\nheap 200\nstack 66\n");
    kit_keep(k, (pmapdb_keep){.last = 1});
    assert_true(whole_store(k));
    compact(k);
    kit_expect(k, own, "");
    put(k, PM_DIALECT_SMAPS, 4, 1, 1200); /* the writer has forgotten the category, too */
    assert_int_equal(id_of(k, "anonymous/test"), 15);
}

RUN_TESTS(NULL, NULL)
