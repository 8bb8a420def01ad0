-- name:   mappings-words
-- title:  The mappings of one snapshot, largest first, permissions and VmFlags in words
-- param:  process  process  only NAME, PID, NAME/PID or @ID; may be left out where there is one name
-- param:  snapshot snapshot last Which one: first, last, prev, @ID, a time, -2h
-- param:  min-size kib      0    Only mappings of at least this size
-- param:  category category ""   Only this category; anonymous takes anonymous/... too
-- param:  depth    text     2    One of 1, 2: by the first word (anonymous), or as rules refine it (anonymous/thread-stack)
-- param:  dialect  text     ""   Only captures of this dialect; else, for each moment, the one with most fields
-- column: start             address  First address
-- column: end               address  First address after it
-- column: size_kib          kib      Address space
-- column: rss_kib           kib      Resident
-- column: pss_kib           kib      Proportional share of the resident
-- column: private_kib       kib      Private_Clean + Private_Dirty
-- column: private_dirty_kib kib      Private_Dirty
-- column: swap_kib          kib      Swapped out
-- column: perms_text        text     read, write, execute; private or shared
-- column: flags_text        text     VmFlags; those that are not known stay as they are
-- column: category          category Category
-- column: path              text     What is mapped; empty for anonymous memory
-- column: lineage_id        lineage  This mapping through time
-- table:  start size_kib rss_kib perms_text category path flags_text
-- empty:  no mappings
--
-- Largest first by address space. A snapshot with sums only has none.
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
SELECT m.start, m.end, m.size_kib, m.rss_kib, m.pss_kib, m.private_kib, m.private_dirty_kib,
  m.swap_kib, perms_text(m.perms) AS perms_text, vmflags_text(m.flags) AS flags_text,
  CASE :depth WHEN '1' THEN m.parent ELSE m.category END AS category, m.path, m.lineage_id
FROM moment
CROSS JOIN mappings m ON m.snapshot_id = moment.snapshot_id
WHERE coalesce(m.size_kib, 0) >= :min_size
  AND (:category IS NULL OR :category IN (m.category, m.parent))
ORDER BY m.size_kib DESC, moment.process_id, m.start < 0, m.start;
