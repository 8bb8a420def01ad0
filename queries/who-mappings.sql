-- name:   who-mappings
-- title:  The mappings that who asks about, in two snapshots
-- param:  process  process  only  NAME, PID, NAME/PID or @ID; may be left out where there is one name
-- param:  from     snapshot first The older snapshot
-- param:  to       snapshot last  The newer snapshot
-- param:  dialect  text     ""    Only captures of this dialect; else, for each moment, the one with most fields
-- param:  lineage  lineage  ""    Only this mapping through time
-- param:  category category ""    Only this category
-- param:  address  address  ""    Only the mapping at this address, in the newer snapshot or else in the older one
-- param:  suited   bool     0     In suitable units instead of KiB
-- column: lineages      text  A JSON array of their lineage ids; empty: there are none
-- column: size_kib_from kib   Address space, older
-- column: size_kib_to   kib   Address space, newer
-- column: rss_kib_from  kib   Resident, older
-- column: rss_kib_to    kib   Resident, newer
-- column: course        text  size 10 MiB -> 12 MiB (+2 MiB), rss 8 MiB -> 9 MiB (+1 MiB)
--
-- Given a name, the mappings of its processes of both moments.
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
mapping AS (
  SELECT d.newer, m.lineage_id, m.size_kib, m.rss_kib, m.category,
    :address >= m.start AND :address < m.end AS hit
  FROM side d
  CROSS JOIN mappings m ON m.snapshot_id = d.snapshot_id
),
chosen AS (
  SELECT *
  FROM mapping
  WHERE (:lineage IS NULL OR lineage_id = :lineage)
    AND (:category IS NULL OR category = :category
      OR substr(category, 1, length(:category) + 1) = :category || '/')
    AND (:address IS NULL OR lineage_id IN (SELECT lineage_id FROM mapping
      WHERE hit AND newer = (SELECT max(newer) FROM mapping WHERE hit)))
),
sums AS (
  SELECT (SELECT nullif(json_group_array(lineage_id), '[]') FROM (SELECT DISTINCT lineage_id FROM chosen
      ORDER BY 1)) AS lineages,
    CASE WHEN total(newer = 0 AND size_kib IS NULL) = 0 THEN coalesce(sum(CASE newer WHEN 0 THEN size_kib END), 0) END
      AS size_kib_from,
    CASE WHEN total(newer = 1 AND size_kib IS NULL) = 0 THEN coalesce(sum(CASE newer WHEN 1 THEN size_kib END), 0) END
      AS size_kib_to,
    CASE WHEN total(newer = 0 AND rss_kib IS NULL) = 0 THEN coalesce(sum(CASE newer WHEN 0 THEN rss_kib END), 0) END
      AS rss_kib_from,
    CASE WHEN total(newer = 1 AND rss_kib IS NULL) = 0 THEN coalesce(sum(CASE newer WHEN 1 THEN rss_kib END), 0) END
      AS rss_kib_to
  FROM chosen
)
SELECT lineages, size_kib_from, size_kib_to, rss_kib_from, rss_kib_to,
  -- the arrow is written in two parts, because it is an operator of later versions of SQLite
  (SELECT group_concat(what || ' ' || coalesce(CASE WHEN :suited THEN kib_text(older) ELSE older END, '?') || ' -' || '> '
      || coalesce(CASE WHEN :suited THEN kib_text(newer) ELSE newer END, '?') || ' ('
      || coalesce(CASE WHEN newer > older THEN '+' ELSE '' END || CASE WHEN :suited THEN kib_text(newer - older)
        ELSE (newer - older) || ' KiB' END, '?') || ')', ', ')
    FROM (SELECT 'size' AS what, size_kib_from AS older, size_kib_to AS newer
      UNION ALL SELECT 'rss', rss_kib_from, rss_kib_to)) AS course
FROM sums;
