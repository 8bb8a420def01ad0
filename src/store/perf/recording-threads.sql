-- recording-threads: finds the process of each thread of a recording. The pid of
-- a traced_thread is NULL if the text names only the thread.
--
-- A pid in the text decides, then --pid. Without --pid, a thread whose id is the pid of a stored
-- process is the first thread of that process; if there is one such thread, the others are assumed
-- to belong to it. A single thread is assumed to be the first thread of its process. All others
-- belong to an unknown process.

DROP TABLE IF EXISTS temp.traced_leader;
CREATE TEMP TABLE traced_leader AS
SELECT t.place, t.tid FROM traced_thread t
WHERE t.pid IS NULL AND :pid IS NULL AND EXISTS (
  SELECT 1 FROM process p WHERE coalesce(p.pid, -1) = t.tid
    AND (:host_id IS NULL OR p.host_id IS NULL OR p.host_id = :host_id));

DROP TABLE IF EXISTS temp.traced_count;
CREATE TEMP TABLE traced_count AS
SELECT (SELECT count(*) FROM traced_thread WHERE pid IS NULL) AS threads,
  (SELECT count(*) FROM traced_leader) AS leaders, (SELECT max(tid) FROM traced_leader) AS leader;

UPDATE traced_thread SET source = 'text' WHERE pid IS NOT NULL;
UPDATE traced_thread SET pid = :pid, source = 'given' WHERE source IS NULL AND :pid IS NOT NULL;
UPDATE traced_thread SET (pid, source) = (
  SELECT CASE WHEN leaders = 1 THEN leader
      WHEN threads = 1 OR is_leader THEN tid END,
    CASE WHEN threads = 1 AND leaders = 1 THEN 'thread'
      WHEN threads = 1 OR leaders = 1 THEN 'assumed'
      WHEN is_leader THEN 'thread' ELSE 'unknown' END
  FROM traced_count
  JOIN (SELECT place IN (SELECT l.place FROM traced_leader l) AS is_leader))
WHERE source IS NULL;

INSERT INTO traced_process (recording_id, pid, pid_source, offset_ns, slack_ns, offset_source,
  pruned)
SELECT :recording_id, pid, source, :offset_ns, CASE WHEN :offset_ns IS NOT NULL THEN 0 END,
  CASE WHEN :offset_ns IS NOT NULL THEN 'given' END, 0
FROM (SELECT pid, source, min(place) AS place FROM traced_thread GROUP BY pid)
ORDER BY place;

UPDATE traced_thread SET thread_id = place + (SELECT coalesce(max(thread_id), 0) FROM thread);
INSERT INTO thread (thread_id, traced_process_id, tid, comm)
SELECT t.thread_id, p.traced_process_id, t.tid, t.comm
FROM traced_thread t
JOIN traced_process p ON p.recording_id = :recording_id AND p.pid IS t.pid
ORDER BY t.place;
