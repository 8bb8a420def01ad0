-- doctor-stall: the cost of reading for the processes that are read; the first row of read-cost is
-- the worst. 50 ms is the default of --max-stall. A read that took longer than predicted, but not
-- longer than this, shows nothing: the scheduler may be the cause.
SELECT * FROM (SELECT 'stall' AS "check", longest_us_max > 50000 AS level, longest_us_max / 1000.0 AS number, 'ms' AS unit,
  NULL AS value, printf('at most, in 7 days; worst %s/%s: one read %d / %d / %d us, a map %d / %d / %d us '
    || '(median, 99 %%, most)', substr(name, 1, 48), coalesce(pid, '?'), longest_us_p50, longest_us_p99, longest_us_max,
    read_us_p50, read_us_p99, read_us_max)
    || CASE WHEN cpu_share IS NULL THEN '' ELSE printf(', CPU %.2g %% of a core', 100 * cpu_share) END AS detail
  FROM temp."read-cost" WHERE EXISTS (SELECT 1 FROM temp.sweeps) ORDER BY rowid LIMIT 1)
UNION ALL
SELECT 'underestimated', n > 0, n, 'snapshots', NULL, 'in 7 days stalled longer than predicted, and than 50 ms'
FROM (SELECT count(*) AS n FROM temp.doctor d CROSS JOIN snapshot s CROSS JOIN live_reading g ON g.snapshot_id = s.snapshot_id
  WHERE s.taken_ms >= d.since_ms AND g.degraded IS NULL AND g.longest_us > 50000 AND g.longest_us > g.predicted_us)
WHERE EXISTS (SELECT 1 FROM temp.sweeps)
UNION ALL
SELECT 'degraded', n > 0, n, 'snapshots', NULL, 'in 7 days have sizes only' || coalesce(why, '')
FROM (SELECT coalesce(sum(degraded), 0) AS n, (SELECT printf('; %s: %s', substr(name, 1, 48), substr(reason, 1, 128))
    FROM temp."read-cost" WHERE reason <> '' ORDER BY rowid LIMIT 1) AS why FROM temp."read-cost")
WHERE EXISTS (SELECT 1 FROM temp.sweeps);
