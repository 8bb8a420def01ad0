-- keep-tell-series: the series of the plan. The last column: the number of moments that each rule
-- keeps, "last 5, daily 30".

SELECT q.host, q.name, sum(m.fate IS NULL), count(m.fate),
  sum(CASE WHEN m.fate IS NULL THEN m.snapshots ELSE 0 END),
  sum(CASE WHEN m.fate IS NULL THEN 0 ELSE m.snapshots END),
  coalesce((SELECT group_concat(word || ' ' || n, ', ')
    FROM (SELECT r.rule, r.word, count(*) AS n
      FROM keep_reason r JOIN keep_moment k ON k.series_id = r.series_id
        AND k.moment_ms = r.moment_ms AND k.fate IS NULL
      WHERE r.series_id = q.series_id GROUP BY r.rule, r.word)), '')
FROM keep_series q JOIN keep_moment m ON m.series_id = q.series_id
GROUP BY q.series_id ORDER BY q.series_id;
