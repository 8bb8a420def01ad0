-- name:   baseline
-- title:  Runs of a process in ten blocks each: what compare reads
-- param:  process  process  only  NAME, PID, NAME/PID or @ID; may be left out where there is one name
-- param:  from     snapshot first Begin with this snapshot
-- param:  to       snapshot last  End with this snapshot
-- param:  warm-up  duration ""    Time after the start that only the peak covers; else a tenth of each run
-- param:  dialect  text     ""    Only captures of this dialect; else, for each moment, the one with most fields
-- column: run           int      1 for the first run, and so on
-- column: block         int      0 for the warm-up, then 1 to 9: equal parts of the rest of the run
-- column: at_s          real     Middle of the block's snapshots, seconds since the run began
-- column: key           text     Category, or total for the whole process
-- column: mappings      real     Median over the block's moments
-- column: rss_kib       real     Median over the block's moments
-- column: rss_max_kib   kib      Largest
-- column: snapshots     count    Moments of the block
-- empty:  no snapshots in this span
--
-- A run is a life of the name: processes that overlap in time are one run, and the sum over them
-- counts; a later process that overlaps with no earlier one begins the next run. A category that a
-- moment lacks has 0 KiB in it. `pmapdb baseline NAME -f csv -o FILE` keeps runs in a small text
-- file, which compare takes instead of a store.
WITH scope AS (
  SELECT process_id FROM process WHERE process_id = :process
  UNION ALL
  SELECT process_id FROM process WHERE :process IS NULL AND name_id = :name_id
),
seen AS (
  -- the snapshots of the span
  SELECT s.snapshot_id, s.process_id, s.epoch_id, s.off, s.moment_ms, s.mappings,
    coalesce(s.rss_kib, s.tool_rss_kib) AS rss_kib
  FROM scope
  CROSS JOIN snapshot s ON s.process_id = scope.process_id
  WHERE CASE WHEN :dialect IS NULL THEN s.preferred ELSE s.dialect = :dialect END
    AND s.moment_ms BETWEEN (SELECT moment_ms FROM snapshot WHERE snapshot_id = :from)
      AND (SELECT moment_ms FROM snapshot WHERE snapshot_id = :to)
),
life AS (
  SELECT process_id, min(moment_ms) AS first_ms, max(moment_ms) AS last_ms FROM seen GROUP BY process_id
),
opening AS (
  SELECT process_id, first_ms, last_ms, first_ms > max(last_ms) OVER (ORDER BY first_ms, process_id
    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS opens
  FROM life
),
member AS (
  SELECT process_id, first_ms, last_ms,
    1 + sum(ifnull(opens, 0)) OVER (ORDER BY first_ms, process_id) AS run
  FROM opening
),
run AS (
  -- warm_ms: the end of the warm-up
  SELECT run, min(first_ms) AS first_ms, max(last_ms) AS last_ms,
    min(first_ms) + ifnull(:warm_up, (max(last_ms) - min(first_ms)) / 10) AS warm_ms
  FROM member GROUP BY run
),
moment AS (
  SELECT m.run, s.moment_ms, (s.moment_ms - r.first_ms) / 1000.0 AS at_s,
    CASE WHEN s.moment_ms < r.warm_ms THEN 0
      ELSE 1 + min(8, (s.moment_ms - r.warm_ms) * 9 / max(r.last_ms - r.warm_ms, 1)) END AS block
  FROM seen s
  JOIN member m ON m.process_id = s.process_id
  JOIN run r ON r.run = m.run
  GROUP BY m.run, s.moment_ms
),
block AS (
  SELECT run, block, avg(at_s) AS at_s, count(*) AS snapshots FROM moment GROUP BY run, block
),
cell AS (
  SELECT m.run, s.moment_ms, c.category AS key, sum(v.mappings) AS mappings,
    CASE WHEN count(*) = count(v.rss_kib) THEN sum(v.rss_kib) END AS rss_kib
  FROM seen s
  CROSS JOIN member m ON m.process_id = s.process_id
  CROSS JOIN category_version v ON v.epoch_id = s.epoch_id AND s.off BETWEEN v.first AND coalesce(v.last, 32767)
  JOIN category c ON c.category_id = v.category_id
  WHERE c.category <> 'total'
  GROUP BY m.run, s.moment_ms, c.category
  UNION ALL
  SELECT m.run, s.moment_ms, 'total', CASE WHEN count(*) = count(s.mappings) THEN sum(s.mappings) END,
    CASE WHEN count(*) = count(s.rss_kib) THEN sum(s.rss_kib) END
  FROM seen s
  JOIN member m ON m.process_id = s.process_id
  GROUP BY m.run, s.moment_ms
),
ranked AS (
  -- places from the end: the moments that lack the category come first, with 0
  SELECT t.run, t.block, c.key, c.mappings, c.rss_kib,
    row_number() OVER (PARTITION BY t.run, t.block, c.key ORDER BY c.rss_kib DESC) AS rss_place,
    row_number() OVER (PARTITION BY t.run, t.block, c.key ORDER BY c.mappings DESC) AS mappings_place
  FROM cell c
  JOIN moment t ON t.run = c.run AND t.moment_ms = c.moment_ms
)
SELECT b.run, b.block, round(b.at_s, 3) AS at_s, r.key,
  CASE WHEN count(r.mappings) = count(*) THEN ifnull(sum(CASE WHEN r.mappings_place
    IN ((b.snapshots + 1) / 2, (b.snapshots + 2) / 2) THEN r.mappings END), 0)
    / (2.0 - b.snapshots % 2) END AS mappings,
  CASE WHEN count(r.rss_kib) = count(*) THEN ifnull(sum(CASE WHEN r.rss_place
    IN ((b.snapshots + 1) / 2, (b.snapshots + 2) / 2) THEN r.rss_kib END), 0)
    / (2.0 - b.snapshots % 2) END AS rss_kib,
  CASE WHEN count(r.rss_kib) = count(*) THEN max(r.rss_kib) END AS rss_max_kib,
  b.snapshots
FROM ranked r
JOIN block b ON b.run = r.run AND b.block = r.block
GROUP BY b.run, b.block, r.key
ORDER BY b.run, b.block, r.key;
