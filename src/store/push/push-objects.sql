-- push-objects: per name, file (or [anon]) and category the sums at the last beat of an hour that is over,
-- where Size or Rss is in another step of 64 KiB than at the last beat of the hour before; all of them in
-- the first hour of a UTC day and of a process. An object that is gone is a row of zeroes.

WITH last AS (
  SELECT l.hour_ms, l.process_id, l.snapshot_id, 1 AS here, s.taken_ms,
    l.hour_ms % 86400000 = 0 OR s.taken_ms - s.taken_ms % 3600000 = (SELECT min(t.taken_ms) / 3600000 * 3600000
      FROM snapshot t WHERE t.process_id = l.process_id) AS whole
  FROM push_last l CROSS JOIN snapshot s ON s.snapshot_id = l.snapshot_id
  WHERE l.sent
  UNION ALL
  SELECT l.hour_ms + 3600000, l.process_id, l.snapshot_id, 0, 0, 0
  FROM push_last l
  CROSS JOIN process p ON p.process_id = l.process_id
  CROSS JOIN push_hours h ON h.host_id = ifnull(p.host_id, 0) AND h.hour_ms = l.hour_ms + 3600000 AND h.over
),
part AS (
  SELECT k.host_key, k.name, l.hour_ms, l.here, max(l.whole) AS whole, max(l.taken_ms) AS at_ms,
    CASE m.path WHEN '' THEN '[anon]' ELSE m.path END AS object, m.category, count(*) AS mappings,
    CASE WHEN count(m.size_kib) = count(*) THEN sum(m.size_kib) END AS size_kib,
    CASE WHEN count(m.rss_kib) = count(*) THEN sum(m.rss_kib) END AS rss_kib,
    CASE WHEN count(m.pss_kib) = count(*) THEN sum(m.pss_kib) END AS pss_kib,
    CASE WHEN count(m.private_kib) = count(*) THEN sum(m.private_kib) END AS private_kib,
    CASE WHEN count(m.private_dirty_kib) = count(*) THEN sum(m.private_dirty_kib) END AS private_dirty_kib,
    CASE WHEN count(m.swap_kib) = count(*) THEN sum(m.swap_kib) END AS swap_kib
  FROM last l
  CROSS JOIN push_process k ON k.process_id = l.process_id
  CROSS JOIN mappings m ON m.snapshot_id = l.snapshot_id
  GROUP BY k.host_key, k.name, l.hour_ms, l.here, 7, m.category
),
object AS (
  SELECT *, count(*) OVER k AS sides, min(size_kib / 64) OVER k <> max(size_kib / 64) OVER k
    OR min(rss_kib / 64) OVER k <> max(rss_kib / 64) OVER k AS moved
  FROM part
  WINDOW k AS (PARTITION BY host_key, name, hour_ms, object, category)
)
SELECT host_key AS host_id, name, push_name('path', object) AS object,
  push_name('category', category) AS category,
  hour_ms / 1000 AS hour, :gen AS gen, CASE WHEN here THEN at_ms ELSE hour_ms END AS at_ms, here * mappings AS mappings,
  here * size_kib AS size_kib, here * rss_kib AS rss_kib, here * pss_kib AS pss_kib, here * private_kib AS private_kib,
  here * private_dirty_kib AS private_dirty_kib, here * swap_kib AS swap_kib, 2 * :seq AS seq
FROM object
WHERE here AND (whole OR sides = 1 OR moved) OR NOT here AND sides = 1;
