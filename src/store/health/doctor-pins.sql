-- doctor-pins: snapshots that prune does not remove.
SELECT 'pins' AS "check", 0 AS level, count(*) AS number, 'snapshots' AS unit, NULL AS value, 'that prune does not remove' AS detail
FROM pin;
