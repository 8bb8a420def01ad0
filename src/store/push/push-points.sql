-- push-points: the categories of processes when they change, and all of them where a span or a UTC day
-- begins. A category that is gone is a row of zeroes. Pss changes when other processes come and go:
-- it is sent, and counts as a change, only with :pss. seq is 0, except in rows that correct sent rows.

WITH point AS (
  -- all categories
  SELECT s.snapshot_id, s.process_id, s.taken_ms, v.category_id, 1 AS here, v.mappings, v.size_kib,
    v.rss_kib, v.pss_kib, v.private_kib, v.private_dirty_kib, v.swap_kib
  FROM push_step s
  CROSS JOIN category_version v ON v.epoch_id = s.epoch_id AND v.first <= s.off
    AND (v.last IS NULL OR v.last >= s.off)
  WHERE s.whole
  UNION ALL
  SELECT s.snapshot_id, s.process_id, s.taken_ms, w.category_id, 0, 0, 0, 0, 0, 0, 0, 0
  FROM push_step s
  CROSS JOIN category_version w ON w.epoch_id = s.prev_epoch_id AND w.first <= s.prev_off
    AND (w.last IS NULL OR w.last >= s.prev_off)
  WHERE s.whole AND NOT EXISTS (SELECT 1 FROM category_version v WHERE v.epoch_id = s.epoch_id
    AND v.category_id = w.category_id AND v.first <= s.off AND (v.last IS NULL OR v.last >= s.off))
  UNION ALL
  SELECT DISTINCT s.snapshot_id, s.process_id, s.taken_ms, w.category_id, 0, 0, 0, 0, 0, 0, 0, 0
  FROM push_weaker x
  CROSS JOIN push_step s ON s.snapshot_id = x.snapshot_id
  CROSS JOIN category_version w ON w.epoch_id = x.epoch_id AND w.first <= x.off
    AND (w.last IS NULL OR w.last >= x.off)
  WHERE NOT EXISTS (SELECT 1 FROM category_version v WHERE v.epoch_id = s.epoch_id
    AND v.category_id = w.category_id AND v.first <= s.off AND (v.last IS NULL OR v.last >= s.off))
  UNION ALL
  -- versions that began after the predecessor and differ from its version
  SELECT s.snapshot_id, s.process_id, s.taken_ms, v.category_id, 1, v.mappings, v.size_kib, v.rss_kib,
    v.pss_kib, v.private_kib, v.private_dirty_kib, v.swap_kib
  FROM (SELECT DISTINCT epoch_id FROM push_step WHERE NOT whole) e
  CROSS JOIN category_version v ON v.epoch_id = e.epoch_id
  CROSS JOIN push_step s ON s.epoch_id = v.epoch_id AND s.off = (SELECT min(t.off) FROM push_step t
    WHERE t.epoch_id = v.epoch_id AND t.off >= v.first)
  WHERE NOT s.whole AND s.prev_off < v.first AND (v.last IS NULL OR v.last >= s.off)
    AND NOT EXISTS (SELECT 1 FROM category_version w WHERE w.epoch_id = v.epoch_id
      AND w.category_id = v.category_id AND w.first <= s.prev_off
      AND (w.last IS NULL OR w.last >= s.prev_off)
      AND w.mappings IS v.mappings AND w.size_kib IS v.size_kib AND w.rss_kib IS v.rss_kib
      AND w.private_kib IS v.private_kib AND w.private_dirty_kib IS v.private_dirty_kib
      AND w.swap_kib IS v.swap_kib AND (NOT :pss OR w.pss_kib IS v.pss_kib))
  UNION ALL
  -- versions that ended since the predecessor, of categories that are gone
  SELECT s.snapshot_id, s.process_id, s.taken_ms, w.category_id, 0, 0, 0, 0, 0, 0, 0, 0
  FROM (SELECT DISTINCT epoch_id FROM push_step WHERE NOT whole) e
  CROSS JOIN category_version w ON w.epoch_id = e.epoch_id AND w.last IS NOT NULL
  CROSS JOIN push_step s ON s.epoch_id = w.epoch_id AND s.off = (SELECT min(t.off) FROM push_step t
    WHERE t.epoch_id = w.epoch_id AND t.off > w.last)
  WHERE NOT s.whole AND w.first <= s.prev_off AND s.prev_off <= w.last
    AND NOT EXISTS (SELECT 1 FROM category_version v WHERE v.epoch_id = w.epoch_id
      AND v.category_id = w.category_id AND v.first <= s.off AND (v.last IS NULL OR v.last >= s.off))
)
SELECT k.host_key AS host_id, k.name, k.process_key, :gen AS gen, push_name('category', c.category) AS category,
  ifnull(w.at_ms, x.taken_ms) AS at_ms, CASE WHEN x.here OR s.mappings IS NOT NULL THEN x.mappings END AS mappings,
  CASE WHEN x.here OR s.size_kib IS NOT NULL THEN x.size_kib END AS size_kib,
  CASE WHEN x.here OR s.rss_kib IS NOT NULL THEN x.rss_kib END AS rss_kib,
  CASE WHEN :pss AND (x.here OR s.pss_kib IS NOT NULL) THEN x.pss_kib END AS pss_kib,
  CASE WHEN x.here OR s.private_kib IS NOT NULL THEN x.private_kib END AS private_kib,
  CASE WHEN x.here OR s.private_dirty_kib IS NOT NULL THEN x.private_dirty_kib END AS private_dirty_kib,
  CASE WHEN x.here OR s.swap_kib IS NOT NULL THEN x.swap_kib END AS swap_kib,
  CASE WHEN w.at_ms IS NULL THEN 0 ELSE 2 * :seq END AS seq
FROM point x
LEFT JOIN (SELECT snapshot_id, taken_ms AS at_ms FROM push_weaker
  UNION SELECT snapshot_id, taken_ms FROM push_step
    WHERE snapshot_id IN (SELECT snapshot_id FROM push_weaker)) w ON w.snapshot_id = x.snapshot_id
CROSS JOIN push_process k ON k.process_id = x.process_id
CROSS JOIN category c ON c.category_id = x.category_id
CROSS JOIN snapshot s ON s.snapshot_id = x.snapshot_id;
