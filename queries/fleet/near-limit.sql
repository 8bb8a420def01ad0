-- name:   near-limit
-- engine: clickhouse
-- title:  Processes that reach their limit soon, by verdicts of hosts
-- param:  at      time     now  The verdicts of this time
-- param:  within  duration 24h  Reached within this span
-- param:  name    text     ""   Only processes of this name
-- column: host        text     Host
-- column: name        text     Name of the process
-- column: pid         int      Its pid
-- column: category    category What grows; total: the whole process
-- column: verdict     text     leak or suspect
-- column: rate_per_h  rate     Growth
-- column: last_kib    kib      Size when it was judged
-- column: limit_kib   kib      The limit
-- column: limit_by    text     Whose limit it is
-- column: eta_h       real     Hours until it is reached; 0: it may be reached already
-- column: judged_at   time     When the host judged it
-- column: build       text     Label build of the host
-- table:  host name pid category verdict rate_per_h last_kib limit_kib limit_by eta_h
-- narrow: host name rate_per_h limit_kib eta_h
-- empty:  no process reaches its limit so soon
--
-- Hours count from the time asked for: a verdict of six hours ago that said ten hours says four now.
SELECT host, name, pid, category, verdict, rate_per_h, last_kib, limit_kib, limit_by, eta_h, judged_at, build
FROM (
  SELECT host_id, name, if(v.1 < 0, NULL, v.1) AS pid, category, v.2 AS verdict, v.3 AS rate_per_h,
    if(v.4 < 0, NULL, v.4) AS last_kib, if(v.5 < 0, NULL, v.5) AS limit_kib, v.6 AS limit_by,
    greatest(v.7 - (:at - v.8) / 3600000, toFloat64(0)) AS eta_h, v.8 AS judged_at, v.9 AS build
  FROM (
    SELECT host_id, name, category, metric, process_key,
      argMax(tuple(ifNull(pid, toInt64(-1)), verdict, ifNull(rate_per_h, toFloat64(0)), ifNull(last_kib, toInt64(-1)),
        ifNull(limit_kib, toInt64(-1)), limit_by, ifNull(eta_h, toFloat64(-1)), judged_ms, build), seq) AS v
    FROM verdicts
    WHERE name BETWEEN :name AND if(:name = '', '\xff\xff', :name)
      AND day BETWEEN toDate(toDateTime(intDiv(:at, 1000)), 'UTC') - 1 AND toDate(toDateTime(intDiv(:at, 1000)), 'UTC')
      AND (host_id, process_key) GLOBAL IN ( -- those that may grow are few
        SELECT host_id, process_key FROM verdicts
        WHERE day BETWEEN toDate(toDateTime(intDiv(:at, 1000)), 'UTC') - 1 AND toDate(toDateTime(intDiv(:at, 1000)), 'UTC')
          AND process_key > 1 AND verdict IN ('leak', 'suspect'))
      AND (host_id, day) GLOBAL IN (
        SELECT host_id, max(day) FROM verdicts
        WHERE day BETWEEN toDate(toDateTime(intDiv(:at, 1000)), 'UTC') - 1 AND toDate(toDateTime(intDiv(:at, 1000)), 'UTC')
        GROUP BY host_id)
      AND (host_id, gen) GLOBAL IN (SELECT host_id, argMax(gen, seq) FROM marks GROUP BY host_id, store)
    GROUP BY host_id, name, category, metric, process_key
  ) AS newest
  WHERE v.2 IN ('leak', 'suspect') AND v.7 >= 0 AND v.7 - (:at - v.8) / 3600000 <= :within / 3600000
) AS a
ALL INNER JOIN (SELECT host_id, any(host) AS host FROM marks GROUP BY host_id) AS b USING (host_id)
ORDER BY eta_h, host, name, pid, category, rate_per_h DESC
