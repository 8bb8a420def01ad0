-- name:   leaks-words
-- title:  Verdicts in words: the rows of leaks as people read them
-- param:  leaks   text  ""  Rows of leaks, as JSON
-- param:  suited  bool  0   In suitable units instead of KiB
-- column: nth        int      The place of the row in leaks
-- column: process_id process  Of the row
-- column: whole      bool     The row is the process, not a part of it
-- column: finding    bool     A leak or suspect; the process itself only if it is worse than its parts
-- column: counted    bool     A part, or a process that has none or is a finding
-- column: name       text     Name of the process
-- column: pid        int      Process id of its newest life
-- column: called     text     NAME/PID
-- column: key        text     What grows
-- column: category   category Its category
-- column: lineage    int      If it is a mapping through time
-- column: path       text     What is mapped
-- column: dialect    text     Of the captures
-- column: verdict    text     As in leaks
-- column: metric     text     As in leaks
-- column: unit       text     KiB or mappings
-- column: rate       real     Growth per hour, as a number
-- column: seen       real     The smallest growth per hour that would have been seen, as a number
-- column: last       real     The newest value, as a number
-- column: snapshots  count    Snapshots that were judged
-- column: lives      count    Lives that were judged
-- column: since      time     When the growth began
-- column: reason     text     Why
-- column: touched    text     What of the growth was touched again
-- column: blind      bool     The resident memory of the process is unknown
-- column: limited    bool     A limit is known
-- column: rate_words  text    +212 KiB/h [198, 227]
-- column: shape_words text    linear since 2026-11-14 03:10 UTC, 94 % sure
-- column: course_words text   rss 41.2 -> 80.3 MiB over 6h42m, 240 snapshots, 1 life, as of 2026-11-14 03:10:02 UTC
-- column: seen_words  text    0.4 KiB/h
-- column: limit_words text    4 GiB in 18h42m, at 2026-11-14 21:52 UTC [17h30m, 20h06m]
-- column: as_of_words text    , as of 2026-11-14 03:10:02 UTC
--
-- Three significant digits, or all of those before the point; the numbers of one phrase have one unit. A limit is reached so
-- much after now if the captures are of the last day, else after the newest of them.
WITH leak AS (
  SELECT key AS nth, json_extract(value, '$.process_id') AS process_id, ifnull(json_extract(value, '$.whole'), json_extract(value, '$.key') = 'total'
      AND row_number() OVER (PARTITION BY json_extract(value, '$.process_id') ORDER BY key) = 1) AS whole,
    json_extract(value, '$.name') AS name, json_extract(value, '$.pid') AS pid, json_extract(value, '$.key') AS "key",
    json_extract(value, '$.category') AS category, coalesce(json_extract(value, '$.lineage'), CASE WHEN json_extract(value, '$.path') IS NOT NULL
      AND json_extract(value, '$.key') NOT GLOB '*[^0-9]*' THEN CAST(json_extract(value, '$.key') AS INTEGER) END) AS lineage,
    json_extract(value, '$.path') AS path, json_extract(value, '$.dialect') AS dialect,
    json_extract(value, '$.verdict') AS verdict, json_extract(value, '$.metric') AS metric,
    json_extract(value, '$.unit') AS unit, json_extract(value, '$.shape') AS shape, json_extract(value, '$.first') AS first,
    json_extract(value, '$.last') AS last, json_extract(value, '$.rate_per_h') AS rate,
    json_extract(value, '$.rate_low') AS low, json_extract(value, '$.rate_high') AS high,
    json_extract(value, '$.detectable_per_h') AS seen, json_extract(value, '$.mappings_per_h') AS mappings,
    json_extract(value, '$.confidence') AS confidence, json_extract(value, '$.snapshots') AS snapshots,
    json_extract(value, '$.lives') AS lives, json_extract(value, '$.span_h') AS span_h,
    json_extract(value, '$.since') AS since, json_extract(value, '$.reason') AS reason,
    json_extract(value, '$.touched') AS touched, json_extract(value, '$.limit') AS "limit",
    json_extract(value, '$.limit_by') AS limit_by, json_extract(value, '$.eta_h') AS eta_h,
    json_extract(value, '$.last_at') AS last_at, json_extract(value, '$.rss_from') AS rss_from
  FROM json_each(:leaks)
),
grade AS (
  SELECT nth, process_id, whole, CASE verdict WHEN 'leak' THEN 2 WHEN 'suspect' THEN 1 ELSE 0 END AS grade,
    max(CASE WHEN whole THEN -1 WHEN verdict = 'leak' THEN 2 WHEN verdict = 'suspect' THEN 1 ELSE 0 END)
      OVER (PARTITION BY process_id) AS worst_part
  FROM leak
),
number AS (
  -- each number, and the one that its unit suits
  SELECT nth, 'first' AS what, first AS v, last AS suits FROM leak
  UNION ALL SELECT nth, 'last', last, last FROM leak
  UNION ALL SELECT nth, 'rate', rate, rate FROM leak
  UNION ALL SELECT nth, 'low', low, rate FROM leak
  UNION ALL SELECT nth, 'high', high, rate FROM leak
  UNION ALL SELECT nth, 'seen', seen, seen FROM leak
  UNION ALL SELECT nth, 'limit', "limit", "limit" FROM leak
  UNION ALL SELECT nth, 'mappings', mappings, 0 FROM leak
),
scaled AS (
  SELECT n.nth, n.what, n.v * 1.0 / (1 << (10 * s.step)) AS v, CASE l.unit WHEN 'mappings' THEN 'mappings'
    ELSE substr('KMGTP', s.step + 1, 1) || 'iB' END AS unit
  FROM number n
  JOIN leak l ON l.nth = n.nth
  JOIN (SELECT 0 AS step UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4) s
    -- 1023.5 would be rounded to 1024, which is 1 in the next unit
    ON s.step = CASE WHEN l.unit = 'mappings' OR NOT :suited OR n.suits IS NULL OR abs(n.suits) < 1023.5 THEN 0
      WHEN abs(n.suits) / 1024.0 < 1023.5 THEN 1 WHEN abs(n.suits) / 1048576.0 < 1023.5 THEN 2
      WHEN abs(n.suits) / 1073741824.0 < 1023.5 THEN 3 ELSE 4 END
),
words AS (
  SELECT nth, max(CASE what WHEN 'first' THEN t END) AS first, max(CASE what WHEN 'last' THEN t END) AS last,
    max(CASE what WHEN 'rate' THEN t END) AS rate, max(CASE what WHEN 'low' THEN t END) AS low,
    max(CASE what WHEN 'high' THEN t END) AS high, max(CASE what WHEN 'seen' THEN t END) AS seen,
    max(CASE what WHEN 'limit' THEN t END) AS "limit", max(CASE what WHEN 'mappings' THEN t END) AS mappings,
    max(CASE what WHEN 'last' THEN unit END) AS last_unit, max(CASE what WHEN 'rate' THEN unit END) AS rate_unit,
    max(CASE what WHEN 'seen' THEN unit END) AS seen_unit, max(CASE what WHEN 'limit' THEN unit END) AS limit_unit
  FROM (SELECT nth, what, unit, CASE WHEN v IS NULL THEN '?' WHEN abs(v) >= 99.95 THEN printf('%.0f', v) ELSE printf('%.3g', v) END AS t
    FROM scaled)
  GROUP BY nth
),
clock AS (
  SELECT *, ms + CAST(eta_h * 3600000 AS INTEGER) AS end_ms
  FROM (SELECT nth, eta_h, CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) AS now_ms,
      -- beyond ten years no date is meant
      CASE WHEN eta_h <= 87600 THEN CAST(round((julianday(last_at) - 2440587.5) * 86400000) AS INTEGER) END AS ms
    FROM leak)
),
remaining AS (
  -- the clock goes on for what was captured within a day
  SELECT *, CASE WHEN now_ms - ms < 86400000 AND end_ms > now_ms AND (end_ms - now_ms) / 3600000.0 < eta_h
    THEN (end_ms - now_ms) / 3600000.0 ELSE eta_h END AS left_h
  FROM clock
),
ending AS (
  SELECT nth, left_h, 'in ' || span_text(left_h * 3600000.0) || coalesce(', at '
    || CASE WHEN date(end_ms / 1000.0, 'unixepoch') = date(now_ms / 1000.0, 'unixepoch') THEN ''
      ELSE date(end_ms / 1000.0, 'unixepoch') || ' ' END || strftime('%H:%M', end_ms / 1000.0, 'unixepoch') || ' UTC', '') AS words
  FROM remaining
)
SELECT l.nth, l.process_id, l.whole, g.grade > 0 AND (NOT l.whole OR g.grade > g.worst_part) AS finding,
  NOT l.whole OR g.worst_part < 0 OR g.grade > max(g.worst_part, 0) AS counted, l.name, l.pid,
  substr(l.name, 1, 128) || coalesce('/' || l.pid, '') AS called, l."key", l.category, l.lineage, l.path, l.dialect,
  l.verdict, l.metric, l.unit, l.rate, l.seen, l.last, l.snapshots, l.lives, l.since, l.reason, l.touched,
  ifnull(l.rss_from, '') = 'unknown' AS blind, l."limit" IS NOT NULL AS limited,
  CASE WHEN l.rate > 0 THEN '+' ELSE '' END || w.rate || ' ' || w.rate_unit || '/h [' || w.low || ', ' || w.high || ']' AS rate_words,
  ifnull(json_extract('{"const":"flat","step":"one step","two-step":"two steps","saturating":"levelling off","knee":"fast, then linear",
      "ramp-then-flat":"a ramp, then flat","late-ramp":"flat, then linear","power":"slower and slower","log":"slower and slower",
      "warmup+linear":"a warm-up, then linear","two-tau":"levelling off","step+linear":"linear with a step",
      "accelerating":"faster and faster"}', '$."' || l.shape || '"'), ifnull(l.shape, ''))
    || CASE WHEN length(l.since) >= 16 THEN ' since ' || substr(l.since, 1, 10) || ' ' || substr(l.since, 12, 5) || ' UTC' ELSE '' END
    || CASE WHEN g.grade > 0 AND l.confidence IS NOT NULL
      THEN ', ' || CAST(min(99, l.confidence * 100) AS INTEGER) || ' % sure' ELSE '' END AS shape_words,
  CASE l.unit WHEN 'KiB' THEN l.metric || ' ' ELSE '' END || w.first || ' -> ' || w.last || ' ' || w.last_unit
    || CASE WHEN l.unit = 'KiB' AND l.mappings > 0 THEN ', +' || w.mappings || ' mappings/h' ELSE '' END
    || coalesce(' over ' || span_text(l.span_h * 3600000.0), '')
    || coalesce(', ' || l.snapshots || ' snapshots, ' || l.lives || CASE l.lives WHEN 1 THEN ' life' ELSE ' lives' END, '')
    || CASE WHEN length(l.last_at) >= 19 THEN ', as of ' || substr(l.last_at, 1, 10) || ' ' || substr(l.last_at, 12, 8) || ' UTC'
      ELSE '' END AS course_words,
  w.seen || ' ' || CASE WHEN l.seen IS NULL THEN '' ELSE w.seen_unit END || '/h' AS seen_words,
  CASE WHEN l."limit" IS NULL THEN 'none known; give --limit SIZE to see how long it lasts'
    ELSE CASE l.limit_by WHEN 'cgroup' THEN 'cgroup limit ' WHEN 'address space' THEN 'address space limit (ulimit -v) '
        WHEN 'stack' THEN 'stack limit (ulimit -s) ' WHEN 'map count' THEN 'vm.max_map_count ' ELSE '' END
      || w."limit" || ' ' || w.limit_unit || CASE WHEN l.eta_h IS NULL THEN '; when it is reached is not known'
        WHEN l.eta_h <= 0 THEN ' is reached'
        ELSE ' ' || e.words || CASE WHEN l.low IS NULL OR l.high IS NULL OR l.high <= 0 THEN ''
          ELSE ' [' || span_text(max(l.eta_h * l.rate / l.high - (l.eta_h - e.left_h), 0) * 3600000.0) || ', '
            || CASE WHEN l.low <= 0 THEN 'never' ELSE span_text((l.eta_h * l.rate / l.low - (l.eta_h - e.left_h)) * 3600000.0) END
            || ']' END END END AS limit_words,
  CASE WHEN length(l.last_at) >= 19 THEN ', as of ' || substr(l.last_at, 1, 10) || ' ' || substr(l.last_at, 12, 8) || ' UTC'
    ELSE '' END AS as_of_words
FROM leak l
JOIN grade g ON g.nth = l.nth
JOIN words w ON w.nth = l.nth
JOIN ending e ON e.nth = l.nth
ORDER BY l.nth;
