-- name:   diff-total
-- title:  The stored totals of the two snapshots that a diff compares
-- param:  process process  only  NAME, PID, NAME/PID or @ID; may be left out where there is one name
-- param:  from    snapshot first The older snapshot
-- param:  to      snapshot last  The newer snapshot
-- param:  dialect text     ""    Only captures of this dialect; else, for each moment, the one with most fields
-- column: newer             bool     0: the older side, 1: the newer side
-- column: snapshot_id       snapshot Unknown where several processes are summed
-- column: process_id        process  The process: one life of the pid; unknown for several
-- column: name              text     Name of the process
-- column: pid               int      Process id; unknown for several
-- column: taken_at          time     When, UTC
-- column: dialect           text     The tool that printed it
-- column: state             text     complete, partial, totals: that of its least complete capture
-- column: partial           text     What is missing, where a capture is partial
-- column: mappings          count    Number of mappings
-- column: size_kib          kib      Address space
-- column: rss_kib           kib      Resident
-- column: pss_kib           kib      Proportional share of the resident
-- column: private_kib       kib      Private_Clean + Private_Dirty
-- column: private_dirty_kib kib      Private_Dirty
-- column: swap_kib          kib      Swapped out
-- column: tool_size_kib     kib      What the captures themselves claim: size
-- column: tool_rss_kib      kib      What the captures themselves claim: resident
-- column: processes         count    Processes summed
--
-- The sums that were added up while the captures were read. They prove a diff: the difference of
-- these sums minus the sum of the diff's rows is what the diff does not explain, and must be 0. In
-- alphabetical order, the names of the states go from the most to the least complete.
WITH side AS (
  -- the snapshots of the moments of :from (newer: 0) and :to (1); a sweep takes less than an hour
  SELECT d.newer, s.snapshot_id
  FROM (SELECT 0 AS newer, :from AS id UNION ALL SELECT 1, :to) d
  CROSS JOIN snapshot m ON m.snapshot_id = d.id
  CROSS JOIN process p ON p.process_id = :process OR (:process IS NULL AND p.name_id = :name_id)
  CROSS JOIN snapshot s ON s.process_id = p.process_id
    AND s.taken_ms BETWEEN m.moment_ms AND m.moment_ms + 3600000
  WHERE s.moment_ms = m.moment_ms
    AND CASE WHEN s.process_id = m.process_id THEN s.snapshot_id = m.snapshot_id
      WHEN :dialect IS NULL THEN s.preferred ELSE s.dialect = :dialect END
)
SELECT d.newer, CASE count(*) WHEN 1 THEN max(s.snapshot_id) END AS snapshot_id,
  CASE count(DISTINCT s.process_id) WHEN 1 THEN max(s.process_id) END AS process_id,
  max(n.name) AS name, CASE count(DISTINCT s.process_id) WHEN 1 THEN max(p.pid) END AS pid,
  min(s.taken_at) AS taken_at, max(s.dialect) AS dialect,
  max(s.state) AS state, max(CASE s.state WHEN 'partial' THEN s.missing END) AS partial,
  CASE WHEN count(*) = count(s.mappings) THEN sum(s.mappings) END AS mappings,
  CASE WHEN count(*) = count(s.size_kib) THEN sum(s.size_kib) END AS size_kib,
  CASE WHEN count(*) = count(s.rss_kib) THEN sum(s.rss_kib) END AS rss_kib,
  CASE WHEN count(*) = count(s.pss_kib) THEN sum(s.pss_kib) END AS pss_kib,
  CASE WHEN count(*) = count(s.private_kib) THEN sum(s.private_kib) END AS private_kib,
  CASE WHEN count(*) = count(s.private_dirty_kib) THEN sum(s.private_dirty_kib) END AS private_dirty_kib,
  CASE WHEN count(*) = count(s.swap_kib) THEN sum(s.swap_kib) END AS swap_kib,
  CASE WHEN count(*) = count(s.tool_size_kib) THEN sum(s.tool_size_kib) END AS tool_size_kib,
  CASE WHEN count(*) = count(s.tool_rss_kib) THEN sum(s.tool_rss_kib) END AS tool_rss_kib,
  count(DISTINCT s.process_id) AS processes
FROM side d
CROSS JOIN snapshot s ON s.snapshot_id = d.snapshot_id
JOIN process p ON p.process_id = s.process_id
JOIN name n ON n.name_id = p.name_id
GROUP BY d.newer;
