-- name:   diff-summary
-- title:  What pmapdb diff says above and below its rows: the two moments, the proof, what grew most
-- param:  totals     text ""       Rows of diff-total or diff-process-total, as JSON
-- param:  rows       text ""       Rows of the diff, as JSON
-- param:  by         text category The diff is diff --by this
-- param:  thresholds text ""       {"METRIC":LEAST,...}: rss_kib, mappings, ...
-- param:  dialect    text ""       The diff is of these captures only
-- column: same           bool    Both moments are the same
-- column: different      bool    The moments are of two processes
-- column: older          text    The older moment, in words
-- column: newer          text    The newer moment, in words
-- column: newer_at       time    When the newer one was taken
-- column: newer_name     text    Name of its process
-- column: sums           text    older or newer: the side that has sums only, the older one of both
-- column: sums_id        text    The same as a selector
-- column: rest_kib       kib     What the rows do not explain of the growth of the totals, of the worst metric; must be 0
-- column: rest_metric    text    That metric
-- column: claims         text    What the captures' own totals say
-- column: found          bool    A row or a sum of rows grew by a threshold
-- column: top            text    What grew most, if anything grew by more than noise
-- column: traceable      bool    who can say who allocated it
-- column: category       text    Of top
-- column: name           text    Name of its process
-- column: pid            int     Process id
-- column: process_id     process One life of the pid
-- column: process        text    The same as a selector
-- column: lives          bool    The pid is not that of both moments
-- column: lineage        int     Of top, if it is a mapping through time
-- column: from           text    The older moment as a selector
-- column: to             text    The newer moment as a selector
-- column: dialect        text    Of the diff
-- column: like           text    The same
-- column: asked          text    The command
--
-- Numbers beyond what a process can have are cut, so that no sum overflows. Resident memory that grew comes before
-- address space, and of processes one that was there at both moments before one that began.
WITH metric AS (
  SELECT key AS nth, value AS name
  FROM json_each('["mappings","size_kib","rss_kib","pss_kib","private_kib","private_dirty_kib","swap_kib"]')
),
side AS (
  SELECT json_extract(value, '$.newer') AS newer, value, json_extract(value, '$.name') AS name, json_extract(value, '$.pid') AS pid,
    json_extract(value, '$.process_id') AS process_id, json_extract(value, '$.processes') AS processes,
    json_extract(value, '$.taken_at') AS taken_at, json_extract(value, '$.snapshot_id') AS snapshot_id,
    coalesce('@' || json_extract(value, '$.snapshot_id'), json_extract(value, '$.taken_at')) AS selector,
    json_extract(value, '$.state') = 'totals' AS sums, ifnull(json_extract(value, '$.dialect'), '') AS dialect
  FROM json_each(:totals)
),
pair AS (
  SELECT o.value AS o, n.value AS n, o.processes = 1 AND n.processes = 1 AND o.process_id IS NOT n.process_id AS different
  FROM side o JOIN side n ON n.newer = 1 WHERE o.newer = 0
),
cell AS (
  SELECT r.key AS row, m.nth, m.name,
    max(min(json_extract(r.value, '$.' || m.name || '_delta'), 70368744177664), -70368744177664) AS delta
  FROM json_each(:rows) r CROSS JOIN metric m
),
grown AS (
  SELECT nth, max(delta) AS most, CASE WHEN count(*) = count(delta) THEN sum(delta) END AS total FROM cell GROUP BY nth
),
total AS (
  -- a metric that the rows do not know is not explained at all
  SELECT m.nth, m.name, g.most, CASE WHEN g.nth IS NULL THEN 0 ELSE g.total END AS total,
    max(min(json_extract(p.n, '$.' || m.name), 70368744177664), -70368744177664)
      - max(min(json_extract(p.o, '$.' || m.name), 70368744177664), -70368744177664) AS stored
  FROM metric m CROSS JOIN pair p LEFT JOIN grown g ON g.nth = m.nth
),
rest AS (
  SELECT name, ifnull(stored - ifnull(total, 0), 0) AS kib FROM total ORDER BY abs(ifnull(stored - ifnull(total, 0), 0)) DESC, nth LIMIT 1
),
claim AS (
  SELECT key AS nth, value AS what, json_extract(o, '$.tool_' || value || '_kib') AS older,
    json_extract(n, '$.tool_' || value || '_kib') AS newer
  FROM pair CROSS JOIN json_each('["size","rss"]')
),
top AS (
  -- less than 32 KiB is noise, as in leaks
  SELECT c.name AS metric, json_extract(r.value, '$.category') AS category, json_extract(r.value, '$.object') AS object,
    json_extract(r.value, '$.lineage_id') AS lineage, json_extract(r.value, '$.name') AS name,
    json_extract(r.value, '$.pid') AS pid, json_extract(r.value, '$.process_id') AS process_id,
    json_extract(r.value, '$.change') = 'new' AS is_new
  FROM cell c JOIN json_each(:rows) r ON r.key = c.row
  WHERE c.name IN ('rss_kib', 'size_kib') AND c.delta >= 32
  ORDER BY c.name = 'size_kib', CASE WHEN json_extract(r.value, '$.name') IS NULL THEN -c.delta
    ELSE json_extract(r.value, '$.change') = 'new' END, c.row LIMIT 1
),
said AS (
  SELECT newer, name || ' ' || taken_at || CASE WHEN processes = 1 AND pid IS NOT NULL
      THEN ' (pid ' || pid || ', @' || snapshot_id ELSE ' (' || processes || CASE processes WHEN 1 THEN ' process' ELSE ' processes' END END
    || CASE dialect WHEN '' THEN '' ELSE ', ' || dialect END || ')' AS words
  FROM side
)
SELECT o.taken_at = n.taken_at AND o.snapshot_id IS n.snapshot_id AS same, p.different,
  (SELECT words FROM said WHERE newer = 0) AS older, (SELECT words FROM said WHERE newer = 1) AS newer,
  n.taken_at AS newer_at, n.name AS newer_name, CASE WHEN o.sums THEN 'older' WHEN n.sums THEN 'newer' END AS sums,
  CASE WHEN o.sums THEN o.selector WHEN n.sums THEN n.selector END AS sums_id,
  (SELECT kib FROM rest) AS rest_kib, (SELECT name FROM rest) AS rest_metric,
  -- the arrow is written in two parts, because it is an operator of later versions of SQLite
  CASE WHEN (SELECT count(newer - older) FROM claim) > 0 THEN 'the captures'' own totals (footer, VmRSS) say: '
    || (SELECT group_concat(CASE WHEN older IS NULL OR newer IS NULL THEN what || ' ?'
      ELSE printf('%s %lld -' || '> %lld (%+lld KiB)', what, older, newer, newer - older) END, ', ')
      FROM (SELECT * FROM claim ORDER BY nth)) END AS claims,
  EXISTS (SELECT 1 FROM json_each(:thresholds) t JOIN total g ON g.name = t.key
    WHERE g.most >= t.value OR g.total >= t.value) AS found,
  CASE WHEN t.name IS NOT NULL THEN t.name WHEN t.lineage IS NOT NULL THEN 'lineage ' || t.lineage || ' (' || t.category || ')'
    WHEN t.object <> t.category THEN t.object || ' (' || t.category || ')' ELSE t.category END
    || CASE t.metric WHEN 'size_kib' THEN ' grew most in address space;' ELSE ' grew most;' END AS top,
  CASE WHEN t.name IS NULL THEN NOT p.different ELSE NOT ifnull(t.is_new, 0) END AND t.object IS NULL OR t.object = t.category AS traceable,
  t.category, ifnull(t.name, n.name) AS name, CASE WHEN t.name IS NULL THEN n.pid ELSE t.pid END AS pid,
  CASE WHEN t.name IS NOT NULL THEN t.process_id WHEN NOT p.different THEN n.process_id END AS process_id,
  '@' || n.process_id AS process, CASE WHEN t.name IS NULL THEN p.different ELSE ifnull(t.is_new, 0) END AS lives,
  t.lineage, o.selector AS "from", n.selector AS "to", :dialect AS dialect, :dialect AS "like", 'diff --by ' || :by AS asked
FROM pair p
JOIN side o ON o.newer = 0
JOIN side n ON n.newer = 1
LEFT JOIN top t ON 1;
