-- capture-known: the snapshot of a capture, or of the same block; 0 if a prune removed it.
--
-- Parameters: ?1 hash, ?2 dialect, ?3 and ?4 the first and the last taken_ms, ?5 pid or -1, ?6 the
-- name of the host (NULL: unknown), ?7 1 if it is a live capture, with ?8 boot and ?9 start time of its
-- process; ?10 1 if a prune may have removed it.

WITH wanted AS (
  SELECT CASE WHEN ?6 IS NULL THEN 0
    ELSE coalesce((SELECT host_id FROM host WHERE name = ?6), -1) END AS host_id)
SELECT snapshot_id
FROM wanted w
CROSS JOIN process p ON coalesce(p.pid, -1) = ?5 AND coalesce(p.host_id, 0) = w.host_id
CROSS JOIN snapshot s ON s.process_id = p.process_id AND s.taken_ms BETWEEN ?3 AND ?4
WHERE s.hash = ?1 AND s.dialect = ?2 AND (NOT ?7 OR p.boot_id = ?8 AND p.start_time IS ?9)
UNION ALL
SELECT 0
FROM wanted w
CROSS JOIN forgotten f ON f.hash = ?1 AND f.taken_ms BETWEEN ?3 AND ?4
WHERE ?10 AND f.dialect = ?2 AND coalesce(f.pid, -1) = ?5 AND coalesce(f.host_id, 0) = w.host_id
LIMIT 1;
