-- name:   left-out
-- title:  Names captured near a moment, but further from it than --within
-- param:  process  process  ""   Only this NAME, PID, NAME/PID or @ID
-- param:  snapshot snapshot last Which moment: first, last, prev, @ID, a time, -2h
-- param:  within   duration 1m   What counts as taken together
-- param:  dialect  text     ""   Only captures of this dialect; else, for each moment, the one with most fields
-- column: host     text     Where; empty when unknown
-- column: name     text     Name that survives restarts
-- column: taken_at time     Its moment nearest to the one that is asked for, UTC
-- column: away     duration How far that is
-- empty:  no names were left out
--
-- Names that by-name, by-process, deleted, shared and groups leave out of a moment although they
-- were captured in the same hour. With --within as large as the largest away, those queries show
-- them. Names that seem to have ended, or not to have begun, are not here: those that are not in
-- the nearest sweep of their live job, or that were captured as text and are further away than one
-- and a half steps of their own captures.
WITH scope AS (
  SELECT process_id, name_id FROM process
  WHERE (:process IS NULL OR process_id = :process) AND (:name_id IS NULL OR name_id = :name_id)
),
near AS (
  -- for each process, the last snapshot up to the moment of :snapshot and the first one from it on
  SELECT p.name_id, s.process_id, s.taken_ms, s.moment_ms, w.schedule_id,
    abs(s.moment_ms - m.moment_ms) AS away, s.moment_ms < m.moment_ms AS before
  FROM snapshot m
  CROSS JOIN scope p
  CROSS JOIN snapshot s ON s.snapshot_id IN (
    (SELECT s.snapshot_id FROM snapshot s WHERE s.process_id = p.process_id
      AND s.taken_ms <= m.moment_ms
      AND CASE WHEN :dialect IS NULL THEN s.preferred ELSE s.dialect = :dialect END
      ORDER BY s.taken_ms DESC LIMIT 1),
    (SELECT s.snapshot_id FROM snapshot s WHERE s.process_id = p.process_id
      AND s.taken_ms >= m.moment_ms
      AND CASE WHEN :dialect IS NULL THEN s.preferred ELSE s.dialect = :dialect END
      ORDER BY s.taken_ms LIMIT 1))
  LEFT JOIN beat w ON w.capture_id = s.capture_id
  WHERE m.snapshot_id = :snapshot
),
nearest AS (
  SELECT *,
    row_number() OVER (PARTITION BY name_id ORDER BY away, moment_ms) AS k,
    min(away) OVER (PARTITION BY schedule_id) AS of_job
  FROM near
)
SELECT h.name AS host, n.name,
  strftime(CASE WHEN x.moment_ms % 1000 THEN '%Y-%m-%dT%H:%M:%fZ'
    ELSE '%Y-%m-%dT%H:%M:%SZ' END, x.moment_ms / 1000.0, 'unixepoch') AS taken_at,
  x.away
FROM nearest x
CROSS JOIN name n ON n.name_id = x.name_id
LEFT JOIN host h ON h.host_id = n.host_id
WHERE x.k = 1 AND x.away > :within AND x.away <= 3600000
  AND (x.schedule_id IS NULL OR x.away = x.of_job)
  AND x.away <= 1.5 * coalesce(CASE x.before
    WHEN 1 THEN x.taken_ms - (SELECT s.taken_ms FROM snapshot s WHERE s.process_id = x.process_id
      AND s.taken_ms < x.taken_ms ORDER BY s.taken_ms DESC LIMIT 1)
    ELSE (SELECT s.taken_ms FROM snapshot s WHERE s.process_id = x.process_id
      AND s.taken_ms > x.taken_ms ORDER BY s.taken_ms LIMIT 1) - x.taken_ms END, 3600000)
ORDER BY x.away, host, n.name;
