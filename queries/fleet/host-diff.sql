-- name:   host-diff
-- engine: clickhouse
-- title:  Growth of each category of one host between two times
-- param:  host   text -    The host
-- param:  name   text ""   Only processes of this name
-- param:  from   time -24h The older time
-- param:  to     time now  The newer time
-- param:  depth  text 2    One of 1, 2: by the first word (anonymous), or as rules refine it (anonymous/thread-stack)
-- column: category                category Category
-- column: mappings_from           count    Number of mappings, older
-- column: mappings_to             count    Number of mappings, newer
-- column: mappings_delta          count    newer - older
-- column: size_kib_from           kib      Address space, older
-- column: size_kib_to             kib      Address space, newer
-- column: size_kib_delta          kib      newer - older
-- column: rss_kib_from            kib      Resident, older
-- column: rss_kib_to              kib      Resident, newer
-- column: rss_kib_delta           kib      newer - older
-- column: pss_kib_from            kib      Proportional share of the resident, older
-- column: pss_kib_to              kib      Proportional share of the resident, newer
-- column: pss_kib_delta           kib      newer - older
-- column: private_kib_from        kib      Private_Clean + Private_Dirty, older
-- column: private_kib_to          kib      Private_Clean + Private_Dirty, newer
-- column: private_kib_delta       kib      newer - older
-- column: private_dirty_kib_from  kib      Private_Dirty, older
-- column: private_dirty_kib_to    kib      Private_Dirty, newer
-- column: private_dirty_kib_delta kib      newer - older
-- column: swap_kib_from           kib      Swapped out, older
-- column: swap_kib_to             kib      Swapped out, newer
-- column: swap_kib_delta          kib      newer - older
-- column: processes_from          count    Processes summed, older
-- column: processes_to            count    Processes summed, newer
-- table:  category mappings_delta size_kib_from size_kib_to size_kib_delta rss_kib_from rss_kib_to rss_kib_delta private_kib_delta swap_kib_delta
-- narrow: category size_kib_to size_kib_delta rss_kib_to rss_kib_delta
-- empty:  no process was captured at either time
--
-- The value of a category at a time is its newest row of the 25 hours before it. A process counts if a
-- span of it holds the time; an open span lasts until its store's last push. A time after the last push
-- of the host is the time of that push. pss is unknown unless it was pushed (push --pss).
SELECT category,
  a[1] AS mappings_from, b[1] AS mappings_to, b[1] - a[1] AS mappings_delta,
  a[2] AS size_kib_from, b[2] AS size_kib_to, b[2] - a[2] AS size_kib_delta,
  a[3] AS rss_kib_from, b[3] AS rss_kib_to, b[3] - a[3] AS rss_kib_delta,
  a[4] AS pss_kib_from, b[4] AS pss_kib_to, b[4] - a[4] AS pss_kib_delta,
  a[5] AS private_kib_from, b[5] AS private_kib_to, b[5] - a[5] AS private_kib_delta,
  a[6] AS private_dirty_kib_from, b[6] AS private_dirty_kib_to, b[6] - a[6] AS private_dirty_kib_delta,
  a[7] AS swap_kib_from, b[7] AS swap_kib_to, b[7] - a[7] AS swap_kib_delta,
  processes_from, processes_to
FROM (
  SELECT category, any(n_from) AS processes_from, any(n_to) AS processes_to,
    arrayMap((low, held) -> if(low < 0, NULL, held), any(low_from), sumForEach(arrayMap(v -> v * (r.1 = :from), r.3))) AS a,
    arrayMap((low, held) -> if(low < 0, NULL, held), any(low_to), sumForEach(arrayMap(v -> v * (r.1 = :to), r.3))) AS b
  FROM (
    SELECT n_from, n_to, low_from, low_to, arrayJoin(found) AS r, if(:depth = '1', splitByChar('/', r.2)[1], r.2) AS category
    FROM (
      -- one row: how many processes, which numbers a side does not know, and all rows of both sides
      SELECT uniqExactIf(process_key, t = :from) AS n_from, uniqExactIf(process_key, t = :to) AS n_to,
        minForEach(arrayMap(v -> v * (t = :from), x)) AS low_from, minForEach(arrayMap(v -> v * (t = :to), x)) AS low_to,
        groupArray(tuple(t, category, x)) AS found
      FROM (
        SELECT t, process_key, category, argMax(numbers, tuple(at_ms, seq)) AS x
        FROM (
          SELECT arrayJoin([:from, :to]) AS t, process_key, gen, category, at_ms, seq,
            arrayMap(v -> ifNull(v, toInt64(-1)), [mappings, size_kib, rss_kib, pss_kib, private_kib, private_dirty_kib, swap_kib]) AS numbers
          FROM points
          WHERE host_id = (SELECT any(host_id) FROM marks WHERE host = :host)
            AND at_ms > :from - 90000000 AND at_ms <= :to
        ) AS p
        WHERE at_ms <= t AND at_ms > t - 90000000 AND (t, process_key, gen) GLOBAL IN (
          SELECT t, process_key, max(gen) FROM (
            SELECT arrayJoin([:from, :to]) AS t, process_key, gen, called, first_ms,
              if(closed = 0, through, closed) AS until
            FROM (
              SELECT store, process_key, first_ms, argMax(ifNull(last_ms, toInt64(0)), seq) AS closed,
                argMax(name, seq) AS called
              FROM spans
              WHERE host_id = (SELECT any(host_id) FROM marks WHERE host = :host) AND first_ms <= :to
              GROUP BY store, process_key, first_ms
            ) AS s
            ALL INNER JOIN (
              SELECT store, max(through_ms) AS through, argMax(gen, seq) AS gen FROM marks
              WHERE host = :host GROUP BY store
            ) AS m USING (store)
          ) AS alive
          WHERE first_ms <= t AND until >= least(t, (SELECT max(through_ms) FROM marks WHERE host = :host)) AND (:name = '' OR called = :name)
          GROUP BY t, process_key)
        GROUP BY t, process_key, category
      ) AS core
    ) AS sides
  ) AS listed
  WHERE arrayElement(r.3, 1) != 0 OR arrayElement(r.3, 2) != 0 -- a category that went is a row of zeroes
  GROUP BY category
) AS summed
ORDER BY abs(ifNull(rss_kib_delta, ifNull(size_kib_delta, toInt64(0)))) DESC, category
