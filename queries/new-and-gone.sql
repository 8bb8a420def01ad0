-- name:   new-and-gone
-- title:  What appeared and what vanished between two snapshots
-- param:  process process  only  NAME, PID, NAME/PID or @ID; may be left out where there is one name
-- param:  from    snapshot first The older snapshot
-- param:  to      snapshot last  The newer snapshot
-- param:  dialect text     ""    Only captures of this dialect; else, for each moment, the one with most fields
-- param:  depth   text     2     One of 1, 2: by the first word (anonymous), or as rules refine it (anonymous/thread-stack)
-- column: change      text     new or gone
-- column: category    category Category
-- column: object      text     The path; [anon] where there is none
-- column: whole       bool     1: nothing of the object is on the other side; 0: something is
-- column: lineages    count    How many mappings through time appeared or vanished
-- column: mappings    count    Number of their mappings
-- column: size_kib    kib      Their address space
-- column: rss_kib     kib      Resident in them
-- column: private_kib kib      Private_Clean + Private_Dirty of them
-- column: partial     bool     1: a capture of either side lacks rows, so they may be there
-- empty:  no mappings came or went
--
-- A mapping that grows, moves, splits or merges is still the same lineage: only lineages that one
-- side lacks completely count. New lineages have the numbers of the newer side, gone ones those of
-- the older side. A restarted process has only new mappings; the column whole then tells which
-- files only one of the two uses. smaps and pmap -x name some objects differently: --dialect
-- compares like with like. If a snapshot has sums only, there is nothing to compare: no rows.
WITH side AS (
  -- the snapshots of the moments of :from (newer: 0) and :to (1); a sweep takes less than an hour
  SELECT d.newer, s.snapshot_id
  FROM (SELECT 0 AS newer, :from AS id UNION ALL SELECT 1, :to) d
  CROSS JOIN snapshot m ON m.snapshot_id = d.id
  CROSS JOIN process p ON p.process_id = :process OR (:process IS NULL AND p.name_id = :name_id)
  CROSS JOIN snapshot s ON s.process_id = p.process_id
    AND s.taken_ms BETWEEN m.moment_ms AND m.moment_ms + 3600000
  WHERE s.moment_ms = m.moment_ms
    AND CASE WHEN s.process_id = m.process_id THEN s.snapshot_id = m.snapshot_id
      WHEN :dialect IS NULL THEN s.preferred ELSE s.dialect = :dialect END
),
known AS (
  SELECT max(s.state = 'totals') AS sums, max(s.state = 'partial') AS partial
  FROM side d
  CROSS JOIN snapshot s ON s.snapshot_id = d.snapshot_id
),
x AS (
  -- on_old, on_new: the lineage is on that side; object_old, object_new: any mapping of the object
  -- is
  SELECT d.newer, CASE :depth WHEN '1' THEN m.parent ELSE m.category END AS category,
    m.path, m.lineage_id, m.size_kib, m.rss_kib, m.private_kib,
    max(d.newer = 0) OVER one AS on_old, max(d.newer = 1) OVER one AS on_new,
    max(d.newer = 0) OVER all_of AS object_old, max(d.newer = 1) OVER all_of AS object_new
  FROM side d
  CROSS JOIN mappings m ON m.snapshot_id = d.snapshot_id
  WINDOW one AS (PARTITION BY m.lineage_id), all_of AS (PARTITION BY
    CASE :depth WHEN '1' THEN m.parent ELSE m.category END, m.path)
)
SELECT CASE x.newer WHEN 1 THEN 'new' ELSE 'gone' END AS change, x.category,
  CASE x.path WHEN '' THEN '[anon]' ELSE x.path END AS object,
  NOT (x.object_old AND x.object_new) AS whole,
  count(DISTINCT x.lineage_id) AS lineages, count(*) AS mappings,
  CASE WHEN count(*) = count(x.size_kib) THEN sum(x.size_kib) END AS size_kib,
  CASE WHEN count(*) = count(x.rss_kib) THEN sum(x.rss_kib) END AS rss_kib,
  CASE WHEN count(*) = count(x.private_kib) THEN sum(x.private_kib) END AS private_kib,
  known.partial
FROM x
CROSS JOIN known
WHERE known.sums = 0 AND NOT (x.on_old AND x.on_new)
GROUP BY x.newer, x.category, x.path
ORDER BY x.newer DESC, rss_kib DESC, size_kib DESC, x.category, object;
