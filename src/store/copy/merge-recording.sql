-- merge-recording: copies recording ?1 without its pruned processes; its host is ?3 if the other
-- store knows none. A store has each frame and stack once; a caller comes before its callees. Calls
-- keep their order. A row without the row that it refers to is an error: its id here is NULL.

SELECT coalesce(h.name, ?3) AS host
FROM recording r LEFT JOIN host h USING (host_id)
WHERE recording_id = ?1 AND coalesce(h.name, ?3) IS NOT NULL;
INSERT OR IGNORE INTO host (name) VALUES (:host);

SELECT r.*, coalesce(h.name, ?3) AS host
FROM recording r LEFT JOIN host h USING (host_id)
WHERE recording_id = ?1;
INSERT INTO recording (host_id, hash, file, first_ns, last_ns, calls, failed, unended, unbegun, bad, lost)
VALUES ((SELECT host_id FROM host WHERE name = :host), :hash, :file, :first_ns, :last_ns, :calls, :failed,
  :unended, :unbegun, :bad, :lost);
INSERT OR REPLACE INTO temp.copied VALUES ('recording', :recording_id, last_insert_rowid());
INSERT OR REPLACE INTO temp.copied VALUES ('stack', 0, 0);

SELECT * FROM frame;
INSERT OR IGNORE INTO frame (symbol, offset, dso, inlined) VALUES (:symbol, :offset, :dso, :inlined);
INSERT OR REPLACE INTO temp.copied
SELECT 'frame', :frame_id, frame_id FROM frame
WHERE symbol = :symbol AND offset = :offset AND dso = :dso AND inlined = :inlined;

SELECT * FROM stack WHERE stack_id > 0 ORDER BY stack_id;
INSERT OR IGNORE INTO stack (caller_id, frame_id)
VALUES ((SELECT here FROM temp.copied WHERE kind = 'stack' AND there = :caller_id),
  (SELECT here FROM temp.copied WHERE kind = 'frame' AND there = :frame_id));
INSERT OR REPLACE INTO temp.copied
SELECT 'stack', :stack_id, stack_id FROM stack
WHERE caller_id = (SELECT here FROM temp.copied WHERE kind = 'stack' AND there = :caller_id)
  AND frame_id = (SELECT here FROM temp.copied WHERE kind = 'frame' AND there = :frame_id);

SELECT * FROM traced_process WHERE recording_id = ?1 AND pruned = 0 ORDER BY traced_process_id;
INSERT INTO traced_process (recording_id, pid, pid_source, offset_ns, slack_ns, offset_source, pruned)
VALUES ((SELECT here FROM temp.copied WHERE kind = 'recording' AND there = :recording_id), :pid,
  :pid_source, :offset_ns, :slack_ns, :offset_source, 0);
INSERT INTO temp.copied VALUES ('traced_process', :traced_process_id, last_insert_rowid());

SELECT h.* FROM traced_process t JOIN thread h USING (traced_process_id)
WHERE recording_id = ?1 AND pruned = 0 ORDER BY thread_id;
INSERT INTO thread (traced_process_id, tid, comm)
VALUES ((SELECT here FROM temp.copied WHERE kind = 'traced_process' AND there = :traced_process_id),
  :tid, :comm);
INSERT INTO temp.copied VALUES ('thread', :thread_id, last_insert_rowid());

SELECT c.* FROM traced_process t JOIN thread h USING (traced_process_id) JOIN call c USING (thread_id)
WHERE recording_id = ?1 AND pruned = 0 ORDER BY call_id;
INSERT INTO call (thread_id, stack_id, kind, begin_ns, end_ns, a0, a1, a2, a3, a4, a5, ret)
VALUES ((SELECT here FROM temp.copied WHERE kind = 'thread' AND there = :thread_id),
  (SELECT here FROM temp.copied WHERE kind = 'stack' AND there = :stack_id), :kind, :begin_ns, :end_ns,
  :a0, :a1, :a2, :a3, :a4, :a5, :ret);
INSERT INTO temp.copied VALUES ('call', :call_id, last_insert_rowid());

SELECT e.* FROM traced_process t JOIN extent e USING (traced_process_id)
WHERE recording_id = ?1 AND pruned = 0 ORDER BY extent_id;
INSERT INTO extent (traced_process_id, call_id, start, length, born_ns, died_ns)
VALUES ((SELECT here FROM temp.copied WHERE kind = 'traced_process' AND there = :traced_process_id),
  (SELECT here FROM temp.copied WHERE kind = 'call' AND there = :call_id), :start, :length, :born_ns,
  :died_ns);
