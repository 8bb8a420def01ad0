-- name:   runs
-- title:  Runs of a process in ten blocks each: what baseline keeps and compare reads
-- param:  process  process  only  NAME, PID, NAME/PID or @ID; may be left out where there is one name
-- param:  from     snapshot first Begin with this snapshot
-- param:  to       snapshot last  End with this snapshot
-- param:  warm-up  duration ""    Time after the start that only the peak covers; else a tenth of each run
-- param:  dialect  text     ""    Only captures of this dialect; else, for each moment, the one with most fields
-- param:  label    text     ""    KEY=VALUE: only while the host has this label: build=2.3.1
-- param:  work     text     ""    A counter, [{"time":MS,"count":N},...] in order of time: cuts the runs by work, not by time
-- column: run           time     When the run began
-- column: block         int      0 for the warm-up, then 1 to 9: equal parts of the rest of the run
-- column: at_s          real     Middle of the block's snapshots, seconds since the run began
-- column: work          real     Middle of the work done by then, since the counter covers the run
-- column: key           text     Category, or total for the whole process
-- column: mappings      real     Median over the block's moments
-- column: rss_kib       real     Median over the block's moments
-- column: rss_max_kib   kib      Largest
-- column: dialect       text     Of the run's captures; several
-- column: page_kib      kib      Size of a page, in the first capture of the run
-- empty:  no snapshots in this span
--
-- A run is a life of the name: processes that overlap in time are one run, and the sum over them
-- counts; a later process that overlaps with no earlier one begins the next run. A category that a
-- moment lacks has 0 KiB in it. The work of a moment is interpolated between the two counts around
-- it; the part of a counter ends where the counter begins anew, and between two parts the work is
-- unknown. Moments before the first count belong to the warm-up, those after the last one to no
-- block. A run is cut by time if the counter does not cover it, or if most of the work was done before
-- the warm-up ended.
WITH scope AS (
  SELECT process_id FROM process
  WHERE process_id = :process OR (:process IS NULL AND name_id = :name_id)
),
seen AS (
  -- the snapshots of the span
  SELECT s.snapshot_id, s.process_id, s.epoch_id, s.off, s.moment_ms, s.dialect, s.mappings,
    coalesce(s.rss_kib, s.tool_rss_kib) AS rss_kib
  FROM scope
  CROSS JOIN snapshot s ON s.process_id = scope.process_id
  WHERE CASE WHEN :dialect IS NULL THEN s.preferred ELSE s.dialect = :dialect END
    AND s.moment_ms BETWEEN (SELECT moment_ms FROM snapshot WHERE snapshot_id = :from)
      AND (SELECT moment_ms FROM snapshot WHERE snapshot_id = :to)
    AND (:label IS NULL OR substr(:label, instr(:label, '=') + 1) = (
      SELECT l.value FROM process p JOIN host_label l ON l.host_id = p.host_id
      WHERE p.process_id = s.process_id AND l.key = substr(:label, 1, instr(:label, '=') - 1)
        AND l.at_ms <= s.taken_ms ORDER BY l.at_ms DESC LIMIT 1))
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
read AS (
  SELECT j.key AS nth, json_extract(j.value, '$.time') AS at_ms, json_extract(j.value, '$.count') AS count,
    lag(json_extract(j.value, '$.count')) OVER (ORDER BY j.key) AS before
  FROM json_each(:work) j
),
tick AS (
  -- where a count is smaller than the one before, the counter began anew at 0: another part begins
  SELECT at_ms, count + sum(CASE WHEN count < before THEN before ELSE 0 END) OVER (ORDER BY nth) AS work,
    sum(ifnull(count < before, 0)) OVER (ORDER BY nth) AS part
  FROM read
),
line AS (
  -- counts and moments in order of time
  SELECT NULL AS run, at_ms, at_ms AS tick_ms, work, part FROM tick
  UNION ALL
  SELECT m.run, s.moment_ms, NULL, NULL, NULL
  FROM seen s
  JOIN member m ON m.process_id = s.process_id
  GROUP BY m.run, s.moment_ms
),
around AS (
  SELECT run, at_ms, max(tick_ms) OVER earlier AS a_ms, max(work) OVER earlier AS a_work,
    max(part) OVER earlier AS a_part, min(tick_ms) OVER later AS z_ms, min(work) OVER later AS z_work,
    min(part) OVER later AS z_part
  FROM line
  WINDOW earlier AS (ORDER BY at_ms, run ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW),
    later AS (ORDER BY at_ms DESC, run ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
),
done AS (
  SELECT run, at_ms AS moment_ms, CASE WHEN a_ms = at_ms THEN a_work WHEN a_part = z_part
    THEN a_work + (z_work - a_work) * 1.0 * (at_ms - a_ms) / (z_ms - a_ms) END AS work
  FROM around
  WHERE run IS NOT NULL
),
counter AS (
  SELECT d.run, min(d.moment_ms) AS counted_ms, min(d.work) AS first_work, max(d.work) AS last_work,
    ifnull(max(CASE WHEN d.moment_ms < r.warm_ms THEN d.work END), min(d.work)) AS warm_work
  FROM done d
  JOIN run r ON r.run = d.run
  WHERE d.work IS NOT NULL
  GROUP BY d.run
),
counted AS (
  -- the counter of each run that is cut by work
  SELECT r.run, r.first_ms, r.last_ms, r.warm_ms, c.counted_ms, c.first_work, c.warm_work, c.last_work
  FROM run r
  LEFT JOIN counter c ON c.run = r.run AND c.last_work > c.warm_work
    AND (c.last_work - c.warm_work) * 2 >= c.last_work - c.first_work
),
moment AS (
  SELECT d.run, d.moment_ms, (d.moment_ms - c.first_ms) / 1000.0 AS at_s, d.work - c.first_work AS work,
    CASE WHEN d.moment_ms < ifnull(max(c.counted_ms, c.warm_ms), c.warm_ms) THEN 0
      WHEN c.counted_ms IS NULL
      THEN 1 + min(8, (d.moment_ms - c.warm_ms) * 9 / max(c.last_ms - c.warm_ms, 1))
      ELSE 1 + min(8, CAST((d.work - c.warm_work) * 9.0 / (c.last_work - c.warm_work) AS INTEGER)) END AS block
  FROM done d
  JOIN counted c ON c.run = d.run
),
block AS (
  SELECT run, block, avg(at_s) AS at_s, avg(work) AS work, count(*) AS snapshots
  FROM moment WHERE block IS NOT NULL GROUP BY run, block
),
kind AS (
  -- how the captures of a run were made
  SELECT m.run, CASE WHEN min(s.dialect) = max(s.dialect) THEN s.dialect ELSE 'several' END AS dialect,
    (SELECT min(p.kernel_page_kib) FROM mappings p WHERE p.snapshot_id = min(s.snapshot_id)) AS page_kib
  FROM seen s
  JOIN member m ON m.process_id = s.process_id
  GROUP BY m.run
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
SELECT strftime('%Y-%m-%dT%H:%M:%fZ', c.first_ms / 1000.0, 'unixepoch') AS run, b.block,
  round(b.at_s, 3) AS at_s, round(b.work, 3) AS work, r.key,
  CASE WHEN count(r.mappings) = count(*) THEN ifnull(sum(CASE WHEN r.mappings_place
    IN ((b.snapshots + 1) / 2, (b.snapshots + 2) / 2) THEN r.mappings END), 0)
    / (2.0 - b.snapshots % 2) END AS mappings,
  CASE WHEN count(r.rss_kib) = count(*) THEN ifnull(sum(CASE WHEN r.rss_place
    IN ((b.snapshots + 1) / 2, (b.snapshots + 2) / 2) THEN r.rss_kib END), 0)
    / (2.0 - b.snapshots % 2) END AS rss_kib,
  CASE WHEN count(r.rss_kib) = count(*) THEN max(r.rss_kib) END AS rss_max_kib,
  k.dialect, k.page_kib
FROM ranked r
JOIN block b ON b.run = r.run AND b.block = r.block
JOIN counted c ON c.run = r.run
JOIN kind k ON k.run = r.run
GROUP BY b.run, b.block, r.key
ORDER BY b.run, b.block, r.key;
