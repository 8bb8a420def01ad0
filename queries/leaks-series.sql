-- name:   leaks-series
-- title:  Verdicts on series of numbers, each as the only key of a process
-- param:  series      text  ""     Rows of leaks --series, as JSON: [{"series_id","ts","kb",...},...]
-- param:  metric      text  joint  One of joint, rss, pss, private, private_dirty, size, swap, mappings: what kb is; joint is rss
-- param:  limit       kib   ""     What it cannot exceed, unless the rows say so
-- param:  sensitivity text  normal One of low, normal, high
-- column: series_id        text  Name of the series
-- column: verdict          text  As in leaks, as all columns
-- column: shape            text  The curve that explains the values best
-- column: rate_per_h       real  Growth per hour, now
-- column: rate_low         real  Lower end of its 90 % interval
-- column: rate_high        real  Upper end
-- column: confidence       real  The probability that the growth goes on
-- column: since            time  When the growth began
-- column: detectable_per_h real  The smallest growth per hour that would have been seen
-- column: limit            real  What the number cannot exceed
-- column: eta_h            real  Hours until the limit at this rate
-- column: snapshots        count Moments that were judged
-- column: lives            count 1 and the restarts among them
-- column: reason           text  Why, in words
-- column: metric           text  Whose growth it is
-- empty:  no series
--
-- Series are in the order in which they appear. Of several rows of a moment, the last one counts; a moment without a number
-- is left out. The newest row tells the category, and the newest limit counts.
WITH point AS (
  SELECT key AS nth, json_extract(value, '$.series_id') AS series_id, json_extract(value, '$.ts') AS ms,
    json_extract(value, '$.kb') AS kb, json_extract(value, '$.size_kb') AS size_kb,
    json_extract(value, '$.private_kb') AS private_kb, json_extract(value, '$.mappings') AS mappings,
    json_extract(value, '$.limit_kb') AS limit_kb, ifnull(json_extract(value, '$.pid'), '') AS pid,
    ifnull(json_extract(value, '$.category'), '') AS category
  FROM json_each(:series)
),
moment AS (
  -- the last row of each moment
  SELECT series_id, ms, max(nth) AS nth, kb, size_kb, private_kb, mappings, limit_kb, pid, category
  FROM point GROUP BY series_id, ms
),
life AS (
  SELECT pid, min(nth) AS life FROM point GROUP BY pid
),
newest AS (
  SELECT series_id, category, max(ms) AS ms FROM moment GROUP BY series_id
),
limited AS (
  SELECT series_id, limit_kb, max(ms) AS ms FROM point WHERE limit_kb > 0 GROUP BY series_id
),
series AS (
  SELECT n.series_id, n.category, min(p.nth) AS nth, coalesce(l.limit_kb, :limit) AS "limit"
  FROM newest n
  JOIN point p ON p.series_id = n.series_id
  LEFT JOIN limited l ON l.series_id = n.series_id
  GROUP BY n.series_id
),
judged AS (
  -- a process of one key
  SELECT s.series_id, json_extract(leak_report(
    leak_moments(m.ms, l.life, 1, m.nth, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
    leak_runs(s.series_id, s.category, 1, m.nth, m.nth, CASE :metric WHEN 'mappings' THEN m.kb ELSE m.mappings END,
      CASE :metric WHEN 'size' THEN m.kb ELSE m.size_kb END, CASE WHEN :metric IN ('joint', 'rss') THEN m.kb END,
      CASE :metric WHEN 'pss' THEN m.kb END, CASE :metric WHEN 'private' THEN m.kb ELSE m.private_kb END,
      CASE :metric WHEN 'private_dirty' THEN m.kb END, CASE :metric WHEN 'swap' THEN m.kb END),
    NULL, CASE :metric WHEN 'rss' THEN 'joint' ELSE :metric END, s."limit", :sensitivity,
    NULL, CASE :metric WHEN 'size' THEN s."limit" END, NULL, CASE :metric WHEN 'mappings' THEN s."limit" END, NULL), '$[1]') AS said
  FROM moment m
  JOIN series s ON s.series_id = m.series_id
  JOIN life l ON l.pid = m.pid
  WHERE m.kb IS NOT NULL
  GROUP BY s.series_id
)
SELECT s.series_id, ifnull(json_extract(j.said, '$.verdict'), 'too-few') AS verdict, json_extract(j.said, '$.shape') AS shape,
  json_extract(j.said, '$.rate_per_h') AS rate_per_h, json_extract(j.said, '$.rate_low') AS rate_low,
  json_extract(j.said, '$.rate_high') AS rate_high, json_extract(j.said, '$.confidence') AS confidence,
  CASE WHEN json_extract(j.said, '$.verdict') IN ('leak', 'suspect') THEN json_extract(j.said, '$.since') END AS since,
  nullif(json_extract(j.said, '$.detectable_per_h'), 0) AS detectable_per_h, json_extract(j.said, '$.limit') AS "limit",
  json_extract(j.said, '$.eta_h') AS eta_h, ifnull(json_extract(j.said, '$.snapshots'), 0) AS snapshots,
  CASE WHEN json_extract(j.said, '$.verdict') <> 'too-few' THEN json_extract(j.said, '$.lives') END AS lives,
  json_extract(j.said, '$.reason') AS reason, json_extract(j.said, '$.metric') AS metric
FROM series s LEFT JOIN judged j ON j.series_id = s.series_id
ORDER BY s.nth;
