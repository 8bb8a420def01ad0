-- name:   swapped
-- title:  What is swapped out in one snapshot
-- param:  process  process  only NAME, PID, NAME/PID or @ID; may be left out where there is one name
-- param:  snapshot snapshot last Which one: first, last, prev, @ID, a time, -2h
-- param:  dialect  text     ""   Only captures of this dialect; else, for each moment, the one with most fields
-- param:  depth    text     2    One of 1, 2: by the first word (anonymous), or as rules refine it (anonymous/thread-stack)
-- column: category     category Category; total where a capture tells sums only, or nothing about swap
-- column: object       text     The path; [anon] where there is none; unknown in a row of category total
-- column: mappings     count    How many of its mappings have swapped pages
-- column: size_kib     kib      Address space of these
-- column: rss_kib      kib      Resident in these
-- column: swap_kib     kib      Swapped out
-- column: swap_pss_kib kib      Proportional share of the swapped
-- column: processes    count    How many processes have some
-- narrow: category object mappings rss_kib swap_kib
-- empty:  nothing is swapped out
--
-- No rows: nothing is swapped out. A capture that does not tell (plain pmap, -x, maps) has one row,
-- with category total and unknown swap_kib; a capture with sums only also has one row with category
-- total. Given a name, the sum over its processes of that moment.
WITH moment AS (
  -- the snapshots of the moment of :snapshot; a sweep takes less than an hour
  SELECT s.snapshot_id, s.process_id, s.state, s.mappings, s.size_kib, s.rss_kib, s.swap_kib
  FROM snapshot m
  CROSS JOIN process p ON p.process_id = :process OR (:process IS NULL AND p.name_id = :name_id)
  CROSS JOIN snapshot s ON s.process_id = p.process_id
    AND s.taken_ms BETWEEN m.moment_ms AND m.moment_ms + 3600000
  WHERE m.snapshot_id = :snapshot AND s.moment_ms = m.moment_ms
    AND CASE WHEN s.process_id = m.process_id THEN s.snapshot_id = m.snapshot_id
      WHEN :dialect IS NULL THEN s.preferred ELSE s.dialect = :dialect END
),
x AS (
  SELECT moment.process_id, CASE :depth WHEN '1' THEN m.parent ELSE m.category END AS category,
    CASE m.path WHEN '' THEN '[anon]' ELSE m.path END AS object,
    1 AS mappings, m.size_kib, m.rss_kib, m.swap_kib, m.swap_pss_kib
  FROM moment
  CROSS JOIN mappings m ON m.snapshot_id = moment.snapshot_id
  WHERE m.swap_kib > 0
  UNION ALL
  SELECT process_id, 'total', NULL, mappings, size_kib, rss_kib, swap_kib, NULL
  FROM moment
  WHERE swap_kib IS NULL OR state = 'totals' AND swap_kib > 0
)
SELECT x.category, x.object,
  CASE WHEN count(*) = count(x.mappings) THEN sum(x.mappings) END AS mappings,
  CASE WHEN count(*) = count(x.size_kib) THEN sum(x.size_kib) END AS size_kib,
  CASE WHEN count(*) = count(x.rss_kib) THEN sum(x.rss_kib) END AS rss_kib,
  CASE WHEN count(*) = count(x.swap_kib) THEN sum(x.swap_kib) END AS swap_kib,
  CASE WHEN count(*) = count(x.swap_pss_kib) THEN sum(x.swap_pss_kib) END AS swap_pss_kib,
  count(DISTINCT x.process_id) AS processes
FROM x
GROUP BY x.category, x.object
ORDER BY swap_kib DESC, x.category, x.object;
