-- name:   forecast
-- engine: clickhouse
-- title:  When a name reaches its limit, by the line through its hours
-- param:  name   text -    The processes
-- param:  from   time -24h The line begins here
-- param:  to     time now  and ends here
-- column: host       text  Host
-- column: processes  count Processes in the last hour
-- column: hours      count Hours with a size
-- column: first_kib  kib   Resident in the first of them
-- column: last_kib   kib   Resident in the last
-- column: rate_per_h rate  Slope of the line
-- column: limit_kib  kib   The lowest memory limit of their cgroups in the last hour; empty: no limit is known
-- column: eta_h      real  Hours until the limit at this slope; unknown: no limit, or no growth
-- empty:  no host has enough hours of this name
--
-- No verdict: a line does not know a warm-up from a leak. near-limit has the verdicts of the hosts.
SELECT host, processes, hours, first_kib, last_kib, rate_per_h, if(lowest < 0, NULL, lowest) AS limit_kib,
  if(lowest < 0 OR rate_per_h <= 0, NULL, greatest((lowest - last_kib) / rate_per_h, toFloat64(0))) AS eta_h
FROM (
  SELECT host_id, argMax(n, h) AS processes, count() AS hours, argMin(rss, h) AS first_kib, argMax(rss, h) AS last_kib,
    covarPop(toFloat64(rss), toFloat64(h)) / varPop(toFloat64(h)) AS rate_per_h, argMax(limit, h) AS lowest
  FROM (
    SELECT host_id, intDiv(toUInt32(hour), 3600) - intDiv(:to, 3600000) AS h, argMax(processes, seq) AS n,
      argMax(ifNull(rss_kib, toInt64(-1)), seq) AS rss, argMax(ifNull(memory_max_kib, toInt64(-1)), seq) AS limit
    FROM totals
    WHERE name = :name AND hour >= toDateTime(intDiv(:from, 1000)) AND hour <= toDateTime(intDiv(:to, 1000))
    GROUP BY host_id, hour
    HAVING rss >= 0
  ) AS by_hour
  GROUP BY host_id
  HAVING hours >= 2
) AS a
ALL INNER JOIN (SELECT host_id, any(host) AS host FROM marks GROUP BY host_id) AS b USING (host_id)
ORDER BY eta_h IS NULL, eta_h, rate_per_h DESC, host
