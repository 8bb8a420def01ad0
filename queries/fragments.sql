-- name:   fragments
-- title:  Kinds of mappings, the most numerous first
-- param:  process  process  only NAME, PID, NAME/PID or @ID; may be left out where there is one name
-- param:  snapshot snapshot last Which one: first, last, prev, @ID, a time, -2h
-- param:  dialect  text     ""   Only captures of this dialect; else, for each moment, the one with most fields
-- param:  depth    text     2    One of 1, 2: by the first word (anonymous), or as rules refine it (anonymous/thread-stack)
-- column: category       category Category
-- column: perms          text     rwx and p (private) or s (shared)
-- column: mappings       count    Number of mappings
-- column: share          ratio    Part of all mappings
-- column: objects        count    How many different paths they have
-- column: size_kib_least kib      Address space of the smallest
-- column: size_kib_mean  kib      Address space of the average, rounded down
-- column: size_kib_most  kib      Address space of the largest
-- column: size_kib       kib      Address space of all
-- column: rss_kib        kib      Resident memory of all
-- empty:  no fragments
--
-- Many small mappings of one kind use up vm.max_map_count (map-count) long before memory runs out:
-- guard pages, pieces of JIT code, a file mapped again for each request. Given a name, the sum over
-- its processes of that moment. A snapshot with sums only has none.
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
SELECT CASE :depth WHEN '1' THEN m.parent ELSE m.category END AS category, m.perms, count(*) AS mappings,
  1.0 * count(*) / sum(count(*)) OVER () AS share, count(DISTINCT m.path) AS objects,
  min(m.size_kib) AS size_kib_least, sum(m.size_kib) / count(m.size_kib) AS size_kib_mean,
  max(m.size_kib) AS size_kib_most,
  CASE WHEN count(*) = count(m.size_kib) THEN sum(m.size_kib) END AS size_kib,
  CASE WHEN count(*) = count(m.rss_kib) THEN sum(m.rss_kib) END AS rss_kib
FROM moment
CROSS JOIN mappings m ON m.snapshot_id = moment.snapshot_id
GROUP BY 1, m.perms
ORDER BY count(*) DESC, size_kib DESC, category, m.perms;
