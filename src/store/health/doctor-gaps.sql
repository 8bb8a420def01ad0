-- doctor-gaps: times without captures, in the week that ends with the newest snapshot.
SELECT 'gaps' AS "check", count(*) > 0 AS level, count(*) AS number, 'gaps' AS unit, NULL AS value,
  CASE WHEN count(*) = 0 THEN 'in the last 7 days of the store'
    ELSE printf('in the last 7 days of the store; longest: %s of %s, to %s: pmapdb gaps', span_text(max(gap)),
      substr(name, 1, 64), to_at) END AS detail
FROM temp.gaps CROSS JOIN temp.doctor
WHERE round((julianday(to_at) - 2440587.5) * 86400000) >= since_ms;
