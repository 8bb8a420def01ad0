-- name:   shared
-- title:  What is shared, each object once over the processes of one moment
-- param:  process  process  ""   Only this NAME, PID, NAME/PID or @ID
-- param:  snapshot snapshot last Which one: first, last, prev, @ID, a time, -2h
-- param:  within   duration 1m   How far from that moment another name's may be
-- param:  dialect  text     ""   Only captures of this dialect; else, for each moment, the one with most fields
-- param:  depth    text     2    One of 1, 2: by the first word (anonymous), or as rules refine it (anonymous/thread-stack)
-- column: host             text     Where; empty when unknown
-- column: category         category Category
-- column: object           text     The path; [anon] where there is none
-- column: device           text     major:minor of the file system; unknown without an inode
-- column: inode            int      Inode; unknown where the capture does not say, or there is none
-- column: processes        count    How many processes have it
-- column: mappings         count    Number of mappings in all of them
-- column: size_once_kib    kib      Address space, each part of the object once; unknown without an inode
-- column: size_kib         kib      Address space, added up over the mappings
-- column: rss_kib          kib      Resident, added up: a page counts once per process
-- column: pss_kib          kib      Proportional share: each page once, if all who have it are here
-- column: shared_kib       kib      Shared_Clean + Shared_Dirty, added up
-- column: shared_dirty_kib kib      Shared_Dirty, added up
-- column: hugetlb_kib      kib      Shared_Hugetlb + Private_Hugetlb, added up; not part of rss or pss
-- column: swap_kib         kib      Swapped out
-- table:  category object processes mappings size_kib rss_kib pss_kib shared_kib swap_kib
-- narrow: category object processes rss_kib pss_kib shared_kib
-- empty:  no memory is shared
--
-- Mappings that are shared (perms s) or have pages that another process also has. An object is one
-- device and inode on one host; a System V segment is also told apart by its key, because its inode
-- is the number of the segment. Without device and inode, nobody can tell which objects are the
-- same: those rows are added up by path, and size_once_kib is unknown. pmap -x, -d and plain pmap do not
-- tell which pages are shared: of their mappings, only those with perms s are here. Shows the
-- moment of each name that is nearest to :snapshot, if it is not further away than :within:
-- captures of different names that were taken one after another count as taken together.
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
),
x AS (
  SELECT moment.process_id, n.host_id,
    CASE :depth WHEN '1' THEN m.parent ELSE m.category END AS category,
    CASE m.path WHEN '' THEN '[anon]' ELSE m.path END AS object,
    CASE WHEN m.inode <> 0 THEN m.device END AS device, nullif(m.inode, 0) AS inode,
    CASE WHEN m.inode IS NULL OR m.inode = 0 OR m.path LIKE '/SYSV%' THEN m.path END AS told_by,
    m.offset, m.offset + m.size_kib * 1024 AS till, m.size_kib, m.rss_kib, m.pss_kib,
    m.shared_clean_kib + m.shared_dirty_kib AS shared_kib, m.shared_dirty_kib,
    m.shared_hugetlb_kib + m.private_hugetlb_kib AS hugetlb_kib, m.swap_kib
  FROM moment
  CROSS JOIN name n ON n.name_id = moment.name_id
  CROSS JOIN mappings m ON m.snapshot_id = moment.snapshot_id
  WHERE substr(m.perms, 4, 1) = 's' OR m.shared_clean_kib + m.shared_dirty_kib > 0
),
once AS (
  -- own: the bytes of the object that no earlier mapping, in order of offsets, has counted already
  SELECT *, till - min(till, max(offset, coalesce(max(till) OVER (
    PARTITION BY host_id, device, inode, told_by ORDER BY offset, till
    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), offset))) AS own
  FROM x
)
SELECT h.name AS host, min(o.category) AS category, min(o.object) AS object, o.device, o.inode,
  count(DISTINCT o.process_id) AS processes, count(*) AS mappings,
  CASE WHEN o.inode IS NOT NULL AND count(*) = count(o.own) THEN sum(o.own) / 1024 END AS size_once_kib,
  CASE WHEN count(*) = count(o.size_kib) THEN sum(o.size_kib) END AS size_kib,
  CASE WHEN count(*) = count(o.rss_kib) THEN sum(o.rss_kib) END AS rss_kib,
  CASE WHEN count(*) = count(o.pss_kib) THEN sum(o.pss_kib) END AS pss_kib,
  CASE WHEN count(*) = count(o.shared_kib) THEN sum(o.shared_kib) END AS shared_kib,
  CASE WHEN count(*) = count(o.shared_dirty_kib) THEN sum(o.shared_dirty_kib) END AS shared_dirty_kib,
  CASE WHEN count(*) = count(o.hugetlb_kib) THEN sum(o.hugetlb_kib) END AS hugetlb_kib,
  CASE WHEN count(*) = count(o.swap_kib) THEN sum(o.swap_kib) END AS swap_kib
FROM once o
LEFT JOIN host h ON h.host_id = o.host_id
GROUP BY o.host_id, o.device, o.inode, o.told_by, CASE WHEN o.inode IS NULL THEN o.category END
ORDER BY pss_kib DESC, size_once_kib DESC, size_kib DESC, host, category, object, o.device, o.inode;
