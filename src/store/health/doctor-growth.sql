-- doctor-growth: how fast the store grows, and when it reaches its limit: the disk, or --max-size.
WITH day AS (SELECT d.*, g.week_kib, g.days_left FROM temp.doctor d
  LEFT JOIN (SELECT week_kib, days_left FROM temp."store-growth" ORDER BY rowid DESC LIMIT 1) g ON 1),
  state AS (SELECT *, size_kib >= given_kib AS is_over, newest_ms < now_ms - 604800000 AS is_old,
    newest_ms < oldest_ms + 86400000 AS is_young, CAST(days_left AS INTEGER) AS days FROM day)
SELECT 'growth' AS "check",
  CASE WHEN is_over THEN 2 WHEN is_old OR is_young OR days_left IS NULL THEN 0
    WHEN days_left < 3 THEN 2 WHEN days_left < 30 THEN 1 ELSE 0 END AS level,
  CASE WHEN is_over THEN week_kib WHEN is_old THEN 0 WHEN NOT is_young IS NOT 0 THEN week_kib END AS number, 'KiB' AS unit,
  NULL AS value,
  CASE WHEN is_over THEN
      printf('a day, of the last 7; the store is larger than %s already: pmapdb prune', kib_text(given_kib))
    WHEN is_old THEN 'a day: nothing newer than ' || newest_at
    WHEN is_young THEN 'a day: not known yet, the store holds less than a day'
    WHEN days_left IS NULL THEN 'a day, of the last 7'
    ELSE printf('a day, of the last 7: %d day%s until %s%s', days, CASE days WHEN 1 THEN '' ELSE 's' END,
      kib_text(limit_kib), CASE WHEN days_left < 30 THEN ': pmapdb prune' ELSE '' END) END AS detail
FROM state;
