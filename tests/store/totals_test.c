/* totals_test: captures with sums only are stored as one category, in their own streams, in any
 * order, and do not affect the lineages of other captures. */
#include "totals.h"
#include "whole.h"

/* ---- what is stored ---- */

#define RUNS                                                                                     \
    "SELECT dialect, category, (first_ms - 1700000000000) / 60000, (last_ms - 1700000000000) / " \
    "60000, n, mappings, rss_kib FROM category_runs WHERE process_id = 1 ORDER BY first_ms, "    \
    "category, mappings"

IN_KIT(one_category_and_no_mappings)
{
    put_sums(k, X, 1, 0, 400, 100);
    put_sums(k, X, 1, 1, 400, 0);
    assert_true(whole_store(k));
    kit_expect(k, "SELECT state, mappings, size_kib, rss_kib, pss_kib FROM snapshot",
               "totals|?|400|100|?\ntotals|?|400|?|?\n");
    kit_expect(
        k, "SELECT snapshot_id, category, mappings, size_kib, rss_kib, swap_kib FROM categories",
        "1|total|?|400|100|?\n2|total|?|400|?|?\n");
    kit_expect(k, "SELECT count(*) FROM mappings", "0\n");
    kit_expect(k, "SELECT count(*) FROM lineage", "0\n");
    /* Other fields make another epoch. */
    kit_expect(k, "SELECT state, count(*) FROM epoch", "totals|2\n");
}

/* The same captures with sums between them have the same lineages and bases. */
IN_KIT(lineages_do_not_see_them)
{
    static const char what[] = "SELECT DISTINCT s.taken_ms, m.start, m.lineage_id, h.reason FROM "
                               "snapshot s JOIN mappings m ON m.snapshot_id = s.snapshot_id JOIN "
                               "lineage_history h ON h.lineage_id = m.lineage_id ORDER BY 1, 2, 4";
    pm_buf without = {0};

    for (int with = 0; with < 2; with++) {
        kit_anew(k);
        for (int i = 0; i < 6; i++) {
            if (with && i != 3) /* at the same time, in a dialect that would end the sitting */
                put_sums(k, X, 1, i, 9000, 1);
            if (with)
                put_sums(k, ROLLUP, 1, i, 9000, 1);
            kit_reopen(k);
            put_rows(k, i == 3 ? X : S, 1, i, 400 + (uint64_t)i * 4);
        }
        assert_true(whole_store(k));
        if (!with)
            kit_rows(k, &without, what);
    }
    assert_true(without.len > 0);
    kit_expect(k, what, without.data);
    pm_buf_free(&without);
}

/* After, before, between, at one time, in more than one epoch; every order gives the same
 * result. */
IN_KIT(any_order)
{
    enum { N = 24 };
    static const char what[] =
        "SELECT s.dialect, s.taken_ms, s.ordinal, c.rss_kib FROM snapshot s JOIN categories c ON "
        "c.snapshot_id = s.snapshot_id ORDER BY 1, 2, 3";
    pm_buf in_order = {0};

    for (uint64_t seed = 0; seed < 12; seed++) {
        uint64_t chance = seed;
        bool done[N] = {false};

        kit_anew(k);
        for (size_t n = 0; n < N;) {
            size_t i = seed ? kit_below(&chance, N) : n;
            pm_capture *c;

            if (done[i])
                continue;
            done[i] = true;
            n++;
            c = kit_totals(k, i % 3 ? X : ROLLUP, 1, MS + (int64_t)(i / 4) * MINUTE);
            c->ordinal = (int64_t)i;
            c->block.hash = i + 1;
            kit_total(c, PM_TOTAL_RSS, PM_BIT(PM_RSS), 100 + i / 6);
            if (i > 8 && i < 15)
                kit_total(c, PM_TOTAL_SIZE, PM_BIT(PM_SIZE), 500);
            kit_put(k, c);
        }
        assert_true(whole_store(k));
        if (seed == 0)
            kit_rows(k, &in_order, what);
        else
            kit_expect(k, what, in_order.data);
    }
    pm_buf_free(&in_order);
}

/* Logs that come late or fill a hole give one epoch, as in order. */
IN_KIT(late_logs)
{
    static const int parts[][2] = {{500, 800}, {1000, 1200}, {0, 300}, {800, 1000}};
    pm_capture *log[300];
    pm_buf wanted = {0};

    for (size_t p = 0; p < COUNT(parts); p++) {
        size_t n = 0;

        for (int i = parts[p][0]; i < parts[p][1]; i++)
            log[n++] = with_sums(k, X, 1, i, 400, 100 + (uint64_t)i / 100);
        kit_store_all(k, log, n, 7);
        while (n > 0)
            pm_capture_free(log[--n]);
    }
    assert_true(whole_store(k));
    kit_expect(k,
               "SELECT (min(taken_ms) - 1700000000000) / 60000, count(*) FROM snapshot GROUP BY "
               "epoch_id ORDER BY 1",
               "0|1000\n");
    kit_expect(k,
               "SELECT count(*) FROM snapshot s JOIN categories c ON c.snapshot_id = s.snapshot_id "
               "WHERE c.rss_kib = 100 + (s.taken_ms - 1700000000000) / 6000000",
               "1000\n");
    for (int i = 0; i < 12; i += i == 2 ? 3 : 1)
        pm_buf_addf(&wanted, NULL, "pmap-x|total|%d|%d|100|?|%d\n", i * 100, i * 100 + 99, 100 + i);
    kit_expect(k, RUNS, wanted.data);
    pm_buf_free(&wanted);
}

/* ---- the series ---- */

IN_KIT(runs_of_their_own)
{
    put_sums(k, X, 1, 0, 400, 100);
    put_sums(k, X, 1, 1, 400, 100);
    put_rows(k, X, 1, 2, 68); /* rss 34 + 66 = 100: never the same run */
    put_sums(k, X, 1, 3, 400, 100);
    put_rows(k, X, 1, 4, 68);
    put_sums(k, X, 1, 5, 400, 104);
    put_sums(k, X, 1, 30, 400, 104);
    kit_expect(k, RUNS,
               "pmap-x|total|0|3|3|?|100\n"
               "pmap-x|mapped-file|2|4|2|1|34\n"
               "pmap-x|stack|2|4|2|1|66\n"
               "pmap-x|total|5|30|2|?|104\n");
}

/* A run ends where its epoch does. */
IN_KIT(runs_across_epochs)
{
    for (int i = 0; i < 1100; i++)
        put_sums(k, ROLLUP, 1, i, 400, i < 1060 ? 100 : 101);
    kit_expect(k, "SELECT count(*) FROM epoch", "2\n");
    kit_expect(k, "SELECT count(*) FROM category_version", "3\n");
    kit_expect(k, RUNS,
               "smaps_rollup|total|0|1023|1024|?|100\n"
               "smaps_rollup|total|1024|1059|36|?|100\n"
               "smaps_rollup|total|1060|1099|40|?|101\n");
}

RUN_TESTS(NULL, NULL)
