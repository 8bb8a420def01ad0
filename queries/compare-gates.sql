-- name:   compare-gates
-- title:  What decides the exit status of compare, in words: the worst outcome, then each gate
-- param:  findings text ""  Rows of compare-rows, as JSON: with gates one for each, else all
-- param:  gates    text ""  What --fail-on asks: as of compare-rows, each with its "text" and "what" it names
-- param:  samples  text ""  Rows of compare-samples, as JSON
-- column: outcome  text     same, better, worse, cannot tell; trouble: the number of a gate is not compared
-- column: gate     text     The text of the gate
-- column: key      category Category, or total
-- column: metric   text     The number that is compared
-- column: said     text     What was found
-- empty:  nothing is compared
--
-- Without gates, the level and the peak of total and all that is worse decide.
WITH finding AS (
  SELECT f.key AS nth, json_extract(f.value, '$.outcome') AS outcome, json_extract(f.value, '$.key') AS key,
    json_extract(f.value, '$.metric') AS metric, json_extract(f.value, '$.p') AS p,
    json_extract(f.value, '$.p_adjusted') AS p_adjusted, json_extract(f.value, '$.runs_needed') AS runs_needed,
    json_extract(:gates, '$[' || f.key || '].text') AS gate, json_extract(:gates, '$[' || f.key || '].what') AS what,
    json_extract(:gates, '$[' || f.key || '].metric') AS asked, f.value AS of
  FROM json_each(:findings) f
),
number(name, sign) AS (
  VALUES ('a', ''), ('b', ''), ('difference', '+'), ('low', '+'), ('high', '+'), ('tolerance', '')
),
amount AS (
  SELECT f.nth, n.name, n.sign, f.metric, json_extract(f.of, '$.' || n.name) AS value
  FROM finding f CROSS JOIN number n
),
word AS (
  SELECT nth, name, CASE WHEN metric IN ('mappings', 'per_work')
      THEN printf('%' || sign || '.4g', value) || CASE metric WHEN 'per_work' THEN ' KiB' ELSE '' END
    ELSE CASE WHEN value > 0 THEN sign ELSE '' END || kib_text(value) || CASE metric WHEN 'growth' THEN '/h' ELSE '' END END AS text
  FROM amount WHERE value IS NOT NULL
),
words AS (
  SELECT nth, max(CASE name WHEN 'a' THEN text END) AS a, max(CASE name WHEN 'b' THEN text END) AS b,
    max(CASE name WHEN 'difference' THEN text END) AS difference, max(CASE name WHEN 'low' THEN text END) AS low,
    max(CASE name WHEN 'high' THEN text END) AS high, max(CASE name WHEN 'tolerance' THEN text END) AS tolerance
  FROM word GROUP BY nth
),
run AS (
  SELECT max(json_extract(value, '$.blocks')) AS blocks, max(json_extract(value, '$.runs_a')) AS a,
    max(json_extract(value, '$.runs_b')) AS b
  FROM json_each(:samples)
),
gate AS (
  SELECT f.nth, CASE WHEN f.key IS NULL THEN 'trouble' ELSE f.outcome END AS outcome, f.gate, f.key, f.metric, CASE WHEN f.key IS NOT NULL
      THEN f.outcome || ': ' || f.key || ' ' || f.metric || ' ' || ifnull(w.a, '?') || ' -' || '> ' || ifnull(w.b, '?')
        || CASE WHEN f.p IS NULL THEN ', cannot be compared' ELSE ', ' || w.difference || ifnull(' [' || w.low || ', ' || w.high || ']', '')
          || CASE WHEN f.p_adjusted IS NULL THEN '' ELSE printf(', p %.2g', f.p_adjusted) END
          || CASE f.outcome WHEN 'same' THEN ', within ' || w.tolerance ELSE '' END
          || CASE WHEN f.outcome = 'cannot tell' AND r.blocks THEN '; several runs of each would tell'
            ELSE ifnull('; about ' || f.runs_needed || ' runs of each would tell', '') END END
    WHEN f.asked = 'per_work' THEN 'the work of the runs is unknown: --work FILE'
    ELSE 'no category ''' || f.what || ''' is compared; the others are rss, peak, growth, per_work, mappings' END AS said
  FROM finding f
  LEFT JOIN words w ON w.nth = f.nth
  CROSS JOIN run r
  WHERE :gates IS NOT NULL OR (f.key = 'total' AND f.metric IN ('level', 'peak')) OR f.outcome = 'worse'
),
worst AS (
  SELECT CASE WHEN max(outcome = 'worse') THEN 'worse' WHEN max(outcome = 'cannot tell') THEN 'cannot tell' ELSE 'same' END AS outcome
  FROM gate GROUP BY NULL
)
SELECT outcome, gate, key, metric, said
FROM (
  SELECT -1 AS nth, outcome, NULL AS gate, NULL AS key, NULL AS metric,
    CASE outcome WHEN 'same' THEN 'not worse' ELSE outcome END || printf(': %d run%s of A, %d of B', a, CASE a WHEN 1 THEN '' ELSE 's' END, b) AS said
  FROM worst CROSS JOIN run
  UNION ALL
  SELECT nth, outcome, gate, key, metric, said FROM gate
)
ORDER BY nth;
