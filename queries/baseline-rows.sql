-- name:   baseline-rows
-- title:  What baseline writes: runs in ten blocks each, without those that a file has twice
-- param:  sources  text  ""  [[{"source":WORD,"of_b":0},[rows of the query runs]],...], as JSON
-- param:  keep     int   ""  Only so many runs, the newest
-- column: run           time     When the run began
-- column: block         int      0 for the warm-up, then 1 to 9: equal parts of the rest of the run
-- column: at_s          real     Middle of the block's snapshots, seconds since the run began
-- column: work          real     Middle of the work done by then
-- column: key           category Category, or total for the whole process
-- column: mappings      real     Median over the block's moments
-- column: rss_kib       kib      Median over the block's moments
-- column: rss_max_kib   kib      Largest
-- column: dialect       text     Of the run's captures; several
-- column: page_kib      kib      Size of a page, in the first capture of the run
-- narrow: run block at_s key rss_kib
-- empty:  no runs
--
-- Of runs that began at one time only that of the first source stays.
WITH point AS (
  SELECT s.key AS source, r.key AS nth, r.value AS value,
    CAST(round((julianday(json_extract(r.value, '$.run')) - 2440587.5) * 86400000) AS INTEGER) AS began_ms
  FROM json_each(:sources) s
  CROSS JOIN json_each(s.value, '$[1]') r
),
run AS (
  SELECT began_ms, min(source) AS source, row_number() OVER (ORDER BY began_ms DESC) AS place
  FROM point GROUP BY began_ms
)
SELECT strftime(CASE WHEN p.began_ms % 1000 THEN '%Y-%m-%dT%H:%M:%fZ' ELSE '%Y-%m-%dT%H:%M:%SZ' END,
    p.began_ms / 1000.0, 'unixepoch') AS run,
  json_extract(p.value, '$.block') AS block, CAST(json_extract(p.value, '$.at_s') AS REAL) AS at_s,
  CAST(json_extract(p.value, '$.work') AS REAL) AS work, json_extract(p.value, '$.key') AS key,
  CAST(json_extract(p.value, '$.mappings') AS REAL) AS mappings,
  CAST(json_extract(p.value, '$.rss_kib') AS REAL) AS rss_kib,
  CAST(json_extract(p.value, '$.rss_max_kib') AS REAL) AS rss_max_kib,
  json_extract(p.value, '$.dialect') AS dialect, CAST(json_extract(p.value, '$.page_kib') AS REAL) AS page_kib
FROM run r
JOIN point p ON p.source = r.source AND p.began_ms = r.began_ms
WHERE r.place <= coalesce(:keep, r.place)
ORDER BY p.began_ms, p.nth;
