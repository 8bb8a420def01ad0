-- name:   touched
-- title:  What was touched since the accessed bits were cleared (capture --touched), and what was not
-- param:  process process  ""       Only this NAME, PID, NAME/PID or @ID; else every process
-- param:  by      text     category One of category, object, lineage
-- param:  since   time     ""       Only windows that began from then on: a time, -7d before the newest, now-7d
-- param:  top     int      20       At most this many rows
-- param:  depth   text     2        One of 1, 2: by the first word (anonymous), or as rules refine it (anonymous/thread-stack)
-- column: name            text     Name of the process
-- column: pid             int      Process id
-- column: category        category Category
-- column: lineage_id      lineage  By lineage: the mapping through time
-- column: path            text     By object and lineage: what is mapped; empty for anonymous memory
-- column: rss_kib         kib      Resident at the end of the last window, and swapped
-- column: touched_kib     kib      Of it, touched in the last window
-- column: untouched_kib   kib      Of it, not touched in the last window
-- column: untouched_since time     At least half of untouched_kib was not touched since then; maybe for longer
-- column: grown_kib       kib      Growth of rss_kib from the end of the first window to that of the last
-- column: untouched_grown_kib kib  Growth of untouched_kib meanwhile: about what grew and was never touched again
-- column: source         text     Who says it: clear_refs, or page_idle (page idle tracking of the kernel)
-- column: from_at         time     When the last window began: the accessed bits were cleared
-- column: to_at           time     When it ended: the last snapshot before the next clearing; the newest while there is no next
-- column: window_s        real     Its length in seconds
-- column: cpu_s           real     CPU time of the process in it
-- column: minor_faults    count    Page faults of the process in it, without reading from a disk
-- column: major_faults    count    Page faults that read from a disk
-- column: windows         count    How many windows there are, at most 24, the newest
-- column: process_id      process  The process
-- table:  name pid category lineage_id path rss_kib touched_kib untouched_kib untouched_since grown_kib untouched_grown_kib window_s cpu_s source
-- empty:  nothing is known: it takes two captures with --touched
--
-- capture --touched clears the accessed bits of all pages of a process, now and then, or marks the pages
-- as idle; Referenced of a later capture is what was touched since. New memory counts as touched. Leaked
-- memory is not touched again, so untouched_grown_kib is about grown_kib; of a cache in use it is about
-- 0. That does not hold for memory that a collector walks (V8 touches all of it at each full
-- collection), and untouched memory of an idle process says nothing: compare cpu_s.
WITH scope AS (
  SELECT process_id, name_id, pid FROM process WHERE process_id = :process
  UNION ALL
  SELECT process_id, name_id, pid FROM process WHERE :process IS NULL AND name_id = :name_id
  UNION ALL
  SELECT process_id, name_id, pid FROM process WHERE :process IS NULL AND :name_id IS NULL
),
t AS (
  -- a clearing of the accessed bits, up to the last snapshot before the next one, whose
  -- referenced_kib is what was touched in between; without a next one it has not ended
  SELECT c.process_id, c.cleared_ms AS from_ms, s.taken_ms AS to_ms, s.snapshot_id,
    CASE c.page_idle WHEN 1 THEN 'page_idle' ELSE 'clear_refs' END AS source,
    a.cpu_us - c.cpu_us AS cpu_us, a.minor_faults - c.minor_faults AS minor_faults,
    a.major_faults - c.major_faults AS major_faults, n.mono_ns IS NOT NULL AS ended
  FROM scope p
  CROSS JOIN clearing c ON c.process_id = p.process_id
  LEFT JOIN clearing n ON n.process_id = c.process_id AND n.mono_ns = (SELECT min(m.mono_ns)
    FROM clearing m WHERE m.process_id = c.process_id AND m.mono_ns > c.mono_ns)
  CROSS JOIN snapshot s ON s.snapshot_id = (SELECT q.snapshot_id
    FROM snapshot q CROSS JOIN live_reading r ON r.snapshot_id = q.snapshot_id
    WHERE q.process_id = c.process_id AND q.taken_ms > c.cleared_ms
      AND q.taken_ms <= coalesce(n.cleared_ms, 9e15) AND q.state_code = 0
      AND CASE c.page_idle WHEN 1 THEN EXISTS (SELECT 1 FROM activity i
          WHERE i.snapshot_id = q.snapshot_id AND i.page_idle) ELSE q.dialect = 'smaps' END
      AND r.mono_ns > c.mono_ns AND r.mono_ns < coalesce(n.mono_ns, 9e18)
    ORDER BY q.taken_ms DESC LIMIT 1)
  LEFT JOIN activity a ON a.snapshot_id = s.snapshot_id
  WHERE c.clear_us IS NOT NULL
),
w AS (
  -- back: 1 for the newest window of a process; broken: 1 if the bits may have been set unseen
  -- before the next window began
  SELECT *, row_number() OVER newest AS back,
    (lag(from_ms) OVER newest - to_ms) * 16 > lag(from_ms) OVER newest - from_ms AS broken
  FROM t
  WHERE t.from_ms >= coalesce(:since, -9e15)
    AND (t.ended OR NOT EXISTS (SELECT 1 FROM t e WHERE e.process_id = t.process_id AND e.ended))
  WINDOW newest AS (PARTITION BY process_id ORDER BY from_ms DESC)
),
x AS (
  SELECT w.process_id, w.back, w.broken, w.from_ms,
    CASE :depth WHEN '1' THEN m.parent ELSE m.category END AS category,
    CASE :by WHEN 'category' THEN '' ELSE m.path END AS path,
    CASE :by WHEN 'lineage' THEN m.lineage_id END AS lineage_id,
    sum(m.rss_kib + ifnull(m.swap_kib, 0)) AS rss_kib,
    CASE WHEN count(*) = count(m.referenced_kib) THEN sum(m.referenced_kib) END AS touched_kib
  FROM w
  CROSS JOIN mappings m ON m.snapshot_id = w.snapshot_id
  WHERE w.back <= 24
  GROUP BY 1, 2, 3, 4, 5, 6, 7
),
y AS (
  -- ever_kib: at most this much of the memory at the end was touched since this window began; last_kib
  -- and last_untouched_kib: at the end
  SELECT process_id, back, from_ms, category, path, lineage_id, rss_kib, touched_kib,
    max(rss_kib - touched_kib, 0) AS untouched_kib,
    sum(ifnull(touched_kib, rss_kib)) OVER newest AS ever_kib,
    max(coalesce(broken, 0)) OVER newest AS gap, first_value(rss_kib) OVER newest AS last_kib,
    first_value(max(rss_kib - touched_kib, 0)) OVER newest AS last_untouched_kib,
    (SELECT max(w.back) FROM w WHERE w.process_id = x.process_id AND w.back <= 24) AS oldest
  FROM x
  WINDOW newest AS (PARTITION BY process_id, category, path, lineage_id ORDER BY back)
)
SELECT n.name, p.pid, y.category, y.lineage_id, y.path,
  sum(CASE y.back WHEN 1 THEN y.rss_kib END) AS rss_kib,
  sum(CASE y.back WHEN 1 THEN y.touched_kib END) AS touched_kib,
  sum(CASE y.back WHEN 1 THEN y.untouched_kib END) AS untouched_kib,
  strftime('%Y-%m-%dT%H:%M:%fZ', min(CASE WHEN y.last_untouched_kib > 0 AND y.gap = 0
    AND (y.last_kib - y.ever_kib) * 2 >= y.last_untouched_kib THEN y.from_ms END) / 1000.0,
    'unixepoch') AS untouched_since,
  sum(CASE y.back WHEN 1 THEN y.rss_kib END)
    - coalesce(sum(CASE y.back WHEN y.oldest THEN y.rss_kib END), 0) AS grown_kib,
  sum(CASE y.back WHEN 1 THEN y.untouched_kib END)
    - CASE WHEN NOT max(y.back = y.oldest AND y.untouched_kib IS NULL)
      THEN coalesce(sum(CASE y.back WHEN y.oldest THEN y.untouched_kib END), 0) END AS untouched_grown_kib,
  w.source,
  strftime('%Y-%m-%dT%H:%M:%fZ', w.from_ms / 1000.0, 'unixepoch') AS from_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', w.to_ms / 1000.0, 'unixepoch') AS to_at,
  (w.to_ms - w.from_ms) / 1000.0 AS window_s, w.cpu_us / 1000000.0 AS cpu_s, w.minor_faults,
  w.major_faults, y.oldest AS windows, p.process_id
FROM y
CROSS JOIN w ON w.process_id = y.process_id AND w.back = 1
CROSS JOIN scope p ON p.process_id = y.process_id
CROSS JOIN name n ON n.name_id = p.name_id
GROUP BY y.process_id, y.category, y.path, y.lineage_id
HAVING min(y.back) = 1
ORDER BY untouched_kib DESC, n.name, p.process_id, y.category, y.path, y.lineage_id
LIMIT coalesce(:top, -1);
