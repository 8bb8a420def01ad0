-- name:   hosts
-- engine: clickhouse
-- title:  The hosts: labels, what they hold, up to when they pushed
-- param:  at      time  now  Labels and sizes of this time
-- param:  label   text  ""   Only hosts with this label: role, or role=payments
-- column: host         text   Host
-- column: labels       text   Labels: build=2.3.1 role=payments
-- column: stores       count  Stores that push for it
-- column: processes    count  Processes at the end of the last hour pushed
-- column: rss_kib      kib    Their resident size; what they share counts for each of them
-- column: swap_kib     kib    Their swap
-- column: through_at   time   Complete up to this capture
-- column: pushed_at    time   The last push
-- table:  host labels processes rss_kib swap_kib through_at
-- narrow: host processes rss_kib through_at
-- empty:  no host has pushed yet
SELECT host, arrayStringConcat(arraySort(pairs), ' ') AS labels, stores, processes, rss_kib, swap_kib, through_at, pushed_at
FROM (
  SELECT host_id, host, stores, through_at, pushed_at, pairs
  FROM (
    SELECT host_id, any(host) AS host, uniqExact(store) AS stores, max(through_ms) AS through_at, max(pushed_ms) AS pushed_at
    FROM marks GROUP BY host_id
  ) AS m
  ANY LEFT JOIN (
    SELECT host_id, argMax(arrayMap((k, v) -> concat(k, '=', v), label_key, label_value), tuple(at_ms, seq)) AS pairs
    FROM hosts WHERE at_ms <= :at GROUP BY host_id
  ) AS l USING (host_id)
) AS known
ANY LEFT JOIN (
  SELECT host_id, toNullable(sum(n)) AS processes, if(min(rss) < 0, NULL, sum(rss)) AS rss_kib,
    if(min(swap) < 0, NULL, sum(swap)) AS swap_kib
  FROM (
    SELECT host_id, argMax(processes, seq) AS n, argMax(ifNull(rss_kib, toInt64(-1)), seq) AS rss,
      argMax(ifNull(swap_kib, toInt64(-1)), seq) AS swap
    FROM totals
    WHERE hour <= toDateTime(intDiv(:at, 1000)) AND hour > toDateTime(intDiv(:at, 1000) - 90000) AND (host_id, hour) GLOBAL IN (
      SELECT host_id, max(hour) FROM totals
      WHERE hour <= toDateTime(intDiv(:at, 1000)) AND hour > toDateTime(intDiv(:at, 1000) - 90000) GROUP BY host_id)
    GROUP BY host_id, name
  ) AS names
  GROUP BY host_id
) AS h USING (host_id)
WHERE :label = '' OR arrayExists(x -> x = :label OR startsWith(x, concat(:label, '=')), pairs)
ORDER BY host
