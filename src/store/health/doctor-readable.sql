-- doctor-readable: the results of the proof of every snapshot. temp.listed: their ids, and NULL if
-- the list could not be read to the end; temp.proof: whether the sums are equal, NULL if damaged.
WITH mark (finding, snapshot_id) AS (SELECT 'lost', snapshot_id FROM temp.proof WHERE sums IS NULL
    UNION ALL SELECT 'sums', snapshot_id FROM temp.proof WHERE NOT sums
    UNION ALL SELECT 'categories', snapshot_id FROM temp.proof WHERE NOT categories),
  island AS (SELECT finding, snapshot_id, snapshot_id - row_number() OVER (PARTITION BY finding ORDER BY snapshot_id) AS run FROM mark),
  run AS (SELECT finding, count(*) AS n, '@' || min(snapshot_id) || CASE WHEN count(*) > 1 THEN ' to @' || max(snapshot_id)
    ELSE '' END AS word FROM island GROUP BY finding, run ORDER BY finding, min(snapshot_id)),
  words AS (SELECT finding, sum(n) AS n, group_concat(word, ', ') AS words FROM run GROUP BY finding),
  whole AS (SELECT (SELECT count(*) FROM temp.proof WHERE sums IS NOT NULL) AS read, (SELECT count(snapshot_id) FROM temp.listed) AS n,
    (SELECT count(*) - count(snapshot_id) FROM temp.listed) AS cut, (SELECT words FROM words WHERE finding = 'lost') AS lost)
SELECT 'readable' AS "check", CASE WHEN cut OR lost IS NOT NULL THEN 2 ELSE 0 END AS level, read AS number, 'snapshots' AS unit,
  NULL AS value, printf('of %s%d%s', CASE WHEN cut THEN 'at least ' ELSE '' END, n, CASE WHEN lost IS NULL THEN ''
    ELSE '; damaged: ' || substr(lost, 1, 400) || CASE WHEN length(lost) > 400 THEN ', ...' ELSE '' END END) AS detail
FROM whole
UNION ALL
SELECT s.finding, CASE WHEN w.n THEN 2 ELSE 0 END, coalesce(w.n, t.read), 'snapshots', NULL,
  CASE WHEN w.n THEN printf('do not match the sums of their %s: %s%s', s.of, substr(w.words, 1, 400),
    CASE WHEN length(w.words) > 400 THEN ', ...' ELSE '' END) ELSE 'match the sums of their ' || s.of END
FROM whole t CROSS JOIN (SELECT 'sums' AS finding, 'mappings' AS of UNION ALL SELECT 'categories', 'categories') s
LEFT JOIN words w ON w.finding = s.finding WHERE t.read > 0;
