-- name:   unknown-rss
-- title:  Captures of one moment that do not show what is resident: why, and when it was last known
-- param:  process  process  ""   Only this NAME, PID, NAME/PID or @ID
-- param:  snapshot snapshot last Which moment: first, last, prev, @ID, a time, -2h
-- param:  dialect  text     ""   Only captures of this dialect; else, for each moment, the one with most fields
-- column: name             text     Name of the process
-- column: pid              int      Process id
-- column: snapshot_id      snapshot The capture
-- column: taken_at         time     When it was taken, UTC
-- column: dialect          text     What was read, or printed it
-- column: why              text     Why it does not show resident memory
-- column: vm_rss_kib       kib      The resident memory of the process, if the capture states VmRSS
-- column: known_at         time     When mappings last showed it, UTC; unknown: never before
-- column: known_id         snapshot That capture, for --snapshot as @ID
-- column: process_id       process  The process: one life of the pid
-- narrow: name pid snapshot_id why known_at
--
-- maps and a plain pmap know sizes only. A live capture reads maps if --measure says so, or if smaps
-- would lock the memory map of the process for longer than --max-stall.
WITH scope AS (
  SELECT process_id, name_id FROM process
  WHERE (:process IS NULL OR process_id = :process) AND (:name_id IS NULL OR name_id = :name_id)
)
SELECT n.name, p.pid, s.snapshot_id, s.taken_at, s.dialect,
  coalesce(g.degraded, s.dialect || ' does not show resident memory') AS why,
  s.tool_rss_kib AS vm_rss_kib, k.taken_at AS known_at, k.snapshot_id AS known_id, s.process_id
FROM snapshot m
CROSS JOIN scope
CROSS JOIN snapshot s ON s.process_id = scope.process_id
  AND s.taken_ms BETWEEN m.moment_ms AND m.moment_ms + 3600000 -- a sweep takes less than an hour
CROSS JOIN process p ON p.process_id = s.process_id
CROSS JOIN name n ON n.name_id = p.name_id
LEFT JOIN live_reading g ON g.snapshot_id = s.snapshot_id
LEFT JOIN snapshot k ON k.snapshot_id = (SELECT b.snapshot_id FROM snapshot b
  WHERE b.process_id = s.process_id AND b.taken_ms <= s.taken_ms AND b.rss_kib IS NOT NULL
    AND b.state = 'complete'
  ORDER BY b.taken_ms DESC LIMIT 1)
WHERE m.snapshot_id = :snapshot AND s.moment_ms = m.moment_ms AND s.rss_kib IS NULL
  AND s.state = 'complete'
  AND CASE WHEN s.process_id = m.process_id THEN s.snapshot_id = m.snapshot_id
    WHEN :dialect IS NULL THEN s.preferred ELSE s.dialect = :dialect END
ORDER BY n.name, p.pid, s.process_id;
