-- name:   diff-lineage
-- title:  Growth of each mapping through time between two snapshots
-- param:  process process  only  NAME, PID, NAME/PID or @ID; may be left out where there is one name
-- param:  from    snapshot first The older snapshot
-- param:  to      snapshot last  The newer snapshot
-- param:  dialect text     ""    Only captures of this dialect; else, for each moment, the one with most fields
-- param:  depth   text     2     One of 1, 2: by the first word (anonymous), or as rules refine it (anonymous/thread-stack)
-- column: category                category Category
-- column: lineage_id              lineage  The mapping through time
-- column: change                  text     new, gone, grown, shrunk, moved, same
-- column: path                    text     What is mapped; empty for anonymous memory
-- column: mappings_from           count    Number of mappings, older
-- column: mappings_to             count    Number of mappings, newer
-- column: mappings_delta          count    newer - older
-- column: size_kib_from           kib      Address space, older
-- column: size_kib_to             kib      Address space, newer
-- column: size_kib_delta          kib      newer - older
-- column: rss_kib_from            kib      Resident, older
-- column: rss_kib_to              kib      Resident, newer
-- column: rss_kib_delta           kib      newer - older
-- column: pss_kib_from            kib      Proportional share of the resident, older
-- column: pss_kib_to              kib      Proportional share of the resident, newer
-- column: pss_kib_delta           kib      newer - older
-- column: private_kib_from        kib      Private_Clean + Private_Dirty, older
-- column: private_kib_to          kib      Private_Clean + Private_Dirty, newer
-- column: private_kib_delta       kib      newer - older
-- column: private_dirty_kib_from  kib      Private_Dirty, older
-- column: private_dirty_kib_to    kib      Private_Dirty, newer
-- column: private_dirty_kib_delta kib      newer - older
-- column: swap_kib_from           kib      Swapped out, older
-- column: swap_kib_to             kib      Swapped out, newer
-- column: swap_kib_delta          kib      newer - older
-- column: processes_from          count    Processes summed, older
-- column: processes_to            count    Processes summed, newer
-- total:  mappings_from mappings_to mappings_delta size_kib_from size_kib_to size_kib_delta rss_kib_from rss_kib_to rss_kib_delta pss_kib_from pss_kib_to pss_kib_delta private_kib_from private_kib_to private_kib_delta private_dirty_kib_from private_dirty_kib_to private_dirty_kib_delta swap_kib_from swap_kib_to swap_kib_delta
-- table:  category lineage_id change path size_kib_from size_kib_to size_kib_delta rss_kib_from rss_kib_to rss_kib_delta
-- narrow: category lineage_id path size_kib_delta rss_kib_to rss_kib_delta
-- empty:  no mappings in either snapshot
--
-- A lineage is one mapping, even if it grows, moves, splits or merges; the pieces of a split are
-- summed. It has grown or shrunk by its resident memory, or by its size if that is equal. If a
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
  SELECT d.newer, count(DISTINCT s.process_id) AS processes, max(s.state = 'totals') AS sums,
    CASE WHEN count(*) = count(s.size_kib) THEN 0 END AS size_kib,
    CASE WHEN count(*) = count(s.rss_kib) THEN 0 END AS rss_kib,
    CASE WHEN count(*) = count(s.pss_kib) THEN 0 END AS pss_kib,
    CASE WHEN count(*) = count(s.private_kib) THEN 0 END AS private_kib,
    CASE WHEN count(*) = count(s.private_dirty_kib) THEN 0 END AS private_dirty_kib,
    CASE WHEN count(*) = count(s.swap_kib) THEN 0 END AS swap_kib
  FROM side d
  CROSS JOIN snapshot s ON s.snapshot_id = d.snapshot_id
  GROUP BY d.newer
),
x AS (
  SELECT d.newer, CASE :depth WHEN '1' THEN m.parent ELSE m.category END AS category,
    m.path, m.lineage_id, m.start, m.end, 1 AS mappings, m.size_kib,
    m.rss_kib, m.pss_kib, m.private_kib, m.private_dirty_kib, m.swap_kib
  FROM side d
  CROSS JOIN mappings m ON m.snapshot_id = d.snapshot_id
)
SELECT category, lineage_id,
  CASE
    WHEN mappings_from = 0 THEN 'new'
    WHEN mappings_to = 0 THEN 'gone'
    WHEN rss_kib_to > rss_kib_from THEN 'grown'
    WHEN rss_kib_to < rss_kib_from THEN 'shrunk'
    WHEN size_kib_to > size_kib_from THEN 'grown'
    WHEN size_kib_to < size_kib_from THEN 'shrunk'
    WHEN place_from <> place_to THEN 'moved'
    ELSE 'same'
  END AS change,
  path,
  mappings_from, mappings_to, mappings_to - mappings_from AS mappings_delta,
  size_kib_from, size_kib_to, size_kib_to - size_kib_from AS size_kib_delta,
  rss_kib_from, rss_kib_to, rss_kib_to - rss_kib_from AS rss_kib_delta,
  pss_kib_from, pss_kib_to, pss_kib_to - pss_kib_from AS pss_kib_delta,
  private_kib_from, private_kib_to, private_kib_to - private_kib_from AS private_kib_delta,
  private_dirty_kib_from, private_dirty_kib_to, private_dirty_kib_to - private_dirty_kib_from AS private_dirty_kib_delta,
  swap_kib_from, swap_kib_to, swap_kib_to - swap_kib_from AS swap_kib_delta,
  processes_from, processes_to
FROM (
  SELECT coalesce(max(CASE x.newer WHEN 1 THEN x.category END), max(x.category)) AS category,
    x.lineage_id, coalesce(max(CASE x.newer WHEN 1 THEN x.path END), max(x.path)) AS path,
    min(CASE x.newer WHEN 0 THEN x.start END) AS place_from,
    min(CASE x.newer WHEN 1 THEN x.start END) AS place_to,
    coalesce(sum(CASE x.newer WHEN 0 THEN x.mappings END), 0) AS mappings_from,
    coalesce(sum(CASE x.newer WHEN 1 THEN x.mappings END), 0) AS mappings_to,
    CASE WHEN a.size_kib = 0 AND total(x.newer = 0 AND x.size_kib IS NULL) = 0
      THEN coalesce(sum(CASE x.newer WHEN 0 THEN x.size_kib END), 0) END AS size_kib_from,
    CASE WHEN b.size_kib = 0 AND total(x.newer = 1 AND x.size_kib IS NULL) = 0
      THEN coalesce(sum(CASE x.newer WHEN 1 THEN x.size_kib END), 0) END AS size_kib_to,
    CASE WHEN a.rss_kib = 0 AND total(x.newer = 0 AND x.rss_kib IS NULL) = 0
      THEN coalesce(sum(CASE x.newer WHEN 0 THEN x.rss_kib END), 0) END AS rss_kib_from,
    CASE WHEN b.rss_kib = 0 AND total(x.newer = 1 AND x.rss_kib IS NULL) = 0
      THEN coalesce(sum(CASE x.newer WHEN 1 THEN x.rss_kib END), 0) END AS rss_kib_to,
    CASE WHEN a.pss_kib = 0 AND total(x.newer = 0 AND x.pss_kib IS NULL) = 0
      THEN coalesce(sum(CASE x.newer WHEN 0 THEN x.pss_kib END), 0) END AS pss_kib_from,
    CASE WHEN b.pss_kib = 0 AND total(x.newer = 1 AND x.pss_kib IS NULL) = 0
      THEN coalesce(sum(CASE x.newer WHEN 1 THEN x.pss_kib END), 0) END AS pss_kib_to,
    CASE WHEN a.private_kib = 0 AND total(x.newer = 0 AND x.private_kib IS NULL) = 0
      THEN coalesce(sum(CASE x.newer WHEN 0 THEN x.private_kib END), 0) END AS private_kib_from,
    CASE WHEN b.private_kib = 0 AND total(x.newer = 1 AND x.private_kib IS NULL) = 0
      THEN coalesce(sum(CASE x.newer WHEN 1 THEN x.private_kib END), 0) END AS private_kib_to,
    CASE WHEN a.private_dirty_kib = 0 AND total(x.newer = 0 AND x.private_dirty_kib IS NULL) = 0
      THEN coalesce(sum(CASE x.newer WHEN 0 THEN x.private_dirty_kib END), 0) END AS private_dirty_kib_from,
    CASE WHEN b.private_dirty_kib = 0 AND total(x.newer = 1 AND x.private_dirty_kib IS NULL) = 0
      THEN coalesce(sum(CASE x.newer WHEN 1 THEN x.private_dirty_kib END), 0) END AS private_dirty_kib_to,
    CASE WHEN a.swap_kib = 0 AND total(x.newer = 0 AND x.swap_kib IS NULL) = 0
      THEN coalesce(sum(CASE x.newer WHEN 0 THEN x.swap_kib END), 0) END AS swap_kib_from,
    CASE WHEN b.swap_kib = 0 AND total(x.newer = 1 AND x.swap_kib IS NULL) = 0
      THEN coalesce(sum(CASE x.newer WHEN 1 THEN x.swap_kib END), 0) END AS swap_kib_to,
    a.processes AS processes_from, b.processes AS processes_to
  FROM x
  CROSS JOIN known a ON a.newer = 0
  CROSS JOIN known b ON b.newer = 1
  WHERE a.sums = 0 AND b.sums = 0
  GROUP BY x.lineage_id
)
ORDER BY rss_kib_delta DESC, size_kib_delta DESC, category, path, lineage_id;
