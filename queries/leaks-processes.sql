-- name:   leaks-processes
-- title:  The verdicts of leaks by process: the worst finding of each, and what it holds
-- param:  leaks   text ""      Rows of leaks, as JSON
-- param:  filter  text ""      Only processes whose NAME/PID has this in it
-- param:  by-name bool 0       A row for all processes of a name; what has ended is a row of its own
-- param:  order   text finding One of finding, rss, rate, name: the worst first; or what has ended comes last
-- column: process_id process Its newest life; of a name the worst process
-- column: name       text    Name of the process
-- column: called     text    NAME/PID, or NAME (processes)
-- column: n          count   Processes of the row
-- column: siblings   count   Processes of that name
-- column: lives      count   Lives that were judged
-- column: snapshots  count   Snapshots that were judged
-- column: ended      bool    The newest captures do not show it
-- column: blind      bool    Its resident memory is unknown
-- column: last       real    The newest value of the metric of the process
-- column: grown      real    Its growth since the first snapshot
-- column: verdict    text    The worst of its verdicts
-- column: grade      int     2: a leak, 1: a suspect, 0
-- column: whole      bool    The worst finding is the process, not a part of it
-- column: key        text    The worst finding; empty: nothing leaks
-- column: said       text    The verdict in words
-- column: rows       text    Its rows of leaks, as JSON: with whole and lineage, without what is unknown
-- column: brief      text    Of these only the process itself and what leaks
--
-- A finding is a leak or a suspect; the process itself is one only if it is worse than all its parts. Growth in KiB is worse
-- than growth in number.
WITH leak AS (
  SELECT key AS nth, value, json_extract(value, '$.process_id') AS process_id, json_extract(value, '$.name') AS name,
    json_extract(value, '$.pid') AS pid, json_extract(value, '$.key') AS "key", json_extract(value, '$.unit') = 'KiB' AS kib,
    json_extract(value, '$.rate_per_h') AS rate, json_extract(value, '$.first') AS first, json_extract(value, '$.last') AS last,
    json_extract(value, '$.last_at') AS last_at, json_extract(value, '$.verdict') AS verdict,
    json_extract(value, '$.lives') AS lives, json_extract(value, '$.snapshots') AS snapshots,
    ifnull(json_extract(value, '$.rss_from') = 'unknown', 0) AS blind,
    json_extract('{"leak":5,"suspect":4,"plateau":3,"shrinking":2,"steady":1,"too-few":0}', '$."' || json_extract(value, '$.verdict') || '"') AS rank,
    CASE WHEN json_extract(value, '$.path') IS NOT NULL AND json_extract(value, '$.key') NOT GLOB '*[^0-9]*'
      THEN CAST(json_extract(value, '$.key') AS INTEGER) END AS lineage,
    row_number() OVER (PARTITION BY json_extract(value, '$.process_id') ORDER BY key) AS line
  FROM json_each(:leaks)
),
part AS (
  SELECT *, line = 1 AND "key" = 'total' AS whole,
    max(CASE WHEN line > 1 OR "key" <> 'total' THEN rank END) OVER (PARTITION BY process_id) AS worst_part,
    max(rank) OVER (PARTITION BY process_id) AS worst
  FROM leak
),
found AS (
  SELECT *, rank >= 4 AND (NOT whole OR rank > ifnull(worst_part, -1)) AS finding FROM part
),
placed AS (
  SELECT *, row_number() OVER (PARTITION BY process_id ORDER BY finding DESC, rank DESC, kib DESC, rate DESC, nth) AS place FROM found
),
object AS (
  SELECT process_id, whole OR rank >= 4 AS brief, json_patch('{"whole":' || CASE WHEN whole THEN 'true' ELSE 'false' END
    || coalesce(',"lineage":' || lineage, '') || '}', value) AS value
  FROM found ORDER BY process_id, nth
),
text AS (
  SELECT process_id, '[' || group_concat(value) || ']' AS rows, '[' || ifnull(group_concat(CASE WHEN brief THEN value END), '') || ']' AS brief
  FROM object GROUP BY process_id
),
process AS (
  SELECT b.nth, b.process_id, b.name, substr(b.name, 1, 128) || coalesce('/' || b.pid, '') AS called, b.lives, b.snapshots,
    b.last_at IS NOT max(b.last_at) OVER () AS ended, b.blind, b.last, b.last - b.first AS grown, b.rate, w.worst,
    w.finding, w.whole, w."key", w.kib, w.rate AS worst_rate, count(*) OVER (PARTITION BY b.name) AS siblings
  FROM placed b JOIN placed w ON w.process_id = b.process_id AND w.place = 1
  WHERE b.line = 1
),
joined AS (
  -- of several processes the worst one, with their sums
  SELECT *, count(*) OVER g AS n, row_number() OVER (g ORDER BY worst DESC, nth) AS member,
    CASE WHEN count(last) OVER g = count(*) OVER g THEN sum(last) OVER g END AS all_last,
    CASE WHEN count(grown) OVER g = count(*) OVER g THEN sum(grown) OVER g END AS all_grown,
    CASE count(*) OVER g WHEN 1 THEN rate ELSE sum(max(rate, 0)) OVER g END AS all_rate
  FROM process
  WHERE :filter IS NULL OR instr(called, :filter) > 0
  WINDOW g AS (PARTITION BY CASE WHEN :by_name THEN name ELSE process_id END, ended)
),
said AS (
  SELECT *, CASE n WHEN 1 THEN called ELSE substr(name, 1, 150) || ' (' || n || ')' END AS shown,
    json_extract('["too-few","steady","shrinking","plateau","suspect","leak"]', '$[' || worst || ']') AS verdict
  FROM joined WHERE member = 1
)
SELECT s.process_id, s.name, s.shown AS called, s.n, s.siblings, s.lives, s.snapshots, s.ended, s.blind,
  s.all_last AS last, s.all_grown AS grown, s.verdict, max(s.worst - 3, 0) AS grade, s.finding AND s.whole AS whole,
  CASE WHEN s.finding THEN s."key" END AS "key", CASE WHEN s.ended THEN 'ended' WHEN s.worst = 0 THEN 'too few yet'
    WHEN s.finding THEN s.verdict || ': ' || s."key" ELSE s.verdict END AS said, t.rows, t.brief
FROM said s JOIN text t ON t.process_id = s.process_id
ORDER BY CASE :order WHEN 'finding' THEN NOT s.finding ELSE s.ended END,
  CASE :order WHEN 'rss' THEN s.all_last WHEN 'rate' THEN s.all_rate WHEN 'finding' THEN s.finding * s.worst END DESC,
  CASE WHEN :order = 'finding' AND s.finding THEN s.kib END DESC,
  CASE WHEN :order = 'finding' AND s.finding THEN s.worst_rate END DESC,
  CASE :order WHEN 'finding' THEN s.last END DESC, CASE :order WHEN 'finding' THEN s.nth ELSE s.shown END;
