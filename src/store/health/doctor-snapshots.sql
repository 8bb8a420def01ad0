-- doctor-snapshots: the number of snapshots, and how many lack rows; reads without an index,
-- because an index may be damaged.
SELECT 'snapshots' AS "check", n = 0 OR newest_ms > now_ms + 60000 AS level, n AS number, 'snapshots' AS unit,
  NULL AS value, CASE WHEN n = 0 THEN 'nothing is stored yet' ELSE printf('of %d process%s, %s to %s%s', processes,
    CASE processes WHEN 1 THEN '' ELSE 'es' END, oldest_at, newest_at, -- clocks of two hosts differ by less than a minute
    CASE WHEN newest_ms > now_ms + 60000 THEN ', which is in the future: a clock is or was wrong' ELSE '' END) END AS detail
FROM (SELECT count(*) AS n, count(DISTINCT process_id) AS processes FROM snapshot NOT INDEXED), temp.doctor
UNION ALL
SELECT 'partial', n > 0, n, 'snapshots', NULL,
  CASE WHEN n > 0 THEN 'lack rows: pmapdb snapshots --state partial' ELSE 'lack rows' END
FROM (SELECT count(*) AS n FROM snapshot NOT INDEXED WHERE state = 'partial');
