-- name:   top-lineages
-- title:  What grew most between two snapshots, by mapping through time
-- param:  process process  only  NAME, PID, NAME/PID or @ID; may be left out where there is one name
-- param:  from    snapshot first The older snapshot
-- param:  to      snapshot last  The newer snapshot
-- param:  top     int      20    At most this many rows
-- param:  dialect text     ""    Only captures of this dialect; else, for each moment, the one with most fields
-- param:  depth   text     2     One of 1, 2: by the first word (anonymous), or as rules refine it (anonymous/thread-stack)
-- column: category       category Category
-- column: lineage_id     lineage  The mapping through time: lineage-history --lineage shows it
-- column: change         text     new where it was not there before, else grown
-- column: pid            int      Process id
-- column: path           text     What is mapped; empty for anonymous memory
-- column: start          address  First address of its lowest piece, newer
-- column: mappings_from  count    Number of mappings, older
-- column: mappings_to    count    Number of mappings, newer
-- column: mappings_delta count    newer - older
-- column: size_kib_from  kib      Address space, older
-- column: size_kib_to    kib      Address space, newer
-- column: size_kib_delta kib      newer - older
-- column: rss_kib_from   kib      Resident, older
-- column: rss_kib_to     kib      Resident, newer
-- column: rss_kib_delta  kib      newer - older
-- column: share          ratio    Share of the resident growth of all growing rows
-- column: partial        bool     1: a capture of either side lacks rows, so this may not be growth
-- table:  category lineage_id change pid path size_kib_delta rss_kib_from rss_kib_to rss_kib_delta share partial
-- empty:  nothing grew
--
-- Only what grew in resident memory or in address space; diff --by lineage has the rest. A lineage
-- is one mapping, even if it grows, moves, splits or merges; the pieces of a split are summed.
-- Sorted by growth of resident memory, or of address space where that is unknown or equal. If a
-- snapshot has sums only, there is nothing to compare: no rows.
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
  -- 0 for a number that all captures of the side have, NULL for a number that any of them lacks
  SELECT d.newer, max(s.state = 'totals') AS sums, max(s.state = 'partial') AS partial,
    CASE WHEN count(*) = count(s.size_kib) THEN 0 END AS size_kib,
    CASE WHEN count(*) = count(s.rss_kib) THEN 0 END AS rss_kib
  FROM side d
  CROSS JOIN snapshot s ON s.snapshot_id = d.snapshot_id
  GROUP BY d.newer
),
x AS (
  SELECT d.newer, CASE :depth WHEN '1' THEN m.parent ELSE m.category END AS category,
    m.path, m.lineage_id, m.start, m.size_kib, m.rss_kib
  FROM side d
  CROSS JOIN mappings m ON m.snapshot_id = d.snapshot_id
),
change AS (
  SELECT *, size_kib_to - size_kib_from AS size_kib_delta,
    rss_kib_to - rss_kib_from AS rss_kib_delta
  FROM (
    SELECT max(CASE x.newer WHEN 1 THEN x.category END) AS category, x.lineage_id,
      max(CASE x.newer WHEN 1 THEN x.path END) AS path,
      min(CASE x.newer WHEN 1 THEN x.start END) AS start,
      sum(x.newer = 0) AS old, sum(x.newer = 1) AS new,
      CASE WHEN a.size_kib = 0 AND total(x.newer = 0 AND x.size_kib IS NULL) = 0
        THEN coalesce(sum(CASE x.newer WHEN 0 THEN x.size_kib END), 0) END AS size_kib_from,
      CASE WHEN b.size_kib = 0 AND total(x.newer = 1 AND x.size_kib IS NULL) = 0
        THEN coalesce(sum(CASE x.newer WHEN 1 THEN x.size_kib END), 0) END AS size_kib_to,
      CASE WHEN a.rss_kib = 0 AND total(x.newer = 0 AND x.rss_kib IS NULL) = 0
        THEN coalesce(sum(CASE x.newer WHEN 0 THEN x.rss_kib END), 0) END AS rss_kib_from,
      CASE WHEN b.rss_kib = 0 AND total(x.newer = 1 AND x.rss_kib IS NULL) = 0
        THEN coalesce(sum(CASE x.newer WHEN 1 THEN x.rss_kib END), 0) END AS rss_kib_to,
      max(a.partial, b.partial) AS partial
    FROM x
    CROSS JOIN known a ON a.newer = 0
    CROSS JOIN known b ON b.newer = 1
    WHERE a.sums = 0 AND b.sums = 0
    GROUP BY x.lineage_id
  )
)
SELECT c.category, c.lineage_id, CASE c.old WHEN 0 THEN 'new' ELSE 'grown' END AS change, p.pid,
  c.path, c.start,
  c.old AS mappings_from, c.new AS mappings_to, c.new - c.old AS mappings_delta,
  size_kib_from, size_kib_to, size_kib_delta, rss_kib_from, rss_kib_to, rss_kib_delta,
  CASE WHEN rss_kib_delta > 0
    THEN 1.0 * rss_kib_delta / sum(max(rss_kib_delta, 0)) OVER ()
    WHEN rss_kib_delta <= 0 THEN 0.0 END AS share,
  partial
FROM change c
CROSS JOIN lineage l ON l.lineage_id = c.lineage_id
CROSS JOIN process p ON p.process_id = l.process_id
WHERE rss_kib_delta > 0 OR size_kib_delta > 0
ORDER BY rss_kib_delta DESC, size_kib_delta DESC, c.category, c.path, c.start < 0, c.start,
  c.lineage_id
LIMIT coalesce(:top, -1);
