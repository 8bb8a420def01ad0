-- The process with most calls in a recording (?1).
SELECT t.pid, t.pid_source, t.process_id, n.name, t.offset_source, t.offset_ns, t.slack_ns
FROM traced_process t
LEFT JOIN process p ON p.process_id = t.process_id
LEFT JOIN name n ON n.name_id = p.name_id
WHERE t.recording_id = ?1
ORDER BY (SELECT count(*) FROM call c JOIN thread h ON h.thread_id = c.thread_id
          WHERE h.traced_process_id = t.traced_process_id) DESC, t.traced_process_id
LIMIT 1;
