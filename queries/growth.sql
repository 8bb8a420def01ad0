-- name:   growth
-- title:  Every category in every snapshot, with the step to the one before
-- param:  process  process  only  NAME, PID, NAME/PID or @ID; may be left out where there is one name
-- param:  from     snapshot first Begin with this snapshot
-- param:  to       snapshot last  End with this snapshot
-- param:  category category ""    Only this category; anonymous takes anonymous/... too
-- param:  dialect  text     ""    Only captures of this dialect; else, for each moment, the one with most fields
-- param:  depth    text     2     One of 1, 2: by the first word (anonymous), or as rules refine it (anonymous/thread-stack)
-- param:  lines    count    ""    About this many rows: the categories that changed most, at moments evenly spaced
-- column: snapshot_id             snapshot Unknown where several processes are summed
-- column: taken_at                time     When, UTC
-- column: name                    text     Name of the process
-- column: pid                     int      Unknown where several processes are summed
-- column: category                category Category
-- column: mappings                count    Number of mappings; unknown where there are sums only
-- column: size_kib                kib      Address space
-- column: rss_kib                 kib      Resident
-- column: pss_kib                 kib      Proportional share of the resident
-- column: private_kib             kib      Private_Clean + Private_Dirty
-- column: private_dirty_kib       kib      Private_Dirty
-- column: swap_kib                kib      Swapped out
-- column: mappings_delta          count    Since the step before; unknown in the first and after a restart
-- column: size_kib_delta          kib      Since the step before; unknown in the first and after a restart
-- column: rss_kib_delta           kib      Since the step before; unknown in the first and after a restart
-- column: pss_kib_delta           kib      Since the step before; unknown in the first and after a restart
-- column: private_kib_delta       kib      Since the step before; unknown in the first and after a restart
-- column: private_dirty_kib_delta kib      Since the step before; unknown in the first and after a restart
-- column: swap_kib_delta          kib      Since the step before; unknown in the first and after a restart
-- column: process_id              process  Unknown where several processes are summed
-- column: processes               count    Processes summed
-- table:  taken_at pid category mappings size_kib size_kib_delta rss_kib rss_kib_delta private_kib private_kib_delta
-- narrow: taken_at category size_kib rss_kib rss_kib_delta
-- order:  time
-- empty:  no snapshots in this span
--
-- The long series for a spreadsheet or a plot. Given a name, the sum over its processes of each
-- moment: a process that came or went counts as growth. If lives of a name follow each other, a
-- restart is not growth: its deltas are unknown. So are those of anonymous, anonymous/... and
-- kernel between pmap -x, -d, plain pmap or SUSE's, which print kernel mappings as "[ anon ]", and
-- smaps, -X or -XX, which name them: --dialect gives a series of one kind. So are all deltas from
-- and to a partial capture, and all between captures with mappings and captures with sums only,
-- whose single category is total. A category that was there one step earlier and is gone has one
-- row of zeroes. If the rows of some capture do not show what is resident, as in maps, but the
-- capture states VmRSS, every moment has a row total besides: the sum, or VmRSS. With :lines, the
-- deltas are those between the moments that are shown; a terminal asks for what fits its screen.
WITH scope AS (
  SELECT process_id FROM process
  WHERE process_id = :process OR (:process IS NULL AND name_id = :name_id)
),
cell AS (
  -- one row per snapshot and category, from the rollup
  SELECT s.moment_ms, s.snapshot_id, s.process_id,
    CASE :depth WHEN '1' THEN (SELECT k.category_id FROM category c JOIN category k ON k.category = c.parent
        WHERE c.category_id = v.category_id)
      ELSE v.category_id END AS category_id,
    v.mappings, v.size_kib, v.rss_kib, v.pss_kib, v.private_kib, v.private_dirty_kib, v.swap_kib
  FROM scope
  CROSS JOIN epoch e ON e.process_id = scope.process_id
  CROSS JOIN category_version v ON v.epoch_id = e.epoch_id
  CROSS JOIN snapshot s ON s.epoch_id = v.epoch_id
    AND s.off BETWEEN v.first AND coalesce(v.last, 32767)
  WHERE CASE WHEN :dialect IS NULL THEN s.preferred ELSE e.dialect = :dialect END
),
span AS (
  SELECT f.moment_ms AS from_ms, t.moment_ms AS to_ms
  FROM snapshot f CROSS JOIN snapshot t WHERE f.snapshot_id = :from AND t.snapshot_id = :to
),
shown AS (
  -- with :lines: the categories that changed most, at most one for every four lines
  SELECT category_id FROM (
    SELECT c.category_id, max(c.rss_kib) - min(c.rss_kib) + max(c.size_kib) - min(c.size_kib)
        + max(c.mappings) - min(c.mappings) > 0 AS changed,
      row_number() OVER (ORDER BY max(c.rss_kib) - min(c.rss_kib) DESC,
        max(c.size_kib) - min(c.size_kib) DESC, max(c.rss_kib) DESC) AS place
    FROM cell c CROSS JOIN span WHERE c.moment_ms BETWEEN span.from_ms AND span.to_ms
    GROUP BY c.category_id
  ) WHERE place = 1 OR changed AND place <= :lines / 4
),
picked AS (
  -- with :lines: the first moment, the last, and those between at equal steps
  SELECT moment_ms FROM (
    SELECT moment_ms, row_number() OVER (ORDER BY moment_ms) - 1 AS place,
      count(*) OVER () - 1 AS n, max(:lines / (SELECT count(*) FROM shown), 2) - 1 AS steps
    FROM (SELECT DISTINCT c.moment_ms FROM cell c CROSS JOIN span
      WHERE c.moment_ms BETWEEN span.from_ms AND span.to_ms)
  ) WHERE place = 0 OR n <= steps OR place * steps / n > (place - 1) * steps / n
),
moment AS (
  -- X_kib: 0 if every capture of the moment has the number, NULL if one lacks it. named (captures
  -- that name the kernel's own mappings: epoch.fields, PM_HAS_PSEUDO) and sums (captures with sums
  -- only): 0 no capture, 1 some, 2 all captures of the moment
  SELECT s.moment_ms, row_number() OVER (ORDER BY s.moment_ms) AS step,
    count(DISTINCT s.process_id) AS processes,
    CASE count(DISTINCT s.process_id) WHEN 1 THEN max(s.process_id) END AS process_id,
    CASE count(*) WHEN 1 THEN max(s.snapshot_id) END AS snapshot_id,
    CASE count(*) WHEN 1 THEN max(s.taken_at) END AS taken_at,
    min(e.fields >> 36 & 1) + max(e.fields >> 36 & 1) AS named,
    max(s.state = 'partial') AS partial, min(s.state = 'totals') + max(s.state = 'totals') AS sums,
    CASE WHEN count(*) = count(s.size_kib) THEN 0 END AS size_kib,
    CASE WHEN count(*) = count(s.rss_kib) THEN 0 END AS rss_kib,
    CASE WHEN count(*) = count(s.pss_kib) THEN 0 END AS pss_kib,
    CASE WHEN count(*) = count(s.private_kib) THEN 0 END AS private_kib,
    CASE WHEN count(*) = count(s.private_dirty_kib) THEN 0 END AS private_dirty_kib,
    CASE WHEN count(*) = count(s.swap_kib) THEN 0 END AS swap_kib
  FROM snapshot s
  CROSS JOIN epoch e ON e.epoch_id = s.epoch_id
  WHERE s.process_id IN (SELECT process_id FROM scope)
    AND CASE WHEN :dialect IS NULL THEN s.preferred ELSE s.dialect = :dialect END
    AND (:lines IS NULL OR s.moment_ms IN (SELECT moment_ms FROM picked))
  GROUP BY s.moment_ms
),
there AS (
  SELECT moment_ms, category_id, sum(mappings) AS mappings,
    CASE WHEN count(*) = count(size_kib) THEN sum(size_kib) END AS size_kib,
    CASE WHEN count(*) = count(rss_kib) THEN sum(rss_kib) END AS rss_kib,
    CASE WHEN count(*) = count(pss_kib) THEN sum(pss_kib) END AS pss_kib,
    CASE WHEN count(*) = count(private_kib) THEN sum(private_kib) END AS private_kib,
    CASE WHEN count(*) = count(private_dirty_kib) THEN sum(private_dirty_kib) END AS private_dirty_kib,
    CASE WHEN count(*) = count(swap_kib) THEN sum(swap_kib) END AS swap_kib
  FROM cell
  GROUP BY moment_ms, category_id
  UNION ALL
  SELECT s.moment_ms, (SELECT category_id FROM category WHERE category = 'total'), sum(s.mappings),
    CASE WHEN count(*) = count(s.size_kib) THEN sum(s.size_kib) END,
    CASE WHEN count(*) = count(coalesce(s.rss_kib, s.tool_rss_kib))
      THEN sum(coalesce(s.rss_kib, s.tool_rss_kib)) END,
    CASE WHEN count(*) = count(s.pss_kib) THEN sum(s.pss_kib) END,
    CASE WHEN count(*) = count(s.private_kib) THEN sum(s.private_kib) END,
    CASE WHEN count(*) = count(s.private_dirty_kib) THEN sum(s.private_dirty_kib) END,
    CASE WHEN count(*) = count(s.swap_kib) THEN sum(s.swap_kib) END
  FROM snapshot s
  WHERE s.process_id IN (SELECT process_id FROM scope)
    AND CASE WHEN :dialect IS NULL THEN s.preferred ELSE s.dialect = :dialect END
    AND EXISTS (SELECT 1 FROM scope WHERE EXISTS (SELECT 1 FROM snapshot b
      WHERE b.process_id = scope.process_id AND b.rss_kib IS NULL AND b.tool_rss_kib IS NOT NULL
        AND b.state = 'complete'
        AND CASE WHEN :dialect IS NULL THEN b.preferred ELSE b.dialect = :dialect END))
  GROUP BY s.moment_ms
  HAVING max(s.state = 'totals') = 0
),
seen AS (
  SELECT t.*, m.step, m.sums, lead(m.step) OVER (PARTITION BY t.category_id ORDER BY m.step) AS next_step
  FROM there t
  JOIN moment m ON m.moment_ms = t.moment_ms
),
line AS (
  SELECT step, category_id, mappings, size_kib, rss_kib, pss_kib, private_kib, private_dirty_kib, swap_kib
  FROM seen
  UNION ALL
  SELECT m.step, s.category_id, 0, m.size_kib, m.rss_kib, m.pss_kib, m.private_kib, m.private_dirty_kib, m.swap_kib
  FROM seen s
  JOIN moment m ON m.step = s.step + 1
  WHERE s.next_step IS NOT s.step + 1 AND s.sums + m.sums IN (0, 4)
),
stepped AS (
  -- before: 1 if the category has a row one step earlier; otherwise it had nothing there
  SELECT l.*, m.moment_ms, m.processes, m.process_id, m.snapshot_id, m.taken_at,
    b.step AS step_before,
    m.partial OR b.partial OR b.sums + m.sums NOT IN (0, 4)
      OR b.processes = 1 AND m.processes = 1 AND b.process_id <> m.process_id
      OR b.named <> m.named AND l.category_id IN (SELECT category_id FROM category
        WHERE parent IN ('anonymous', 'kernel')) AS broken,
    lag(l.step) OVER w IS l.step - 1 AS before, lag(l.mappings) OVER w AS mappings_was,
    lag(l.size_kib) OVER w AS size_kib_was, b.size_kib AS size_kib_none,
    lag(l.rss_kib) OVER w AS rss_kib_was, b.rss_kib AS rss_kib_none,
    lag(l.pss_kib) OVER w AS pss_kib_was, b.pss_kib AS pss_kib_none,
    lag(l.private_kib) OVER w AS private_kib_was, b.private_kib AS private_kib_none,
    lag(l.private_dirty_kib) OVER w AS private_dirty_kib_was, b.private_dirty_kib AS private_dirty_kib_none,
    lag(l.swap_kib) OVER w AS swap_kib_was, b.swap_kib AS swap_kib_none
  FROM line l
  JOIN moment m ON m.step = l.step
  LEFT JOIN moment b ON b.step = l.step - 1
  WINDOW w AS (PARTITION BY l.category_id ORDER BY l.step)
)
SELECT x.snapshot_id, coalesce(x.taken_at,
    strftime(CASE WHEN x.moment_ms % 1000 THEN '%Y-%m-%dT%H:%M:%fZ'
    ELSE '%Y-%m-%dT%H:%M:%SZ' END, x.moment_ms / 1000.0, 'unixepoch')) AS taken_at, n.name, p.pid, c.category,
  x.mappings, x.size_kib, x.rss_kib, x.pss_kib, x.private_kib, x.private_dirty_kib, x.swap_kib,
  CASE WHEN x.step_before AND NOT x.broken
    THEN x.mappings - CASE WHEN x.before THEN x.mappings_was ELSE 0 END END AS mappings_delta,
  CASE WHEN x.step_before AND NOT x.broken
    THEN x.size_kib - CASE WHEN x.before THEN x.size_kib_was ELSE x.size_kib_none END END AS size_kib_delta,
  CASE WHEN x.step_before AND NOT x.broken
    THEN x.rss_kib - CASE WHEN x.before THEN x.rss_kib_was ELSE x.rss_kib_none END END AS rss_kib_delta,
  CASE WHEN x.step_before AND NOT x.broken
    THEN x.pss_kib - CASE WHEN x.before THEN x.pss_kib_was ELSE x.pss_kib_none END END AS pss_kib_delta,
  CASE WHEN x.step_before AND NOT x.broken
    THEN x.private_kib - CASE WHEN x.before THEN x.private_kib_was ELSE x.private_kib_none END END AS private_kib_delta,
  CASE WHEN x.step_before AND NOT x.broken
    THEN x.private_dirty_kib - CASE WHEN x.before THEN x.private_dirty_kib_was ELSE x.private_dirty_kib_none END END AS private_dirty_kib_delta,
  CASE WHEN x.step_before AND NOT x.broken
    THEN x.swap_kib - CASE WHEN x.before THEN x.swap_kib_was ELSE x.swap_kib_none END END AS swap_kib_delta,
  x.process_id, x.processes
FROM stepped x
JOIN category c ON c.category_id = x.category_id
LEFT JOIN process p ON p.process_id = x.process_id
LEFT JOIN name n ON n.name_id = coalesce(p.name_id, :name_id)
WHERE (:category IS NULL OR :category IN (c.category, c.parent))
  AND (:lines IS NULL OR :category IS NOT NULL OR c.category = 'total'
    OR x.category_id IN (SELECT category_id FROM shown))
  AND x.moment_ms >= (SELECT from_ms FROM span) AND x.moment_ms <= (SELECT to_ms FROM span)
ORDER BY x.moment_ms, c.category;
