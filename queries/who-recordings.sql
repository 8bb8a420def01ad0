-- name:   who-recordings
-- title:  What perf recorded of a process, compared with two snapshots
-- param:  process  process  only  NAME, PID, NAME/PID or @ID; may be left out where there is one name
-- param:  from     snapshot first The older snapshot
-- param:  to       snapshot last  The newer snapshot
-- param:  dialect  text     ""    Only captures of this dialect; else, for each moment, the one with most fields
-- column: recording_id int      Number of the recording
-- column: file         text     As it was named
-- column: first_at     time     Its first call, UTC; empty: its time is unknown
-- column: last_at      time     Its last call
-- column: clock        text     How the time is known: clocks, given, events; empty: unknown
-- column: slack_ms     duration Largest error of the clock, either way
-- column: calls        count    Calls of all its processes
-- column: lost         count    Events that perf lost; empty: it does not say
-- column: unpaired     count    Calls whose begin or end is missing
-- column: late_ms      duration It began this long after the older snapshot; less than 0: before it
-- column: early_ms     duration It ended this long before the newer snapshot; less than 0: after it
-- column: linked       bool     It is known to be of this life of the pid
-- column: name         text     Name of the process
-- column: pid          int      Process id
-- column: process_id   process  The process: one life of the pid
-- column: from_id      snapshot The last snapshot before the first recorded call; who begins there
-- column: to_id        snapshot The first snapshot after the last recorded call; who ends there
-- column: line         text     The recording in words, where it is linked and its time is known
-- column: note         text     What it lacks
-- table:  recording_id file first_at last_at clock slack_ms calls lost unpaired name pid
--
-- The recordings that are linked to the process, and the recordings of its pid that are not linked
-- to any process.
WITH scope AS (
  SELECT process_id FROM process
  WHERE process_id = :process OR (:process IS NULL AND name_id = :name_id)
),
side AS (
  -- the snapshots of the moments of :from (newer: 0) and :to (1); a sweep takes less than an hour
  SELECT d.newer, s.process_id, s.taken_ms
  FROM (SELECT 0 AS newer, :from AS id UNION ALL SELECT 1, :to) d
  CROSS JOIN snapshot m ON m.snapshot_id = d.id
  CROSS JOIN process p ON p.process_id = :process OR (:process IS NULL AND p.name_id = :name_id)
  CROSS JOIN snapshot s ON s.process_id = p.process_id
    AND s.taken_ms BETWEEN m.moment_ms AND m.moment_ms + 3600000
  WHERE s.moment_ms = m.moment_ms
    AND CASE WHEN s.process_id = m.process_id THEN s.snapshot_id = m.snapshot_id
      WHEN :dialect IS NULL THEN s.preferred ELSE s.dialect = :dialect END
),
span AS (
  SELECT min(r.first_ns + t.offset_ns) / 1000000 AS first_ms,
    max(r.last_ns + t.offset_ns) / 1000000 + 1 AS last_ms
  FROM scope c
  CROSS JOIN traced_process t ON t.process_id = c.process_id
  CROSS JOIN recording r ON r.recording_id = t.recording_id
  WHERE t.offset_ns IS NOT NULL
),
near AS (
  -- of each process the snapshots around it
  SELECT
    (SELECT s.snapshot_id FROM snapshot s WHERE s.process_id = c.process_id
      AND s.taken_ms <= x.first_ms
      AND CASE WHEN :dialect IS NULL THEN s.preferred ELSE s.dialect = :dialect END
      ORDER BY s.taken_ms DESC LIMIT 1) AS from_id,
    (SELECT s.snapshot_id FROM snapshot s WHERE s.process_id = c.process_id
      AND s.taken_ms >= x.last_ms
      AND CASE WHEN :dialect IS NULL THEN s.preferred ELSE s.dialect = :dialect END
      ORDER BY s.taken_ms LIMIT 1) AS to_id
  FROM span x
  CROSS JOIN scope c
),
told AS (
  SELECT r.recording_id, r.file,
    strftime('%Y-%m-%dT%H:%M:%fZ', (r.first_ns + t.offset_ns) / 1e9, 'unixepoch') AS first_at,
    strftime('%Y-%m-%dT%H:%M:%fZ', (r.last_ns + t.offset_ns) / 1e9, 'unixepoch') AS last_at,
    t.offset_source AS clock, t.slack_ns / 1000000 AS slack_ms, r.calls, r.lost,
    r.unended + r.unbegun AS unpaired,
    (r.first_ns + t.offset_ns) / 1000000 - a.taken_ms AS late_ms,
    b.taken_ms - (r.last_ns + t.offset_ns) / 1000000 AS early_ms, t.process_id IS NOT NULL AS linked,
    n.name, p.pid, p.process_id,
    (SELECT s.snapshot_id FROM near x CROSS JOIN snapshot s ON s.snapshot_id = x.from_id
      ORDER BY s.taken_ms DESC LIMIT 1) AS from_id,
    (SELECT s.snapshot_id FROM near x CROSS JOIN snapshot s ON s.snapshot_id = x.to_id
      ORDER BY s.taken_ms LIMIT 1) AS to_id
  FROM scope c
  CROSS JOIN process p ON p.process_id = c.process_id
  CROSS JOIN name n ON n.name_id = p.name_id
  CROSS JOIN traced_process t ON t.process_id = p.process_id OR (t.process_id IS NULL AND t.pid = p.pid)
  CROSS JOIN recording r ON r.recording_id = t.recording_id
  LEFT JOIN side a ON a.newer = 0 AND a.process_id = p.process_id
  LEFT JOIN side b ON b.newer = 1 AND b.process_id = p.process_id
)
SELECT *,
  CASE WHEN linked AND first_at IS NOT NULL THEN 'recording ' || recording_id || ' (' || file || '): '
    || first_at || ' to ' || last_at || CASE clock WHEN 'clocks' THEN ', clock as the live captures have it'
      WHEN 'given' THEN ', clock as given'
      WHEN 'events' THEN ', clock by what captures and calls saw alike' ELSE '' END
    || CASE WHEN slack_ms > 0 THEN ', within ' || slack_ms || ' ms' ELSE '' END
    || ', lost ' || coalesce(lost, '?') END AS line,
  CASE
    WHEN NOT linked THEN 'recording ' || recording_id || ' of pid ' || pid || ' is not known to be of '
      || 'this process: it was not recorded while it was captured'
    WHEN first_at IS NULL THEN 'the time of recording ' || recording_id
      || ' is not known: import it again with --clock-offset'
    WHEN lost > 0 THEN 'perf lost ' || lost || ' events of recording ' || recording_id
      || ': what is live is not certain'
  END AS note
FROM told
ORDER BY process_id, first_at, recording_id;
