-- name:   outliers
-- engine: clickhouse
-- title:  Hosts where a name holds far more than in the rest of a role
-- param:  at     time  now  The last hour pushed before this time
-- param:  label  text  role The label whose hosts should be alike
-- param:  name   text  ""   Only processes of this name
-- param:  above  real  5    At least this many deviations from the median
-- param:  least  kib   32M  and at least this far from it
-- column: host          text  Host
-- column: role          text  Value of its label
-- column: name          text  Name of the processes
-- column: processes     count Its processes of the name
-- column: rss_kib       kib   Their resident size
-- column: median_kib    kib   Median of the hosts of the role
-- column: hosts         count Hosts of the role that have the name
-- column: deviations    real  Distance from the median in median absolute deviations, times 1.4826
-- narrow: host name rss_kib median_kib deviations
-- empty:  every host is like its role
--
-- Of roles with five hosts or more. Where all other hosts are equal, one percent of the median is the
-- deviation.
SELECT host, role, name, processes, rss_kib, median_kib, hosts, deviations
FROM (
  SELECT role, name, hosts, median AS median_kib, one.1 AS host_id, one.2 AS rss_kib, one.3 AS processes,
    (one.2 - median) / greatest(1.4826 * arrayReduce('quantileExact', arrayMap(x -> abs(x.2 - median), all)), 0.01 * median + 1) AS deviations
  FROM (
    SELECT role, name, count() AS hosts, quantileExact(0.5)(rss) AS median, groupArray(tuple(host_id, rss, n)) AS all
    FROM (
      SELECT host_id, name, argMax(processes, seq) AS n, argMax(ifNull(rss_kib, toInt64(-1)), seq) AS rss
      FROM totals
      WHERE name BETWEEN :name AND if(:name = '', '\xff\xff', :name) AND hour <= toDateTime(intDiv(:at, 1000))
        AND hour > toDateTime(intDiv(:at, 1000) - 10800) AND (host_id, hour) GLOBAL IN (
        SELECT host_id, max(hour) FROM totals
        WHERE hour <= toDateTime(intDiv(:at, 1000)) AND hour > toDateTime(intDiv(:at, 1000) - 10800) GROUP BY host_id)
      GROUP BY host_id, name
      HAVING rss >= 0
    ) AS a
    ANY LEFT JOIN (
      SELECT host_id, argMax(label_value[indexOf(label_key, :label)], tuple(at_ms, seq)) AS role
      FROM hosts WHERE at_ms <= :at GROUP BY host_id
    ) AS b USING (host_id)
    GROUP BY role, name
    HAVING hosts >= 5
  ) AS c
  ARRAY JOIN all AS one
) AS d
ALL INNER JOIN (SELECT host_id, any(host) AS host FROM marks GROUP BY host_id) AS e USING (host_id)
WHERE abs(deviations) >= :above AND abs(rss_kib - median_kib) >= :least
ORDER BY abs(deviations) DESC, host, name
