-- name:   changed-since
-- engine: clickhouse
-- title:  How fast names grew before and after a deploy changed a label
-- param:  since  time     -24h  Changes after this time
-- param:  to     time     now   and not after this one
-- param:  label  text     build The label
-- param:  span   duration 8h    Hours before the change, and after it
-- param:  name   text     ""    Only processes of this name
-- column: name         text  Name of the processes
-- column: value_from   text  Label before; empty: none
-- column: value_to     text  Label after
-- column: hosts        count Hosts that changed and have hours before and after
-- column: rate_before  rate  Growth before, the median of the hosts
-- column: rate_after   rate  Growth after
-- column: rate_delta   rate  after - before
-- column: rss_kib_from kib   Resident in the last hour before, the median of the hosts
-- column: rss_kib_to   kib   Resident in the last hour looked at
-- column: changed_at   time  The first change
-- empty:  no host changed this label
SELECT name, value_from, value_to, count() AS hosts, quantileExact(0.5)(slope_before) AS rate_before,
  quantileExact(0.5)(slope_after) AS rate_after, rate_after - rate_before AS rate_delta,
  quantileExact(0.5)(before) AS rss_kib_from, quantileExact(0.5)(after) AS rss_kib_to, min(changed) AS changed_at
FROM (
  SELECT host_id, name, any(was) AS value_from, any(is) AS value_to, any(at) AS changed,
    covarPopIf(rss, h, h < turn) / varPopIf(h, h < turn) AS slope_before,
    covarPopIf(rss, h, h > turn) / varPopIf(h, h > turn) AS slope_after,
    argMaxIf(toInt64(rss), h, h < turn) AS before, argMaxIf(toInt64(rss), h, h > turn) AS after
  FROM (
    SELECT host_id, name, toFloat64(intDiv(toUInt32(hour), 3600) - intDiv(:to, 3600000)) AS h,
      toFloat64(argMax(ifNull(rss_kib, toInt64(-1)), seq)) AS rss
    FROM totals
    WHERE hour >= toDateTime(intDiv(:since - :span, 1000)) AND hour <= toDateTime(intDiv(:to, 1000))
      AND name BETWEEN :name AND if(:name = '', '\xff\xff', :name)
      AND host_id GLOBAL IN (SELECT host_id FROM hosts WHERE at_ms > :since AND at_ms <= :to)
    GROUP BY host_id, name, hour
    HAVING rss >= 0
  ) AS a
  ALL INNER JOIN (
    -- the first change after :since, as an hour counted from :to; what is before it, and after it
    SELECT host_id, was, is, at, toFloat64(intDiv(at, 3600000) - intDiv(:to, 3600000)) AS turn
    FROM (
      SELECT host_id, argMaxIf(value, tuple(at_ms, seq), at_ms <= :since) AS was,
        argMinIf(value, tuple(at_ms, -toInt64(seq)), at_ms > :since) AS is, minIf(at_ms, at_ms > :since) AS at,
        countIf(at_ms > :since) AS n
      FROM (
        SELECT host_id, at_ms, seq, label_value[indexOf(label_key, :label)] AS value FROM hosts WHERE at_ms <= :to
      ) AS labels
      GROUP BY host_id
    ) AS change
    WHERE n > 0 AND was != is
  ) AS b USING (host_id)
  WHERE h >= turn - :span / 3600000 AND h <= turn + :span / 3600000
  GROUP BY host_id, name
  HAVING countIf(h < turn) >= 2 AND countIf(h > turn) >= 2
) AS c
GROUP BY name, value_from, value_to
ORDER BY rate_delta DESC, name, value_from, value_to
