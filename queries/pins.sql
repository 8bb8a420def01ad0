-- name:   pins
-- title:  The snapshots that no prune removes, and why
-- param:  process process "" NAME, PID, NAME/PID or @ID
-- column: snapshot_id snapshot The snapshot that was pinned; all of its moment stays
-- column: taken_at    time     When it was taken, UTC
-- column: host        text     Where; empty when unknown
-- column: name        text     Name of the process
-- column: pid         int      Process id
-- column: dialect     text     The tool that printed it
-- column: reason      text     As given with --reason
-- column: pinned_at   time     Since when, UTC
-- column: process_id  process  The process: one life of the pid
-- order:  time
-- empty:  no pinned snapshots
--
-- `pmapdb prune --pin SNAPSHOT --reason TEXT` adds one, `pmapdb prune --unpin SNAPSHOT` removes it.
SELECT i.snapshot_id, s.taken_at, h.name AS host, n.name, p.pid, s.dialect, i.reason,
  strftime('%Y-%m-%dT%H:%M:%SZ', i.pinned_ms / 1000.0, 'unixepoch') AS pinned_at, s.process_id
FROM pin i
CROSS JOIN snapshot s ON s.snapshot_id = i.snapshot_id
CROSS JOIN process p ON p.process_id = s.process_id
CROSS JOIN name n ON n.name_id = p.name_id
LEFT JOIN host h ON h.host_id = p.host_id
WHERE (:process IS NULL OR p.process_id = :process)
  AND (:name_id IS NULL OR p.name_id = :name_id)
ORDER BY s.taken_ms, i.snapshot_id;
