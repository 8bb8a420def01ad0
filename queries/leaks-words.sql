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
-- column: low        real     Lower end of its 90 % interval
-- column: high       real     Upper end
-- column: limit      real     What it cannot exceed
-- column: limit_before text   What comes before the limit: whose it is
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
    CASE json_extract(value, '$.limit_by') WHEN 'cgroup' THEN 'cgroup limit ' WHEN 'stack' THEN 'stack limit (ulimit -s) '
      WHEN 'address space' THEN 'address space limit (ulimit -v) ' WHEN 'map count' THEN 'vm.max_map_count ' ELSE '' END AS limit_before,
    json_extract(value, '$.eta_h') AS eta_h,
    json_extract(value, '$.last_at') AS last_at, json_extract(value, '$.rss_from') AS rss_from
  FROM json_each(:leaks)
),
step (least) AS (
  -- 1023.5 would be rounded to 1024, which is 1 in the next unit
  SELECT value FROM json_each('[1023.5, 1048064, 1073217536, 1098974756864]') WHERE :suited
),
sized AS (
  -- the numbers of one phrase have the unit of one of them; ms: when last_at was, unless no date is meant, beyond ten years
  SELECT *, CASE verdict WHEN 'leak' THEN 2 WHEN 'suspect' THEN 1 ELSE 0 END AS grade,
    max(CASE WHEN whole THEN -1 WHEN verdict = 'leak' THEN 2 WHEN verdict = 'suspect' THEN 1 ELSE 0 END)
      OVER (PARTITION BY process_id) AS worst_part,
    (SELECT count(*) FROM step WHERE unit = 'KiB' AND abs(last) >= least) AS last_step,
    (SELECT count(*) FROM step WHERE unit = 'KiB' AND abs(rate) >= least) AS rate_step,
    (SELECT count(*) FROM step WHERE unit = 'KiB' AND abs(seen) >= least) AS seen_step,
    (SELECT count(*) FROM step WHERE unit = 'KiB' AND abs("limit") >= least) AS limit_step,
    CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) AS now_ms,
    CASE WHEN eta_h <= 87600 THEN CAST(round((julianday(last_at) - 2440587.5) * 86400000) AS INTEGER) END AS ms
  FROM leak
),
scaled AS (
  SELECT *, first * 1.0 / (1 << 10 * last_step) AS first_n, last * 1.0 / (1 << 10 * last_step) AS last_n,
    rate * 1.0 / (1 << 10 * rate_step) AS rate_n, low * 1.0 / (1 << 10 * rate_step) AS low_n,
    high * 1.0 / (1 << 10 * rate_step) AS high_n, seen * 1.0 / (1 << 10 * seen_step) AS seen_n,
    "limit" * 1.0 / (1 << 10 * limit_step) AS limit_n, ms + CAST(eta_h * 3600000 AS INTEGER) AS end_ms
  FROM sized
),
said AS (
  -- left_h: the clock goes on for what was captured within a day
  SELECT *, CASE WHEN abs(first_n) < 99.95 THEN printf('%.3g', first_n) WHEN first_n IS NULL THEN '?' ELSE printf('%.0f', first_n) END AS first_t,
    CASE WHEN abs(last_n) < 99.95 THEN printf('%.3g', last_n) WHEN last_n IS NULL THEN '?' ELSE printf('%.0f', last_n) END AS last_t,
    CASE WHEN abs(rate_n) < 99.95 THEN printf('%.3g', rate_n) WHEN rate_n IS NULL THEN '?' ELSE printf('%.0f', rate_n) END AS rate_t,
    CASE WHEN abs(low_n) < 99.95 THEN printf('%.3g', low_n) WHEN low_n IS NULL THEN '?' ELSE printf('%.0f', low_n) END AS low_t,
    CASE WHEN abs(high_n) < 99.95 THEN printf('%.3g', high_n) WHEN high_n IS NULL THEN '?' ELSE printf('%.0f', high_n) END AS high_t,
    CASE WHEN abs(seen_n) < 99.95 THEN printf('%.3g', seen_n) WHEN seen_n IS NULL THEN '?' ELSE printf('%.0f', seen_n) END AS seen_t,
    CASE WHEN abs(limit_n) < 99.95 THEN printf('%.3g', limit_n) WHEN limit_n IS NULL THEN '?' ELSE printf('%.0f', limit_n) END AS limit_t,
    CASE WHEN abs(mappings) < 99.95 THEN printf('%.3g', mappings) WHEN mappings IS NULL THEN '?' ELSE printf('%.0f', mappings) END AS mappings_t,
    CASE unit WHEN 'KiB' THEN substr('KMGTP', last_step + 1, 1) || 'iB' ELSE unit END AS last_unit,
    CASE unit WHEN 'KiB' THEN substr('KMGTP', rate_step + 1, 1) || 'iB' ELSE unit END AS rate_unit,
    CASE unit WHEN 'KiB' THEN substr('KMGTP', seen_step + 1, 1) || 'iB' ELSE unit END AS seen_unit,
    CASE unit WHEN 'KiB' THEN substr('KMGTP', limit_step + 1, 1) || 'iB' ELSE unit END AS limit_unit,
    CASE WHEN length(last_at) >= 19 THEN ', as of ' || substr(last_at, 1, 10) || ' ' || substr(last_at, 12, 8) || ' UTC' ELSE '' END
      AS as_of,
    coalesce(', at ' || CASE WHEN date(end_ms / 1000.0, 'unixepoch') = date(now_ms / 1000.0, 'unixepoch') THEN ''
      ELSE date(end_ms / 1000.0, 'unixepoch') || ' ' END || strftime('%H:%M', end_ms / 1000.0, 'unixepoch') || ' UTC', '') AS end_at,
    CASE WHEN now_ms - ms < 86400000 AND end_ms > now_ms AND (end_ms - now_ms) / 3600000.0 < eta_h
      THEN (end_ms - now_ms) / 3600000.0 ELSE eta_h END AS left_h
  FROM scaled
  LIMIT -1 -- keeps SQLite from computing a number again wherever it is printed
)
SELECT l.nth, l.process_id, l.whole, l.grade > 0 AND (NOT l.whole OR l.grade > l.worst_part) AS finding,
  NOT l.whole OR l.worst_part < 0 OR l.grade > max(l.worst_part, 0) AS counted, l.name, l.pid,
  substr(l.name, 1, 128) || coalesce('/' || l.pid, '') AS called, l."key", l.category, l.lineage, l.path, l.dialect,
  l.verdict, l.metric, l.unit, l.rate, l.low, l.high, l."limit", l.limit_before, l.seen, l.last, l.snapshots, l.lives, l.since, l.reason, l.touched,
  ifnull(l.rss_from, '') = 'unknown' AS blind, l."limit" IS NOT NULL AS limited,
  CASE WHEN l.rate > 0 THEN '+' ELSE '' END || l.rate_t || ' ' || l.rate_unit || '/h [' || l.low_t || ', ' || l.high_t || ']' AS rate_words,
  ifnull(json_extract('{"const":"flat","step":"one step","two-step":"two steps","saturating":"levelling off","knee":"fast, then linear",
      "ramp-then-flat":"a ramp, then flat","late-ramp":"flat, then linear","power":"slower and slower","log":"slower and slower",
      "warmup+linear":"a warm-up, then linear","two-tau":"levelling off","step+linear":"linear with a step",
      "accelerating":"faster and faster"}', '$."' || l.shape || '"'), ifnull(l.shape, ''))
    || CASE WHEN length(l.since) >= 16 THEN ' since ' || substr(l.since, 1, 10) || ' ' || substr(l.since, 12, 5) || ' UTC' ELSE '' END
    || CASE WHEN l.grade > 0 AND l.confidence IS NOT NULL
      THEN ', ' || CAST(min(99, l.confidence * 100) AS INTEGER) || ' % sure' ELSE '' END AS shape_words,
  -- the arrow is written in two parts, because it is an operator of later versions of SQLite
  CASE l.unit WHEN 'KiB' THEN l.metric || ' ' ELSE '' END || l.first_t || ' -' || '> ' || l.last_t || ' ' || l.last_unit
    || CASE WHEN l.unit = 'KiB' AND l.mappings > 0 THEN ', +' || l.mappings_t || ' mappings/h' ELSE '' END
    || coalesce(' over ' || span_text(l.span_h * 3600000.0), '')
    || coalesce(', ' || l.snapshots || ' snapshots, ' || l.lives || CASE l.lives WHEN 1 THEN ' life' ELSE ' lives' END, '')
    || l.as_of AS course_words,
  l.seen_t || ' ' || CASE WHEN l.seen IS NULL THEN '' ELSE l.seen_unit END || '/h' AS seen_words,
  CASE WHEN l."limit" IS NULL THEN 'none known; give --limit SIZE to see how long it lasts'
    ELSE l.limit_before || l.limit_t || ' ' || l.limit_unit || CASE WHEN l.eta_h IS NULL THEN '; when it is reached is not known'
        WHEN l.eta_h <= 0 THEN ' is reached'
        ELSE ' in ' || span_text(l.left_h * 3600000.0) || l.end_at || CASE WHEN l.low IS NULL OR l.high IS NULL OR l.high <= 0 THEN ''
          ELSE ' [' || span_text(max(l.eta_h * l.rate / l.high - (l.eta_h - l.left_h), 0) * 3600000.0) || ', '
            || CASE WHEN l.low <= 0 THEN 'never' ELSE span_text((l.eta_h * l.rate / l.low - (l.eta_h - l.left_h)) * 3600000.0) END
            || ']' END END END AS limit_words,
  l.as_of AS as_of_words
FROM said l
ORDER BY l.nth;
