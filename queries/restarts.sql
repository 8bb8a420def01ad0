-- name:   restarts
-- title:  When a name ended and came back, and how large it was
-- param:  process process "" Only this NAME, PID, NAME/PID or @ID
-- param:  dialect text    "" Only captures of this dialect
-- column: host             text     Where; empty when unknown
-- column: name             text     Name of the process
-- column: down_at          time     Last moment of the life before, UTC
-- column: up_at            time     First moment of the next life, UTC
-- column: away             duration Between the two; the restart fell in it
-- column: lived            duration From the first to the last moment of the life before
-- column: processes_before count    Processes in its last moment
-- column: processes_after  count    Processes in the first moment of the next
-- column: pid_before       int      Process id; unknown where there were several
-- column: pid_after        int      Process id; unknown where there are several
-- column: size_kib_before  kib      Address space in the last moment before
-- column: size_kib_after   kib      Address space in the first moment after
-- column: rss_kib_before   kib      Resident in the last moment before
-- column: rss_kib_after    kib      Resident in the first moment after
-- table:  name down_at up_at away lived pid_before pid_after rss_kib_before rss_kib_after
--
-- A name restarts when all of its processes end and one begins later. A worker that comes or goes
-- while other processes of the name live is not a restart.
WITH scope AS (
  SELECT process_id, name_id FROM process
  WHERE (:process IS NULL OR process_id = :process) AND (:name_id IS NULL OR name_id = :name_id)
),
life AS (
  SELECT p.process_id, p.name_id, a.moment_ms AS first_ms, z.moment_ms AS last_ms
  FROM scope p
  CROSS JOIN snapshot a ON (a.epoch_id, a.off) = (SELECT s.epoch_id, s.off FROM snapshot s
    WHERE s.process_id = p.process_id
      AND CASE WHEN :dialect IS NULL THEN s.preferred ELSE s.dialect = :dialect END
    ORDER BY s.taken_ms LIMIT 1)
  CROSS JOIN snapshot z ON (z.epoch_id, z.off) = (SELECT s.epoch_id, s.off FROM snapshot s
    WHERE s.process_id = p.process_id
      AND CASE WHEN :dialect IS NULL THEN s.preferred ELSE s.dialect = :dialect END
    ORDER BY s.taken_ms DESC LIMIT 1)
),
numbered AS (
  SELECT process_id, name_id, first_ms, last_ms,
    sum(fresh) OVER (PARTITION BY name_id ORDER BY k) AS era
  FROM (
    SELECT *, row_number() OVER w AS k, coalesce(first_ms > max(last_ms) OVER (w
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS fresh
    FROM life
    WINDOW w AS (PARTITION BY name_id ORDER BY first_ms, process_id)
  )
),
era AS (
  SELECT name_id, era, min(first_ms) AS up_ms, max(last_ms) AS down_ms
  FROM numbered
  GROUP BY name_id, era
),
ends AS (
  -- the first and the last moment of each era
  SELECT e.name_id, e.era, s.moment_ms, count(*) AS processes,
    CASE count(*) WHEN 1 THEN max(p.pid) END AS pid,
    CASE WHEN count(*) = count(s.size_kib) THEN sum(s.size_kib) END AS size_kib,
    CASE WHEN count(*) = count(s.rss_kib) THEN sum(s.rss_kib) END AS rss_kib
  FROM era e
  JOIN numbered l ON l.name_id = e.name_id AND l.era = e.era
  CROSS JOIN process p ON p.process_id = l.process_id
  CROSS JOIN snapshot s ON s.process_id = p.process_id
    AND (s.taken_ms BETWEEN e.up_ms AND e.up_ms + 3600000
      OR s.taken_ms BETWEEN e.down_ms AND e.down_ms + 3600000)
  WHERE CASE WHEN s.moment_ms NOT IN (e.up_ms, e.down_ms) THEN 0
    WHEN :dialect IS NULL THEN s.preferred ELSE s.dialect = :dialect END
  GROUP BY e.name_id, e.era, s.moment_ms
)
SELECT h.name AS host, n.name,
  strftime(CASE WHEN d.down_ms % 1000 THEN '%Y-%m-%dT%H:%M:%fZ'
    ELSE '%Y-%m-%dT%H:%M:%SZ' END, d.down_ms / 1000.0, 'unixepoch') AS down_at,
  strftime(CASE WHEN u.up_ms % 1000 THEN '%Y-%m-%dT%H:%M:%fZ'
    ELSE '%Y-%m-%dT%H:%M:%SZ' END, u.up_ms / 1000.0, 'unixepoch') AS up_at,
  u.up_ms - d.down_ms AS away, d.down_ms - d.up_ms AS lived,
  a.processes AS processes_before, b.processes AS processes_after,
  a.pid AS pid_before, b.pid AS pid_after,
  a.size_kib AS size_kib_before, b.size_kib AS size_kib_after,
  a.rss_kib AS rss_kib_before, b.rss_kib AS rss_kib_after
FROM era u
JOIN era d ON d.name_id = u.name_id AND d.era = u.era - 1
JOIN ends a ON a.name_id = d.name_id AND a.era = d.era AND a.moment_ms = d.down_ms
JOIN ends b ON b.name_id = u.name_id AND b.era = u.era AND b.moment_ms = u.up_ms
JOIN name n ON n.name_id = u.name_id
LEFT JOIN host h ON h.host_id = n.host_id
ORDER BY host, n.name, u.up_ms;
