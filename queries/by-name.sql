-- name:   by-name
-- title:  All processes of one moment, summed by name
-- param:  process  process  ""   Only this NAME, PID, NAME/PID or @ID
-- param:  snapshot snapshot last Which one: first, last, prev, @ID, a time, -2h
-- param:  within   duration 1m   How far from that moment another name's may be
-- param:  dialect  text     ""   Only captures of this dialect; else, for each moment, the one with most fields
-- column: host              text  Where; empty when unknown
-- column: name              text  Name that survives restarts
-- column: taken_at          time  The moment of this name, UTC
-- column: processes         count Processes summed
-- column: mappings          count Number of mappings; unknown where there are sums only
-- column: size_kib          kib   Address space
-- column: rss_kib           kib   Resident, added up: a page of two processes counts twice; see by-process
-- column: pss_kib           kib   Proportional share of the resident: adds up to each page once
-- column: private_kib       kib   Private_Clean + Private_Dirty
-- column: private_dirty_kib kib   Private_Dirty
-- column: swap_kib          kib   Swapped out
-- column: partial           bool  1: a capture lacks rows, so the true numbers are higher
-- table:  host name processes mappings size_kib rss_kib pss_kib private_kib swap_kib
-- narrow: name processes rss_kib private_kib swap_kib
-- empty:  no processes at that moment
--
-- Largest first by pss, or by rss where pss is unknown. The sums were proved when the captures were
-- read. Shows the moment of each name that is nearest to :snapshot, if it is not further away than
-- :within: captures of different names that were taken one after another count as taken together.
WITH scope AS (
  SELECT process_id, name_id FROM process
  WHERE (:process IS NULL OR process_id = :process) AND (:name_id IS NULL OR name_id = :name_id)
),
near AS (
  -- for each process, the last snapshot up to the moment of :snapshot and the first one from it on
  SELECT p.name_id, s.moment_ms, abs(s.moment_ms - m.moment_ms) AS away, w.schedule_id
  FROM snapshot m
  CROSS JOIN scope p
  CROSS JOIN snapshot s ON s.snapshot_id IN (
    (SELECT s.snapshot_id FROM snapshot s WHERE s.process_id = p.process_id
      AND s.taken_ms <= m.moment_ms
      AND CASE WHEN :dialect IS NULL THEN s.preferred ELSE s.dialect = :dialect END
      ORDER BY s.taken_ms DESC LIMIT 1),
    (SELECT s.snapshot_id FROM snapshot s WHERE s.process_id = p.process_id
      AND s.taken_ms >= m.moment_ms
      AND CASE WHEN :dialect IS NULL THEN s.preferred ELSE s.dialect = :dialect END
      ORDER BY s.taken_ms LIMIT 1))
  LEFT JOIN beat w ON w.capture_id = s.capture_id
  WHERE m.snapshot_id = :snapshot
),
chosen AS (
  -- the nearest moment of each name; leaves out names that the nearest sweep of their live job does
  -- not contain, because they have ended
  SELECT name_id, moment_ms
  FROM (
    SELECT name_id, moment_ms, away, schedule_id,
      row_number() OVER (PARTITION BY name_id ORDER BY away, moment_ms) AS k,
      min(away) OVER (PARTITION BY schedule_id) AS nearest
    FROM near
    WHERE away <= :within
  )
  WHERE k = 1 AND (schedule_id IS NULL OR away = nearest)
),
moment AS (
  -- the snapshots of each name's moment; a sweep takes less than an hour
  SELECT s.snapshot_id, s.process_id, p.name_id, c.moment_ms
  FROM snapshot m
  CROSS JOIN chosen c
  CROSS JOIN scope p ON p.name_id = c.name_id
  CROSS JOIN snapshot s ON s.process_id = p.process_id
    AND s.taken_ms BETWEEN c.moment_ms AND c.moment_ms + 3600000
  WHERE m.snapshot_id = :snapshot AND s.moment_ms = c.moment_ms
    AND CASE WHEN s.process_id = m.process_id AND s.moment_ms = m.moment_ms
        THEN s.snapshot_id = m.snapshot_id
      WHEN :dialect IS NULL THEN s.preferred ELSE s.dialect = :dialect END
)
SELECT h.name AS host, n.name,
  strftime(CASE WHEN moment.moment_ms % 1000 THEN '%Y-%m-%dT%H:%M:%fZ'
    ELSE '%Y-%m-%dT%H:%M:%SZ' END, moment.moment_ms / 1000.0, 'unixepoch') AS taken_at,
  count(*) AS processes,
  CASE WHEN count(*) = count(s.mappings) THEN sum(s.mappings) END AS mappings,
  CASE WHEN count(*) = count(s.size_kib) THEN sum(s.size_kib) END AS size_kib,
  CASE WHEN count(*) = count(coalesce(s.rss_kib, s.tool_rss_kib))
    THEN sum(coalesce(s.rss_kib, s.tool_rss_kib)) END AS rss_kib,
  CASE WHEN count(*) = count(s.pss_kib) THEN sum(s.pss_kib) END AS pss_kib,
  CASE WHEN count(*) = count(s.private_kib) THEN sum(s.private_kib) END AS private_kib,
  CASE WHEN count(*) = count(s.private_dirty_kib) THEN sum(s.private_dirty_kib) END AS private_dirty_kib,
  CASE WHEN count(*) = count(coalesce(s.swap_kib, g.swap_kib))
    THEN sum(coalesce(s.swap_kib, g.swap_kib)) END AS swap_kib,
  max(s.state = 'partial') AS partial
FROM moment
CROSS JOIN snapshot s ON s.snapshot_id = moment.snapshot_id
CROSS JOIN name n ON n.name_id = moment.name_id
LEFT JOIN host h ON h.host_id = n.host_id
LEFT JOIN live_reading g ON g.snapshot_id = moment.snapshot_id
GROUP BY moment.name_id, moment.moment_ms
ORDER BY CASE WHEN count(*) = count(s.pss_kib) THEN sum(s.pss_kib)
    ELSE sum(coalesce(s.rss_kib, s.tool_rss_kib)) END DESC,
  rss_kib DESC, size_kib DESC, host, n.name;
