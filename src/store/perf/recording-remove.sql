-- recording-remove: removes recording :recording_id. Frames and stacks stay; tidying removes those
-- without a call.

DELETE FROM extent WHERE traced_process_id IN (
  SELECT traced_process_id FROM traced_process WHERE recording_id = :recording_id);
DELETE FROM call WHERE thread_id IN (
  SELECT h.thread_id FROM traced_process t JOIN thread h USING (traced_process_id)
  WHERE t.recording_id = :recording_id);
DELETE FROM thread WHERE traced_process_id IN (
  SELECT traced_process_id FROM traced_process WHERE recording_id = :recording_id);
DELETE FROM traced_process WHERE recording_id = :recording_id;
DELETE FROM recording WHERE recording_id = :recording_id;
