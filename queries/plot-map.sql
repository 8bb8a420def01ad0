-- name:   plot-map
-- title:  What plot draws of the address space: each mapping as long as its numbers stay, in some snapshots
-- param:  snapshots text   ""  JSON list of ids of snapshots of a process, in the order of time
-- param:  findings  text   ""  Rows of leaks of the process, as JSON
-- column: first      int      Place in the list of the first snapshot that shows the row: 0, 1 ...
-- column: last       int      Place of the last one
-- column: start      address  First address
-- column: end        address  The address after the last one
-- column: rss_kib    kib      Resident
-- column: category   category Category
-- column: lineage_id lineage  The mapping through time
-- column: grade      int      2: its category leaks and the mapping grows itself, 1: the category may leak, 0
-- column: way        int      A mapping that grows reaches higher addresses: 1, lower ones: -1
-- empty:  the snapshots have no mappings
--
-- Rows of one region follow each other. A mapping grows if it gains more than half of all its steps up
-- and down.
WITH shown AS (
  SELECT j.key AS nth, s.epoch_id, s.off AS place
  FROM json_each(:snapshots) j
  CROSS JOIN snapshot s ON s.snapshot_id = j.value
),
held AS (
  -- the rows and the snapshots of each sequence of captures in the order of their places
  SELECT epoch_id, NULL AS region_id, NULL AS rss_kib, place AS first, place AS last, nth FROM shown
  UNION ALL
  SELECT v.epoch_id, v.region_id, v.rss_kib, v.first, ifnull(v.last, 9e18), NULL
  FROM (SELECT DISTINCT epoch_id FROM shown) x
  CROSS JOIN mapping_versions v ON v.epoch_id = x.epoch_id
),
met AS (
  SELECT epoch_id, region_id, rss_kib, first AS place, min(nth) OVER (PARTITION BY epoch_id ORDER BY first DESC) AS first,
    max(nth) OVER (PARTITION BY epoch_id ORDER BY last) AS last
  FROM held
),
finding AS (
  SELECT json_extract(value, '$.key') AS category, max(json_extract(value, '$.verdict') = 'leak') + 1 AS grade
  FROM json_each(:findings)
  WHERE json_extract(value, '$.verdict') IN ('leak', 'suspect') AND NOT json_extract(value, '$.whole')
  GROUP BY 1
),
stretch AS (
  SELECT m.epoch_id, m.region_id, m.place, m.first, m.last, r.start, r.start + r.length AS "end", m.rss_kib,
    ifnull(m.rss_kib, r.length / 1024) AS kib, c.category, r.lineage_id, ifnull(f.grade, 0) AS grade
  FROM met m
  CROSS JOIN region r ON r.region_id = m.region_id
  CROSS JOIN object o ON o.object_id = r.object_id
  CROSS JOIN category c ON c.category_id = ifnull(r.category_id, o.category_id)
  LEFT JOIN finding f ON f.category = c.category
  WHERE m.first <= m.last
),
step AS (
  SELECT lineage_id, sum(kib) AS kib
  FROM (
    SELECT lineage_id, first AS nth, kib FROM stretch WHERE grade
    UNION ALL
    SELECT lineage_id, last + 1, -kib FROM stretch WHERE grade AND last < (SELECT max(nth) FROM shown))
  WHERE nth > 0
  GROUP BY lineage_id, nth
),
growing AS (
  SELECT lineage_id FROM step GROUP BY lineage_id HAVING sum(kib) > sum(abs(kib)) / 2
),
way AS (
  SELECT lineage_id, first_value(start) OVER early AS start, first_value("end") OVER early AS "end",
    last_value(start) OVER late AS last_start, last_value("end") OVER late AS last_end
  FROM stretch WHERE grade AND lineage_id IN (SELECT lineage_id FROM growing)
  WINDOW early AS (PARTITION BY lineage_id ORDER BY first, start),
    late AS (PARTITION BY lineage_id ORDER BY first, start ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
)
SELECT s.first, s.last, s.start, s."end", s.rss_kib, s.category, s.lineage_id,
  CASE WHEN w.lineage_id IS NULL THEN 0 ELSE s.grade END AS grade,
  CASE WHEN NOT s.grade OR w.lineage_id IS NULL THEN 0 WHEN w.last_end > w."end" THEN 1
    WHEN w.last_start < w.start THEN -1 ELSE 0 END AS way
FROM stretch s
LEFT JOIN (SELECT DISTINCT * FROM way) w ON w.lineage_id = s.lineage_id
ORDER BY s.epoch_id, s.region_id, s.place;
