-- name:   store-growth
-- title:  What each day added to the store, and how long it lasts
-- param:  max-size kib "" What the file may grow to
-- column: day        text  Of the snapshots, UTC; late imports count where they belong
-- column: processes  count Processes with a snapshot on that day
-- column: snapshots  count Snapshots of that day
-- column: rows       count Rows of table mapping_version that begin with them: mappings that are new or changed
-- column: size_kib   kib   Their share of the file, by their share of its rows
-- column: store_kib  kib   The same for all days up to this one
-- column: week_kib   kib   Mean of a day, over the seven days that end with it; days without captures count
-- column: days_left  real  Days until max-size is reached, at that pace
--
-- The tables do not say how many bytes a snapshot takes. The pages of the file that are in use are
-- divided by rows: a snapshot counts as three rows, a row of mapping_version or category_version as
-- one. So the sum over all days is the file without its free pages, and a single day is an
-- estimate. A prune shrinks the days that it thinned out.
WITH piece AS (
  SELECT v.epoch_id, v.first AS off, count(*) AS rows, count(*) AS ver FROM mapping_version v GROUP BY 1, 2
  UNION ALL
  SELECT v.epoch_id, v.first, count(*), 0 FROM category_version v GROUP BY 1, 2
),
daily AS (
  -- the snapshot with which a version began may have been pruned
  SELECT (SELECT s.taken_ms FROM snapshot s WHERE s.epoch_id = p.epoch_id AND s.off >= p.off
    ORDER BY s.off LIMIT 1) / 86400000 AS day, rows, ver, 0 AS snapshots
  FROM piece p
  UNION ALL
  SELECT taken_ms / 86400000, 3, 0, 1 FROM snapshot
),
summed AS (
  SELECT day, sum(rows) AS weight, sum(ver) AS rows, sum(snapshots) AS snapshots
  FROM daily
  WHERE day IS NOT NULL
  GROUP BY day
),
present AS (
  SELECT taken_ms / 86400000 AS day, count(DISTINCT process_id) AS processes
  FROM snapshot
  GROUP BY 1
),
sized AS (
  SELECT day, rows, snapshots,
    1.0 * weight / (SELECT sum(weight) FROM summed) * (SELECT (p.page_count - f.freelist_count)
      * z.page_size / 1024.0
      FROM pragma_page_count() p, pragma_freelist_count() f, pragma_page_size() z) AS kib
  FROM summed
),
paced AS (
  SELECT *, sum(kib) OVER (ORDER BY day) AS store_kib,
    sum(kib) OVER (ORDER BY day RANGE BETWEEN 6 PRECEDING AND CURRENT ROW)
      / min(7, day - min(day) OVER () + 1) AS week_kib
  FROM sized
)
SELECT strftime('%Y-%m-%d', d.day * 86400, 'unixepoch') AS day,
  p.processes, d.snapshots, d.rows, CAST(round(d.kib) AS INTEGER) AS size_kib,
  CAST(round(d.store_kib) AS INTEGER) AS store_kib,
  CAST(round(d.week_kib) AS INTEGER) AS week_kib,
  max(:max_size - d.store_kib, 0) / nullif(d.week_kib, 0) AS days_left
FROM paced d
JOIN present p ON p.day = d.day
ORDER BY d.day;
