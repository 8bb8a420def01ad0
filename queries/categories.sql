-- name:   categories
-- title:  The categories of one snapshot, largest first
-- param:  process  process  only NAME, PID, NAME/PID or @ID; may be left out where there is one name
-- param:  snapshot snapshot last Which one: first, last, prev, @ID, a time, -2h
-- param:  dialect  text     ""   Only captures of this dialect; else, for each moment, the one with most fields
-- param:  depth    text     2    One of 1, 2: by the first word (anonymous), or as rules refine it (anonymous/thread-stack)
-- column: category          category Category
-- column: mappings          count    Number of mappings; unknown where there are sums only
-- column: size_kib          kib      Address space
-- column: rss_kib           kib      Resident
-- column: pss_kib           kib      Proportional share of the resident
-- column: private_kib       kib      Private_Clean + Private_Dirty
-- column: private_dirty_kib kib      Private_Dirty
-- column: swap_kib          kib      Swapped out
-- column: processes         count    How many processes were summed
-- narrow: category mappings size_kib rss_kib private_kib
--
-- Given a name, the sum over its processes of that moment. A snapshot with sums only has a single
-- category, total.
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
SELECT CASE :depth WHEN '1' THEN t.parent ELSE t.category END AS category,
  sum(t.mappings) AS mappings,
  CASE WHEN count(*) = count(t.size_kib) THEN sum(t.size_kib) END AS size_kib,
  CASE WHEN count(*) = count(t.rss_kib) THEN sum(t.rss_kib) END AS rss_kib,
  CASE WHEN count(*) = count(t.pss_kib) THEN sum(t.pss_kib) END AS pss_kib,
  CASE WHEN count(*) = count(t.private_kib) THEN sum(t.private_kib) END AS private_kib,
  CASE WHEN count(*) = count(t.private_dirty_kib) THEN sum(t.private_dirty_kib) END AS private_dirty_kib,
  CASE WHEN count(*) = count(t.swap_kib) THEN sum(t.swap_kib) END AS swap_kib,
  (SELECT count(DISTINCT process_id) FROM moment) AS processes
FROM moment
CROSS JOIN categories t ON t.snapshot_id = moment.snapshot_id
GROUP BY 1
ORDER BY rss_kib DESC, size_kib DESC, category;
