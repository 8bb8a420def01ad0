-- name:   labels
-- title:  What a JVM itself says about the mappings of one snapshot
-- param:  process  process  only NAME, PID, NAME/PID or @ID; may be left out where there is one name
-- param:  snapshot snapshot last Which one: first, last, prev, @ID, a time, -2h
-- param:  dialect  text     ""   Only captures of this dialect; else, for each moment, the one with most fields
-- column: start       address  First address of the mapping
-- column: end         address  First address after it
-- column: size_kib    kib      Its address space
-- column: rss_kib     kib      Its resident memory
-- column: category    category Its category: by this name where one covers nine tenths of it
-- column: label       text     In the JVM's own words: Java Heap, STACK-4712-main
-- column: covered_kib kib      How much of the mapping has this name
-- column: source      text     nmt (jcmd PID VM.native_memory detail) or system-map (System.map)
-- column: said_at     time     Time of the JVM's report, the nearest one
-- column: lineage_id  lineage  The mapping through time
-- column: pid         int      Process id
-- table:  start size_kib rss_kib category label covered_kib source said_at lineage_id
-- narrow: start rss_kib category label covered_kib
-- empty:  no names of a JVM: import the report of jcmd PID VM.native_memory detail
--
-- Import the output of jcmd in addition to the process's smaps: pmapdb import FILE. A mapping has a
-- row for each name that lies in it, because the kernel merges neighbours of different owners. Does
-- not show mappings that no report names: those of malloc, of libraries, and what native code maps.
WITH scope AS (
  SELECT process_id FROM process
  WHERE process_id = :process OR (:process IS NULL AND name_id = :name_id)
),
moment AS (
  -- the snapshots of the moment of :snapshot; a sweep takes less than an hour
  SELECT s.snapshot_id, s.process_id, s.taken_ms
  FROM snapshot m
  CROSS JOIN snapshot s ON s.process_id IN (SELECT process_id FROM scope)
    AND s.taken_ms BETWEEN m.moment_ms AND m.moment_ms + 3600000
  WHERE m.snapshot_id = :snapshot AND s.moment_ms = m.moment_ms
    AND CASE WHEN s.process_id = m.process_id THEN s.snapshot_id = m.snapshot_id
      WHEN :dialect IS NULL THEN s.preferred ELSE s.dialect = :dialect END
),
around AS (
  SELECT snapshot_id, process_id, taken_ms,
    (SELECT max(l.taken_ms) FROM label l WHERE l.process_id = moment.process_id
      AND l.taken_ms <= moment.taken_ms) AS before_ms,
    (SELECT min(l.taken_ms) FROM label l WHERE l.process_id = moment.process_id
      AND l.taken_ms > moment.taken_ms) AS behind_ms
  FROM moment
),
near AS (
  SELECT snapshot_id, process_id,
    CASE WHEN behind_ms IS NULL OR taken_ms - before_ms <= behind_ms - taken_ms THEN before_ms
      ELSE behind_ms END AS said_ms
  FROM around
)
SELECT m.start, m.end, m.size_kib, m.rss_kib, m.category, l.label,
  sum(min(m.end, l.start + l.length) - max(m.start, l.start)) / 1024 AS covered_kib,
  l.source, strftime(CASE WHEN near.said_ms % 1000 THEN '%Y-%m-%dT%H:%M:%fZ'
    ELSE '%Y-%m-%dT%H:%M:%SZ' END, near.said_ms / 1000.0, 'unixepoch') AS said_at,
  m.lineage_id, p.pid
FROM near
CROSS JOIN process p ON p.process_id = near.process_id
CROSS JOIN mappings m ON m.snapshot_id = near.snapshot_id
CROSS JOIN label l ON l.process_id = near.process_id AND l.taken_ms = near.said_ms
  AND l.source IN ('nmt', 'system-map') AND l.start < m.end AND l.start + l.length > m.start
GROUP BY near.process_id, m.start, l.source, l.label
ORDER BY near.process_id, m.start, l.source, l.start;
