/* totals_queries_test: queries show only the known steps of captures with sums only, and invent
 * none where such captures meet captures with mappings. */
#include "asked.h"
#include "totals.h"

static void expect(const kit *k, const char *query, const char *columns, const char *wanted)
{
    rows_are(k, query, NULL, columns, wanted);
}

/* ---- one snapshot ---- */

IN_KIT(one_snapshot)
{
    put_sums(k, X, 1, 0, 400, 100);
    put_sums(k, X, 1, 1, 400, 0);
    expect(k, "categories", "category mappings size_kib rss_kib processes", "total ? 400 ? 1\n");
    expect(k, "mappings", "start", "");
    expect(k, "mappings-total", "snapshot_id state mappings size_kib rss_kib",
           "2 totals ? 400 ?\n");
}

/* ---- the series ---- */

#define STEPS "category mappings rss_kib mappings_delta size_kib_delta rss_kib_delta"

IN_KIT(growth_of_sums)
{
    put_sums(k, X, 1, 0, 400, 100);
    put_sums(k, X, 1, 1, 408, 103);
    put_sums(k, X, 1, 2, 404, 0);
    put_sums(k, ROLLUP, 1, 3, 404, 90);
    put_sums(k, X, 1, 4, 404, 95);
    expect(k, "growth", STEPS,
           "total ? 100 ? ? ?\n"
           "total ? 103 ? 8 3\n"
           "total ? ? ? -4 ?\n"
           "total ? 90 ? 0 ?\n"
           "total ? 95 ? 0 5\n");
}

/* No step across the border, and no category that vanishes there: captures with sums only do not
 * show categories. */
IN_KIT(growth_across_the_border)
{
    put_rows(k, S, 1, 0, 100);
    put_rows(k, S, 1, 1, 102);
    put_sums(k, ROLLUP, 1, 2, 300, 130);
    put_sums(k, ROLLUP, 1, 3, 300, 131);
    put_rows(k, S, 1, 4, 104);
    put_rows(k, S, 1, 5, 108);
    expect(k, "growth", STEPS,
           "heap 1 50 ? ? ?\nstack 1 66 ? ? ?\n"
           "heap 1 51 0 2 1\nstack 1 66 0 0 0\n"
           "total ? 130 ? ? ?\n"
           "total ? 131 ? 0 1\n"
           "heap 1 52 ? ? ?\nstack 1 66 ? ? ?\n"
           "heap 1 54 0 4 2\nstack 1 66 0 0 0\n");
}

/* If one of two processes of a name has sums only, no step of the name is known. */
IN_KIT(growth_of_a_mixed_moment)
{
    put_rows(k, S, 1, 0, 100);
    put_rows(k, S, 2, 0, 200);
    put_rows(k, S, 1, 1, 100);
    put_sums(k, ROLLUP, 2, 1, 300, 130);
    put_rows(k, S, 1, 2, 104);
    put_sums(k, ROLLUP, 2, 2, 300, 140);
    expect(k, "growth", STEPS,
           "heap 2 150 ? ? ?\nstack 2 132 ? ? ?\n"
           "heap 1 50 ? ? ?\nstack 1 66 ? ? ?\ntotal ? 130 ? ? ?\n"
           "heap 1 52 ? ? ?\nstack 1 66 ? ? ?\ntotal ? 140 ? ? ?\n");
    rows_are(k, "growth", GIVEN("process", "2"), STEPS,
             "heap 1 100 ? ? ?\nstack 1 66 ? ? ?\ntotal ? 130 ? ? ?\ntotal ? 140 ? 0 10\n");
}

/* Sums beside mappings of the same moment are shown if their dialect is given. */
IN_KIT(sums_of_the_same_moment)
{
    for (int i = 0; i < 2; i++) {
        put_sums(k, ROLLUP, 1, i, 300, 130 + (uint64_t)i);
        put_rows(k, S, 1, i, 100);
    }
    expect(k, "growth", STEPS,
           "heap 1 50 ? ? ?\nstack 1 66 ? ? ?\nheap 1 50 0 0 0\nstack 1 66 0 0 0\n");
    rows_are(k, "growth", GIVEN("dialect", "smaps_rollup"), STEPS,
             "total ? 130 ? ? ?\ntotal ? 131 ? 0 1\n");
    rows_are(k, "categories", GIVEN("dialect", "smaps_rollup"), "category mappings rss_kib",
             "total ? 131\n");
}

/* The rows show whether a capture names the mappings of the kernel. */
IN_KIT(names_are_what_the_rows_show)
{
    static const struct {
        pm_dialect dialect;
        bool named;
    } beats[] = {{S, true},
                 {PM_DIALECT_SUSE, false},
                 {PM_DIALECT_PMAP_D, false},
                 {PM_DIALECT_BUSYBOX_X, true},
                 {X, true}};

    for (size_t i = 0; i < COUNT(beats); i++) {
        pm_capture *c = with_mappings(k, beats[i].dialect, 1, (int64_t)i, 100);
        pm_mapping m = {.start = 0x20000000,
                        .end = 0x20001000,
                        .perms = "rw-p",
                        .present = beats[i].named ? PM_HAS_PSEUDO : 0};

        pm_set(&m, PM_SIZE, 4);
        kit_add(k, c, &m);
        kit_put(k, c);
    }
    rows_are(k, "growth", GIVEN("category", "anonymous"), "category size_kib_delta",
             "anonymous ?\nanonymous ?\nanonymous 0\nanonymous ?\nanonymous 0\n");
}

/* ---- two snapshots ---- */

#define SIDES                                                                                     \
    "category mappings_from mappings_to mappings_delta size_kib_from size_kib_to size_kib_delta " \
    "rss_kib_from rss_kib_to rss_kib_delta pss_kib_delta"

IN_KIT(diff_of_sums)
{
    put_sums(k, X, 1, 0, 400, 100);
    put_sums(k, X, 1, 1, 408, 103);
    put_sums(k, X, 1, 2, 408, 0);
    rows_are(k, "diff-category", GIVEN("to", "prev"), SIDES, "total ? ? ? 400 408 8 100 103 3 ?\n");
    expect(k, "diff-category", SIDES, "total ? ? ? 400 408 8 100 ? ? ?\n");
    expect(k, "diff-total", "newer snapshot_id state partial mappings size_kib rss_kib",
           "0 1 totals ? ? 400 100\n1 3 totals ? ? 408 ?\n");
}

/* If one side has sums only, the other side is added up; there are no rows to compare. */
IN_KIT(diff_across_the_border)
{
    put_rows(k, S, 1, 0, 100);
    put_sums(k, ROLLUP, 1, 1, 250, 130);
    put_rows(k, S, 1, 2, 104);
    rows_are(k, "diff-category", GIVEN("to", "@2"), SIDES, "total 2 ? ? 232 250 18 116 130 14 ?\n");
    rows_are(k, "diff-category", GIVEN("from", "@2"), SIDES,
             "total ? 2 ? 250 236 -14 130 118 -12 ?\n");
    rows_are(k, "diff-object", GIVEN("from", "@2"), "category object", "");
    rows_are(k, "diff-lineage", GIVEN("from", "@2"), "category lineage_id", "");
    rows_are(k, "diff-total", GIVEN("from", "@2"), "newer state size_kib rss_kib mappings",
             "0 totals 250 130 ?\n1 complete 236 118 2\n");
    /* @1 and @3 have mappings */
    expect(k, "diff-category", "category mappings_from size_kib_delta", "heap 1 4\nstack 1 0\n");
    expect(k, "diff-object", "category object size_kib_delta", "heap [heap] 4\nstack [stack] 0\n");
}

IN_KIT(diff_of_a_mixed_moment)
{
    put_rows(k, S, 1, 0, 100);
    put_sums(k, ROLLUP, 2, 0, 250, 130);
    put_rows(k, S, 1, 1, 104);
    put_rows(k, S, 2, 1, 200);
    expect(k, "diff-category", SIDES " processes_from processes_to",
           "total ? 4 ? 482 568 86 246 284 38 ? 2 2\n");
    expect(k, "diff-object", "category object", "");
    expect(k, "diff-total", "newer snapshot_id state size_kib rss_kib mappings processes",
           "0 ? totals 482 246 ? 2\n1 ? complete 568 284 4 2\n");
}

/* Selectors find captures with sums only. */
IN_KIT(selected)
{
    static const char *const pairs[][2] = {{"first", "100\n"},
                                           {"prev", "102\n"},
                                           {"-1m", "102\n"},
                                           {"@1", "100\n"},
                                           {"last", "104\n"}};

    for (int i = 0; i < 3; i++)
        put_sums(k, X, 1, i, 400, 100 + 2 * (uint64_t)i);
    for (size_t i = 0; i < COUNT(pairs); i++)
        rows_are(k, "categories", GIVEN("snapshot", pairs[i][0]), "rss_kib", pairs[i][1]);
    expect(k, "processes", "pid snapshots size_kib rss_kib", "1 3 400 104\n");
    rows_are(k, "snapshots", GIVEN("state", "totals"), "state mappings rss_kib",
             "totals ? 100\ntotals ? 102\ntotals ? 104\n");
}

RUN_TESTS(NULL, NULL)
