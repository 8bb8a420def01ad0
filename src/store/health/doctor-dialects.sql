-- doctor-dialects: the tools that printed the captures.
SELECT 'dialects' AS "check", 0 AS level, count(*) AS number, 'dialects' AS unit, NULL AS value,
  group_concat(dialect || ' ' || n, ', ') AS detail
FROM (SELECT dialect, count(*) AS n FROM snapshot GROUP BY dialect ORDER BY n DESC, dialect);
