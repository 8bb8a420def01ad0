-- doctor-refused: captures that were refused for the first time in the last seven days.
SELECT 'refused' AS "check", n > 0 AS level, n AS number, 'captures' AS unit, NULL AS value,
  CASE WHEN n > 0 THEN printf('new in 7 days, of %d; newest: %s: pmapdb refusals', known, substr(reason, 1, 150))
    ELSE printf('new in 7 days, of %d', known) END AS detail
FROM (SELECT count(*) AS n, (SELECT reason FROM temp.refusals LIMIT 1) AS reason, (SELECT count(*) FROM refused) AS known
  FROM temp.refusals);
