-- name:   report-scope
-- title:  What a report is about: the process, the span of time
-- param:  process process  ""    NAME, PID, NAME/PID or @ID; else every process of the store
-- param:  from    snapshot first Begin with this snapshot
-- param:  to      snapshot last  End with this snapshot
-- param:  dialect text     ""    Only captures of this dialect; else, for each moment, the one with most fields
-- param:  limit   kib      ""    What the process's rss cannot exceed: to see when it is reached
-- column: process_id process The process that is asked for; of several, the one that was largest
-- column: alone      bool    1: a single process is asked for
-- column: names      count   How many names the asked processes have
-- column: series     text    Its name, if --process takes it for all processes of that name
-- column: from_ms    int     Moment of --from, ms since 1970 UTC
-- column: to_ms      int     Moment of --to, ms since 1970 UTC
-- column: limit_kib  kib     --limit
-- empty:  no snapshots in this span
--
-- pmapdb report writes the page; this query only says what is on it. A process counts if a capture of
-- it is in the span.
WITH scope AS (
  SELECT process_id, name_id FROM process WHERE process_id = :process
  UNION ALL
  SELECT process_id, name_id FROM process WHERE :process IS NULL AND name_id = :name_id
  UNION ALL
  SELECT process_id, name_id FROM process WHERE :process IS NULL AND :name_id IS NULL
),
span AS (
  SELECT (SELECT moment_ms FROM snapshot WHERE snapshot_id = :from) AS from_ms,
    (SELECT moment_ms FROM snapshot WHERE snapshot_id = :to) AS to_ms
),
size AS (
  SELECT c.process_id, c.name_id, max(coalesce(s.rss_kib, s.tool_rss_kib, s.size_kib)) AS kib
  FROM span
  CROSS JOIN scope c
  CROSS JOIN snapshot s ON s.process_id = c.process_id
    AND s.moment_ms BETWEEN span.from_ms AND span.to_ms
  WHERE :dialect IS NULL OR s.dialect = :dialect
  GROUP BY c.process_id
)
SELECT z.process_id, :process IS NOT NULL AS alone,
  (SELECT count(DISTINCT name_id) FROM size) AS names,
  CASE WHEN n.name GLOB '*[^A-Za-z0-9_.+-]*' OR n.name NOT GLOB '[A-Za-z]*'
    OR (SELECT count(*) FROM name m WHERE m.name = n.name) > 1 THEN NULL ELSE n.name END AS series,
  span.from_ms, span.to_ms, :limit AS limit_kib
FROM size z
CROSS JOIN span
JOIN name n ON n.name_id = z.name_id
ORDER BY z.kib DESC, z.process_id
LIMIT 1;
