-- push-totals: per name the sums over all categories at the last beat of an hour that is over, and the
-- lowest limit of the cgroups of its processes. A sum is unknown if a part of it is. In an hour that is
-- sent again, a name that its last beat lacks is a row of zeroes.

WITH part AS (
  SELECT l.hour_ms, l.process_id, s.taken_ms, 1 AS here, t.memory_max_kib, s.mappings, s.size_kib, s.rss_kib,
    s.pss_kib, s.private_kib, s.private_dirty_kib, s.swap_kib
  FROM push_last l
  CROSS JOIN snapshot s ON s.snapshot_id = l.snapshot_id
  LEFT JOIN live_reading r ON r.snapshot_id = l.snapshot_id
  LEFT JOIN live_process t ON t.live_process_id = r.live_process_id
  WHERE l.sent
  UNION ALL
  SELECT DISTINCT hour_ms, process_id, hour_ms, 0, NULL, 0, 0, 0, 0, 0, 0, 0 FROM push_within
)
SELECT k.host_key AS host_id, k.name, x.hour_ms / 1000 AS hour, max(x.taken_ms) AS at_ms,
  sum(x.here) AS processes, min(CASE WHEN x.memory_max_kib >= 0 THEN x.memory_max_kib END) AS memory_max_kib,
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
GROUP BY k.host_key, k.name, x.hour_ms;
