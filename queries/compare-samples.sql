-- name:   compare-samples
-- title:  What compare judges: the numbers of each run, and what of the runs cannot be compared
-- param:  sources  text  "" [[{"source":WORD,"of_b":0 or 1},[rows of the query runs]],...], as JSON
-- column: note      text     What cannot be compared, and why; such a row has no numbers
-- column: minor     bool     The note is no trouble
-- column: of_b      bool     The run is one of B
-- column: key       category Category; total, which is the first of a run, for the whole process
-- column: level     kib      Mean over the blocks of the resident memory
-- column: peak      kib      Most resident memory, warm-up included
-- column: growth    rate     KiB an hour: slope of the least squares line through the blocks
-- column: per_work  real     KiB for a unit of work: the same against the work done
-- column: mappings  real     Mean over the blocks of the number of mappings
-- column: blocks    bool     There is one run of each: a row is a block of it, and its growth is that since the block before
-- column: memory    bool     The KiB of A and B can be compared
-- column: hours     real     From the start of the first run to its last block
-- column: work      real     Work done by then; unknown: the runs are aligned by time
-- column: runs_a    count    Runs of A
-- column: runs_b    count    Runs of B
-- column: least     real     The smallest p that so few of them can have
-- empty:  nothing can be compared
--
-- Runs that ended before half of the median, or have fewer than four blocks, are left out; of the
-- others count the blocks within the time (or the work, if it is known in every run) that all have,
-- and a fifth more. A category that a block lacks has 0 KiB in it.
WITH source AS (
  SELECT key AS source, json_extract(value, '$[0].source') AS word, json_extract(value, '$[0].of_b') AS of_b,
    json_extract(value, '$[1]') AS rows
  FROM json_each(:sources)
  LIMIT -1 -- else SQLite makes the text of a source again for each of its rows
),
point AS (
  SELECT source, word, of_b,
    CAST(round((julianday(json_extract(r.value, '$.run')) - 2440587.5) * 86400000) AS INTEGER) AS began_ms,
    json_extract(r.value, '$.block') AS block, json_extract(r.value, '$.at_s') AS at_s,
    json_extract(r.value, '$.work') AS work, json_extract(r.value, '$.key') AS key,
    json_extract(r.value, '$.mappings') AS mappings, json_extract(r.value, '$.rss_kib') AS rss_kib,
    json_extract(r.value, '$.rss_max_kib') AS rss_max_kib, json_extract(r.value, '$.dialect') AS dialect,
    json_extract(r.value, '$.page_kib') AS page_kib
  FROM source s
  CROSS JOIN json_each(s.rows) r
),
run AS (
  SELECT row_number() OVER (ORDER BY of_b, source, began_ms) AS run, source, began_ms, of_b, word,
    min(dialect) AS dialect, min(page_kib) AS page_kib, max(CASE WHEN block > 0 THEN work END) IS NOT NULL AS works,
    CASE WHEN min(max(CASE WHEN block > 0 THEN work END) IS NOT NULL) OVER () THEN 'units of work' ELSE 's' END AS unit,
    count(DISTINCT CASE WHEN block > 0 THEN block END) AS blocks,
    'the run of ' || strftime(CASE WHEN began_ms % 1000 THEN '%Y-%m-%dT%H:%M:%fZ' ELSE '%Y-%m-%dT%H:%M:%SZ' END,
      began_ms / 1000.0, 'unixepoch') || ' is left out: ' AS out
  FROM point GROUP BY source, began_ms
),
block AS (
  -- place: where the block lies, in the time or the work that aligns the runs
  SELECT r.run, p.block, max(p.at_s) AS at_s, CASE unit WHEN 's' THEN NULL ELSE max(p.work) END AS work,
    CASE unit WHEN 's' THEN max(p.at_s) ELSE max(p.work) END AS place
  FROM point p
  JOIN run r ON r.source = p.source AND r.began_ms = p.began_ms
  GROUP BY r.run, p.block
),
length AS (
  SELECT r.*, ifnull((SELECT b.place FROM block b WHERE b.run = r.run AND b.block > 0 AND b.place IS NOT NULL
    ORDER BY b.block DESC LIMIT 1), 0) AS length
  FROM run r
),
long AS (
  SELECT *, length < middle * .5 AS early
  FROM (
    SELECT *, avg(CASE WHEN place IN ((n + 1) / 2, (n + 2) / 2) THEN length END) OVER () AS middle
    FROM (SELECT *, row_number() OVER (ORDER BY length) AS place, count(*) OVER () AS n FROM length)
  )
),
common AS (
  -- the length that all runs have which are neither short nor captured too seldom
  SELECT min(length) AS length, max(length) AS longest, unit FROM long WHERE NOT early AND blocks >= 4
),
used AS (
  SELECT b.run, b.block, b.at_s, b.work
  FROM block b CROSS JOIN common c
  WHERE NOT ifnull(b.place > c.length * 1.2, 0)
),
reach AS (
  SELECT run, count(*) AS blocks FROM used WHERE block > 0 GROUP BY run
),
judged AS (
  SELECT l.run, l.source, l.began_ms, l.of_b, CASE WHEN count(*) OVER () = 2 AND sum(l.of_b) OVER () = 1 THEN 1 ELSE 0 END AS blocks
  FROM long l
  JOIN reach n ON n.run = l.run
  WHERE NOT l.early AND l.blocks >= 4 AND n.blocks >= 4
),
pages AS (
  SELECT a.word || ' ran with pages of ' || printf('%.0f', a.page_kib) || ' KiB, ' || b.word || ' with pages of '
    || printf('%.0f', b.page_kib) || ' KiB: their memory cannot be compared, only the number of mappings' AS said
  FROM run a JOIN run b ON b.of_b > a.of_b AND b.page_kib <> a.page_kib
  ORDER BY a.run, b.run LIMIT 1
),
dialects AS (
  SELECT a.word || ' was captured as ' || a.dialect || ', ' || b.word || ' as ' || b.dialect
    || ', and these name some mappings differently: only the whole process is compared' AS said
  FROM run a JOIN run b ON b.of_b > a.of_b AND b.dialect <> a.dialect
  ORDER BY a.run, b.run LIMIT 1
),
category AS (
  SELECT key, min(of_b) < max(of_b) AS both FROM point GROUP BY key
),
whole AS (
  -- only the whole process can be compared
  SELECT coalesce((SELECT said FROM dialects), CASE WHEN NOT EXISTS (SELECT 1 FROM category
    WHERE both AND key <> 'total') THEN 'A and B have no category in common: only the whole process is compared' END) AS said
),
cell AS (
  -- each key in each used block of the runs that are judged
  SELECT j.run, j.of_b, j.blocks, k.key, u.block, u.at_s, u.work, CASE WHEN p.key IS NULL THEN 0 ELSE p.rss_kib END AS rss,
    CASE WHEN p.key IS NULL THEN 0 ELSE p.rss_max_kib END AS most, CASE WHEN p.key IS NULL THEN 0 ELSE p.mappings END AS mappings
  FROM judged j
  JOIN used u ON u.run = j.run
  CROSS JOIN category k
  LEFT JOIN point p ON p.source = j.source AND p.began_ms = j.began_ms AND p.block = u.block AND p.key = k.key
  WHERE k.key = 'total' OR (SELECT said FROM whole) IS NULL
  GROUP BY j.run, k.key, u.block
),
centred AS (
  -- each block with the means over the blocks of its run, the warm-up left out
  SELECT *, avg(at_s) FILTER (WHERE block > 0) OVER w AS mean_s, avg(rss) FILTER (WHERE block > 0) OVER w AS mean_rss,
    CASE WHEN count(*) FILTER (WHERE block > 0) OVER w = count(work) FILTER (WHERE block > 0) OVER w
      THEN avg(work) FILTER (WHERE block > 0) OVER w END AS mean_work,
    CASE WHEN count(*) FILTER (WHERE block > 0) OVER w = count(mappings) FILTER (WHERE block > 0) OVER w
      THEN avg(mappings) FILTER (WHERE block > 0) OVER w END AS mean_mappings,
    count(*) FILTER (WHERE block > 0) OVER w = count(rss) FILTER (WHERE block > 0) OVER w AS known,
    CASE WHEN count(*) OVER w = count(most) OVER w THEN max(most) OVER w END AS peak
  FROM cell
  WINDOW w AS (PARTITION BY run, key)
),
sample AS (
  SELECT run, 0 AS block, of_b, blocks, key, mean_rss AS level, peak,
    3600 * sum((at_s - mean_s) * (rss - mean_rss)) / sum((at_s - mean_s) * (at_s - mean_s)) AS growth,
    sum((work - mean_work) * (rss - mean_rss)) / sum((work - mean_work) * (work - mean_work)) AS per_work,
    mean_mappings AS mappings, known, 0 AS before
  FROM centred WHERE block > 0 AND NOT blocks
  GROUP BY run, key
  UNION ALL
  SELECT run, block, of_b, blocks, key, rss, most, 3600.0 * (rss - lag(rss) OVER w) / (at_s - lag(at_s) OVER w),
    1.0 * (rss - lag(rss) OVER w) / (work - lag(work) OVER w), mappings, 1, lag(block) OVER w
  FROM cell WHERE block > 0 AND blocks
  WINDOW w AS (PARTITION BY run, key ORDER BY block)
),
dealt AS (
  SELECT sum(NOT of_b) AS a, sum(of_b) AS b, max(blocks) AS parts
  FROM (SELECT DISTINCT run, block, of_b, blocks FROM sample WHERE before IS NOT NULL)
),
ways AS (
  -- in how many ways the samples can be dealt to two groups of these sizes: the last row
  SELECT 0 AS i, 1.0 AS ways, a, b, parts FROM dealt
  UNION ALL
  SELECT i + 1, ways * (b + i + 1) / (i + 1), a, b, parts FROM ways WHERE i < a
),
few AS (
  -- of two groups of one size, the way that swaps them is as far apart
  SELECT CASE WHEN parts THEN a > 0 ELSE a END AS a, CASE WHEN parts THEN b > 0 ELSE b END AS b, parts,
    CASE a WHEN b THEN 2 ELSE 1 END / ways AS least
  FROM ways ORDER BY i DESC LIMIT 1
),
said AS (
  SELECT 1 AS nth, 0 AS run, word || ': the work of a run is unknown, or most of it was done before the warm-up ended: '
    || 'the runs are aligned by time' AS note, 0 AS minor
  FROM (SELECT word, max(run) FROM run WHERE NOT works)
  WHERE (SELECT max(works) FROM run) AND word IS NOT NULL
  UNION ALL
  SELECT 2, run, word || ': ' || out || CASE WHEN early
      THEN printf('it ended after %.0f %s, before half of what most runs reach (%.0f)', length, unit, middle)
    ELSE 'it has too few snapshots: capture more often' END, 0
  FROM long WHERE early OR blocks < 4
  UNION ALL
  SELECT 3, 0, printf('the runs last %.0f to %.0f %s: only the first %.0f %s of each count', length, longest, unit, length, unit), 1
  FROM common WHERE longest > length * 1.2
  UNION ALL
  SELECT 4, l.run, l.word || ': ' || l.out || printf('only %d of its nine parts lie within those %.0f %s: compare runs of one length',
    ifnull(n.blocks, 0), c.length, l.unit), 0
  FROM long l
  LEFT JOIN reach n ON n.run = l.run
  CROSS JOIN common c
  WHERE NOT l.early AND l.blocks >= 4 AND ifnull(n.blocks, 0) < 4
  UNION ALL
  SELECT 5, 0, said, 0 FROM pages
  UNION ALL
  SELECT 6, 0, said, 0 FROM whole WHERE said IS NOT NULL
  UNION ALL
  SELECT 7, 0, CASE WHEN parts THEN 'one run each: only growth is judged, by the parts of the run; how much the rest differs from '
    || 'run to run of one build is unknown' ELSE printf('%d against %d runs never have p below %.2g: 5 against 5 can tell, '
    || '3 against 10, too', a, b, least) END, 1
  FROM few WHERE a AND b AND (parts OR least > .01)
  UNION ALL
  SELECT 8, 0, CASE WHEN NOT EXISTS (SELECT 1 FROM category WHERE key = 'total')
      THEN 'the runs have no row of total: they are not of pmapdb baseline'
    ELSE CASE WHEN a THEN 'B' ELSE 'A' END || ' has no run that can be compared' END, 0
  FROM few WHERE NOT ifnull(a AND b, 0)
)
SELECT note, minor, of_b, key, level, peak, growth, per_work, mappings, blocks, memory, hours, work,
  runs_a, runs_b, least
FROM (
  SELECT nth, run, 0 AS block, note, minor, NULL AS of_b, NULL AS key, NULL AS level, NULL AS peak, NULL AS growth,
    NULL AS per_work, NULL AS mappings, NULL AS blocks, NULL AS memory, NULL AS hours, NULL AS work,
    NULL AS runs_a, NULL AS runs_b, NULL AS least
  FROM said
  UNION ALL
  SELECT 9, run, block, NULL, NULL, of_b, key, CASE WHEN known THEN level END, peak, CASE WHEN known THEN growth END,
    CASE WHEN known THEN per_work END, mappings, blocks, NOT EXISTS (SELECT 1 FROM pages),
    (SELECT at_s / 3600.0 FROM used WHERE run = (SELECT min(run) FROM judged) ORDER BY block DESC LIMIT 1),
    (SELECT work FROM used WHERE run = (SELECT min(run) FROM judged) ORDER BY block DESC LIMIT 1),
    a, b, least
  FROM sample CROSS JOIN few WHERE before IS NOT NULL AND a AND b
)
ORDER BY nth, run, block, key <> 'total', key;
