-- doctor-fields: keys of smaps that this program does not know.
SELECT 'fields' AS "check", count(*) > 0 AS level, count(*) AS number, 'fields' AS unit, NULL AS value,
  CASE WHEN count(*) > 0 THEN 'stored, but unknown to this pmapdb: ' || substr(group_concat(field, ', '), 1, 160) ELSE 'unknown to this pmapdb' END AS detail
FROM temp."unknown-fields";
