-- name:   check-findings
-- title:  What pmapdb check says: the worst finding about the newest snapshots and the verdicts
-- param:  newest      text     ""  Rows of by-process, as JSON
-- param:  leaks       text     ""  Rows of leaks, as JSON; else no verdict is asked for
-- param:  metric      text     ""  The metric of leaks
-- param:  thresholds  text     ""  {"METRIC":[warning,critical],...}: rate, eta (hours), rss, growth, mappings
-- param:  growth-span duration 1h  The time in which growth counts
-- param:  max-age     duration ""  UNKNOWN if the newest snapshot is older; else three steps of the captures, at least 1m
-- column: metric  text  One of the thresholds, in their order
-- column: value   real  Of the worst process
-- column: state   int   Of all metrics: 0 OK, 1 WARNING, 2 CRITICAL, 3 UNKNOWN
-- column: said    text  The worst finding, why the state is unknown, or that all is well
-- column: performance text The value as performance data: 'rss'=82227KB;2097152;3145728;0;
-- empty:  no metric is asked for
--
-- A finding is the worse, the further it is beyond its threshold, as a ratio. What is unknown is worse
-- than OK, and not as bad as a finding; but captures that do not arrive make all unknown.
WITH ask AS (
  SELECT j.id AS place, j.key AS metric, json_extract(j.value, '$[0]') AS warning,
    json_extract(j.value, '$[1]') AS critical
  FROM json_each(:thresholds) j
),
newest AS (
  SELECT key AS nth, json_extract(value, '$.process_id') AS process_id, json_extract(value, '$.taken_at') AS at,
    CAST(round((julianday(json_extract(value, '$.taken_at')) - 2440587.5) * 86400000) AS INTEGER) AS taken_ms,
    substr(json_extract(value, '$.name'), 1, 128) || coalesce('/' || json_extract(value, '$.pid'), '') AS who,
    json_extract(value, '$.state') = 'partial' AS partial, json_extract(value, '$.rss_kib') AS rss_kib,
    json_extract(value, '$.mappings') AS mappings
  FROM json_each(:newest)
),
last AS (
  -- age_ms: of the newest snapshot; usual_ms: three steps of the last captures. A single capture is of no series: a day
  SELECT n.taken_ms, CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) - n.taken_ms AS age_ms,
    ifnull((SELECT max(3 * (max(t) - min(t)) / (count(*) - 1), 60000) FROM (SELECT DISTINCT moment_ms AS t
      FROM snapshot WHERE process_id = n.process_id ORDER BY taken_ms DESC LIMIT 20)), 86400000) AS usual_ms
  FROM newest n ORDER BY n.taken_ms DESC, n.nth LIMIT 1
),
verdict AS (
  -- of the processes that are alive; leaks of others no longer matter. The first row is the whole process
  SELECT key AS nth, process_id, part, verdict, rate, unit, snapshots, eta_h, "limit", limit_by, last_at, rss_from, who,
    row_number() OVER (PARTITION BY process_id ORDER BY key) = 1 AS whole,
    CAST(round((julianday(last_at) - 2440587.5) * 86400000) AS INTEGER) AS last_ms
  FROM (
    SELECT key, json_extract(value, '$.process_id') AS process_id, json_extract(value, '$.key') AS part,
      json_extract(value, '$.verdict') AS verdict, json_extract(value, '$.rate_per_h') AS rate,
      json_extract(value, '$.unit') AS unit, json_extract(value, '$.snapshots') AS snapshots,
      json_extract(value, '$.eta_h') AS eta_h, json_extract(value, '$.limit') AS "limit",
      json_extract(value, '$.limit_by') AS limit_by, json_extract(value, '$.last_at') AS last_at,
      json_extract(value, '$.rss_from') AS rss_from,
      substr(json_extract(value, '$.name'), 1, 128) || coalesce('/' || json_extract(value, '$.pid'), '') AS who
    FROM json_each(:leaks)
  )
  WHERE process_id IN (SELECT process_id FROM newest)
),
judged AS (
  SELECT ifnull(sum(verdict <> 'too-few'), 0) AS n, ifnull(max(snapshots), 0) AS longest,
    ifnull(sum(verdict = 'leak'), 0) AS leaks, ifnull(sum(verdict = 'suspect'), 0) AS suspects,
    max(CASE WHEN verdict = 'suspect' AND unit = 'KiB' THEN rate END) AS suspected, (
    SELECT who FROM (
      SELECT 1 AS of_leaks, nth, who FROM verdict WHERE whole AND verdict <> 'leak' AND rss_from = 'unknown'
      UNION ALL
      SELECT 0, nth, who FROM newest WHERE NOT partial AND rss_kib IS NULL)
    WHERE coalesce(:metric, 'rss') IN ('joint', 'rss')
    ORDER BY of_leaks DESC, nth DESC LIMIT 1) AS blind
  FROM verdict WHERE whole
),
reach AS (
  -- left_h: until the limit, from now if the captures are of the last day; no date is meant after ten years
  SELECT v.*, CASE WHEN v.eta_h > 87600 OR now_ms - v.last_ms >= 86400000
      OR v.eta_h * 3600000 NOT BETWEEN now_ms - v.last_ms AND 9e15 OR now_ms < v.last_ms THEN v.eta_h
    ELSE v.eta_h - (now_ms - v.last_ms) / 3600000.0 END AS left_h,
    CASE WHEN v.eta_h <= 87600 THEN (v.last_ms + v.eta_h * 3600000) / 1000.0 END AS at_s
  FROM verdict v
  CROSS JOIN (SELECT CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) AS now_ms)
  WHERE v.whole AND v.verdict = 'leak' AND v.eta_h IS NOT NULL
),
was AS (
  -- the last snapshot before the span, or the first one
  SELECT n.nth, n.who, n.at, n.rss_kib, n.taken_ms, s.taken_ms AS was_ms, coalesce(s.rss_kib, s.tool_rss_kib) AS was_kib
  FROM newest n
  CROSS JOIN snapshot s ON s.snapshot_id = (SELECT s.snapshot_id FROM snapshot s
    WHERE s.process_id = n.process_id AND s.taken_ms < n.taken_ms AND s.taken_ms <= max(n.taken_ms - :growth_span,
      (SELECT min(taken_ms) FROM snapshot WHERE process_id = n.process_id))
      AND coalesce(s.rss_kib, s.tool_rss_kib) IS NOT NULL ORDER BY s.taken_ms DESC LIMIT 1)
  WHERE NOT n.partial AND n.rss_kib IS NOT NULL
),
value AS (
  SELECT 1 AS block, nth, 1 AS step, 'growth' AS metric, rss_kib - was_kib AS value, at,
    who || ' grew ' || kib_text(rss_kib - was_kib) || ' in ' || span_text(taken_ms - was_ms) AS said
  FROM was
  UNION ALL
  SELECT 1, nth, 2, 'rss', rss_kib, at, who || ' has ' || kib_text(rss_kib) || ' resident'
  FROM newest WHERE NOT partial AND rss_kib IS NOT NULL
  UNION ALL
  SELECT 1, nth, 3, 'mappings', mappings, at, who || ' has ' || mappings || ' mappings'
  FROM newest WHERE NOT partial AND mappings IS NOT NULL
  UNION ALL
  SELECT 2, v.nth, 1, 'rate', v.rate, v.last_at, v.who || ' leaks ' || kib_text(v.rate) || '/h' || ifnull((
    SELECT ', most of it ' || substr(p.part, 1, 64) FROM verdict p
    WHERE p.process_id = v.process_id AND NOT p.whole AND p.verdict = 'leak'
    ORDER BY p.rate IS NULL, p.rate DESC LIMIT 1), '')
  FROM verdict v WHERE v.whole AND v.verdict = 'leak' AND v.unit = 'KiB' AND v.rate IS NOT NULL
  UNION ALL
  SELECT 2, nth, 2, 'eta', left_h, last_at, who || ' leaks and reaches ' || CASE limit_by WHEN 'cgroup' THEN 'cgroup limit '
      WHEN 'address space' THEN 'address space limit (ulimit -v) ' WHEN 'stack' THEN 'stack limit (ulimit -s) '
      WHEN 'map count' THEN 'vm.max_map_count ' ELSE '' END
    || CASE unit WHEN 'KiB' THEN kib_text("limit") ELSE printf('%.0f', "limit") END || ' in ' || span_text(left_h * 3600000)
    || CASE WHEN at_s IS NULL THEN '' ELSE strftime(CASE WHEN date(at_s, 'unixepoch') = date('now') THEN ', at %H:%M UTC'
      ELSE ', at %Y-%m-%d %H:%M UTC' END, at_s, 'unixepoch') END
  FROM reach
),
beyond AS (
  SELECT *, CASE WHEN metric = 'eta' THEN CASE WHEN value <= critical THEN critical / max(value, .001) END
      WHEN value >= critical THEN value * 1.0 / CASE WHEN critical > 0 THEN critical ELSE 1 END END AS by_critical,
    CASE WHEN metric = 'eta' THEN CASE WHEN value <= warning THEN warning / max(value, .001) END
      WHEN value >= warning THEN value * 1.0 / CASE WHEN warning > 0 THEN warning ELSE 1 END END AS by_warning
  FROM value JOIN ask USING (metric)
),
worst AS (
  SELECT a.place, a.metric, CASE a.metric WHEN 'eta' THEN min(v.value) ELSE max(v.value) END AS value
  FROM ask a LEFT JOIN value v ON v.metric = a.metric
  GROUP BY a.metric
),
finding AS (
  -- weight: 1 UNKNOWN, 2 WARNING, 3 CRITICAL
  SELECT block, nth, step, 2 + (by_critical IS NOT NULL) AS weight, coalesce(by_critical, by_warning) AS by, at, said
  FROM beyond WHERE coalesce(by_critical, by_warning) IS NOT NULL
  UNION ALL
  SELECT 2, v.nth, 3, 1, 0, NULL, v.who || ' leaks and no limit is known: give --limit'
  FROM verdict v JOIN ask a ON a.metric = 'eta'
  WHERE v.whole AND v.verdict = 'leak' AND v.eta_h IS NULL
  UNION ALL
  SELECT 3, 0, 0, 1, 0, NULL, CASE WHEN n = 0 AND longest >= 8
      THEN 'no life is long enough for a verdict; the longest series has ' || longest || ' snapshots'
    WHEN n = 0 THEN 'too few snapshots for a verdict: ' || longest || ' of the 8 that are needed'
    ELSE 'the resident memory of ' || blind || ' is unknown, and so is whether it leaks' END
  FROM judged WHERE :leaks IS NOT NULL AND (n = 0 OR blind IS NOT NULL)
  UNION ALL
  SELECT 4, place, 0, 1, 0, NULL, CASE metric WHEN 'rss' THEN 'resident memory' WHEN 'mappings' THEN 'the number of mappings'
    ELSE 'growth, which takes two snapshots,' END || ' is not known of the newest snapshot'
  FROM worst WHERE value IS NULL AND metric IN ('rss', 'growth', 'mappings')
),
late AS (
  SELECT CASE WHEN age_ms < -60000 THEN 'the newest snapshot is of ' || moment || ', which is in the future: a clock is or was wrong'
    ELSE 'no captures for ' || span_text(age_ms) || ': the newest snapshot is of ' || moment || CASE WHEN :max_age IS NULL
      THEN ', older than three steps; --max-age allows more' ELSE ', older than --max-age' END END AS said
  FROM (SELECT *, strftime(CASE WHEN taken_ms % 1000 THEN '%Y-%m-%dT%H:%M:%fZ' ELSE '%Y-%m-%dT%H:%M:%SZ' END,
    taken_ms / 1000.0, 'unixepoch') AS moment FROM last)
  WHERE age_ms NOT BETWEEN -60000 AND coalesce(:max_age, usual_ms)
),
well AS (
  SELECT CASE (SELECT count(*) FROM newest) WHEN 1 THEN (SELECT who FROM newest)
      ELSE (SELECT count(*) FROM newest) || ' processes' END
    || CASE WHEN :leaks IS NULL THEN '' WHEN leaks = 0 THEN ', no leak'
      ELSE ', leaks ' || ifnull((SELECT kib_text(max(value)) FROM value WHERE metric = 'rate'), '?') || '/h'
        || CASE leaks WHEN 1 THEN '' ELSE ' at most' END END
    || CASE WHEN suspects = 0 THEN '' ELSE ', ' || suspects || ' suspect' || CASE WHEN suspected IS NULL THEN ''
      ELSE CASE suspects WHEN 1 THEN ' of ' ELSE ' of at most ' END || kib_text(suspected) || '/h' END
      || ' (pmapdb leaks)' END
    || ifnull((SELECT ', rss ' || kib_text(value) FROM worst WHERE metric = 'rss'), '')
    || ifnull((SELECT ', growth ' || kib_text(value) FROM worst WHERE metric = 'growth'), '')
    || ifnull((SELECT ', mappings ' || value FROM worst WHERE metric = 'mappings'), '') AS said, (
    SELECT min(at) FROM (SELECT at FROM newest UNION ALL SELECT last_at FROM verdict WHERE whole)) AS at
  FROM judged
),
result AS (
  SELECT 4 AS weight, 0 AS by, 0 AS block, 0 AS nth, 0 AS step, said, NULL AS at, 0 AS n FROM late
  UNION ALL
  SELECT weight, by, block, nth, step, said, at, sum(weight > 1) OVER () FROM finding
  UNION ALL
  SELECT 0, 0, 0, 0, 0, said, at, 0 FROM well
  ORDER BY weight DESC, by DESC, block, nth, step LIMIT 1
),
metric AS (
  SELECT w.place, w.metric, CASE WHEN w.metric = 'rate' AND w.value IS NULL AND j.n > 0 AND j.suspects = 0 AND j.blind IS NULL
      THEN 0 ELSE w.value END AS value, a.warning, a.critical, CASE w.metric WHEN 'eta' THEN 3600 ELSE 1 END AS times
  FROM worst w JOIN ask a ON a.metric = w.metric CROSS JOIN judged j
),
figure AS (
  SELECT place, -1 AS nth, CASE metric WHEN 'eta' THEN round(value * 3600) WHEN 'rate' THEN round(value, 1) ELSE value END AS v FROM metric
  UNION ALL
  SELECT place, 0, warning * times FROM metric
  UNION ALL
  SELECT place, 1, critical * times FROM metric
),
printed AS (
  SELECT place, nth, CASE WHEN v = CAST(v AS INTEGER) THEN CAST(v AS INTEGER) ELSE v END || '' AS v FROM figure
)
SELECT m.metric, m.value, CASE r.weight WHEN 0 THEN 0 WHEN 2 THEN 1 WHEN 3 THEN 2 ELSE 3 END AS state,
  r.said || CASE WHEN r.n > 1 THEN '; ' || (r.n - 1) || ' more' ELSE '' END
    || CASE WHEN r.weight IN (1, 4) THEN '' ELSE ifnull(', as of ' || r.at, '') END AS said,
  '''' || CASE m.metric WHEN 'rate' THEN 'rate_per_h' ELSE m.metric END || '''='
    || ifnull((SELECT v FROM printed WHERE place = m.place AND nth < 0)
      || CASE m.metric WHEN 'eta' THEN 's' WHEN 'mappings' THEN '' ELSE 'KB' END, 'U')
    -- of times, less is worse
    || ifnull((SELECT group_concat(';' || ifnull(v || CASE m.metric WHEN 'eta' THEN ':' ELSE '' END, ''), '')
      FROM (SELECT v FROM printed WHERE place = m.place AND nth >= 0 ORDER BY nth)), '')
    -- growth can be below 0
    || CASE m.metric WHEN 'growth' THEN ';;' ELSE ';0;' END AS performance
FROM metric m
CROSS JOIN result r
ORDER BY m.place;
