-- capture-known: the snapshot of a capture; 0 if a prune removed it.
--
-- Parameters: ?1 hash, ?2 dialect, ?3 and ?4 the first and the last taken_ms, ?5 pid or -1, ?6 host_id
-- or 0, ?7 1 if it is a live capture, with ?8 boot and ?9 start time of its process; ?10 1 if a prune
-- may have removed it.

SELECT snapshot_id
FROM process p CROSS JOIN snapshot s ON s.process_id = p.process_id
WHERE hash = ?1 AND dialect = ?2 AND taken_ms BETWEEN ?3 AND ?4 AND coalesce(pid, -1) = ?5
  AND coalesce(host_id, 0) = ?6 AND (NOT ?7 OR boot_id = ?8 AND start_time IS ?9)
UNION ALL
SELECT 0
FROM forgotten
WHERE ?10 AND hash = ?1 AND dialect = ?2 AND taken_ms BETWEEN ?3 AND ?4 AND coalesce(pid, -1) = ?5
  AND coalesce(host_id, 0) = ?6
LIMIT 1;
