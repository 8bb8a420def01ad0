-- name:   gaps
-- title:  Where captures are missing: steps longer than three median steps
-- param:  process process "" Only this NAME, PID, NAME/PID or @ID
-- param:  dialect text    "" Only captures of this dialect
-- column: host    text     Where; empty when unknown
-- column: name    text     Name of the process
-- column: from_at time     The moment before the gap, UTC
-- column: to_at   time     The moment after it, UTC
-- column: gap     duration How long nothing was captured
-- column: step    duration The usual step: the median of the name's steps
-- column: missing count    How many captures would have fit in
-- column: alive   bool     1: a process was seen before and after; 0: it may not have run
-- narrow: name from_at to_at gap missing
--
-- Steps are the times between the moments of a name (of one process, if one is given); their median
-- is the lower of the two middle ones. If captures became rarer for good, every later step looks
-- like a gap until most steps are long. Gaps up to the newest moment that a prune removed are not
-- shown: the prune may have made them. The time since the last snapshot is not a gap yet: processes
-- shows last_at.
WITH scope AS (
  SELECT process_id, name_id FROM process
  WHERE (:process IS NULL OR process_id = :process) AND (:name_id IS NULL OR name_id = :name_id)
),
moment AS (
  SELECT DISTINCT (SELECT p.name_id FROM process p WHERE p.process_id = s.process_id) AS name_id,
    s.moment_ms
  FROM snapshot s
  WHERE s.process_id IN (SELECT process_id FROM scope)
    AND CASE WHEN :dialect IS NULL THEN s.preferred ELSE s.dialect = :dialect END
),
step AS (
  SELECT name_id, lag(moment_ms) OVER w AS from_ms, moment_ms AS to_ms,
    moment_ms - lag(moment_ms) OVER w AS step
  FROM moment b
  WHERE moment_ms > coalesce((SELECT n.pruned_ms FROM name n WHERE n.name_id = b.name_id), -9e15)
  WINDOW w AS (PARTITION BY name_id ORDER BY moment_ms)
),
ranked AS (
  SELECT *, count(step) OVER (PARTITION BY name_id) AS n,
    row_number() OVER (PARTITION BY name_id ORDER BY step IS NULL, step) AS k
  FROM step
),
judged AS (
  SELECT *, max(CASE WHEN k = (n + 1) / 2 THEN step END) OVER (PARTITION BY name_id) AS median
  FROM ranked
)
SELECT h.name AS host, n.name,
  strftime(CASE WHEN g.from_ms % 1000 THEN '%Y-%m-%dT%H:%M:%fZ'
    ELSE '%Y-%m-%dT%H:%M:%SZ' END, g.from_ms / 1000.0, 'unixepoch') AS from_at,
  strftime(CASE WHEN g.to_ms % 1000 THEN '%Y-%m-%dT%H:%M:%fZ'
    ELSE '%Y-%m-%dT%H:%M:%SZ' END, g.to_ms / 1000.0, 'unixepoch') AS to_at,
  g.step AS gap, g.median AS step, (g.step + g.median / 2) / g.median - 1 AS missing,
  EXISTS (
    SELECT 1 FROM scope p
    WHERE p.name_id = g.name_id
      AND EXISTS (SELECT 1 FROM snapshot s WHERE s.process_id = p.process_id
        AND s.taken_ms < g.to_ms)
      AND EXISTS (SELECT 1 FROM snapshot s WHERE s.process_id = p.process_id
        AND s.taken_ms >= g.to_ms)
  ) AS alive
FROM judged g
JOIN name n ON n.name_id = g.name_id
LEFT JOIN host h ON h.host_id = n.host_id
WHERE g.step > 3 * g.median
ORDER BY host, n.name, g.from_ms;
