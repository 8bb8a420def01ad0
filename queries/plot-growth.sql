-- name:   plot-growth
-- title:  What plot draws: the snapshots that show the course of a process, with their categories
-- param:  process  process  only  NAME/PID or @ID; of a NAME its newest process
-- param:  chain    bool     0     1: with the earlier lives of its name, where no two of them overlap
-- param:  metric   text     rss   One of rss, pss, private, private_dirty, size, swap, mappings
-- param:  category category ""    Whose least and most are kept, too
-- param:  points   int      280   Keep about so many snapshots
-- param:  layers   int      ""    At most this many categories; the smallest are added up, with what no category has
-- param:  findings text     ""    Rows of leaks of the process, as JSON: what leaks comes last, and is not added up
-- param:  exact    bool     0     1: the rates of another metric are not told
-- param:  since    time     ""    Only snapshots from then on: a time, -7d before the newest, now-7d
-- param:  dialect  text     ""    Only captures of this dialect; else, for each moment, the one with most fields
-- column: k           int      Number of the kept snapshot: 1, 2 ...
-- column: snapshot_id snapshot Snapshot
-- column: taken_ms    int      When: ms since 1970 UTC
-- column: process_id  process  Which life of the name
-- column: pid         int      Its process id
-- column: n           count    Snapshots since the kept one before, with this one
-- column: missed      count    If captures are missing before it: how many would have fit in
-- column: partial     count    Partial captures since the kept one before: they are left out
-- column: category    category Category, the steadiest first; empty in the rows of the whole process, which come before
-- column: value       int      KiB, or a number of mappings
-- column: epoch_id    int      The sequence of captures that it is stored in
-- column: place       int      Its place there, as plot-map counts
-- column: weight      count    Rank of the category: what leaks, then what is largest
-- column: grade       int      2: the category leaks, 1: it may, empty: it does not
-- column: rate        real     Its growth per hour, in KiB
-- empty:  no snapshots in this span
--
-- Every row is a real snapshot; nothing is averaged. Kept are the first and the last snapshot, both
-- sides of the sixty longest gaps and changes of the process, and in each of points/4 equally long
-- runs of snapshots the least and the most of the process and of the category. So a peak of one
-- snapshot in thousands stays. A gap is a step longer than three median steps.
WITH head AS (
  SELECT coalesce(:process, (SELECT max(process_id) FROM process WHERE name_id = :name_id)) AS process_id
),
life AS (
  SELECT p.process_id, p.pid,
    (SELECT min(s.taken_ms) FROM snapshot s WHERE s.process_id = p.process_id) AS first_ms,
    (SELECT max(s.taken_ms) FROM snapshot s WHERE s.process_id = p.process_id) AS last_ms
  FROM head
  CROSS JOIN process h ON h.process_id = head.process_id
  CROSS JOIN process p ON p.name_id = h.name_id AND (:chain OR p.process_id = h.process_id)
),
scope AS (
  SELECT process_id, pid FROM life l
  WHERE process_id IN (SELECT process_id FROM head) OR NOT EXISTS (SELECT 1 FROM life o WHERE o.process_id <> l.process_id
    AND o.first_ms <= l.last_ms AND o.last_ms >= l.first_ms)
),
taken AS (
  SELECT s.snapshot_id, s.epoch_id, s.off, s.process_id, scope.pid, s.taken_ms, s.ordinal, s.state = 'partial' AS partial,
    CASE :metric WHEN 'rss' THEN coalesce(s.rss_kib, s.tool_rss_kib) WHEN 'pss' THEN s.pss_kib
      WHEN 'private' THEN s.private_kib WHEN 'private_dirty' THEN s.private_dirty_kib
      WHEN 'size' THEN s.size_kib WHEN 'swap' THEN coalesce(s.swap_kib,
        (SELECT g.swap_kib FROM live_reading g WHERE g.snapshot_id = s.snapshot_id))
      WHEN 'mappings' THEN s.mappings END AS whole,
    (SELECT CASE :metric WHEN 'rss' THEN v.rss_kib WHEN 'pss' THEN v.pss_kib
        WHEN 'private' THEN v.private_kib WHEN 'private_dirty' THEN v.private_dirty_kib
        WHEN 'size' THEN v.size_kib WHEN 'swap' THEN v.swap_kib WHEN 'mappings' THEN v.mappings END
      FROM category c
      CROSS JOIN category_version v ON v.epoch_id = s.epoch_id AND v.category_id = c.category_id
      WHERE c.category = :category AND v.first <= s.off AND (v.last IS NULL OR v.last >= s.off)
      ORDER BY v.first DESC
      LIMIT 1) AS part
  FROM scope
  CROSS JOIN snapshot s ON s.process_id = scope.process_id
  WHERE CASE WHEN :dialect IS NULL THEN s.preferred ELSE s.dialect = :dialect END
    AND s.taken_ms >= coalesce(:since, -9e15)
),
numbered AS (
  SELECT *, row_number() OVER w AS at, count(*) OVER () AS n_all,
    sum(partial) OVER (ORDER BY taken_ms, ordinal) AS partials
  FROM taken
  WINDOW w AS (PARTITION BY partial ORDER BY taken_ms, ordinal)
),
step AS (
  SELECT *, count(*) OVER () AS n, taken_ms - lag(taken_ms) OVER w AS step,
    process_id <> lag(process_id) OVER w AS fresh
  FROM numbered
  WHERE NOT partial
  WINDOW w AS (ORDER BY at)
),
median AS (
  SELECT max(step) AS ms
  FROM (SELECT step, row_number() OVER (ORDER BY step) AS k, count(*) OVER () AS n
    FROM step WHERE step IS NOT NULL)
  WHERE k = (n + 1) / 2
),
broken AS (
  -- side: 1 for the snapshots after the longest gaps and restarts, and for those before them
  SELECT *, max(break, coalesce(lead(break) OVER (ORDER BY at), 0)) AS side,
    at * (:points / 4) / (n + 1) AS bucket
  FROM (SELECT *, (gap OR fresh) AND row_number() OVER (ORDER BY gap OR fresh DESC, step DESC) <= 60 AS break
    FROM (SELECT step.*, coalesce(step > 3 * (SELECT ms FROM median), 0) AS gap FROM step))
),
ranked AS (
  SELECT *, row_number() OVER (PARTITION BY bucket ORDER BY whole, at) AS least,
    row_number() OVER (PARTITION BY bucket ORDER BY whole DESC, at) AS most,
    CASE WHEN part IS NOT NULL THEN row_number() OVER (PARTITION BY bucket ORDER BY part, at) END AS least_part,
    CASE WHEN part IS NOT NULL THEN row_number() OVER (PARTITION BY bucket ORDER BY part DESC, at) END AS most_part
  FROM broken
),
kept AS (
  SELECT *, row_number() OVER w AS k, at - lag(at, 1, 0) OVER w AS passed,
    partials - lag(partials, 1, 0) OVER w AS left_out
  FROM ranked
  WHERE n <= :points OR at IN (1, n) OR side = 1 OR least = 1 OR most = 1 OR least_part = 1 OR most_part = 1
  WINDOW w AS (ORDER BY at)
),
part AS (
  SELECT x.k, c.category, CASE :metric WHEN 'rss' THEN v.rss_kib WHEN 'pss' THEN v.pss_kib
    WHEN 'private' THEN v.private_kib WHEN 'private_dirty' THEN v.private_dirty_kib
    WHEN 'size' THEN v.size_kib WHEN 'swap' THEN v.swap_kib WHEN 'mappings' THEN v.mappings END AS value
  FROM kept x
  CROSS JOIN category c
  CROSS JOIN category_version v ON v.epoch_id = x.epoch_id AND v.category_id = c.category_id
    AND v.first = (SELECT max(w.first) FROM category_version w WHERE w.epoch_id = x.epoch_id
      AND w.category_id = c.category_id AND w.first <= x.off)
    AND (v.last IS NULL OR v.last >= x.off)
  WHERE c.category <> 'total' AND (:layers IS NULL OR x.whole IS NOT NULL)
),
layer AS (
  SELECT k, category, value FROM part
  UNION ALL
  -- a footer may state less than the rows have
  SELECT x.k, '[no category]',
    max(x.whole - ifnull(p.value, 0), 0)
  FROM kept x LEFT JOIN (SELECT k, sum(value) AS value FROM part GROUP BY k) p ON p.k = x.k
  WHERE :layers IS NOT NULL AND x.whole IS NOT NULL
),
finding AS (
  SELECT json_extract(value, '$.key') AS category, max(json_extract(value, '$.verdict') = 'leak') + 1 AS leaks,
    max(CASE WHEN json_extract(value, '$.unit') = 'KiB' AND :metric <> 'mappings' AND (NOT :exact
      OR json_extract(value, '$.metric') = :metric) THEN json_extract(value, '$.rate_per_h') END) AS rate
  FROM json_each(:findings)
  WHERE json_extract(value, '$.verdict') IN ('leak', 'suspect') AND NOT json_extract(value, '$.whole')
  GROUP BY 1
),
weighed AS (
  SELECT l.category, f.leaks, f.rate, row_number() OVER (ORDER BY f.leaks DESC, max(ifnull(l.value, 0)) DESC, l.category) AS weight
  FROM layer l LEFT JOIN finding f ON f.category = l.category
  GROUP BY l.category HAVING :layers IS NULL OR max(l.value) > 0 OR f.leaks
),
named AS (
  SELECT category, leaks, rate, weight, CASE WHEN weight >= :layers AND count(*) OVER () > :layers
    AND NOT max(weight = :layers AND leaks IS NOT NULL) OVER () THEN '[others]' ELSE category END AS name
  FROM weighed
),
drawn AS (
  SELECT n.name, x.k, max(n.leaks) AS leaks, max(n.rate) AS rate, min(n.weight) AS weight,
    sum(CASE WHEN l.k IS NULL THEN 0 ELSE l.value END) AS value, max(l.k) AS found
  FROM named n
  CROSS JOIN kept x
  LEFT JOIN layer l ON l.category = n.category AND l.k = x.k
  WHERE :layers IS NULL OR x.whole IS NOT NULL
  GROUP BY n.name, x.k
),
steady AS (
  SELECT *, max(ifnull(value, 0)) OVER (PARTITION BY name) - min(ifnull(value, 0)) OVER (PARTITION BY name) AS range FROM drawn
),
cell AS (
  SELECT k, NULL AS category, NULL AS weight, NULL AS leaks, NULL AS rate, whole AS value, 0 AS nth FROM kept
  UNION ALL
  SELECT k, name, weight, leaks, rate, value, row_number() OVER (
    ORDER BY CASE WHEN :layers IS NOT NULL THEN leaks END, CASE WHEN :layers IS NOT NULL THEN range END,
    CASE WHEN :layers IS NOT NULL THEN weight END, name, k)
  FROM steady
  WHERE :layers IS NOT NULL OR found
)
SELECT c.k, x.snapshot_id, x.taken_ms, x.process_id, x.pid, x.passed AS n,
  CASE WHEN x.gap THEN (x.step + (SELECT ms FROM median) / 2) / (SELECT ms FROM median) - 1 END AS missed,
  x.left_out AS partial, c.category, c.value, x.epoch_id, x.off AS place, c.weight, c.leaks AS grade, c.rate
FROM cell c
JOIN kept x ON x.k = c.k
ORDER BY c.nth, c.k;
