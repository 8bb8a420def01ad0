-- name:   deleted
-- title:  Files that are deleted but still mapped, by process
-- param:  process  process  ""   Only this NAME, PID, NAME/PID or @ID
-- param:  snapshot snapshot last Which one: first, last, prev, @ID, a time, -2h
-- param:  within   duration 1m   How far from that moment another name's may be
-- param:  dialect  text     ""   Only captures of this dialect; else, for each moment, the one with most fields
-- param:  depth    text     2    One of 1, 2: by the first word (anonymous), or as rules refine it (anonymous/thread-stack)
-- column: process_id  process  The process: one life of the pid
-- column: host        text     Where; empty when unknown
-- column: name        text     Name of the process
-- column: pid         int      Process id
-- column: category    category Category
-- column: path        text     The file, without the kernel's " (deleted)"
-- column: mappings    count    Number of mappings
-- column: size_kib    kib      Address space
-- column: rss_kib     kib      Resident
-- column: private_kib kib      Private_Clean + Private_Dirty
-- column: swap_kib    kib      Swapped out
-- table:  name pid category path mappings size_kib rss_kib private_kib
-- empty:  no deleted files are mapped
--
-- For example a library that was upgraded under a running process, or a log or cache that was
-- removed: its blocks on the disk are not free until the process unmaps it. Leaves out what has no
-- name on any disk and always looks deleted: memfd, shared memory (but /dev/shm counts), and the
-- kernel's own anonymous files. Shows the moment of each name that is nearest to :snapshot, if it
-- is not further away than :within: captures of different names that were taken one after another
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
SELECT moment.process_id, h.name AS host, n.name, p.pid,
  CASE :depth WHEN '1' THEN m.parent ELSE m.category END AS category,
  substr(m.path, 1, length(m.path) - 10) AS path, count(*) AS mappings,
  CASE WHEN count(*) = count(m.size_kib) THEN sum(m.size_kib) END AS size_kib,
  CASE WHEN count(*) = count(m.rss_kib) THEN sum(m.rss_kib) END AS rss_kib,
  CASE WHEN count(*) = count(m.private_kib) THEN sum(m.private_kib) END AS private_kib,
  CASE WHEN count(*) = count(m.swap_kib) THEN sum(m.swap_kib) END AS swap_kib
FROM moment
CROSS JOIN process p ON p.process_id = moment.process_id
CROSS JOIN name n ON n.name_id = p.name_id
CROSS JOIN mappings m ON m.snapshot_id = moment.snapshot_id
LEFT JOIN host h ON h.host_id = n.host_id
WHERE CASE WHEN m.base IN ('memfd', 'shared-memory') THEN m.path GLOB '/dev/shm/* (deleted)'
  ELSE m.path GLOB '* (deleted)' AND m.path NOT IN ('/anon_hugepage (deleted)',
    'anon_hugepage (deleted)', '/[aio] (deleted)', '[aio] (deleted)', '/drm mm object (deleted)',
    'drm mm object (deleted)', '/i915 (deleted)', 'i915 (deleted)') END
GROUP BY moment.process_id, 5, m.path
ORDER BY host, n.name, p.pid, moment.process_id, rss_kib DESC, size_kib DESC, path;
