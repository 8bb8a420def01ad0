-- name:   plot-verdict
-- title:  What plot says about a process: badge, sentence, facts, forecast
-- param:  words     text ""  Rows of leaks-words about one process, as JSON
-- param:  metric    text rss One of rss, pss, private, private_dirty, size, swap, mappings: what is drawn
-- param:  exact     bool 0   Numbers of another metric are not drawn
-- param:  snapshots int  0   Snapshots that are drawn
-- column: badge     text  LEAK, SUSPECT, NO LEAK, UNKNOWN, TOO FEW
-- column: said      text  The verdict in a sentence
-- column: facts     text  The course, and when it reaches its limit
-- column: whole     bool  The finding is the process, whose numbers are drawn
-- column: limit     real  Of what is drawn
-- column: limit_words text What comes before the limit
-- column: rate      real  Growth per hour of the process, if it leaks and is drawn
-- column: low       real  Lower end of its 90 % interval
-- column: high      real  Upper end
-- column: since     time  When the worst finding began
WITH leak AS (
  SELECT key AS nth, json_extract(value, '$.whole') AS whole, json_extract(value, '$.finding') AS finding,
    json_extract(value, '$.counted') AS counted, json_extract(value, '$.key') AS "key", json_extract(value, '$.verdict') AS verdict,
    json_extract(value, '$.metric') AS metric, json_extract(value, '$.unit') = 'KiB' AS kib, json_extract(value, '$.rate') AS rate, value
  FROM json_each(:words)
),
n AS (
  SELECT ifnull(sum(counted AND verdict IN ('leak', 'suspect')), 0) AS found,
    ifnull(sum(counted AND verdict IN ('steady', 'plateau', 'shrinking')), 0) AS healthy,
    (SELECT group_concat("key", ', ') FROM (SELECT "key" FROM leak WHERE NOT whole AND verdict = 'plateau' ORDER BY nth LIMIT 3)) AS stopped
  FROM leak
),
worst AS (
  SELECT * FROM leak WHERE finding ORDER BY verdict = 'leak' DESC, kib DESC, rate DESC, nth LIMIT 1
),
process AS (
  SELECT *, kib AND :metric <> 'mappings' AND (NOT :exact OR metric = :metric) AS drawn, json_extract(value, '$.blind') AS blind
  FROM leak ORDER BY nth LIMIT 1
),
about AS (
  SELECT json_extract(ifnull(w.value, p.value), '$.course_words') AS course, json_extract(ifnull(w.value, p.value), '$.limited') AS limited,
    json_extract(ifnull(w.value, p.value), '$.limit_words') AS "limit"
  FROM process p LEFT JOIN worst w ON 1
)
SELECT CASE WHEN w.nth IS NOT NULL THEN upper(w.verdict) WHEN n.healthy = 0 THEN 'TOO FEW' WHEN p.blind THEN 'UNKNOWN'
    ELSE 'NO LEAK' END AS badge,
  CASE WHEN w.nth IS NOT NULL THEN CASE WHEN w.whole THEN 'the whole process' ELSE w."key" END || ' '
      || json_extract(w.value, '$.rate_words') || ', ' || json_extract(w.value, '$.shape_words')
      || CASE WHEN n.found > 1 THEN '; ' || (n.found - 1) || ' more' ELSE '' END
    WHEN n.healthy = 0 THEN 'No verdict yet: ' || :snapshots || CASE :snapshots WHEN 1 THEN ' snapshot' ELSE ' snapshots' END
      || '; at least 8 of one life are needed'
    ELSE coalesce(n.stopped || ' grew and stopped', 'Nothing grows')
      || CASE WHEN p.blind THEN '; resident memory is unknown' ELSE '' END END AS said,
  CASE WHEN :snapshots > 1 THEN a.course ELSE '' END || CASE WHEN a.limited THEN '; limit: ' || a."limit" ELSE '' END AS facts,
  p.drawn AND ifnull(w.whole, 0) AS whole, CASE WHEN p.drawn THEN json_extract(p.value, '$.limit') END AS "limit",
  coalesce(nullif(json_extract(p.value, '$.limit_before'), ''), 'limit ') AS limit_words,
  CASE WHEN p.drawn AND w.verdict = 'leak' AND p.rate > 0 THEN p.rate END AS rate,
  CASE WHEN p.drawn AND w.verdict = 'leak' AND p.rate > 0 THEN json_extract(p.value, '$.low') END AS low,
  CASE WHEN p.drawn AND w.verdict = 'leak' AND p.rate > 0 THEN json_extract(p.value, '$.high') END AS high,
  json_extract(w.value, '$.since') AS since
FROM n CROSS JOIN process p CROSS JOIN about a LEFT JOIN worst w ON 1;
