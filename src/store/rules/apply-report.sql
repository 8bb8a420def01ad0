-- apply-report: lists the changes of table apply_judge before they are written: one row for each
-- pair of categories and rule. Sizes are sums over the lineages in the newest preferred snapshot of
-- each process that has mappings; NULL if one of the mappings does not show the size. Table
-- category_new has the names of the ids below zero.

DROP TABLE IF EXISTS temp.apply_change;
CREATE TEMP TABLE apply_change AS
WITH change AS (
  SELECT j.lineage_id, l.process_id, l.category_id AS from_id,
    coalesce(j.category_id, j.own_id) AS to_id, j.rule
  FROM apply_judge j CROSS JOIN lineage l ON l.lineage_id = j.lineage_id
  WHERE l.category_id <> coalesce(j.category_id, j.own_id)),
newest AS (
  SELECT (SELECT s.snapshot_id FROM snapshot s WHERE s.process_id = c.process_id
      AND s.preferred = 1 AND s.state <> 'totals'
    ORDER BY s.taken_ms DESC, s.ordinal DESC LIMIT 1) AS snapshot_id
  FROM (SELECT DISTINCT process_id FROM change) c),
shown AS (
  SELECT m.lineage_id, count(*) AS mappings,
    CASE WHEN count(m.size_kib) = count(*) THEN sum(m.size_kib) END AS size_kib,
    CASE WHEN count(m.rss_kib) = count(*) THEN sum(m.rss_kib) END AS rss_kib
  FROM newest n CROSS JOIN mappings m ON m.snapshot_id = n.snapshot_id
  GROUP BY m.lineage_id)
SELECT coalesce((SELECT k.category FROM category k WHERE k.category_id = c.from_id), '?')
    AS from_category,
  coalesce((SELECT k.category FROM category k WHERE k.category_id = c.to_id),
    (SELECT k.category FROM category_new k WHERE k.category_id = c.to_id), '?') AS to_category,
  c.rule, count(*) AS lineages, coalesce(sum(s.mappings), 0) AS mappings,
  CASE WHEN count(s.size_kib) = count(s.mappings) THEN coalesce(sum(s.size_kib), 0) END AS size_kib,
  CASE WHEN count(s.rss_kib) = count(s.mappings) THEN coalesce(sum(s.rss_kib), 0) END AS rss_kib
FROM change c LEFT JOIN shown s ON s.lineage_id = c.lineage_id
GROUP BY c.from_id, c.to_id, c.rule;
