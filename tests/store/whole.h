/* whole: conditions that must hold in every store, as queries that return no row. */
#ifndef TESTS_STORE_WHOLE_H
#define TESTS_STORE_WHOLE_H

#include "kit.h"

/* The rules about neighbours in SQL, for each lineage in its first capture of the strongest
 * dialect, complete captures first. Returns lineages of another category, unless a test set it. */
#define WHOLE_NEIGHBOURS                                                                           \
    "WITH d (dialect, strength) AS (VALUES ('smaps', 0), ('pmap-XX', 1), ('pmap-X', 2), "          \
    "('pmap-x', 6), ('pmap', 8)), "                                                                \
    "seen AS (SELECT DISTINCT m.lineage_id, m.snapshot_id, s.state, s.taken_ms, d.strength, "      \
    "s.ordinal, s.hash FROM snapshot s JOIN d ON d.dialect = s.dialect JOIN mappings m ON "        \
    "m.snapshot_id = s.snapshot_id), "                                                             \
    "judge AS (SELECT lineage_id, snapshot_id, row_number() OVER (PARTITION BY lineage_id ORDER "  \
    "BY state, strength, taken_ms, ordinal, hash) AS k FROM seen), "                               \
    "place AS (SELECT m.snapshot_id, m.lineage_id, m.start, m.end, (m.end - m.start) / 1024 AS "   \
    "kib, c.category = 'anonymous' AND m.perms GLOB 'rw*p' AS memory, c.category = 'reserve' AND " \
    "(m.end - m.start) / 1024 <= 1024 AS guard FROM mappings m JOIN region r ON r.region_id = "    \
    "m.region_id JOIN object o ON o.object_id = r.object_id JOIN category c ON c.category_id = "   \
    "o.category_id), "                                                                             \
    "told AS (SELECT p.lineage_id, max(CASE WHEN p.memory AND (p.kib BETWEEN 1000 AND 1032 OR "    \
    "p.kib BETWEEN 2040 AND 2056 OR p.kib BETWEEN 4088 AND 4104 OR p.kib BETWEEN 8180 AND 8196) "  \
    "AND EXISTS (SELECT 1 FROM place n WHERE n.snapshot_id = p.snapshot_id AND n.end = p.start "   \
    "AND n.guard) THEN 'anonymous/thread-stack' WHEN p.guard AND EXISTS (SELECT 1 FROM place n "   \
    "WHERE n.snapshot_id = p.snapshot_id AND n.start = p.end AND n.memory) THEN 'reserve/guard' "  \
    "END) AS want FROM judge j JOIN place p ON p.snapshot_id = j.snapshot_id AND p.lineage_id = "  \
    "j.lineage_id WHERE j.k = 1 GROUP BY p.lineage_id) "                                           \
    "SELECT 'neighbours', t.lineage_id, t.want, c.category, l.rule FROM told t JOIN lineage l ON " \
    "l.lineage_id = t.lineage_id JOIN category c ON c.category_id = l.category_id WHERE CASE "     \
    "WHEN l.rule IS NOT NULL THEN c.category END IS NOT t.want AND coalesce(l.rule, '') NOT IN "   \
    "('by hand', 'label')"

/* Queries that return no row in a correct store. */
static const char *const whole_broken[] = {
    "SELECT * FROM pragma_foreign_key_check",
    "SELECT integrity_check FROM pragma_integrity_check WHERE integrity_check <> 'ok'",
    "SELECT 'orphan region', region_id FROM region WHERE region_id NOT IN (SELECT region_id FROM "
    "mapping_version)",
    "SELECT 'orphan lineage', lineage_id FROM lineage WHERE lineage_id NOT IN (SELECT lineage_id "
    "FROM region)",
    "SELECT 'orphan epoch', epoch_id FROM epoch WHERE epoch_id NOT IN (SELECT epoch_id FROM "
    "snapshot)",
    "SELECT 'orphan capture', capture_id FROM capture WHERE capture_id NOT IN (SELECT capture_id "
    "FROM snapshot)",
    "SELECT 'start of an epoch', epoch_id FROM snapshot GROUP BY epoch_id HAVING min(off) <> 0",
    "SELECT 'disorder in an epoch', epoch_id FROM (SELECT epoch_id, off, lag(off) OVER (PARTITION "
    "BY epoch_id ORDER BY taken_ms, ordinal, hash) AS before FROM snapshot) WHERE off <= before",
    "SELECT 'overlapping epochs', epoch_id, other FROM (SELECT s.epoch_id, lag(s.epoch_id) OVER w "
    "AS other, s.off FROM snapshot s JOIN epoch e ON e.epoch_id = s.epoch_id WINDOW w AS "
    "(PARTITION BY e.process_id, e.dialect, e.state ORDER BY s.taken_ms, s.ordinal, s.hash)) WHERE "
    "other <> epoch_id AND off <> 0",
    "SELECT 'wrong epoch', s.snapshot_id FROM snapshot s JOIN epoch e ON e.epoch_id = s.epoch_id "
    "WHERE e.process_id <> s.process_id OR e.dialect <> s.dialect OR e.state <> s.state",
    "SELECT 'mappings of sums', v.region_id FROM epoch e JOIN mapping_version v ON v.epoch_id = "
    "e.epoch_id WHERE e.state = 'totals'",
    "SELECT 'not the one category', s.snapshot_id, count(*), c.category FROM snapshot s JOIN "
    "categories c ON c.snapshot_id = s.snapshot_id WHERE s.state = 'totals' GROUP BY 2 HAVING "
    "count(*) <> 1 OR c.category <> 'total' OR c.mappings IS NOT NULL",
    "SELECT 'no sums', snapshot_id FROM snapshot WHERE state = 'totals' AND snapshot_id NOT IN "
    "(SELECT snapshot_id FROM categories)",
    "SELECT 'total of mappings', s.snapshot_id FROM snapshot s JOIN categories c ON c.snapshot_id "
    "= s.snapshot_id WHERE s.state <> 'totals' AND c.category = 'total'",
    /* a version begins at a capture, and ends before one */
    "SELECT 'bounds', v.epoch_id, v.region_id FROM mapping_version v WHERE v.last < v.first OR NOT "
    "EXISTS (SELECT 1 FROM snapshot s WHERE s.epoch_id = v.epoch_id AND s.off = v.first) OR v.last "
    "IS NOT NULL AND NOT EXISTS (SELECT 1 FROM snapshot s WHERE s.epoch_id = v.epoch_id AND s.off "
    "= "
    "v.last + 1)",
    "SELECT 'bounds of a category', v.epoch_id, v.category_id FROM category_version v WHERE v.last "
    "< v.first OR NOT EXISTS (SELECT 1 FROM snapshot s WHERE s.epoch_id = v.epoch_id AND s.off = "
    "v.first) OR v.last IS NOT NULL AND NOT EXISTS (SELECT 1 FROM snapshot s WHERE s.epoch_id = "
    "v.epoch_id AND s.off = v.last + 1)",
    "SELECT 'overlap', a.epoch_id, a.region_id FROM mapping_version a JOIN mapping_version b ON "
    "b.epoch_id = a.epoch_id AND b.region_id = a.region_id AND b.first > a.first WHERE a.last IS "
    "NULL OR a.last >= b.first",
    "SELECT 'not canonical', a.epoch_id, a.region_id FROM mapping_version a JOIN mapping_version b "
    "ON b.epoch_id = a.epoch_id AND b.region_id = a.region_id AND b.first = a.last + 1 WHERE "
    "a.private_dirty IS b.private_dirty AND a.private_clean IS b.private_clean AND a.shared_clean "
    "IS b.shared_clean AND a.shared_dirty IS b.shared_dirty AND a.swap IS b.swap AND a.pss IS "
    "b.pss AND a.referenced IS b.referenced AND a.rare_fields_id IS b.rare_fields_id",
    "SELECT 'category not canonical', a.epoch_id, a.category_id FROM category_version a JOIN "
    "category_version b ON b.epoch_id = a.epoch_id AND b.category_id = a.category_id AND b.first "
    "<= coalesce(a.last, 99999) + 1 AND b.first > a.first WHERE a.last IS NULL OR b.first <= "
    "a.last OR (a.mappings IS b.mappings AND a.size_kib IS b.size_kib AND a.rss_kib IS b.rss_kib "
    "AND a.pss_kib IS b.pss_kib AND a.private_kib IS b.private_kib AND a.private_dirty_kib IS "
    "b.private_dirty_kib AND a.swap_kib IS b.swap_kib)",
    "SELECT 'sums', s.snapshot_id FROM snapshot s JOIN (SELECT snapshot_id, sum(mappings) AS n, "
    "sum(size_kib) AS size FROM categories GROUP BY snapshot_id) t ON t.snapshot_id = "
    "s.snapshot_id WHERE s.mappings IS NOT t.n OR s.size_kib IS NOT t.size",
    "SELECT 'rollup', s.snapshot_id FROM snapshot s JOIN (SELECT snapshot_id, category, count(*) "
    "AS n, sum(rss_kib) AS rss FROM mappings GROUP BY 1, 2) m ON m.snapshot_id = s.snapshot_id "
    "LEFT JOIN categories t ON t.snapshot_id = s.snapshot_id AND t.category = m.category WHERE "
    "t.mappings IS NOT m.n OR t.rss_kib IS NOT m.rss",
    "SELECT 'lineage of another', l.lineage_id FROM mapping_version v JOIN epoch e ON e.epoch_id = "
    "v.epoch_id JOIN region r ON r.region_id = v.region_id JOIN lineage l ON l.lineage_id = "
    "r.lineage_id WHERE l.process_id <> e.process_id",
    "SELECT 'twin regions', lineage_id, start FROM region GROUP BY lineage_id, object_id, start, "
    "length, offset, size_kib HAVING count(*) > 1",
    "SELECT 'category of a region', r.region_id FROM region r JOIN lineage l ON l.lineage_id = "
    "r.lineage_id WHERE r.category_id IS NOT CASE WHEN l.rule IS NOT NULL THEN l.category_id END",
    WHOLE_NEIGHBOURS,
    "SELECT 'parent', category FROM category c WHERE parent IS NOT coalesce((SELECT "
    "p.category FROM category p WHERE p.category_id <= 11 AND c.category GLOB p.category || "
    "'/*'), c.category)",
    "SELECT 'preferred', moment_ms FROM snapshot GROUP BY process_id, moment_ms HAVING "
    "sum(preferred) <> 1",
};

/* Returns whether no query returns a row; skips queries that contain `but`. */
static inline bool whole_none(const kit *k, const char *const *queries, size_t n, const char *but)
{
    pm_buf out = {0};
    bool none;

    for (size_t i = 0; i < n; i++)
        if (!but || !strstr(queries[i], but))
            kit_rows(k, &out, queries[i]);
    none = out.len == 0;
    if (!none)
        print_error("%.3000s", out.data);
    pm_buf_free(&out);
    return none;
}

static inline bool whole_store(const kit *k)
{
    return whole_none(k, whole_broken, COUNT(whole_broken), NULL);
}

/* ---- all that captures leave, as text ---- */

static const char *const whole_tables[] = {"host",
                                           "name",
                                           "process",
                                           "capture",
                                           "epoch",
                                           "snapshot",
                                           "object",
                                           "lineage",
                                           "region",
                                           "rare_fields",
                                           "live_process",
                                           "live_reading",
                                           "pin",
                                           "forgotten ORDER BY 1, 2, 3",
                                           "mapping_version ORDER BY 1, 2, 3",
                                           "category_version ORDER BY 1, 2, 3"};

static inline pm_buf whole_content(const kit *k)
{
    pm_buf out = {0};

    for (size_t i = 0; i < COUNT(whole_tables); i++) {
        char sql[64];

        snprintf(sql, sizeof sql, "SELECT * FROM %s", whole_tables[i]);
        pm_buf_addf(&out, NULL, "-- %s\n", whole_tables[i]);
        kit_rows(k, &out, sql);
    }
    return out;
}

#endif
