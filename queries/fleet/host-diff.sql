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
  mappings_from, mappings_to, mappings_to - mappings_from AS mappings_delta,
  size_kib_from, size_kib_to, size_kib_to - size_kib_from AS size_kib_delta,
  rss_kib_from, rss_kib_to, rss_kib_to - rss_kib_from AS rss_kib_delta,
  pss_kib_from, pss_kib_to, pss_kib_to - pss_kib_from AS pss_kib_delta,
  private_kib_from, private_kib_to, private_kib_to - private_kib_from AS private_kib_delta,
  private_dirty_kib_from, private_dirty_kib_to, private_dirty_kib_to - private_dirty_kib_from AS private_dirty_kib_delta,
  swap_kib_from, swap_kib_to, swap_kib_to - swap_kib_from AS swap_kib_delta,
  processes_from, processes_to
FROM (
  SELECT category,
    if(max(r.1 = :from AND r.3 < 0) = 1, NULL, sumIf(r.3, r.1 = :from AND r.3 >= 0)) AS mappings_from,
    if(max(r.1 = :to AND r.3 < 0) = 1, NULL, sumIf(r.3, r.1 = :to AND r.3 >= 0)) AS mappings_to,
    if(any(unknown_from.1) = 1, NULL, sumIf(r.4, r.1 = :from AND r.4 >= 0)) AS size_kib_from,
    if(any(unknown_to.1) = 1, NULL, sumIf(r.4, r.1 = :to AND r.4 >= 0)) AS size_kib_to,
    if(any(unknown_from.2) = 1, NULL, sumIf(r.5, r.1 = :from AND r.5 >= 0)) AS rss_kib_from,
    if(any(unknown_to.2) = 1, NULL, sumIf(r.5, r.1 = :to AND r.5 >= 0)) AS rss_kib_to,
    if(any(unknown_from.3) = 1, NULL, sumIf(r.6, r.1 = :from AND r.6 >= 0)) AS pss_kib_from,
    if(any(unknown_to.3) = 1, NULL, sumIf(r.6, r.1 = :to AND r.6 >= 0)) AS pss_kib_to,
    if(any(unknown_from.4) = 1, NULL, sumIf(r.7, r.1 = :from AND r.7 >= 0)) AS private_kib_from,
    if(any(unknown_to.4) = 1, NULL, sumIf(r.7, r.1 = :to AND r.7 >= 0)) AS private_kib_to,
    if(any(unknown_from.5) = 1, NULL, sumIf(r.8, r.1 = :from AND r.8 >= 0)) AS private_dirty_kib_from,
    if(any(unknown_to.5) = 1, NULL, sumIf(r.8, r.1 = :to AND r.8 >= 0)) AS private_dirty_kib_to,
    if(any(unknown_from.6) = 1, NULL, sumIf(r.9, r.1 = :from AND r.9 >= 0)) AS swap_kib_from,
    if(any(unknown_to.6) = 1, NULL, sumIf(r.9, r.1 = :to AND r.9 >= 0)) AS swap_kib_to,
    any(p_from) AS processes_from, any(p_to) AS processes_to
  FROM (
    SELECT p_from, p_to, unknown_from, unknown_to, arrayJoin(found) AS r,
      if(:depth = '1', splitByChar('/', r.2)[1], r.2) AS category
    FROM (
      -- one row: how many processes, which numbers a side does not know, and all rows of both sides
      SELECT uniqExactIf(process_key, t = :from) AS p_from, uniqExactIf(process_key, t = :to) AS p_to,
        tuple(max(t = :from AND x.2 < 0), max(t = :from AND x.3 < 0), max(t = :from AND x.4 < 0), max(t = :from AND x.5 < 0), max(t = :from AND x.6 < 0), max(t = :from AND x.7 < 0)) AS unknown_from,
        tuple(max(t = :to AND x.2 < 0), max(t = :to AND x.3 < 0), max(t = :to AND x.4 < 0), max(t = :to AND x.5 < 0), max(t = :to AND x.6 < 0), max(t = :to AND x.7 < 0)) AS unknown_to,
        groupArray(tuple(t, category, x.1, x.2, x.3, x.4, x.5, x.6, x.7)) AS found
      FROM (
        SELECT t, process_key, category,
          argMax(tuple(ifNull(mappings, toInt64(-1)), ifNull(size_kib, toInt64(-1)),
            ifNull(rss_kib, toInt64(-1)), ifNull(pss_kib, toInt64(-1)),
            ifNull(private_kib, toInt64(-1)), ifNull(private_dirty_kib, toInt64(-1)),
            ifNull(swap_kib, toInt64(-1))), tuple(at_ms, seq)) AS x
        FROM (
          SELECT arrayJoin([:from, :to]) AS t, process_key, gen, category, at_ms, mappings, size_kib,
            rss_kib, pss_kib, private_kib, private_dirty_kib, swap_kib, seq
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
  WHERE r.3 != 0 OR r.4 != 0 -- a category that went is a row of zeroes
  GROUP BY category
) AS summed
ORDER BY abs(ifNull(rss_kib_delta, ifNull(size_kib_delta, toInt64(0)))) DESC, category
