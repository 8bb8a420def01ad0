-- name:   diff-process-total
-- title:  The stored totals of the two moments that diff-process compares
-- param:  process process  ""    Only this NAME, PID, NAME/PID or @ID
-- param:  from    snapshot first The older moment
-- param:  to      snapshot last  The newer moment
-- param:  within  duration 1m    Captures as text this close are of one moment
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
-- The sums that were added up while the captures were read. They prove diff-process as diff-total
-- proves a diff.
WITH scope AS (
  SELECT process_id, name_id, host_id, boot_id,
    clock_utc_ms - clock_mono_ns / 1000000 + start_time * 10 AS started_ms
  FROM process
  WHERE (:process IS NULL OR process_id = :process) AND (:name_id IS NULL OR name_id = :name_id)
),
moment AS (
  SELECT 0 AS newer, taken_ms AS ms FROM snapshot WHERE snapshot_id = :from
  UNION ALL
  SELECT 1, taken_ms FROM snapshot WHERE snapshot_id = :to
),
sweep AS (
  -- the last beat of each live job; spared: it left out processes that live
  SELECT m.newer, j.schedule_id, j.host_id, j.boot_id, w.capture_id,
    w.unmoved + w.changed > 0 AS spared, max(w.started_ms) AS started_ms
  FROM moment m
  CROSS JOIN schedule j
  CROSS JOIN beat w ON w.schedule_id = j.schedule_id AND w.started_ms <= m.ms
  GROUP BY m.newer, j.schedule_id
),
seen AS (
  -- of each process its last snapshot at or before the moment
  SELECT m.newer, m.ms, p.process_id, p.name_id, p.host_id, p.boot_id, s.snapshot_id, s.capture_id,
    s.taken_ms
  FROM moment m
  CROSS JOIN scope p
  CROSS JOIN snapshot s ON s.snapshot_id = (SELECT s.snapshot_id FROM snapshot s
    WHERE s.process_id = p.process_id AND s.taken_ms <= m.ms
      AND CASE WHEN :dialect IS NULL THEN s.preferred ELSE s.dialect = :dialect END
    ORDER BY s.taken_ms DESC LIMIT 1)
),
judged AS (
  -- ended: nothing was captured later, and a later beat of its job lacks it, or another boot of its
  -- host was captured; as text: others of its name were
  SELECT x.newer, x.process_id, x.snapshot_id,
    NOT EXISTS (SELECT 1 FROM snapshot s WHERE s.process_id = x.process_id AND s.taken_ms > x.ms)
    AND CASE
      WHEN w.capture_id IS NULL
        THEN max(x.taken_ms) OVER (PARTITION BY x.newer, x.name_id) > x.taken_ms + :within
      WHEN j.capture_id <> w.capture_id AND NOT j.spared THEN 1
      ELSE EXISTS (SELECT 1 FROM sweep o WHERE o.newer = x.newer AND o.host_id = x.host_id
        AND o.boot_id <> x.boot_id AND o.started_ms > x.taken_ms)
    END AS ended
  FROM seen x
  LEFT JOIN beat w ON w.capture_id = x.capture_id
  LEFT JOIN sweep j ON j.newer = x.newer AND j.schedule_id = w.schedule_id
),
pair AS (
  -- a process that was first captured after :from and did not begin after it grew from then on
  SELECT p.process_id, CASE
      WHEN a.snapshot_id IS NOT NULL THEN CASE WHEN NOT a.ended THEN a.snapshot_id END
      WHEN CASE WHEN p.started_ms IS NOT NULL THEN p.started_ms <= m.ms
        ELSE p.name_id NOT IN (SELECT name_id FROM seen WHERE newer = 0) END
      THEN (SELECT s.snapshot_id FROM snapshot s WHERE s.process_id = p.process_id
        AND CASE WHEN :dialect IS NULL THEN s.preferred ELSE s.dialect = :dialect END
        ORDER BY s.taken_ms LIMIT 1)
    END AS from_id,
    CASE WHEN NOT z.ended THEN z.snapshot_id END AS to_id
  FROM scope p
  CROSS JOIN moment m ON m.newer = 0
  LEFT JOIN judged a ON a.newer = 0 AND a.process_id = p.process_id
  LEFT JOIN judged z ON z.newer = 1 AND z.process_id = p.process_id
  WHERE z.process_id IS NOT NULL
),
side AS (
  SELECT 0 AS newer, from_id AS snapshot_id FROM pair WHERE from_id IS NOT to_id
  UNION ALL
  SELECT 1, to_id FROM pair WHERE from_id IS NOT to_id
)
SELECT m.newer, NULL AS snapshot_id, NULL AS process_id,
  CASE count(DISTINCT p.host_id) WHEN 1 THEN max(h.name) ELSE 'all processes' END AS name,
  NULL AS pid,
  strftime(CASE WHEN m.ms % 1000 THEN '%Y-%m-%dT%H:%M:%fZ'
    ELSE '%Y-%m-%dT%H:%M:%SZ' END, m.ms / 1000.0, 'unixepoch') AS taken_at,
  NULL AS dialect, NULL AS state, max(CASE s.state WHEN 'partial' THEN s.missing END) AS partial,
  CASE WHEN count(s.snapshot_id) = count(s.mappings) THEN coalesce(sum(s.mappings), 0) END AS mappings,
  CASE WHEN count(s.snapshot_id) = count(s.size_kib) THEN coalesce(sum(s.size_kib), 0) END AS size_kib,
  CASE WHEN count(s.snapshot_id) = count(coalesce(s.rss_kib, s.tool_rss_kib))
    THEN coalesce(sum(coalesce(s.rss_kib, s.tool_rss_kib)), 0) END AS rss_kib,
  CASE WHEN count(s.snapshot_id) = count(s.pss_kib) THEN coalesce(sum(s.pss_kib), 0) END AS pss_kib,
  CASE WHEN count(s.snapshot_id) = count(s.private_kib) THEN coalesce(sum(s.private_kib), 0) END AS private_kib,
  CASE WHEN count(s.snapshot_id) = count(s.private_dirty_kib) THEN coalesce(sum(s.private_dirty_kib), 0) END AS private_dirty_kib,
  CASE WHEN count(s.snapshot_id) = count(s.swap_kib) THEN coalesce(sum(s.swap_kib), 0) END AS swap_kib,
  CASE WHEN count(s.snapshot_id) = count(s.tool_size_kib) THEN coalesce(sum(s.tool_size_kib), 0) END AS tool_size_kib,
  CASE WHEN count(s.snapshot_id) = count(s.tool_rss_kib) THEN coalesce(sum(s.tool_rss_kib), 0) END AS tool_rss_kib,
  count(s.snapshot_id) AS processes
FROM moment m
LEFT JOIN side d ON d.newer = m.newer
LEFT JOIN snapshot s ON s.snapshot_id = d.snapshot_id
LEFT JOIN process p ON p.process_id = s.process_id
LEFT JOIN host h ON h.host_id = p.host_id
GROUP BY m.newer;
