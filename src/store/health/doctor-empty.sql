-- doctor-empty: beats without a process since the last beat with one, for the newest job of each
-- selection on a host. A beat that left processes out, or could not read them, did find processes.
WITH tick AS (SELECT w.schedule_id, w.started_ms, CASE WHEN w.unreadable + w.vanished + w.unmoved + w.changed > 0
      OR w.capture_id IN (SELECT s.capture_id FROM snapshot s CROSS JOIN temp.doctor d WHERE s.taken_ms >= d.since_ms)
      THEN w.started_ms END AS found_ms
    FROM beat w CROSS JOIN temp.doctor d WHERE w.started_ms >= d.since_ms),
  told AS (SELECT *, max(found_ms) OVER (PARTITION BY schedule_id) AS newest_ms FROM tick),
  counted AS (SELECT schedule_id, max(started_ms) AS last_ms, sum(started_ms > coalesce(newest_ms, -9e15)) AS n
    FROM told GROUP BY schedule_id),
  newest AS (SELECT j.selection, k.n, max(k.last_ms) AS last_ms FROM counted k
    CROSS JOIN schedule j ON j.schedule_id = k.schedule_id GROUP BY j.host_id, j.selection, coalesce(j.every_ms, 0)),
  worst AS (SELECT selection, n, count(*) OVER () - 1 AS others FROM newest WHERE n > 0
    ORDER BY n DESC, last_ms DESC, selection LIMIT 1)
SELECT 'empty' AS "check", n IS NOT NULL AS level, coalesce(n, 0) AS number, 'beats' AS unit, NULL AS value,
  CASE WHEN n IS NULL THEN 'found no process since the last beat that found one'
    ELSE printf('found no process: %s%s', substr(selection, 1, 160), CASE others WHEN 0 THEN ''
      ELSE printf('; so did %d other capture%s', others, CASE others WHEN 1 THEN '' ELSE 's' END) END) END AS detail
FROM (SELECT 1) LEFT JOIN worst ON 1 WHERE EXISTS (SELECT 1 FROM temp.sweeps);
