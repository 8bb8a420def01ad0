-- name:   peak
-- title:  When each category was largest
-- param:  process process  only  NAME, PID, NAME/PID or @ID; may be left out where there is one name
-- param:  from    snapshot first Begin with this snapshot
-- param:  to      snapshot last  End with this snapshot
-- param:  dialect text     ""    Only captures of this dialect; else, for each moment, the one with most fields
-- param:  depth   text     2     One of 1, 2: by the first word (anonymous), or as rules refine it (anonymous/thread-stack)
-- column: category         category Category; total: all of them
-- column: rss_kib_peak     kib      Resident, the most there was
-- column: rss_peak_at      time     When first, UTC
-- column: rss_kib_last     kib      The same in the last moment
-- column: size_kib_peak    kib      Address space, the most there was
-- column: size_peak_at     time     When first, UTC
-- column: size_kib_last    kib      The same in the last moment
-- column: mappings_peak    count    Number of mappings, the most there was
-- column: mappings_peak_at time     When first, UTC
-- column: mappings_last    count    The same in the last moment
-- narrow: category rss_kib_peak rss_peak_at rss_kib_last size_kib_peak
-- empty:  no snapshots in this span
--
-- Given a name, the peak of the sums over its processes of each moment. A partial capture counts
-- with what it shows, so the true peak may be higher; the numbers of the last moment are unknown if
-- it is partial or has sums only. The row total also counts captures with sums only, and VmRSS
-- where the rows do not show what is resident, as in maps; the other rows do not know such moments.
WITH scope AS (
  SELECT process_id FROM process
  WHERE process_id = :process OR (:process IS NULL AND name_id = :name_id)
),
used AS (
  SELECT s.*
  FROM scope
  CROSS JOIN snapshot s ON s.process_id = scope.process_id
  WHERE CASE WHEN :dialect IS NULL THEN s.preferred ELSE s.dialect = :dialect END
    AND s.moment_ms >= (SELECT moment_ms FROM snapshot WHERE snapshot_id = :from)
    AND s.moment_ms <= (SELECT moment_ms FROM snapshot WHERE snapshot_id = :to)
),
moment AS (
  -- unsure: a capture of the moment is not complete, so that a category without rows may still be
  -- there
  SELECT s.moment_ms, s.moment_ms = (SELECT max(moment_ms) FROM used) AS is_last,
    max(s.state = 'partial') AS partial, max(s.state <> 'complete') AS unsure,
    CASE WHEN count(*) = count(s.mappings) THEN sum(s.mappings) END AS mappings,
    CASE WHEN count(*) = count(s.size_kib) THEN sum(s.size_kib) END AS size_kib,
    CASE WHEN count(*) = count(coalesce(s.rss_kib, s.tool_rss_kib))
      THEN sum(coalesce(s.rss_kib, s.tool_rss_kib)) END AS rss_kib
  FROM used s
  GROUP BY s.moment_ms
),
cell AS (
  SELECT m.moment_ms, m.is_last, m.unsure AS partial,
    CASE :depth WHEN '1' THEN c.parent ELSE c.category END AS category,
    CASE WHEN count(*) = count(v.mappings) THEN sum(v.mappings) END AS mappings,
    CASE WHEN count(*) = count(v.size_kib) THEN sum(v.size_kib) END AS size_kib,
    CASE WHEN count(*) = count(v.rss_kib) THEN sum(v.rss_kib) END AS rss_kib
  FROM scope
  CROSS JOIN epoch e ON e.process_id = scope.process_id
  CROSS JOIN category_version v ON v.epoch_id = e.epoch_id
  CROSS JOIN category c ON c.category_id = v.category_id
  CROSS JOIN snapshot s ON s.epoch_id = v.epoch_id
    AND s.off BETWEEN v.first AND coalesce(v.last, 32767)
  CROSS JOIN moment m ON m.moment_ms = s.moment_ms
  WHERE c.category <> 'total'
    AND CASE WHEN :dialect IS NULL THEN s.preferred ELSE e.dialect = :dialect END
  GROUP BY m.moment_ms, 4
  UNION ALL
  SELECT moment_ms, is_last, partial, 'total', mappings, size_kib, rss_kib
  FROM moment
),
ranked AS (
  SELECT x.*,
    row_number() OVER (PARTITION BY x.category ORDER BY x.mappings DESC, x.moment_ms) AS mappings_k,
    row_number() OVER (PARTITION BY x.category ORDER BY x.size_kib DESC, x.moment_ms) AS size_k,
    row_number() OVER (PARTITION BY x.category ORDER BY x.rss_kib DESC, x.moment_ms) AS rss_k,
    CASE WHEN NOT z.unsure THEN 0 * z.mappings END AS mappings_none,
    CASE WHEN NOT z.unsure THEN 0 * z.size_kib END AS size_kib_none,
    CASE WHEN NOT z.unsure THEN 0 * z.rss_kib END AS rss_kib_none
  FROM (SELECT * FROM moment WHERE is_last) z
  CROSS JOIN cell x
)
SELECT category,
  rss_kib_peak,
  strftime(CASE WHEN rss_peak_ms % 1000 THEN '%Y-%m-%dT%H:%M:%fZ'
    ELSE '%Y-%m-%dT%H:%M:%SZ' END, rss_peak_ms / 1000.0, 'unixepoch') AS rss_peak_at,
  rss_kib_last,
  size_kib_peak,
  strftime(CASE WHEN size_peak_ms % 1000 THEN '%Y-%m-%dT%H:%M:%fZ'
    ELSE '%Y-%m-%dT%H:%M:%SZ' END, size_peak_ms / 1000.0, 'unixepoch') AS size_peak_at,
  size_kib_last,
  mappings_peak,
  strftime(CASE WHEN mappings_peak_ms % 1000 THEN '%Y-%m-%dT%H:%M:%fZ'
    ELSE '%Y-%m-%dT%H:%M:%SZ' END, mappings_peak_ms / 1000.0, 'unixepoch') AS mappings_peak_at,
  mappings_last
FROM (
  SELECT category,
    max(rss_kib) AS rss_kib_peak,
    max(CASE WHEN rss_k = 1 AND rss_kib IS NOT NULL THEN moment_ms END) AS rss_peak_ms,
    CASE WHEN total(is_last) THEN max(CASE WHEN is_last AND NOT partial THEN rss_kib END)
      ELSE max(rss_kib_none) END AS rss_kib_last,
    max(size_kib) AS size_kib_peak,
    max(CASE WHEN size_k = 1 AND size_kib IS NOT NULL THEN moment_ms END) AS size_peak_ms,
    CASE WHEN total(is_last) THEN max(CASE WHEN is_last AND NOT partial THEN size_kib END)
      ELSE max(size_kib_none) END AS size_kib_last,
    max(mappings) AS mappings_peak,
    max(CASE WHEN mappings_k = 1 AND mappings IS NOT NULL THEN moment_ms END) AS mappings_peak_ms,
    CASE WHEN total(is_last) THEN max(CASE WHEN is_last AND NOT partial THEN mappings END)
      ELSE max(mappings_none) END AS mappings_last
  FROM ranked
  GROUP BY category
)
ORDER BY category <> 'total', rss_kib_peak DESC, size_kib_peak DESC, category;
