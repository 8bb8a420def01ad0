-- name:   leaks-cards
-- title:  What pmapdb leaks says to people: a summary, a card for each finding, the healthy parts
-- param:  words   text  ""  Rows of leaks-words, as JSON
-- param:  by      text  category The keys are of this kind: category, object, lineage
-- param:  top     int   0   At most this many cards
-- column: first      int      Blanks before the piece, if it begins a line
-- column: hang       int      Blanks before the further lines of that line
-- column: gap        int      Blanks before the piece, if it does not begin a line
-- column: tone       text     bold, good, warn, bad, plain: never wrapped; else the piece is words
-- column: words      text     The piece
-- column: part       text     who and next: the line goes on with the answer to the columns below
-- column: process_id process  Of the finding
-- column: process    text     The same as a selector
-- column: category   category What grows; for who not that of a whole process
-- column: lineage    int      If it is a mapping through time
-- column: name       text     Name of the process
-- column: pid        int      Its process id
-- column: lives      bool     Of several lives, the newest has this pid
-- column: count      bool     The number of mappings grows, not their size
-- column: from       time     When the growth began, unless that was an earlier life
-- column: dialect    text     Of the captures
--
-- Leaks come before suspects, then those that grow fastest. A lineage's number alone means nothing to people, and an object
-- can have several categories, so its path or category follows.
WITH leak AS (
  SELECT json_extract(value, '$.nth') AS nth, json_extract(value, '$.process_id') AS process_id,
    json_extract(value, '$.whole') AS whole, json_extract(value, '$.finding') AS finding,
    json_extract(value, '$.counted') AS counted, json_extract(value, '$.called') AS called,
    json_extract(value, '$.key') AS "key", json_extract(value, '$.category') AS category,
    json_extract(value, '$.lineage') AS lineage, json_extract(value, '$.path') AS path,
    json_extract(value, '$.verdict') AS verdict, json_extract(value, '$.metric') AS metric,
    json_extract(value, '$.unit') = 'KiB' AS kib, json_extract(value, '$.rate') AS rate, json_extract(value, '$.seen') AS seen,
    json_extract(value, '$.last') AS last, json_extract(value, '$.snapshots') AS snapshots,
    json_extract(value, '$.blind') AS blind, json_extract(value, '$.rate_words') AS rate_words, value
  FROM json_each(:words)
),
finding AS (
  SELECT *, row_number() OVER (ORDER BY verdict = 'leak' DESC, kib DESC, rate DESC, nth) AS place FROM leak WHERE finding
),
process AS (
  -- nth: of the row of the process itself
  SELECT process_id, min(nth) AS nth, count(*) AS n_rows, ifnull(sum(counted AND verdict = 'leak'), 0) AS leaks,
    ifnull(sum(counted AND verdict IN ('leak', 'suspect')), 0) AS found,
    ifnull(sum(counted AND verdict IN ('steady', 'plateau', 'shrinking')), 0) AS healthy,
    ifnull(sum(counted AND verdict = 'steady'), 0) AS steady, ifnull(sum(counted AND verdict = 'too-few'), 0) AS too_few
  FROM leak GROUP BY process_id
),
place AS (
  SELECT p.*, b.whole, b.called, b.metric, b.last, b.snapshots, b.blind, b.rate_words,
    p.healthy > 0 AND p.found = 0 AS quiet, json_extract(b.value, '$.as_of_words') AS as_of
  FROM process p JOIN leak b ON b.nth = p.nth
),
n AS (
  SELECT count(*) AS processes, ifnull(sum(found > 0), 0) AS found, ifnull(sum(quiet), 0) AS quiet,
    ifnull(sum(quiet AND blind), 0) AS blind, (SELECT count(*) FROM finding) AS findings,
    (SELECT count(*) FROM finding WHERE verdict = 'leak') AS leaks,
    ifnull(sum(healthy + found = 0 AND snapshots = 0), 0) AS unknown,
    ifnull(sum(healthy + found = 0 AND snapshots > 0), 0) AS too_few,
    ifnull(max(CASE WHEN healthy + found = 0 THEN snapshots END), 0) AS longest,
    max(CASE WHEN healthy + found = 0 AND snapshots = 0 THEN metric END) AS metric
  FROM place
),
shown AS (
  SELECT f.*, CASE WHEN lineage IS NOT NULL AND path <> '' THEN path ELSE category END AS what
  FROM finding f WHERE :top = 0 OR place <= :top
),
least AS (
  -- of each process the steady part that could hide the most growth
  SELECT l.process_id, max(l.seen) AS seen, json_extract(l.value, '$.seen_words') AS words
  FROM leak l WHERE NOT l.whole AND l.kib AND l.verdict = 'steady' AND l.seen IS NOT NULL GROUP BY l.process_id
),
named AS (
  -- 2 plateau: heap, shared-memory
  SELECT process_id, coalesce(max(CASE verdict WHEN 'plateau' THEN words END), '')
    || coalesce(max(CASE verdict WHEN 'shrinking' THEN words END), '')
    || coalesce(max(CASE verdict WHEN 'too-few' THEN words END), '') AS words
  FROM (
    SELECT l.process_id, l.verdict, row_number() OVER w AS place, count(*) OVER (PARTITION BY l.process_id, l.verdict) AS n,
      '; ' || count(*) OVER (PARTITION BY l.process_id, l.verdict) || ' ' || l.verdict || ': ' || group_concat(l."key", ', ') OVER w
        || CASE WHEN count(*) OVER (PARTITION BY l.process_id, l.verdict) > 4 THEN ', ...' ELSE '' END AS words
    FROM leak l JOIN process p ON p.process_id = l.process_id
    WHERE l.verdict IN ('plateau', 'shrinking', 'too-few') AND l.whole = (p.n_rows = 1)
    WINDOW w AS (PARTITION BY l.process_id, l.verdict ORDER BY l.nth)
  )
  WHERE place = min(n, 4)
  GROUP BY process_id
),
piece AS (
  -- the order of a piece: its block, the finding or process in it, the line, the place in the line
  SELECT 0 AS block, 0 AS item, 0 AS line, 0 AS place, 0 AS first, 4 AS hang, 0 AS gap, CASE WHEN findings = 0 AND processes > 0
      THEN CASE WHEN blind THEN 'warn' ELSE 'good' END END AS tone,
    CASE WHEN processes = 0 THEN 'no verdict: there are no snapshots to judge'
      WHEN findings = 0 THEN CASE WHEN blind THEN 'no known leak' WHEN quiet THEN 'no leak' ELSE 'no verdict' END
      ELSE CASE leaks WHEN 0 THEN '' WHEN 1 THEN '1 leak' ELSE leaks || ' leaks' END
        || CASE WHEN leaks > 0 AND findings > leaks THEN ', ' ELSE '' END
        || CASE findings - leaks WHEN 0 THEN '' WHEN 1 THEN '1 suspect' ELSE (findings - leaks) || ' suspects' END
        || ' in ' || found || ' of ' || processes || CASE processes WHEN 1 THEN ' process' ELSE ' processes' END END AS words,
    NULL AS part, NULL AS of
  FROM n
  UNION ALL
  SELECT 0, 0, 0, 1, NULL, NULL, 1, NULL, 'in ' || processes || CASE processes WHEN 1 THEN ' process' ELSE ' processes' END, NULL, NULL
  FROM n WHERE findings = 0 AND processes > 0
  UNION ALL
  SELECT 1, place, 0, 0, 0, 4, 0, 'bold', called, NULL, NULL FROM shown
  UNION ALL
  SELECT 1, place, 0, 1, NULL, NULL, 2, NULL, 'the whole process', NULL, NULL FROM shown WHERE whole
  UNION ALL
  SELECT 1, place, 0, 1, NULL, NULL, 2, 'bold', 'lineage', NULL, NULL FROM shown WHERE NOT whole AND lineage IS NOT NULL
  UNION ALL
  SELECT 1, place, 0, 2, NULL, NULL, CASE WHEN lineage IS NULL THEN 2 ELSE 1 END, 'bold', "key", NULL, NULL FROM shown WHERE NOT whole
  UNION ALL
  SELECT 1, place, 0, 3, NULL, NULL, 1, NULL, '(' || what || ')', NULL, NULL FROM shown WHERE NOT whole AND what <> '' AND "key" <> what
  UNION ALL
  SELECT 1, place, 0, 4, NULL, NULL, 2, CASE verdict WHEN 'leak' THEN 'bad' ELSE 'warn' END, upper(verdict), NULL, NULL FROM shown
  UNION ALL
  SELECT 1, place, 0, 5, NULL, NULL, 2, NULL, rate_words, NULL, NULL FROM shown
  UNION ALL
  SELECT 1, place, 0, 6, NULL, NULL, 2, NULL, json_extract(value, '$.shape_words'), NULL, NULL FROM shown
  UNION ALL
  SELECT 1, place, 1, 0, 4, 9, 0, NULL, 'why: ' || coalesce(json_extract(value, '$.reason') || '; ', '')
    || json_extract(value, '$.course_words'), NULL, NULL FROM shown
  UNION ALL
  SELECT 1, place, 2, 0, 4, 9, 0, NULL, 'touched: ' || json_extract(value, '$.touched'), NULL, NULL
  FROM shown WHERE json_extract(value, '$.touched') <> ''
  UNION ALL
  SELECT 1, place, 3, 0, 4, 11, 0, NULL, 'limit: ' || json_extract(value, '$.limit_words'), NULL, NULL
  FROM shown WHERE kib AND verdict = 'leak' OR json_extract(value, '$.limited')
  UNION ALL
  SELECT 1, place, 4, 0, 4, 9, 0, NULL, 'could have seen: ' || json_extract(value, '$.seen_words') || ' and more', NULL, NULL
  FROM shown WHERE seen IS NOT NULL
  UNION ALL
  -- an object can have several categories, so nobody knows its stacks
  SELECT 1, place, 5, 0, 4, 9, 0, NULL, 'who:', 'who', value FROM shown WHERE lineage IS NOT NULL OR whole OR "key" = category
  UNION ALL
  SELECT 1, place, 6, 0, 4, 9, 0, NULL, 'next:', 'next', value FROM shown
  UNION ALL
  SELECT 2, 0, 0, 0, 0, 4, 0, NULL, '[' || (findings - :top) || CASE findings - :top WHEN 1 THEN ' more finding]' ELSE ' more findings]' END,
    NULL, NULL FROM n WHERE :top > 0 AND findings > :top
  UNION ALL
  SELECT 3, nth, 0, 0, 0, 4, 0, 'bold', called, NULL, NULL FROM place WHERE leaks > 1 AND whole
  UNION ALL
  SELECT 3, nth, 0, 1, NULL, NULL, 2, NULL, 'altogether: ' || metric || ' ' || rate_words, NULL, NULL FROM place WHERE leaks > 1 AND whole
  UNION ALL
  SELECT 3, nth, 1, 0, 0, 4, 0, 'bold', called, NULL, NULL
  FROM place WHERE healthy > 0 AND (found > 0 OR (SELECT quiet FROM n) <= 3)
  UNION ALL
  SELECT 3, p.nth, 1, 1, NULL, NULL, 2, NULL, CASE WHEN found > 0 THEN 'also looked at: '
      WHEN blind THEN 'no leak is known, resident memory is unknown: ' WHEN too_few THEN 'no leak is known: ' ELSE 'no leak: ' END
    || (healthy + too_few) || ' ' || CASE WHEN healthy + too_few > 1 THEN CASE :by WHEN 'category' THEN 'categories' ELSE :by || 's' END
      ELSE :by END || ': ' || steady || ' steady'
    -- more than all in an hour tells nothing
    || CASE WHEN w.seen IS NOT NULL AND NOT ifnull(w.seen > p.last, 0) THEN ', none above ' || w.words ELSE '' END
    || ifnull(d.words, '') || as_of, NULL, NULL
  FROM place p LEFT JOIN least w ON w.process_id = p.process_id LEFT JOIN named d ON d.process_id = p.process_id
  WHERE healthy > 0 AND (found > 0 OR (SELECT quiet FROM n) <= 3)
  UNION ALL
  SELECT 4, 0, 0, 0, 0, 4, 0, NULL, quiet || CASE findings WHEN 0 THEN '' ELSE ' other' END || ' processes: no leak'
    || CASE blind WHEN 0 THEN '' ELSE ', as far as known: the resident memory of ' || blind || ' is unknown' END, NULL, NULL
  FROM n WHERE quiet > 3
  UNION ALL
  SELECT 5, 0, 0, 0, 0, 4, 0, NULL, unknown || CASE unknown WHEN 1 THEN ' process' ELSE ' processes' END
    || ' whose captures do not give ' || ifnull(metric, ''), NULL, NULL FROM n WHERE unknown > 0
  UNION ALL
  SELECT 6, 0, 0, 0, 0, 4, 0, NULL, too_few || CASE too_few WHEN 1 THEN ' process has ' ELSE ' processes have ' END
    || CASE WHEN longest < 8 THEN 'fewer than 8 snapshots: ' || CASE too_few WHEN 1 THEN '' ELSE 'at least ' END || (8 - longest)
      || ' more needed' ELSE 'no life that is long enough for a verdict' END, NULL, NULL FROM n WHERE too_few > 0
)
SELECT first, hang, gap, tone, words, part, json_extract(of, '$.process_id') AS process_id,
  '@' || json_extract(of, '$.process_id') AS process,
  CASE WHEN part = 'next' OR NOT json_extract(of, '$.whole') THEN json_extract(of, '$.category') END AS category,
  json_extract(of, '$.lineage') AS lineage, json_extract(of, '$.name') AS name, json_extract(of, '$.pid') AS pid,
  json_extract(of, '$.lives') > 1 AS lives, json_extract(of, '$.unit') = 'mappings' AS count,
  CASE json_extract(of, '$.lives') WHEN 1 THEN json_extract(of, '$.since') END AS "from",
  json_extract(of, '$.dialect') AS dialect
FROM piece ORDER BY block, item, line, place;
