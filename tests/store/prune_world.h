/* prune_world: histories to prune, the answers that must not change, and the conditions that must
 * hold afterwards. */
#ifndef TESTS_STORE_PRUNE_WORLD_H
#define TESTS_STORE_PRUNE_WORLD_H

#include "whole.h"
#include "world.h"

#define PW_START INT64_C(1700000000000)

/* Makes a history of two processes of one name, sometimes captured together, and one of another
 * name that ends early; in several dialects, with partial captures and captures with sums only. */
static inline void pw_history(const kit *k, world_history *h, uint64_t seed, size_t beats)
{
    static const pm_dialect dialects[] = {PM_DIALECT_SMAPS, PM_DIALECT_PMAP_XX,
                                          PM_DIALECT_PMAP_SMALL_X};
    world w[3] = {{.n = 0}, {.n = 0}, {.n = 0}};
    int64_t ms = PW_START;

    h->n = 0;
    for (int i = 0; i < 3; i++)
        for (int n = 0; n < 30; n++)
            world_step(&w[i], &seed);
    for (size_t beat = 0; beat < beats; beat++) {
        ms += kit_below(&seed, 6) ? 60000 : 400;
        for (int i = 0; i < 3; i++) {
            uint64_t which = kit_below(&seed, 4) ? 1 : kit_below(&seed, 8);

            for (uint64_t n = kit_below(&seed, 4); n > 0; n--)
                world_step(&w[i], &seed);
            if (i == 2 && beat > beats / 2)
                continue;
            for (int d = 0; d < 3 && h->n < WORLD_CAPTURES; d++) {
                pm_capture *c;

                if (!(which & (1U << d)))
                    continue;
                c = world_capture(k, &w[i], dialects[d], 100 + i, ms + i, &seed);
                c->ordinal = (int64_t)h->n;
                if (i == 2)
                    kit_name(c, "db", PM_NAME_HEADER);
                h->capture[h->n++] = c;
            }
            if (kit_below(&seed, 5) == 0 && h->n < WORLD_CAPTURES) {
                h->capture[h->n] =
                    world_totals(k, &w[i], PM_DIALECT_ROLLUP, 100 + i, ms + i, &seed);
                h->capture[h->n]->ordinal = (int64_t)h->n;
                if (i == 2)
                    kit_name(h->capture[h->n], "db", PM_NAME_HEADER);
                h->n++;
            }
        }
    }
}

/* ---- the answers before a prune ---- */

#define PW_SNAPSHOT                                                                            \
    "snapshot_id, process_id, capture_id, taken_ms, taken_at, moment_ms, ordinal, preferred, " \
    "time_source, dialect, state, checked, missing, hash, import_log_id, mappings, size_kib, " \
    "rss_kib, pss_kib, private_kib, private_dirty_kib, swap_kib, tool_size_kib, tool_rss_kib"

static inline void pw_remember(const kit *k)
{
    kit_exec(k, "DROP TABLE IF EXISTS temp.m; DROP TABLE IF EXISTS temp.c; "
                "DROP TABLE IF EXISTS temp.s; CREATE TEMP TABLE m AS SELECT * FROM mappings; "
                "CREATE TEMP TABLE c AS SELECT * FROM categories; "
                "CREATE TEMP TABLE s AS SELECT " PW_SNAPSHOT " FROM snapshot");
}

/* Queries that return no row if the snapshots that are left are as they were remembered. */
static const char *const pw_changed[] = {
    "SELECT 'mapping changed', * FROM (SELECT * FROM mappings EXCEPT SELECT * FROM temp.m)",
    "SELECT 'mapping lost', * FROM (SELECT * FROM temp.m WHERE snapshot_id IN (SELECT snapshot_id "
    "FROM snapshot) EXCEPT SELECT * FROM mappings)",
    "SELECT 'mappings', n, was FROM (SELECT (SELECT count(*) FROM mappings) AS n, (SELECT count(*) "
    "FROM temp.m WHERE snapshot_id IN (SELECT snapshot_id FROM snapshot)) AS was) WHERE n <> was",
    "SELECT 'category changed', * FROM (SELECT * FROM categories EXCEPT SELECT * FROM temp.c)",
    "SELECT 'category lost', * FROM (SELECT * FROM temp.c WHERE snapshot_id IN (SELECT snapshot_id "
    "FROM snapshot) EXCEPT SELECT * FROM categories)",
    "SELECT 'snapshot changed', * FROM (SELECT " PW_SNAPSHOT
    " FROM snapshot EXCEPT SELECT * FROM temp.s)",
};

/* A prune keeps the categories that the rules about neighbours gave. */
#define PW_NONE(k, queries) whole_none(k, queries, COUNT(queries), "neighbours")

/* In addition to whole.h: no unused rows are left, and first appearances are correct. */
#define PW_ORDER                                                                                   \
    "s.taken_ms, CASE s.dialect WHEN 'smaps' THEN 0 WHEN 'pmap-XX' THEN 1 ELSE 2 END, s.ordinal, " \
    "s.hash"
static const char *const pw_untidy[] = {
    "SELECT 'orphan object', object_id FROM object WHERE object_id NOT IN (SELECT object_id FROM "
    "region)",
    "SELECT 'orphan detail', rare_fields_id FROM rare_fields WHERE rare_fields_id NOT IN (SELECT "
    "rare_fields_id FROM mapping_version WHERE rare_fields_id IS NOT NULL)",
    "SELECT 'orphan process', process_id FROM process WHERE process_id NOT IN (SELECT process_id "
    "FROM snapshot)",
    "SELECT 'orphan name', name_id FROM name WHERE name_id NOT IN (SELECT name_id FROM process)",
    "SELECT 'orphan origin', origin_id FROM origin WHERE origin_id NOT IN (SELECT origin_id FROM "
    "capture)",
    "SELECT 'orphan sight', snapshot_id FROM live_reading WHERE snapshot_id NOT IN (SELECT "
    "snapshot_id FROM snapshot)",
    "SELECT 'first of a lineage', l.lineage_id, l.first_snapshot_id, f.snapshot_id FROM lineage l "
    "JOIN (SELECT m.lineage_id, s.snapshot_id, row_number() OVER (PARTITION BY m.lineage_id ORDER "
    "BY " PW_ORDER
    ") AS k FROM mappings m JOIN snapshot s ON s.snapshot_id = m.snapshot_id) f ON f.lineage_id = "
    "l.lineage_id AND f.k = 1 WHERE f.snapshot_id <> l.first_snapshot_id",
    "SELECT 'runs', * FROM (SELECT c.process_id, s.dialect, s.state, c.category, count(*) AS n "
    "FROM categories c JOIN snapshot s ON s.snapshot_id = c.snapshot_id WHERE s.state <> 'partial' "
    "GROUP BY 1, 2, 3, 4 EXCEPT SELECT process_id, dialect, CASE category WHEN 'total' THEN "
    "'totals' ELSE 'complete' END, category, sum(n) FROM category_runs GROUP BY 1, 2, 3, 4)",
};

/* ---- captures that grow ---- */

#define PW_AT(n) (PW_START + (int64_t)(n)*60000)

static inline pmapdb_prune_result pw_prune(const kit *k, const pmapdb_prune_options *o)
{
    pmapdb_prune_result r = kit_prune(k, o);

    assert_true(PW_NONE(k, whole_broken) && PW_NONE(k, pw_untidy));
    return r;
}

static inline pmapdb_prune_result pw_keep_last(const kit *k, int64_t n)
{
    return pw_prune(k, &(pmapdb_prune_options){.keep.last = n, .max_kib = PMAPDB_UNKNOWN});
}

/* Returns a capture whose heap grows with n; its hash contains n. */
static inline pm_capture *pw_grown(const kit *k, int64_t pid, int64_t n)
{
    pm_capture *c = kit_capture(k, PM_DIALECT_PMAP_SMALL_X, pid, PW_AT(n));

    kit_map(k, c, 0x10000, 64 + (uint64_t)n * 4, "rw-p", "[heap]");
    kit_map(k, c, 0x7ff000000000 + (uint64_t)pid * 0x100000, 132, "rw-p", "[stack]");
    kit_name(c, pid < 100 ? "app" : "db", PM_NAME_HEADER);
    c->block.hash = (uint64_t)(1000 * pid + n);
    return c;
}

static inline void pw_put_grown(const kit *k, int64_t pid, int64_t from, int64_t to)
{
    for (int64_t n = from; n < to; n++)
        kit_put(k, pw_grown(k, pid, n));
}

/* Stores captures of two processes in turns; every mapping changes every time. */
static inline void pw_fill(const kit *k, int64_t moments)
{
    uint64_t seed = 5;
    world w = {.n = 0};

    for (int i = 0; i < 60; i++)
        world_step(&w, &seed);
    for (int64_t n = 0; n < moments; n++) {
        pm_capture *c;

        for (size_t i = 0; i < w.n; i++)
            world_touch(&w.map[i], &seed);
        c = world_capture(k, &w, PM_DIALECT_SMAPS, 7, PW_AT(n), &seed);
        if (n % 2)
            kit_name(c, "other", PM_NAME_GIVEN);
        c->pid = c->block.pid = n % 2 ? 8 : 7;
        kit_put(k, c);
    }
}

#endif
