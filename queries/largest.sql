-- name:   largest
-- title:  The largest mappings of one snapshot
-- param:  process  process  only NAME, PID, NAME/PID or @ID; may be left out where there is one name
-- param:  snapshot snapshot last Which one: first, last, prev, @ID, a time, -2h
-- param:  category category ""   Only this category; anonymous takes anonymous/... too
-- param:  top      int      20   At most this many rows
-- param:  dialect  text     ""   Only captures of this dialect; else, for each moment, the one with most fields
-- param:  depth    text     2    One of 1, 2: by the first word (anonymous), or as rules refine it (anonymous/thread-stack)
-- column: start             address  First address
-- column: size_kib          kib      Address space
-- column: rss_kib           kib      Resident
-- column: pss_kib           kib      Proportional share of the resident
-- column: private_kib       kib      Private_Clean + Private_Dirty
-- column: private_dirty_kib kib      Private_Dirty
-- column: swap_kib          kib      Swapped out
-- column: perms             text     rwx and p (private) or s (shared)
-- column: category          category Category
-- column: path              text     What is mapped; empty for anonymous memory
-- column: lineage_id        lineage  The mapping through time: lineage-history --lineage shows it
-- column: pid               int      Process id
-- column: process_id        process  The process: one life of the pid
-- table:  start size_kib rss_kib pss_kib private_kib swap_kib perms category path lineage_id pid
-- empty:  no mappings
--
-- Sorted by resident memory, or by address space where that is unknown or equal. Given a name, the
-- mappings of all its processes of that moment. A snapshot with sums only has none.
WITH moment AS (
  -- the snapshots of the moment of :snapshot; a sweep takes less than an hour
  SELECT s.snapshot_id, s.process_id
  FROM snapshot m
  CROSS JOIN process p ON p.process_id = :process OR (:process IS NULL AND p.name_id = :name_id)
  CROSS JOIN snapshot s ON s.process_id = p.process_id
    AND s.taken_ms BETWEEN m.moment_ms AND m.moment_ms + 3600000
  WHERE m.snapshot_id = :snapshot AND s.moment_ms = m.moment_ms
    AND CASE WHEN s.process_id = m.process_id THEN s.snapshot_id = m.snapshot_id
      WHEN :dialect IS NULL THEN s.preferred ELSE s.dialect = :dialect END
)
SELECT m.start, m.size_kib, m.rss_kib, m.pss_kib, m.private_kib, m.private_dirty_kib, m.swap_kib,
  m.perms, CASE :depth WHEN '1' THEN m.parent ELSE m.category END AS category, m.path, m.lineage_id, p.pid, p.process_id
FROM moment
CROSS JOIN process p ON p.process_id = moment.process_id
CROSS JOIN mappings m ON m.snapshot_id = moment.snapshot_id
WHERE :category IS NULL OR :category IN (m.category, m.parent)
ORDER BY m.rss_kib DESC, m.size_kib DESC, p.process_id, m.start < 0, m.start
LIMIT coalesce(:top, -1);
