-- keep-rest: removes rows that no other row refers to any more, children before parents. Rows of
-- import_log stay: a row without snapshots may belong to an import that has just begun.
--
-- Parameter: :until_ms. A live capture without snapshots is the record that no process was found;
-- only those up to this time are removed. NULL: none.

DELETE FROM object WHERE object_id NOT IN (SELECT object_id FROM region);
DELETE FROM rare_fields WHERE rare_fields_id NOT IN (SELECT rare_fields_id FROM mapping_version WHERE rare_fields_id IS NOT NULL);
DELETE FROM environment WHERE live_process_id NOT IN (SELECT live_process_id FROM live_reading);
DELETE FROM live_process WHERE live_process_id NOT IN (SELECT live_process_id FROM live_reading);

-- Recordings of processes that a prune removed.
DELETE FROM extent WHERE traced_process_id IN (SELECT traced_process_id FROM traced_process WHERE pruned = 1);
DELETE FROM call WHERE thread_id IN (SELECT t.thread_id FROM thread t
  WHERE t.traced_process_id IN (SELECT traced_process_id FROM traced_process WHERE pruned = 1));
DELETE FROM thread WHERE traced_process_id IN (SELECT traced_process_id FROM traced_process WHERE pruned = 1);
DELETE FROM traced_process WHERE pruned = 1;
DELETE FROM recording WHERE recording_id NOT IN (SELECT recording_id FROM traced_process);
DELETE FROM stack WHERE stack_id NOT IN (
  WITH RECURSIVE used (stack_id) AS (SELECT 0 UNION SELECT stack_id FROM call
    UNION SELECT s.caller_id FROM used JOIN stack s USING (stack_id))
  SELECT stack_id FROM used);
DELETE FROM frame WHERE frame_id NOT IN (SELECT frame_id FROM stack WHERE frame_id IS NOT NULL);

-- A schedule records its newest removed beat: expected beats, and beats to take from a merge, begin
-- after it.
CREATE TEMP TABLE IF NOT EXISTS keep_capture (capture_id INTEGER PRIMARY KEY);
DELETE FROM keep_capture;
INSERT INTO keep_capture
SELECT c.capture_id FROM capture c LEFT JOIN beat w ON w.capture_id = c.capture_id
WHERE c.capture_id NOT IN (SELECT capture_id FROM snapshot)
  AND (w.started_ms IS NULL OR w.started_ms <= :until_ms);
UPDATE schedule SET pruned_ms = max(newest_ms, coalesce(pruned_ms, newest_ms)),
  removed_ms = max(newest_ms, coalesce(removed_ms, newest_ms))
FROM (SELECT w.schedule_id AS of_schedule, max(w.started_ms) AS newest_ms
  FROM keep_capture k JOIN beat w ON w.capture_id = k.capture_id GROUP BY w.schedule_id)
WHERE schedule_id = of_schedule;
DELETE FROM page_scan WHERE capture_id IN (SELECT capture_id FROM keep_capture);
DELETE FROM beat WHERE capture_id IN (SELECT capture_id FROM keep_capture);
DELETE FROM capture WHERE capture_id IN (SELECT capture_id FROM keep_capture);
DELETE FROM schedule WHERE removed_ms IS NULL AND schedule_id NOT IN (SELECT schedule_id FROM beat);
DELETE FROM origin WHERE origin_id NOT IN (SELECT origin_id FROM capture);
DELETE FROM name WHERE name_id NOT IN (SELECT name_id FROM process);
DELETE FROM host_label WHERE host_id NOT IN (
  SELECT host_id FROM process WHERE host_id IS NOT NULL UNION SELECT host_id FROM schedule);
DELETE FROM host WHERE host_id NOT IN (
  SELECT host_id FROM process WHERE host_id IS NOT NULL
  UNION SELECT host_id FROM name WHERE host_id IS NOT NULL
  UNION SELECT host_id FROM host_label
  UNION SELECT host_id FROM schedule UNION SELECT host_id FROM import_log WHERE host_id IS NOT NULL
  UNION SELECT host_id FROM forgotten WHERE host_id IS NOT NULL
  UNION SELECT host_id FROM recording WHERE host_id IS NOT NULL);
