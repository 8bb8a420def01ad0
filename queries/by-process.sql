-- name:   by-process
-- title:  All processes of one moment, largest first
-- param:  process  process  ""   Only this NAME, PID, NAME/PID or @ID
-- param:  snapshot snapshot last Which one: first, last, prev, @ID, a time, -2h
-- param:  within   duration 1m   How far from that moment another name's may be
-- param:  dialect  text     ""   Only captures of this dialect; else, for each moment, the one with most fields
-- param:  user     text     ""   Only processes of this user, as live captures saw them
-- column: snapshot_id       snapshot For --snapshot as @ID
-- column: taken_at          time     When it was taken, UTC
-- column: host              text     Where; empty when unknown
-- column: name              text     Name of the process
-- column: pid               int      Process id
-- column: state             text     complete, partial (rows are missing), totals (only sums)
-- column: mappings          count    Number of mappings; unknown where there are sums only
-- column: size_kib          kib      Address space
-- column: rss_kib           kib      Resident; VmRSS where a live capture read maps only
-- column: pss_kib           kib      Proportional share of the resident
-- column: private_kib       kib      Private_Clean + Private_Dirty: what would be free without it
-- column: private_dirty_kib kib      Private_Dirty
-- column: swap_kib          kib      Swapped out
-- column: process_id        process  The process: one life of the pid
-- table:  taken_at name pid state mappings size_kib rss_kib pss_kib private_kib swap_kib
-- narrow: name pid rss_kib private_kib swap_kib
-- empty:  no processes at that moment
--
-- Largest first by private memory, or by rss where private memory is unknown. The sums were proved
-- when the captures were read. Shows the moment of each name that is nearest to :snapshot, if it is
-- not further away than :within: captures of different names that were taken one after another
-- count as taken together.
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
  SELECT s.epoch_id, s.off
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
SELECT s.snapshot_id, s.taken_at, h.name AS host, n.name, p.pid, s.state, s.mappings, s.size_kib,
  coalesce(s.rss_kib, s.tool_rss_kib) AS rss_kib, s.pss_kib, s.private_kib, s.private_dirty_kib,
  coalesce(s.swap_kib, g.swap_kib) AS swap_kib, s.process_id
FROM moment
CROSS JOIN snapshot s ON s.epoch_id = moment.epoch_id AND s.off = moment.off
CROSS JOIN process p ON p.process_id = s.process_id
CROSS JOIN name n ON n.name_id = p.name_id
LEFT JOIN host h ON h.host_id = n.host_id
LEFT JOIN live_reading g ON g.snapshot_id = s.snapshot_id
LEFT JOIN live_process l ON l.live_process_id = g.live_process_id
WHERE :user IS NULL OR :user IN (l.user, l.uid || '')
ORDER BY coalesce(s.private_kib, s.rss_kib, s.tool_rss_kib) DESC, s.rss_kib DESC, s.size_kib DESC,
  host, n.name, p.pid, s.process_id;
