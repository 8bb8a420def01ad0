-- push-hourly: per name and category the sums at the last beat of an hour that is over. A sum is unknown
-- if a part of it is. In an hour that is sent again, a category that its last beat lacks is a row of
-- zeroes.

WITH part AS (
  SELECT l.hour_ms, l.process_id, v.category_id, s.taken_ms, 1 AS here, v.mappings, v.size_kib,
    v.rss_kib, v.pss_kib, v.private_kib, v.private_dirty_kib, v.swap_kib
  FROM push_last l
  CROSS JOIN snapshot s ON s.snapshot_id = l.snapshot_id
  CROSS JOIN category_version v ON v.epoch_id = s.epoch_id AND v.first <= s.off
    AND (v.last IS NULL OR v.last >= s.off)
  WHERE l.sent
  UNION ALL
  SELECT hour_ms, process_id, category_id, hour_ms, 0, 0, 0, 0, 0, 0, 0, 0 FROM push_within
)
SELECT k.host_key AS host_id, k.name, push_name('category', c.category) AS category,
  x.hour_ms / 1000 AS hour, :gen AS gen, max(x.taken_ms) AS at_ms, sum(x.here) AS processes,
  CASE WHEN count(x.mappings) = count(*) THEN sum(x.mappings) END AS mappings,
  CASE WHEN count(x.size_kib) = count(*) THEN sum(x.size_kib) END AS size_kib,
  CASE WHEN count(x.rss_kib) = count(*) THEN sum(x.rss_kib) END AS rss_kib,
  CASE WHEN count(x.pss_kib) = count(*) THEN sum(x.pss_kib) END AS pss_kib,
  CASE WHEN count(x.private_kib) = count(*) THEN sum(x.private_kib) END AS private_kib,
  CASE WHEN count(x.private_dirty_kib) = count(*) THEN sum(x.private_dirty_kib) END AS private_dirty_kib,
  CASE WHEN count(x.swap_kib) = count(*) THEN sum(x.swap_kib) END AS swap_kib,
  2 * :seq AS seq
FROM part x
CROSS JOIN push_process k ON k.process_id = x.process_id
CROSS JOIN category c ON c.category_id = x.category_id
GROUP BY k.host_key, k.name, c.category_id, x.hour_ms;
