-- name:   notes
-- title:  What an answer lacks, in words: what is said below the rows of other queries
-- param:  diff       text ""  Rows of diff-total or diff-process-total, as JSON
-- param:  mappings   text ""  Rows of mappings-total, as JSON, of an answer that shows mappings
-- param:  moment     text ""  The same, of any answer about one moment
-- param:  names      text ""  Rows of by-name, as JSON
-- param:  unknown    text ""  Rows of unknown-rss, as JSON
-- param:  left-out   text ""  Rows of left-out, as JSON
-- param:  recordings text ""  Rows of recordings that were imported, as JSON
-- param:  who        text ""  Rows of who-recordings, as JSON
-- param:  groups     text ""  Rows of groups, as JSON
-- param:  by         text ""  What these groups are by
-- param:  exact      text ""  Rows of groups-exact, as JSON
-- param:  match      text ""  The expression that chose the processes of these
-- param:  samples    text ""  Rows of compare-samples, as JSON
-- column: note       text     What is lacking, and what to do about it
-- column: minor      bool     The note is no trouble
-- empty:  nothing is lacking
WITH side AS (
  SELECT json_extract(value, '$.newer') AS newer, CASE json_extract(value, '$.newer') WHEN 1 THEN 'newer' ELSE 'older' END AS word,
    json_extract(value, '$.partial') AS partial, json_extract(value, '$.state') IS 'totals' AS sums,
    ifnull(json_extract(value, '$.dialect'), '') AS dialect, json_extract(value, '$.processes') AS processes,
    json_extract(value, '$.process_id') AS process_id
  FROM json_each(:diff)
  -- of one moment on both sides the command itself says it
  WHERE (SELECT count(DISTINCT json_extract(value, '$.taken_at') || ifnull(json_extract(value, '$.snapshot_id'), ''))
    FROM json_each(:diff)) > 1
),
recording AS (
  SELECT json_extract(value, '$.path') AS path, json_extract(value, '$.homeless') AS homeless,
    json_extract(value, '$.lost') AS lost, json_extract(value, '$.pid_source') AS pid_source,
    json_extract(value, '$.threads') AS threads, json_extract(value, '$.linked') AS linked,
    json_extract(value, '$.clock') AS clock, key
  FROM json_each(:recordings)
),
used AS (
  -- the first recording begins so much after the older snapshot, the last one ends so much before the newer
  SELECT min(json_extract(value, '$.late_ms')) / 1000 AS late_s, min(json_extract(value, '$.early_ms')) / 1000 AS early_s,
    min(json_extract(value, '$.late_ms')) > 1000 AS late, min(json_extract(value, '$.early_ms')) > 1000 AS early
  FROM json_each(:who) WHERE json_extract(value, '$.line') <> ''
),
grouped AS (
  SELECT sum(json_extract(value, '$.processes')) AS processes, sum(json_extract(value, '$.pss_unknown')) AS pss_unknown,
    max(json_extract(value, '$.unreadable')) AS unreadable, max(json_extract(value, '$.unmoved')) AS unmoved,
    sum(CASE WHEN json_extract(value, '$.group') IS NULL THEN json_extract(value, '$.processes') ELSE 0 END) AS without,
    CASE WHEN :by GLOB 'env:?*' THEN substr(:by, 5) END AS variable
  FROM json_each(:groups)
),
pages AS (
  SELECT json_extract(value, '$.method') AS method, json_extract(value, '$.unread') + json_extract(value, '$.unreadable') AS missing,
    json_extract(value, '$.moved_kib') AS moved_kib, json_extract(value, '$.rss_kib') AS rss_kib
  FROM json_each(:exact) WHERE json_extract(value, '$.part') = 'union'
),
moment AS (
  SELECT json_extract(value, '$.state') AS state, json_extract(value, '$.partial') AS partial,
    coalesce('@' || json_extract(value, '$.snapshot_id'), 'of ' || json_extract(value, '$.processes') || ' processes') AS of
  FROM json_each(coalesce(:mappings, :moment))
),
line AS (
  SELECT 0 AS nth, 1 AS place, printf('%d process%s missing here: the capture had no permission', unreadable,
    CASE unreadable WHEN 1 THEN ' is' ELSE 'es are' END) AS note, 0 AS minor
  FROM grouped WHERE unreadable > 0
  UNION ALL
  SELECT 0, 2, printf('%d process%s missing here: left out by --on-rss-above', unmoved,
    CASE unmoved WHEN 1 THEN ' is' ELSE 'es are' END), 0
  FROM grouped WHERE unmoved > 0
  UNION ALL
  SELECT 0, 3, printf('pss of %d of %d processes is not known, read as maps or from a capture without it: pmapdb by-process '
    || 'shows which', pss_unknown, processes), 0
  FROM grouped WHERE pss_unknown > 0
  UNION ALL
  SELECT 0, 4, CASE WHEN variable IS NULL THEN printf('%d of %d process%s in no group: not captured live', without, processes,
      CASE processes WHEN 1 THEN ' is' ELSE 'es are' END)
    ELSE printf('of %d of %d processes it is not known whether they have %s: they were not captured live, or without '
      || '--keep-env %s', without, processes, variable, variable) END, 0
  FROM grouped WHERE without > 0
  UNION ALL
  SELECT 0, 5, CASE WHEN missing > 0 THEN printf('%d process%s missing: their pages could not be read; uss may be too large',
      missing, CASE missing WHEN 1 THEN ' is' ELSE 'es are' END)
    ELSE 'uss is against the processes that were read, not all of the host' END, NOT missing > 0
  FROM pages WHERE missing > 0 OR :match IS NOT NULL
  UNION ALL
  SELECT 0, 6, 'without page frames: pages shared by fork are known by their address', 1
  FROM pages WHERE method = 'identity'
  UNION ALL
  SELECT 0, 7, printf('the kernel moved %d KiB while the pages were read: at most that much is counted twice', moved_kib), 0
  FROM pages WHERE moved_kib > rss_kib / 1000
  UNION ALL
  SELECT 1, newer AS place, 'the ' || word || ' snapshot is partial: ' || partial, 0
  FROM side WHERE partial <> ''
  UNION ALL
  SELECT 1, 0, 'the snapshot ' || of || ' is partial: ' || partial, 0 FROM moment WHERE partial <> ''
  UNION ALL
  SELECT 1, 0, n || CASE n WHEN 1 THEN ' name has' ELSE ' names have' END
    || ' partial captures, so the true numbers are higher: pmapdb by-process shows their state', 0
  FROM (SELECT sum(json_extract(value, '$.partial')) AS n FROM json_each(:names)) WHERE n > 0
  UNION ALL
  SELECT 2, 0, 'the ' || a.word || ' snapshot has sums only: all of the other is added up', 0
  FROM side a JOIN side b ON b.sums < a.sums
  UNION ALL
  SELECT 3, 0, 'the ' || a.word || ' snapshot was read as maps, which knows sizes only: --dialect ' || b.dialect
    || ' compares those that know more', 0
  FROM side a JOIN side b ON a.dialect = 'maps' AND b.dialect <> 'maps'
  UNION ALL
  SELECT 3, 0, a.dialect || ' and ' || b.dialect || ' name some mappings differently: --dialect compares like with like', 0
  FROM side a JOIN side b ON b.newer > a.newer AND b.dialect <> a.dialect
  WHERE a.dialect <> 'maps' AND b.dialect <> 'maps' AND NOT a.sums AND NOT b.sums
  UNION ALL
  SELECT 4, 0, 'these are different processes: @' || a.process_id || ' and @' || b.process_id, 0
  FROM side a JOIN side b ON b.newer > a.newer AND b.process_id <> a.process_id
  WHERE a.processes = 1 AND b.processes = 1
  UNION ALL
  SELECT 5, 0, 'the snapshot ' || of || ' has sums only, no mappings: pmapdb categories shows them', 0
  FROM moment WHERE state = 'totals' AND :moment IS NULL
  UNION ALL
  SELECT 6, 0, CASE WHEN n > 1
      THEN n || ' captures do not show what is resident: pmapdb unknown-rss says why, and when it was last known'
    ELSE json_extract(value, '$.name') || ' at ' || json_extract(value, '$.taken_at') || ': ' || json_extract(value, '$.why')
      || ifnull('; last known at ' || json_extract(value, '$.known_at') || ': --snapshot @'
      || json_extract(value, '$.known_id'), '') END, 1
  FROM (SELECT count(*) AS n, value FROM json_each(:unknown)) WHERE n > 0
  UNION ALL
  SELECT 7, 0, CASE n WHEN 1 THEN '1 name was captured in the same hour, but further away than --within: pmapdb left-out lists it'
    ELSE n || ' names were captured in the same hour, but further away than --within: pmapdb left-out lists them' END, 0
  FROM (SELECT count(*) AS n FROM json_each(:left_out)) WHERE n > 0
  UNION ALL
  SELECT 8, key, path || ': it is not known to which process its threads belong, so nothing was replayed: write it with '
    || 'perf script -F +pid,+ip,+sym,+symoff,+dso, or give --pid', 1
  FROM recording WHERE homeless > 0
  UNION ALL
  SELECT 8, key, path || ': perf lost events, so what is live is not certain: record with larger buffers, perf record -m 32M', 1
  FROM recording WHERE lost > 0
  UNION ALL
  SELECT 8, key, path || ': all threads count as those of the only process in the store; perf script -F '
    || '+pid,+ip,+sym,+symoff,+dso says it', 1
  FROM recording WHERE pid_source = 'assumed' AND threads > 1
  UNION ALL
  SELECT 8, key, path || ': captures and calls do not show when it was recorded: give --clock-offset', 1
  FROM recording WHERE linked > 0 AND ifnull(clock, '') = ''
  UNION ALL
  SELECT 9, key, json_extract(value, '$.note'), 1 FROM json_each(:who) WHERE json_extract(value, '$.note') <> ''
  UNION ALL
  SELECT 10, 0, 'it has no recording: pmapdb import-perf --help says how to record', 1 WHERE :who = '[]'
  UNION ALL
  -- text captures are dated to the second: a shorter gap may not be real
  SELECT 11, 0, 'the recording begins ' || late_s || ' s after the older snapshot: what grew before it is not covered', 1
  FROM used WHERE late
  UNION ALL
  SELECT 12, 0, 'the recording ends ' || early_s || ' s before the newer snapshot: what grew after it is not covered', 1
  FROM used WHERE early
  UNION ALL
  SELECT 13, key, json_extract(value, '$.note'), json_extract(value, '$.minor') FROM json_each(:samples)
  WHERE json_extract(value, '$.note') <> ''
)
SELECT note, minor FROM line ORDER BY nth, place;
