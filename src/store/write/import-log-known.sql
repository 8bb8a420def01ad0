-- import-log-known: the blocks of a stored log, also those that a prune removed, in the order in which
-- they follow each other for each pid.
--
-- Parameter: ?1 import_log_id.

SELECT p.pid, s.hash, s.taken_ms, s.ordinal, s.snapshot_id
FROM snapshot s JOIN process p ON p.process_id = s.process_id
WHERE s.import_log_id = ?1
UNION ALL
SELECT pid, hash, taken_ms, ordinal, NULL FROM forgotten WHERE import_log_id = ?1
ORDER BY 1, 3, 4;
