-- name:   restarts
-- title:  When a process ended, whether its name came back, and how large it was
-- param:  process  process "" Only this NAME, PID, NAME/PID or @ID
-- param:  since    time    "" Only ends from then on: a time, -7d before the newest snapshot, now-7d
-- param:  until    time    "" Only ends up to then
-- param:  min-size kib     0  Only processes that had at least this much resident
-- param:  dialect  text    "" Only captures of this dialect
-- column: host             text     Where; empty when unknown
-- column: name             text     Name of the process
-- column: down_at          time     Last moment of the life before, UTC
-- column: up_at            time     First moment of the next life, UTC; empty if no next life is known
-- column: away             duration Between the two; the restart fell in it
-- column: lived            duration From the first to the last moment of the life before; unknown if it was captured once
-- column: processes_before count    Processes in its last moment
-- column: processes_after  count    Processes of the name after it
-- column: pid_before       int      Process id; unknown where there were several
-- column: pid_after        int      Process id; unknown where there are several
-- column: size_kib_before  kib      Address space in the last moment before
-- column: size_kib_after   kib      Address space in the first moment after
-- column: rss_kib_before   kib      Resident in the last moment before
-- column: rss_kib_after    kib      Resident in the first moment after
-- column: kind             text     restart, ended (the name did not come back), death (a namesake lives on)
-- table:  name kind down_at up_at away lived processes_before pid_before pid_after rss_kib_before rss_kib_after
-- narrow: name down_at pid_before rss_kib_before kind
-- empty:  no restarts, and nothing ended
--
-- A name restarts when all of its processes end and one begins later. What was not captured is not
-- therefore dead: a process ended if captures went on without it (ended_at of the view processes).
-- Without that, a restart is told where at least as many processes of the name are there after it as
-- before.
WITH scope AS (
  SELECT process_id, name_id FROM process
  WHERE (:process IS NULL OR process_id = :process) AND (:name_id IS NULL OR name_id = :name_id)
),
life AS (
  SELECT p.process_id, p.name_id, a.moment_ms AS first_ms, z.moment_ms AS last_ms, z.snapshot_id
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
  SELECT process_id, name_id, first_ms, last_ms, snapshot_id,
    (SELECT p.ended_at FROM processes p WHERE p.process_id = life.process_id) IS NOT NULL AS ended,
    sum(fresh) OVER (PARTITION BY name_id ORDER BY k) AS era
  FROM (
    SELECT *, row_number() OVER w AS k, coalesce(first_ms > max(last_ms) OVER (w
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS fresh
    FROM life
    WINDOW w AS (PARTITION BY name_id ORDER BY first_ms, process_id)
  ) life
),
era AS (
  SELECT name_id, era, min(first_ms) AS up_ms, max(last_ms) AS down_ms, min(ended) AS ended,
    max(era) OVER (PARTITION BY name_id) AS last_era
  FROM numbered
  GROUP BY name_id, era
),
ends AS (
  -- the first and the last moment of each era
  SELECT e.name_id, e.era, s.moment_ms, count(*) AS processes,
    CASE count(*) WHEN 1 THEN max(p.pid) END AS pid,
    CASE WHEN count(*) = count(s.size_kib) THEN sum(s.size_kib) END AS size_kib,
    CASE WHEN count(*) = count(coalesce(s.rss_kib, s.tool_rss_kib))
      THEN sum(coalesce(s.rss_kib, s.tool_rss_kib)) END AS rss_kib
  FROM era e
  JOIN numbered l ON l.name_id = e.name_id AND l.era = e.era
  CROSS JOIN process p ON p.process_id = l.process_id
  CROSS JOIN snapshot s ON s.process_id = p.process_id
    AND (s.taken_ms BETWEEN e.up_ms AND e.up_ms + 3600000
      OR s.taken_ms BETWEEN e.down_ms AND e.down_ms + 3600000)
  WHERE CASE WHEN s.moment_ms NOT IN (e.up_ms, e.down_ms) THEN 0
    WHEN :dialect IS NULL THEN s.preferred ELSE s.dialect = :dialect END
  GROUP BY e.name_id, e.era, s.moment_ms
),
alive AS (
  -- how many processes of the name live after each beginning and end
  SELECT name_id, era, process_id, d,
    sum(d) OVER (PARTITION BY name_id, era ORDER BY ms, d DESC, process_id
      ROWS UNBOUNDED PRECEDING) AS processes
  FROM (
    SELECT name_id, era, process_id, first_ms AS ms, 1 AS d FROM numbered
    UNION ALL
    SELECT name_id, era, process_id, last_ms, -1 FROM numbered
  )
),
told AS (
  SELECT u.name_id, d.down_ms, u.up_ms, d.down_ms - d.up_ms AS lived, a.processes AS processes_before,
    b.processes AS processes_after, a.pid AS pid_before, b.pid AS pid_after,
    a.size_kib AS size_kib_before, b.size_kib AS size_kib_after, a.rss_kib AS rss_kib_before,
    b.rss_kib AS rss_kib_after, 'restart' AS kind
  FROM era u
  JOIN era d ON d.name_id = u.name_id AND d.era = u.era - 1
  JOIN ends a ON a.name_id = d.name_id AND a.era = d.era AND a.moment_ms = d.down_ms
  JOIN ends b ON b.name_id = u.name_id AND b.era = u.era AND b.moment_ms = u.up_ms
  WHERE d.ended OR b.processes >= a.processes
  UNION ALL
  SELECT d.name_id, d.down_ms, NULL, d.down_ms - d.up_ms, a.processes, 0, a.pid, NULL, a.size_kib, NULL,
    a.rss_kib, NULL, 'ended'
  FROM era d
  JOIN ends a ON a.name_id = d.name_id AND a.era = d.era AND a.moment_ms = d.down_ms
  WHERE d.ended AND d.era = d.last_era
  UNION ALL
  SELECT l.name_id, l.last_ms, NULL, l.last_ms - l.first_ms, x.processes + 1, x.processes, p.pid, NULL,
    s.size_kib, NULL, coalesce(s.rss_kib, s.tool_rss_kib), NULL, 'death'
  FROM numbered l
  JOIN era e ON e.name_id = l.name_id AND e.era = l.era AND l.last_ms < e.down_ms
  JOIN alive x ON x.process_id = l.process_id AND x.d = -1
  CROSS JOIN process p ON p.process_id = l.process_id
  CROSS JOIN snapshot s ON s.snapshot_id = l.snapshot_id
  WHERE l.ended
  LIMIT -1 -- keeps the filters below out of the three parts, whose plans they would spoil
)
SELECT h.name AS host, n.name,
  strftime(CASE WHEN t.down_ms % 1000 THEN '%Y-%m-%dT%H:%M:%fZ'
    ELSE '%Y-%m-%dT%H:%M:%SZ' END, t.down_ms / 1000.0, 'unixepoch') AS down_at,
  strftime(CASE WHEN t.up_ms % 1000 THEN '%Y-%m-%dT%H:%M:%fZ'
    ELSE '%Y-%m-%dT%H:%M:%SZ' END, t.up_ms / 1000.0, 'unixepoch') AS up_at,
  t.up_ms - t.down_ms AS away, nullif(t.lived, 0) AS lived, t.processes_before, t.processes_after, t.pid_before, t.pid_after,
  t.size_kib_before, t.size_kib_after, t.rss_kib_before, t.rss_kib_after, t.kind
FROM told t
JOIN name n ON n.name_id = t.name_id
LEFT JOIN host h ON h.host_id = n.host_id
WHERE t.down_ms BETWEEN coalesce(:since, -9e15) AND coalesce(:until, 9e15)
  AND (:min_size = 0 OR t.rss_kib_before >= :min_size)
ORDER BY t.down_ms DESC, host, n.name, t.kind, t.pid_before;
