-- name:   top-objects
-- engine: clickhouse
-- title:  What grew most over all hosts: files, heaps, anonymous memory
-- param:  from    time  -24h The older time
-- param:  to      time  now  The newer time
-- param:  name    text  ""   Only processes of this name
-- param:  most    count  50   At most this many objects
-- column: object        text     Path, or what the mapping is: [heap], [anon]
-- column: category      category Its category
-- column: hosts         count    Hosts that have it
-- column: grown         count    Hosts where it grew
-- column: rss_kib_from  kib      Resident on all of them, older
-- column: rss_kib_to    kib      Resident, newer
-- column: rss_kib_delta kib      newer - older
-- column: worst_host    text     The host where it grew most
-- column: worst_kib     kib      How much it grew there
-- table:  object category hosts grown rss_kib_to rss_kib_delta worst_host worst_kib
-- narrow: object grown rss_kib_delta worst_host
-- empty:  nothing moved by 64 KiB or more
--
-- An object is pushed at an hour in which it moved by 64 KiB or more. The older size is the newest of the
-- eight days before; an object that was not there is counted from its first size.
SELECT object, category, hosts, grown, rss_kib_from, rss_kib_to, rss_kib_delta, host AS worst_host, worst_kib
FROM (
  SELECT object, category, count() AS hosts, countIf(newer > older) AS grown, sum(older) AS rss_kib_from,
    sum(newer) AS rss_kib_to, sum(newer) - sum(older) AS rss_kib_delta,
    argMax(host_id, tuple(newer - older, host_id)) AS host_id, max(newer - older) AS worst_kib
  FROM (
    SELECT host_id, object, category, sum(old) AS older, sum(new) AS newer
    FROM (
      SELECT host_id, name, object, category, argMax(rss, tuple(hour, seq)) AS new,
        if(countIf(hour <= toDateTime(intDiv(:from, 1000))) = 0, argMin(rss, tuple(hour, -toInt64(seq))),
          argMaxIf(rss, tuple(hour, seq), hour <= toDateTime(intDiv(:from, 1000)))) AS old
      FROM (
        SELECT host_id, name, object, category, hour, seq, assumeNotNull(rss_kib) AS rss
        FROM objects
        WHERE isNotNull(rss_kib) AND name BETWEEN :name AND if(:name = '', '\xff\xff', :name)
          AND hour > toDateTime(intDiv(:from, 1000) - 691200) AND hour <= toDateTime(intDiv(:to, 1000))
          AND (host_id, gen) GLOBAL IN (SELECT host_id, argMax(gen, seq) FROM marks GROUP BY host_id, store)
      ) AS known
      GROUP BY host_id, name, object, category
    ) AS moved
    GROUP BY host_id, object, category
  ) AS by_host
  GROUP BY object, category
  HAVING rss_kib_delta != 0
  ORDER BY rss_kib_delta DESC, object, category
  LIMIT :most
) AS a
ANY LEFT JOIN (SELECT host_id, any(host) AS host FROM marks GROUP BY host_id) AS b USING (host_id)
ORDER BY rss_kib_delta DESC, object, category
