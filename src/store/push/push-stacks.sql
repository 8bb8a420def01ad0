-- push-stacks: the call stacks that allocated the growth, of processes that leak and were recorded.

SELECT push_hash(s.stack) AS stack_hash, k.host_key AS host_id, k.name,
  push_name('category', ifnull((SELECT v.category FROM temp.push_verdict v WHERE v.process_id = s.process_id
    AND v.category <> 'total' ORDER BY v.verdict = 'leak' DESC, v.rate_per_h DESC LIMIT 1), 'total')) AS category,
  s.stack, s.growth_kib, s.share, s.from_ms, s.to_ms, 2 * :seq AS seq
FROM temp.push_stack s
CROSS JOIN push_process k ON k.process_id = s.process_id
WHERE NOT :redact;
