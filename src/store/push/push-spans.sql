-- push-spans: the changed spans, except those that were sent as open and still are.

SELECT k.host_key AS host_id, k.process_key, :store AS store, k.name, p.pid,
  ifnull(push_name('boot', p.boot_id), '') AS boot_id,
  ifnull(push_name('command', p.command), '') AS command, ifnull(push_name('path', t.exe), '') AS exe,
  ifnull(push_name('user', t.user), '') AS user, ifnull(push_name('path', t.cgroup), '') AS cgroup,
  CASE WHEN t.memory_max_kib >= 0 THEN t.memory_max_kib END AS memory_max_kib, s.dialect, s.state,
  g.first_ms, CASE WHEN g.ended THEN g.last_ms END AS last_ms, g.n, 2 * :seq + g.ended AS seq
FROM push_span g
CROSS JOIN push_process k ON k.process_id = g.process_id
CROSS JOIN process p ON p.process_id = g.process_id
LEFT JOIN snapshot s ON s.snapshot_id = g.snapshot_id
LEFT JOIN live_reading r ON r.snapshot_id = g.snapshot_id
LEFT JOIN live_process t ON t.live_process_id = r.live_process_id
WHERE g.changed AND NOT (NOT g.ended AND EXISTS (SELECT 1 FROM push_open o
  WHERE o.push_id = :push_id AND o.process_id = g.process_id AND o.first_ms = g.first_ms
    AND NOT o.ended));
