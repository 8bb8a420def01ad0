-- keep-tell-moments: the moments of the plan, per series the newest first, and the rules that keep each.

SELECT q.host, q.name, m.moment_ms, m.snapshots, m.fate IS NULL, coalesce(m.fate,
  (SELECT group_concat(substr('oldest ', 1, 7 * r.oldest) || r.word, ', ')
  FROM keep_reason r WHERE r.series_id = m.series_id AND r.moment_ms = m.moment_ms))
FROM keep_series q CROSS JOIN keep_moment m ON m.series_id = q.series_id
ORDER BY q.series_id, m.moment_ms DESC;
