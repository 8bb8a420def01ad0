-- name:   files
-- title:  The files mapped in one snapshot
-- param:  process  process  only NAME, PID, NAME/PID or @ID; may be left out where there is one name
-- param:  snapshot snapshot last Which one: first, last, prev, @ID, a time, -2h
-- param:  dialect  text     ""   Only captures of this dialect; else, for each moment, the one with most fields
-- param:  depth    text     2    One of 1, 2: by the first word (anonymous), or as rules refine it (anonymous/thread-stack)
-- column: path              text     The file, as the capture names it
-- column: category          category Category
-- column: mappings          count    Number of mappings
-- column: size_kib          kib      Address space
-- column: rss_kib           kib      Resident
-- column: pss_kib           kib      Proportional share of the resident
-- column: private_kib       kib      Private_Clean + Private_Dirty
-- column: private_dirty_kib kib      Private_Dirty
-- column: swap_kib          kib      Swapped out
-- column: processes         count    How many processes map it
-- empty:  no files are mapped
--
-- Everything that has a name without brackets around it: programs, libraries, data, memfd and named
-- shared memory. Largest first by resident memory. Given a name, the sum over its processes of that
-- moment: rss then counts a page once per process, pss once in all. pmap -x and plain pmap give
-- only the last part of a path. A snapshot with sums only has none.
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
SELECT m.path, CASE :depth WHEN '1' THEN m.parent ELSE m.category END AS category, count(*) AS mappings,
  CASE WHEN count(*) = count(m.size_kib) THEN sum(m.size_kib) END AS size_kib,
  CASE WHEN count(*) = count(m.rss_kib) THEN sum(m.rss_kib) END AS rss_kib,
  CASE WHEN count(*) = count(m.pss_kib) THEN sum(m.pss_kib) END AS pss_kib,
  CASE WHEN count(*) = count(m.private_kib) THEN sum(m.private_kib) END AS private_kib,
  CASE WHEN count(*) = count(m.private_dirty_kib) THEN sum(m.private_dirty_kib) END AS private_dirty_kib,
  CASE WHEN count(*) = count(m.swap_kib) THEN sum(m.swap_kib) END AS swap_kib,
  count(DISTINCT moment.process_id) AS processes
FROM moment
CROSS JOIN mappings m ON m.snapshot_id = moment.snapshot_id
WHERE m.base IN ('program', 'shared-library', 'mapped-file', 'deleted-file')
  OR m.path <> '' AND substr(m.path, 1, 1) <> '['
GROUP BY m.path, 2
ORDER BY rss_kib DESC, size_kib DESC, m.path, category;
