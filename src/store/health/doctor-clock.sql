-- doctor-clock: whether somebody set the clock, in seven days; a row of clock-jumps without a jump
-- is a reboot.
WITH largest AS (SELECT * FROM temp."clock-jumps" WHERE jump IS NOT NULL ORDER BY abs(jump) DESC, rowid LIMIT 1)
SELECT 'clock' AS "check", jumps > 0 AS level, jumps AS number, 'jumps' AS unit, NULL AS value,
  printf('in 7 days, %d reboot%s%s', reboots, CASE reboots WHEN 1 THEN '' ELSE 's' END,
    coalesce((SELECT printf('; the largest %s on %s at %s', span_text(jump), substr(host, 1, 48), to_at) FROM largest), ''))
    AS detail
FROM (SELECT count(jump) AS jumps, count(*) - count(jump) AS reboots FROM temp."clock-jumps")
WHERE EXISTS (SELECT 1 FROM temp.sweeps);
