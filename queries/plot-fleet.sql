-- name:   plot-fleet
-- title:  What plot draws of many processes: the course of each in a few numbers
-- param:  process process ""  Only this NAME, PID, NAME/PID or @ID; else every process of the store
-- param:  metric  text    rss One of rss, pss, private, private_dirty, size, swap, mappings
-- param:  points  int     40  About so many numbers per process
-- param:  since   time    ""  Only snapshots from then on: a time, -7d before the newest, now-7d
-- param:  dialect text    ""  Only captures of this dialect; else, for each moment, the one with most fields
-- param:  processes text "" Rows of leaks-processes, as JSON: only these, in their order
-- column: process_id process One life of one pid
-- column: taken_ms   int     When: ms since 1970 UTC
-- column: value      int     KiB, or a number of mappings
-- column: called     text    NAME/PID, as leaks-processes says
-- column: verdict    text    Its verdict
-- column: grade      int     2: a leak, 1: a suspect, 0
-- column: processes  count   How many leaks-processes has
-- empty:  no snapshots in this span
--
-- Every number is that of a real snapshot: of each equally long part of the whole time the most,
-- and the last one. Partial captures are left out.
WITH scope AS (
  SELECT process_id FROM process
  WHERE (:process IS NULL OR process_id = :process) AND (:name_id IS NULL OR name_id = :name_id)
),
taken AS (
  SELECT s.process_id, s.taken_ms,
    CASE :metric WHEN 'rss' THEN coalesce(s.rss_kib, s.tool_rss_kib) WHEN 'pss' THEN s.pss_kib
      WHEN 'private' THEN s.private_kib WHEN 'private_dirty' THEN s.private_dirty_kib
      WHEN 'size' THEN s.size_kib WHEN 'swap' THEN coalesce(s.swap_kib,
        (SELECT g.swap_kib FROM live_reading g WHERE g.snapshot_id = s.snapshot_id))
      WHEN 'mappings' THEN s.mappings END AS value
  FROM scope
  CROSS JOIN snapshot s ON s.process_id = scope.process_id
  WHERE CASE WHEN :dialect IS NULL THEN s.preferred ELSE s.dialect = :dialect END
    AND s.taken_ms >= coalesce(:since, -9e15) AND s.state <> 'partial'
),
known AS (
  SELECT * FROM taken WHERE value IS NOT NULL
),
judged AS (
  SELECT key AS nth, json_extract(value, '$.process_id') AS process_id, json_extract(value, '$.called') AS called,
    json_extract(value, '$.verdict') AS verdict, json_extract(value, '$.grade') AS grade
  FROM json_each(coalesce(:processes, '[]'))
),
span AS (
  SELECT min(taken_ms) AS first_ms, max(max(taken_ms) - min(taken_ms), 1) AS ms FROM known
)
SELECT v.process_id, v.taken_ms, v.value, j.called, j.verdict, j.grade, (SELECT count(*) FROM judged) AS processes
FROM (
  SELECT process_id, taken_ms, max(value) AS value
  FROM known
  GROUP BY process_id, (taken_ms - (SELECT first_ms FROM span)) * :points / (SELECT ms FROM span)
  UNION
  SELECT process_id, max(taken_ms), value
  FROM known
  GROUP BY process_id
) v
LEFT JOIN judged j ON j.process_id = v.process_id
WHERE :processes IS NULL OR j.nth IS NOT NULL
ORDER BY j.nth, v.process_id, v.taken_ms;
