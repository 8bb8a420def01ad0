-- name:   growth-by-role
-- engine: clickhouse
-- title:  Resident size of the hosts of a role over days, and per host
-- param:  label    text     role The label that groups the hosts: role, build, region
-- param:  name     text     ""   Only processes of this name
-- param:  category text     ""   Only this category
-- param:  from     time     -7d  The first step is not before this time
-- param:  to       time     now  The last step is the last whole hour before this time
-- param:  step     duration 24h  Whole hours
-- column: role          text  Value of the label; empty: the hosts have none
-- column: at            time  End of the hour
-- column: hosts         count Hosts that pushed this hour
-- column: processes     count Their processes
-- column: rss_kib       kib   Their resident size
-- column: rss_kib_host  kib   The same per host
-- column: swap_kib      kib   Their swap
-- table:  role at hosts processes rss_kib rss_kib_host
-- order:  time
-- empty:  no host pushed in this time
--
-- Names are grouped by their hashes, which is faster.
SELECT role, (toInt64(toUInt32(hour)) + 3600) * 1000 AS at, hosts, processes, rss_kib, intDiv(rss_kib, hosts) AS rss_kib_host,
  swap_kib
FROM (
  SELECT role, hour, count() AS hosts, sum(n) AS processes, if(min(rss) < 0, NULL, sum(rss)) AS rss_kib,
    if(min(swap) < 0, NULL, sum(swap)) AS swap_kib
  FROM (
    SELECT host_id, hour, sum(count) AS n, if(min(kib) < 0, toInt64(-1), sum(kib)) AS rss,
      if(min(swapped) < 0, toInt64(-1), sum(swapped)) AS swap
    FROM (
      SELECT host_id, hour, argMax(processes, seq) AS count, argMax(ifNull(rss_kib, toInt64(-1)), seq) AS kib,
        argMax(ifNull(swap_kib, toInt64(-1)), seq) AS swapped
      FROM totals
      PREWHERE :category = '' AND hour >= toDateTime(intDiv(:from, 1000)) AND hour <= toDateTime(intDiv(:to, 1000) - 3600)
        AND (intDiv(:to, 3600000) - 1 - intDiv(toInt64(toUInt32(hour)), 3600)) % greatest(intDiv(:step, 3600000), 1) = 0
        AND name BETWEEN :name AND if(:name = '', '\xff\xff', :name)
      WHERE host_id GLOBAL IN (SELECT host_id FROM marks)
      GROUP BY host_id, cityHash64(name), hour
      UNION ALL
      SELECT host_id, hour, argMax(processes, seq) AS count, argMax(ifNull(rss_kib, toInt64(-1)), seq) AS kib,
        argMax(ifNull(swap_kib, toInt64(-1)), seq) AS swapped
      FROM hourly
      PREWHERE category = :category AND hour >= toDateTime(intDiv(:from, 1000)) AND hour <= toDateTime(intDiv(:to, 1000) - 3600)
        AND (intDiv(:to, 3600000) - 1 - intDiv(toInt64(toUInt32(hour)), 3600)) % greatest(intDiv(:step, 3600000), 1) = 0
        AND name BETWEEN :name AND if(:name = '', '\xff\xff', :name)
      WHERE (host_id, gen) GLOBAL IN (SELECT host_id, argMax(gen, seq) FROM marks GROUP BY host_id, store)
      GROUP BY host_id, cityHash64(name), hour
    ) AS names
    GROUP BY host_id, hour
  ) AS a
  ANY LEFT JOIN (
    SELECT host_id, argMax(label_value[indexOf(label_key, :label)], tuple(at_ms, seq)) AS role
    FROM hosts WHERE at_ms <= :to GROUP BY host_id
  ) AS b USING (host_id)
  GROUP BY role, hour
) AS c
ORDER BY role, at
