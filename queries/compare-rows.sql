-- name:   compare-rows
-- title:  What compare finds: runs of B against runs of A
-- param:  samples   text  ""  Rows of compare-samples, as JSON
-- param:  tolerance ratio 0.01 Differences that are smaller shares of the process do not matter
-- param:  gates     text  ""  Only these, [{"key":KEY,"metric":METRIC,"share":SHARE or "amount":AMOUNT},...]: p is corrected for them alone
-- param:  all       bool  1    Also the categories that do not differ
-- column: key         category Category, or total for the whole process
-- column: metric      text     level, peak, growth, per_work or mappings
-- column: a           amount   Mean over the runs of A: KiB, KiB an hour, KiB for a unit of work, or mappings
-- column: b           amount   Mean over the runs of B
-- column: difference  amount   b - a
-- column: low         amount   Lower end of its 95 % interval
-- column: high        amount   Upper end
-- column: p_adjusted  ratio    p, corrected for all numbers that are judged
-- column: outcome     text     same, better, worse, cannot tell
-- column: p           ratio    How often chance alone makes such a difference
-- column: tolerance   amount   A smaller difference does not matter
-- column: runs_needed count    Runs of each that would tell, in 4 of 5 comparisons
-- table:  key metric a b difference low high p_adjusted outcome
-- narrow: key metric a b difference p_adjusted outcome
-- empty:  nothing is compared
--
-- p_adjusted takes into account only what varies by more than the tolerance: nothing else can differ
-- by more, and whether it varies does not depend on which run is of A. A difference that is surely
-- larger than the tolerance is better or worse; one that is surely smaller is the same. With one
-- run of each, only growth is judged: how much the level of one build differs from run to run is
-- unknown.
WITH row AS (
  SELECT j.key AS nth, json_extract(j.value, '$.of_b') AS of_b, json_extract(j.value, '$.key') AS key, j.value AS of,
    sum(json_extract(j.value, '$.key') = 'total') OVER (ORDER BY j.key) AS run
  FROM json_each(:samples) j
  WHERE json_extract(j.value, '$.note') IS NULL
),
whole AS (
  -- the same in every sample; notes come before the samples
  SELECT json_extract(value, '$.blocks') AS blocks, json_extract(value, '$.memory') AS memory,
    json_extract(value, '$.hours') AS hours, json_extract(value, '$.work') AS work, json_extract(value, '$.least') AS least
  FROM (SELECT json_extract(:samples, '$[#-1]') AS value)
  WHERE json_extract(value, '$.key') IS NOT NULL
),
metric(nth, metric) AS (
  VALUES (0, 'level'), (1, 'peak'), (2, 'growth'), (3, 'per_work'), (4, 'mappings')
),
sample AS (
  SELECT r.run, r.of_b, r.key, m.metric, 5 * (row_number() OVER (PARTITION BY r.run, m.nth ORDER BY r.nth) - 1) + m.nth AS statistic,
    json_extract(r.of, '$.' || m.metric) AS value
  FROM row r CROSS JOIN metric m
),
statistic AS (
  SELECT statistic, key, metric, max(value) - min(value) AS range, CASE WHEN count(value) = count(*) THEN avg(value) END AS mean,
    count(value) = count(*) AND (metric = 'mappings' OR (SELECT memory FROM whole)) AS known
  FROM sample GROUP BY statistic
),
gate AS (
  SELECT g.key AS nth, s.statistic, json_extract(g.value, '$.share') AS share, json_extract(g.value, '$.amount') AS amount
  FROM json_each(:gates) g
  LEFT JOIN statistic s ON s.key = json_extract(g.value, '$.key') AND s.metric = json_extract(g.value, '$.metric')
    AND NOT (s.metric = 'per_work' AND (SELECT work FROM whole) IS NULL)
),
judged AS (
  SELECT s.statistic, CASE WHEN :gates IS NOT NULL THEN s.known AND s.statistic IN (SELECT statistic FROM gate)
    ELSE (s.metric = 'mappings' OR w.memory) AND ifnull(s.range > :tolerance * CASE s.metric WHEN 'mappings' THEN s.mappings
      WHEN 'growth' THEN s.level / w.hours WHEN 'per_work' THEN s.level / w.work ELSE s.level END, 0) END AS judged
  FROM (
    SELECT *, abs(max(CASE WHEN key = 'total' AND metric = 'level' THEN mean END) OVER ()) AS level,
      abs(max(CASE WHEN key = 'total' AND metric = 'mappings' THEN mean END) OVER ()) AS mappings
    FROM statistic
  ) s CROSS JOIN whole w
),
dealt AS (
  SELECT permute(statistic, of_b, value, judged) AS contrasts
  FROM (SELECT s.statistic, s.of_b, s.value, j.judged FROM sample s JOIN judged j ON j.statistic = s.statistic
    ORDER BY s.run, s.statistic)
),
contrast AS (
  SELECT s.statistic, s.key, s.metric, CAST(json_extract(c.value, '$.a') AS REAL) AS a, CAST(json_extract(c.value, '$.b') AS REAL) AS b,
    CAST(json_extract(c.value, '$.low') AS REAL) AS low, CAST(json_extract(c.value, '$.high') AS REAL) AS high,
    CASE WHEN s.known THEN CAST(json_extract(c.value, '$.p') AS REAL) END AS p,
    CASE WHEN s.known THEN CAST(json_extract(c.value, '$.p_adjusted') AS REAL) END AS p_adjusted,
    json_extract(c.value, '$.deviation') AS deviation
  FROM json_each((SELECT contrasts FROM dealt)) c
  JOIN statistic s ON s.statistic = c.key
),
asked AS (
  SELECT statistic AS nth, CASE metric WHEN 'mappings' THEN of_mappings WHEN 'growth' THEN of_level / hours
    WHEN 'per_work' THEN of_level / work ELSE of_level END AS tolerance, a.*
  FROM (
    -- what a difference of total must exceed to matter
    SELECT *, :tolerance * max(CASE WHEN key = 'total' AND metric = 'level' THEN larger END) OVER () AS of_level,
      :tolerance * max(CASE WHEN key = 'total' AND metric = 'mappings' THEN larger END) OVER () AS of_mappings
    FROM (SELECT *, coalesce(max(abs(a), abs(b)), abs(a), abs(b)) AS larger FROM contrast)
  ) a CROSS JOIN whole
  WHERE :gates IS NULL AND NOT (metric = 'per_work' AND work IS NULL)
  UNION ALL
  SELECT g.nth, CAST(coalesce(g.amount, abs(c.a) * g.share) AS REAL), c.*, NULL, NULL, NULL
  FROM gate g LEFT JOIN contrast c ON c.statistic = g.statistic
),
outcome AS (
  SELECT q.*, CASE WHEN p IS NULL OR (w.blocks AND metric NOT IN ('growth', 'per_work')) THEN 'cannot tell'
    WHEN p_adjusted <= .01 AND abs(b - a) > q.tolerance THEN CASE WHEN b > a THEN 'worse' ELSE 'better' END
    WHEN (low >= -q.tolerance AND high <= q.tolerance) OR (a = 0 AND b = 0) OR p_adjusted <= .01 THEN 'same'
    ELSE 'cannot tell' END AS outcome,
    -- (2.58 + 0.84)^2: a two-sided test at 1 % finds a difference in 4 of 5 samples
    CASE WHEN q.tolerance > 0 THEN 2 * 11.68 * (deviation / q.tolerance) * (deviation / q.tolerance) END AS runs, w.least
  FROM asked q CROSS JOIN whole w
)
SELECT key, metric, CASE WHEN metric IN ('mappings', 'per_work') THEN a ELSE CAST(round(a) AS INTEGER) END AS a,
  CASE WHEN metric IN ('mappings', 'per_work') THEN b ELSE CAST(round(b) AS INTEGER) END AS b,
  CASE WHEN metric IN ('mappings', 'per_work') THEN b - a ELSE CAST(round(b - a) AS INTEGER) END AS difference,
  CASE WHEN metric IN ('mappings', 'per_work') THEN low ELSE CAST(round(low) AS INTEGER) END AS low,
  CASE WHEN metric IN ('mappings', 'per_work') THEN high ELSE CAST(round(high) AS INTEGER) END AS high, p_adjusted, outcome, p,
  CASE WHEN metric IN ('mappings', 'per_work') THEN tolerance ELSE CAST(round(tolerance) AS INTEGER) END AS tolerance,
  -- fewer than 5 of each never have p below 1 %
  CASE WHEN outcome = 'cannot tell' THEN CASE WHEN runs <= 1000 THEN max(CAST(runs AS INTEGER) + (runs > CAST(runs AS INTEGER)), 5)
    WHEN least > .01 AND p IS NOT NULL THEN 5 END END AS runs_needed
FROM outcome
WHERE :all OR key = 'total' OR outcome IN ('worse', 'better')
ORDER BY nth;
