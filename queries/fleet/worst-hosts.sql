-- name:   worst-hosts
-- engine: clickhouse
-- title:  Hosts where a name holds most, and how much that grew
-- param:  name  text     -    The processes
-- param:  at    time     now  The last hour pushed before this time
-- param:  back  duration 24h  Growth over this span
-- param:  most  count     20   At most this many hosts
-- column: host          text  Host
-- column: labels        text  Its labels
-- column: processes     count Processes of the name
-- column: rss_kib       kib   Their resident size
-- column: rss_kib_delta kib   Growth; unknown: the host did not push so long ago, or had none
-- column: swap_kib      kib   Their swap
-- column: at            time  End of the hour
-- empty:  no host has processes of this name
SELECT host, arrayStringConcat(arraySort(pairs), ' ') AS labels, processes, rss_kib, rss_kib_delta, swap_kib, at
FROM (
  SELECT host_id, processes, rss_kib, swap_kib, at, rss_kib_delta, pairs
  FROM (
    SELECT host_id, argMax(n, h) AS processes, if(argMax(rss, h) < 0, NULL, argMax(rss, h)) AS rss_kib,
      if(argMax(swap, h) < 0, NULL, argMax(swap, h)) AS swap_kib, (max(h) + 1) * 3600000 AS at,
      if(argMax(rss, h) < 0 OR countIf(rss >= 0 AND (h + 1) * 3600000 <= :at - :back) = 0, NULL,
        argMax(rss, h) - argMaxIf(rss, h, rss >= 0 AND (h + 1) * 3600000 <= :at - :back)) AS rss_kib_delta
    FROM (
      SELECT host_id, intDiv(toUInt32(hour), toInt64(3600)) AS h, argMax(processes, seq) AS n,
        argMax(ifNull(rss_kib, toInt64(-1)), seq) AS rss, argMax(ifNull(swap_kib, toInt64(-1)), seq) AS swap
      FROM totals
      WHERE name = :name AND hour > toDateTime(intDiv(:at - :back, 1000) - 10800) AND hour <= toDateTime(intDiv(:at, 1000))
      GROUP BY host_id, hour
    ) AS by_hour
    GROUP BY host_id
  ) AS a
  ANY LEFT JOIN (
    SELECT host_id, argMax(arrayMap((k, v) -> concat(k, '=', v), label_key, label_value), tuple(at_ms, seq)) AS pairs
    FROM hosts WHERE at_ms <= :at GROUP BY host_id
  ) AS l USING (host_id)
) AS known
ALL INNER JOIN (SELECT host_id, any(host) AS host FROM marks GROUP BY host_id) AS b USING (host_id)
ORDER BY rss_kib DESC, host
LIMIT :most
