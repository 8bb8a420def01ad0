-- The snapshots that a report of process :process can show, in temporary tables; report-keep chooses
-- those that it does show. Each moment counts once: by its preferred dialect, or by :dialect.

-- The series of the process: lives of a name that follow each other, as in leaks. A process that
-- lived at the same time as another one of its name is alone.
CREATE TEMP TABLE report_life AS
WITH life AS (
  SELECT p.process_id, p.pid, n.name = '?' AS nameless,
    (SELECT min(s.taken_ms) FROM snapshot s WHERE s.process_id = p.process_id) AS first_ms,
    (SELECT max(s.taken_ms) FROM snapshot s WHERE s.process_id = p.process_id) AS last_ms
  FROM process p
  JOIN name n ON n.name_id = p.name_id
  WHERE p.name_id = (SELECT name_id FROM process WHERE process_id = :process)
),
alone AS (
  SELECT process_id, pid, nameless
    OR coalesce(first_ms <= max(last_ms) OVER (w ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)
    OR coalesce(last_ms >= lead(first_ms) OVER w, 0) AS beside
  FROM life
  WINDOW w AS (ORDER BY first_ms, process_id)
)
SELECT process_id, pid FROM alone
WHERE process_id = :process
  OR NOT beside AND NOT (SELECT a.beside FROM alone a WHERE a.process_id = :process);

-- level: 0 in the store, 1 shown, 2 shown with its mappings; k and m: its place among those of level
-- 1 and 2; missed: snapshots that are missing before it; life: it is the first of its process.
CREATE TEMP TABLE report_moment (
  n INTEGER PRIMARY KEY, snapshot_id INTEGER, process_id INTEGER, epoch_id INTEGER, off INTEGER,
  taken_ms INTEGER, state TEXT, missed INTEGER, life INTEGER, level INTEGER DEFAULT 0, k INTEGER,
  m INTEGER, mappings INTEGER, size_kib INTEGER, rss_kib INTEGER, pss_kib INTEGER,
  private_kib INTEGER, swap_kib INTEGER, of_rows INTEGER);
INSERT INTO report_moment (n, snapshot_id, process_id, epoch_id, off, taken_ms, state, missed, life,
  mappings, size_kib, rss_kib, pss_kib, private_kib, swap_kib, of_rows)
SELECT row_number() OVER w, s.snapshot_id, s.process_id, s.epoch_id, s.off, s.taken_ms, s.state,
  s.taken_ms - lag(s.taken_ms) OVER w, s.process_id IS NOT lag(s.process_id) OVER w, s.mappings,
  s.size_kib, coalesce(s.rss_kib, s.tool_rss_kib), s.pss_kib, s.private_kib, s.swap_kib,
  s.rss_kib IS NOT NULL
FROM report_life l
CROSS JOIN snapshot s ON s.process_id = l.process_id
WHERE CASE WHEN :dialect IS NULL THEN s.preferred ELSE s.dialect = :dialect END
  AND s.moment_ms BETWEEN :from_ms AND :to_ms
WINDOW w AS (ORDER BY s.taken_ms, s.ordinal, s.snapshot_id);

-- The usual step: the lower median. A step longer than three usual steps is a gap.
CREATE TEMP TABLE report_step AS
SELECT missed AS step_ms FROM report_moment
WHERE missed > 0
ORDER BY missed
LIMIT 1 OFFSET (SELECT (count(*) - 1) / 2 FROM report_moment WHERE missed > 0);
UPDATE report_moment
SET missed = CASE WHEN missed > 3 * (SELECT step_ms FROM report_step) AND NOT life
  THEN (missed + (SELECT step_ms FROM report_step) / 2) / (SELECT step_ms FROM report_step) - 1
  ELSE 0 END;

-- The categories, those that vary most first, and the curves whose peaks a report must show: resident
-- memory, size, and the resident memory of the two categories that vary most.
CREATE TEMP TABLE report_category AS
SELECT category_id, category,
  row_number() OVER (ORDER BY max(v.rss_kib) - min(v.rss_kib) DESC, category_id) AS place
FROM (SELECT DISTINCT epoch_id FROM report_moment) e
CROSS JOIN category_version v ON v.epoch_id = e.epoch_id
JOIN category c USING (category_id)
GROUP BY category_id;
CREATE TEMP TABLE report_curve AS
SELECT 0 AS curve, n, rss_kib AS kib FROM report_moment
UNION ALL
SELECT 1, n, size_kib FROM report_moment
UNION ALL
SELECT 1 + c.place, s.n, v.rss_kib
FROM report_category c
CROSS JOIN report_moment s
CROSS JOIN category_version v ON v.epoch_id = s.epoch_id AND v.category_id = c.category_id
  AND v.first = (SELECT max(w.first) FROM category_version w WHERE w.epoch_id = s.epoch_id
    AND w.category_id = c.category_id AND w.first <= s.off)
WHERE c.place <= 2 AND (v.last IS NULL OR v.last >= s.off);
