/* depth_test: --depth 1 of a store with refined categories gives the same answers as a store
 * without refinements; a sum with an unknown part is unknown. */
#include "asked.h"
#include "merged.h"
#include "whole.h"

#include "store/dict/categories.h"
#include "store/file/embedded.h"
#include "store/read/catalog.h"

#define T0 INT64_C(1700000000000)
#define MINUTE 60000
#define BLOCKS 6

/* ---- captures ---- */

/* BLIND: RSS of the block before the last is not shown. CALM: nothing changes after minute 40,
 * except that block 1 disappears, the last one of its category. */
typedef enum shown { ALL, BLIND, CALM } shown;

/* Blocks of memory that grow, shrink, come and go; no block looks like a stack; minute 0 shows all
 * of them. */
static pm_capture *capture_of(const kit *k, pm_dialect dialect, int64_t minute, shown what)
{
    bool without = what == CALM && minute >= 50;
    pm_capture *c = kit_capture(k, dialect, 7, T0 + minute * MINUTE);

    c->block.hash = (uint64_t)minute * 16 + (uint64_t)dialect;
    kit_name(c, "app", PM_NAME_HEADER);
    if (what == CALM && minute > 40)
        minute = 40;
    kit_map(k, c, 0x10000, 400 + (uint64_t)minute, "rw-p", "[heap]");
    kit_map(k, c, 0x40000000, 300, "r--p", "/srv/data (deleted)");
    for (uint64_t i = 0; i < BLOCKS; i++) {
        uint64_t kib = i == 0   ? 20000 + (uint64_t)minute * 256 /* up, and the next as much down */
                       : i == 1 ? 60000 - (uint64_t)minute * 256
                                : 64 + 4 * ((uint64_t)minute * 7 % (5 + i));
        pm_mapping m = {
            .start = 0x7f0000000000U + i * 0x40000000, .perms = "rw-p", .path = PM_TEXT("")};

        if ((minute && i > 2 && (minute + (int64_t)i) % 5 == 0) || (without && i == 1))
            continue;
        m.end = m.start + kib * 1024;
        pm_set(&m, PM_SIZE, kib);
        if (what != BLIND || i != BLOCKS - 2)
            pm_set(&m, PM_RSS, kib / 2);
        kit_add(k, c, &m);
    }
    kit_map(k, c, 0x7ff000000000U, 132, "rw-p", "[stack]");
    return c;
}

/* Refines every other lineage of anonymous memory in the first capture, as rules would. */
static void refine_by_hand(kit *k)
{
    static const char sums[] =
        "DELETE FROM category_version; INSERT INTO category_version (epoch_id, category_id, first, "
        "mappings, size_kib, "
        "rss_kib) SELECT s.epoch_id, c.category_id, 0, count(*), CASE WHEN count(*) = "
        "count(m.size_kib) THEN sum(m.size_kib) END, CASE WHEN count(*) = count(m.rss_kib) THEN "
        "sum(m.rss_kib) END FROM snapshot s JOIN mappings m ON m.snapshot_id = s.snapshot_id JOIN "
        "category c ON c.category = m.category GROUP BY s.epoch_id, c.category_id";
    pm_category_ids ids = {0};
    int64_t id;

    id = pm_category_id(k->store->sql, &ids, PM_TEXT("anonymous/test"), false);
    pm_map_free(&ids.index);
    assert_int_equal(id, 15);
    kit_exec(k, "UPDATE lineage SET category_id = 15, rule = 'by hand' WHERE category_id = 11 AND "
                "lineage_id % 2 = 0");
    kit_exec(k, "UPDATE region SET category_id = 15 WHERE lineage_id IN (SELECT lineage_id FROM "
                "lineage WHERE category_id = 15)");
    kit_exec(k, sums);
    kit_reopen(k); /* the memory of the writer is out of date */
}

/* Stores a capture per minute, with a gap, sometimes in two dialects; some captures come late. */
static void fill(kit *k, bool refined, shown what)
{
    static const int late[] = {7, 8, 20};

    kit_put(k, capture_of(k, PM_DIALECT_SMAPS, 0, what));
    if (refined)
        refine_by_hand(k);
    for (int i = 1; i < 60; i++) {
        bool left_out = i == 7 || i == 8 || i == 20 || (i > 30 && i < 40);

        if (!left_out)
            kit_put(k, capture_of(k, PM_DIALECT_SMAPS, i, what));
        if (i % 9 == 0)
            kit_put(k, capture_of(k, PM_DIALECT_PMAP_SMALL_X, i, what));
    }
    for (size_t i = 0; i < COUNT(late); i++)
        kit_put(k, capture_of(k, PM_DIALECT_SMAPS, late[i], what));
    assert_true(what == BLIND || whole_store(k)); /* whole_store() adds up known values only */
}

/* ---- every query ---- */

static bool has_param(const pm_query_info *q, pm_text name)
{
    for (int i = 0; i < q->n_params; i++)
        if (pm_text_equal(q->param[i].name, name))
            return true;
    return false;
}

static void answer(const kit *k, const pm_query_info *q, const char *depth, pm_buf *out)
{
    char name[64];
    pmapdb_rows *rows = NULL;

    snprintf(name, sizeof name, "%.*s", (int)q->name.len, q->name.data);
    pm_buf_clear(out);
    pm_buf_add(out, "", 0, NULL);
    rows = kit_ask(k, name);
    kit_bind(rows, "depth", depth);
    if (has_param(q, PM_TEXT("lineage")))
        kit_bind(rows, "lineage", "4");
    while (kit_next(rows))
        for (int i = 0, n = pmapdb_rows_columns(rows); i < n; i++) {
            const char *text = pmapdb_rows_text(rows, i, NULL);

            pm_buf_addf(out, NULL, "%s%s", text ? text : "?", i + 1 < n ? "|" : "\n");
        }
    pmapdb_rows_close(rows);
}

/* Regions of addresses have no category. */
static bool is_compared(const pm_query_info *q)
{
    return has_param(q, PM_TEXT("depth")) && !has_param(q, PM_TEXT("regions"));
}

static size_t compare(shown what)
{
    kit *plain = kit_new(), *refined = kit_new();
    pm_buf want = {0}, got = {0}, deep = {0};
    size_t n = 0;
    const char *name;

    fill(plain, false, what);
    fill(refined, true, what);
    for (size_t i = 0; (name = pm_embedded_queries[i].name); i++) {
        pm_query_info *q = NULL;

        kit_ok(pm_catalog_find(NULL, name, &q, NULL), NULL);
        if (is_compared(q)) {
            answer(plain, q, "2", &want);
            answer(refined, q, "1", &got);
            answer(refined, q, "2", &deep);
            if (strcmp(want.data, got.data) != 0)
                print_error("%s\n", name);
            assert_string_equal(got.data, want.data);
            n += strstr(deep.data, "anonymous/test") != NULL;
        }
        pm_catalog_free(q);
    }
    pm_buf_free(&want);
    pm_buf_free(&got);
    pm_buf_free(&deep);
    kit_free(plain);
    kit_free(refined);
    return n;
}

TEST(as_if_never_refined)
{
    assert_true(compare(ALL) >= 12); /* the other queries show no refined category here */
    compare(CALM);
}

IN_KIT(unknown_parts)
{
    assert_true(compare(BLIND) >= 12);
    fill(k, true, BLIND);
    rows_are(k, "categories", NULL, "category rss_kib",
             "anonymous/test 22448\nheap 229\ndeleted-file 150\nstack 66\nanonymous ?\n");
    rows_are(k, "categories", GIVEN("depth", "1"), "category mappings rss_kib",
             "heap 1 229\ndeleted-file 1 150\nstack 1 66\nanonymous 6 ?\n");
}

/* One part grows as the other shrinks: the parts and their sum have different verdicts. */
IN_KIT(sums_are_judged)
{
    fill(k, true, ALL);
    rows_of_key_are(k, "leaks", NULL, "anonymous", "verdict", "leak\n");
    rows_of_key_are(k, "leaks", NULL, "anonymous/test", "verdict", "shrinking\n");
    rows_of_key_are(k, "leaks", GIVEN("depth", "1"), "anonymous", "verdict", "steady\n");
    rows_of_key_are(k, "leaks", GIVEN("depth", "1"), "anonymous/test", "verdict", "");
}

IN_KIT(other_depths)
{
    pmapdb_rows *rows = kit_ask(k, "categories");
    pmapdb_error err = {0};
    bool has;

    kit_put(k, capture_of(k, PM_DIALECT_SMAPS, 0, ALL));
    kit_bind(rows, "depth", "3");
    assert_int_equal(pmapdb_next(rows, &has, &err), PMAPDB_NOTFOUND);
    assert_string_equal(err.text, "no depth '3'; there are: 1 2");
    pmapdb_rows_close(rows);
}

RUN_TESTS(NULL, NULL)
