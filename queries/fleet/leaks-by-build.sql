-- name:   leaks-by-build
-- engine: clickhouse
-- title:  What leaks, on how many hosts of a build, how fast, and who
-- param:  at      time  now  The verdicts of this time
-- param:  name    text  ""   Only processes of this name
-- param:  least   int   1    On at least this many hosts
-- column: name        text     Name of the processes
-- column: category    category What leaks
-- column: build       text     Label build of the hosts; empty: they have none
-- column: leaking     count    Hosts where it leaks
-- column: judged      count    Hosts where it was judged
-- column: share       ratio    leaking / judged
-- column: rate_per_h  rate     Growth of a leaking process, the median
-- column: rate_10     rate     One in ten leaks more slowly
-- column: rate_90     rate     One in ten leaks faster
-- column: first_at    time     When the first of them began
-- column: stack       text     The call stack that allocated most of it, where perf recorded one
-- table:  name category build leaking judged rate_per_h first_at stack
-- narrow: name category build leaking judged rate_per_h
-- empty:  nothing leaks on that many hosts
--
-- The verdicts are those of the hosts (pmapdb leaks): of each host the newest day, today or yesterday.
SELECT name, category, build, leaking, judged, leaking / judged AS share, rate_per_h, rate_10, rate_90,
  if(first_ms = 0, NULL, first_ms) AS first_at, if(stack = '', NULL, stack) AS stack
FROM (
  SELECT name, category, build, countIf(leaks > 0) AS leaking, count() AS judged,
    quantileExactIf(0.5)(rate, leaks > 0) AS rate_per_h, quantileExactIf(0.1)(rate, leaks > 0) AS rate_10,
    quantileExactIf(0.9)(rate, leaks > 0) AS rate_90, minIf(since, since > 0) AS first_ms
  FROM (
    SELECT host_id, name, category, built AS build, countIf(is = 'leak') AS leaks,
      quantileExactIf(0.5)(speed, is = 'leak') AS rate, minIf(began, is = 'leak' AND began > 0) AS since
    FROM (
      SELECT host_id, name, category, process_key, argMax(build, seq) AS built, argMax(verdict, seq) AS is,
        argMax(ifNull(rate_per_h, toFloat64(0)), seq) AS speed, argMax(ifNull(since_ms, toInt64(0)), seq) AS began,
        argMax(processes, seq) AS count
      FROM verdicts
      WHERE category != 'total' AND metric != 'mappings' AND name BETWEEN :name AND if(:name = '', '\xff\xff', :name)
        AND day BETWEEN toDate(toDateTime(intDiv(:at, 1000)), 'UTC') - 1 AND toDate(toDateTime(intDiv(:at, 1000)), 'UTC')
        AND (host_id, day) GLOBAL IN (
          SELECT host_id, max(day) FROM verdicts
          WHERE day BETWEEN toDate(toDateTime(intDiv(:at, 1000)), 'UTC') - 1 AND toDate(toDateTime(intDiv(:at, 1000)), 'UTC')
          GROUP BY host_id)
        AND (host_id, gen) GLOBAL IN (SELECT host_id, argMax(gen, seq) FROM marks GROUP BY host_id, store)
      GROUP BY host_id, name, category, process_key
    ) AS newest
    GROUP BY host_id, name, category, build
    HAVING sum(count) > 0
  ) AS by_host
  GROUP BY name, category, build
  HAVING leaking >= :least
) AS a
ANY LEFT JOIN (
  SELECT name, category, argMax(stack, ifNull(growth_kib, toInt64(0))) AS stack FROM stacks GROUP BY name, category
) AS b USING (name, category)
ORDER BY leaking DESC, rate_per_h DESC, name, category, build
