-- doctor-order: snapshots that come after later ones in their epoch; queries over a span of time
-- rely on the order.
WITH late AS (SELECT snapshot_id FROM (SELECT snapshot_id, taken_ms < lag(taken_ms) OVER (PARTITION BY epoch_id ORDER BY off) AS late
    FROM snapshot) WHERE late),
  island AS (SELECT snapshot_id, snapshot_id - row_number() OVER (ORDER BY snapshot_id) AS run FROM late),
  run AS (SELECT count(*) AS n, '@' || min(snapshot_id) || CASE WHEN count(*) > 1 THEN ' to @' || max(snapshot_id) ELSE '' END AS word
    FROM island GROUP BY run ORDER BY min(snapshot_id))
SELECT 'order' AS "check", 2 AS level, sum(n) AS number, 'snapshots' AS unit, NULL AS value,
  'come after later ones: a time was changed by hand: ' || substr(group_concat(word, ', '), 1, 400) AS detail
FROM run WHERE EXISTS (SELECT 1 FROM late) GROUP BY 1;
