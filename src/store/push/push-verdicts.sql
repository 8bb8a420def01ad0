-- push-verdicts: verdicts on processes. Processes that are steady or too-few are only counted, in rows
-- whose process_key is 0 (steady) or 1 (too-few). A category that leaked by the last verdict, and is
-- steady or too-few now, is a row that counts no process.

WITH told AS (
  SELECT k.host_key, k.name, k.process_key, p.pid, v.*, 1 AS processes,
    (SELECT push_hash(s.stack) FROM temp.push_stack s WHERE s.process_id = v.process_id
      ORDER BY s.growth_kib DESC LIMIT 1) AS stack_hash,
    ifnull((SELECT push_name('reason', l.value) FROM host_label l WHERE l.host_id = ifnull(p.host_id, 0)
      AND l.key = 'build' ORDER BY l.at_ms DESC LIMIT 1), '') AS build
  FROM temp.push_verdict v
  CROSS JOIN push_process k ON k.process_id = v.process_id
  CROSS JOIN process p ON p.process_id = v.process_id
)
SELECT host_key AS host_id, name, push_name('category', category) AS category, metric, process_key, pid,
  :gen AS gen, date(:now_ms / 1000, 'unixepoch') AS day, :now_ms AS judged_ms, verdict, ifnull(shape, '') AS shape,
  since_ms, rate_per_h, rate_low, rate_high, could_see_per_h, last_kib, limit_kib,
  ifnull(limit_by, '') AS limit_by, eta_h, snapshots, processes, ifnull(stack_hash, 0) AS stack_hash, build, 2 * :seq AS seq
FROM (
  SELECT * FROM told WHERE verdict NOT IN ('steady', 'too-few')
  UNION ALL
  SELECT t.host_key, t.name, t.process_key, t.pid, t.process_id, t.category, t.metric, t.verdict, t.shape, t.since_ms,
    t.rate_per_h, t.rate_low, t.rate_high, t.could_see_per_h, t.last_kib, t.limit_kib, t.limit_by, t.eta_h,
    t.snapshots, 0, t.stack_hash, t.build
  FROM told t JOIN main.push_leak l ON l.push_id = :push_id AND l.process_id = t.process_id
    AND l.category = t.category AND l.metric = t.metric
  WHERE t.verdict IN ('steady', 'too-few')
  UNION ALL
  SELECT host_key, name, verdict = 'too-few', NULL, NULL, category, metric, verdict, '', NULL, NULL, NULL, NULL, NULL,
    NULL, NULL, '', NULL, max(snapshots), count(*), 0, build
  FROM told WHERE :all AND verdict IN ('steady', 'too-few')
  GROUP BY host_key, name, category, metric, verdict);
