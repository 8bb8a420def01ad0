-- doctor-pins: snapshots that no prune removes.
SELECT 'pins' AS "check", 0 AS level, count(*) AS number, 'snapshots' AS unit, NULL AS value, 'that no prune removes' AS detail
FROM pin;
