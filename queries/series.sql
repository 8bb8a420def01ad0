-- name:   series
-- title:  One number through time, one series per pid: ts, pid, value for a plot
-- param:  process  process  only  NAME, PID, NAME/PID or @ID; may be left out where there is one name
-- param:  metric   text     rss   One of rss, pss, private, private_dirty, size, swap, mappings
-- param:  category category ""    Only this category; anonymous takes anonymous/... too
-- param:  from     snapshot first Begin with this snapshot
-- param:  to       snapshot last  End with this snapshot
-- param:  dialect  text     ""    Only captures of this dialect; else, for each moment, the one with most fields
-- column: ts    real When: seconds since 1970 UTC
-- column: pid   int  Process id
-- column: value int  KiB, or a number of mappings
-- order:  time
-- empty:  no snapshots in this span
--
-- The columns that Procpath and the tools that learnt from it plot. Every process has its own
-- series; nothing is summed. There is no row if the number is unknown, or for a partial capture,
-- which would look like a dip. A category that a process does not have is 0; a category that a
-- capture with sums only cannot tell is unknown. rss and swap of a process whose rows do not show
-- them, as in maps, are what the capture itself states: VmRSS, VmSwap.
WITH scope AS (
  SELECT process_id FROM process
  WHERE process_id = :process OR (:process IS NULL AND name_id = :name_id)
),
taken AS (
  SELECT s.snapshot_id, s.process_id, s.taken_ms, s.state, s.ordinal, v.epoch_id IS NOT NULL AS there,
    CASE :metric WHEN 'rss' THEN coalesce(s.rss_kib, s.tool_rss_kib) WHEN 'pss' THEN s.pss_kib
      WHEN 'private' THEN s.private_kib WHEN 'private_dirty' THEN s.private_dirty_kib
      WHEN 'size' THEN s.size_kib WHEN 'swap' THEN coalesce(s.swap_kib,
        (SELECT g.swap_kib FROM live_reading g WHERE g.snapshot_id = s.snapshot_id))
      WHEN 'mappings' THEN s.mappings END AS whole,
    CASE :metric WHEN 'rss' THEN v.rss_kib WHEN 'pss' THEN v.pss_kib
      WHEN 'private' THEN v.private_kib WHEN 'private_dirty' THEN v.private_dirty_kib
      WHEN 'size' THEN v.size_kib WHEN 'swap' THEN v.swap_kib
      WHEN 'mappings' THEN v.mappings END AS part
  FROM scope
  CROSS JOIN snapshot s ON s.process_id = scope.process_id
  LEFT JOIN category_version v ON v.epoch_id = s.epoch_id AND v.first <= s.off
    AND (v.last IS NULL OR v.last >= s.off)
    AND v.category_id IN (SELECT category_id FROM category WHERE :category IN (category, parent))
  WHERE s.state <> 'partial'
    AND CASE WHEN :dialect IS NULL THEN s.preferred ELSE s.dialect = :dialect END
    AND s.moment_ms >= (SELECT moment_ms FROM snapshot WHERE snapshot_id = :from)
    AND s.moment_ms <= (SELECT moment_ms FROM snapshot WHERE snapshot_id = :to)
),
told AS (
  -- a category has parts if rules refine it; an unknown part makes the sum unknown
  SELECT process_id, taken_ms, ordinal,
    CASE WHEN :category IS NULL THEN whole
      WHEN there THEN CASE WHEN count(*) = count(part) THEN sum(part) END
      WHEN state <> 'totals' THEN 0 * whole END AS value
  FROM taken
  GROUP BY snapshot_id
)
SELECT t.taken_ms / 1000.0 AS ts, p.pid, t.value
FROM told t
JOIN process p ON p.process_id = t.process_id
WHERE t.value IS NOT NULL
ORDER BY t.taken_ms, t.ordinal, p.pid, p.process_id;
