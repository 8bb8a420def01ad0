-- name:   who-summary
-- title:  What pmapdb who says below its rows: their total, what of the growth they cover, by which recordings
-- param:  rows       text ""  Rows of who, as JSON
-- param:  recordings text ""  Rows of who-recordings, as JSON
-- param:  suited     bool 0   In suitable units instead of KiB
-- column: growth_kib  kib   Of all rows
-- column: live_kib    kib   Of all rows that show it; and the next two
-- column: allocations count Ranges that came
-- column: frees       count Ranges that went
-- column: stack       text  The word before them
-- column: covered     text  97.0 % of the growth; freed, from before the recording: 64 KiB
-- column: recordings  text  A line for each recording that was used
-- column: headless    bool  Most of what is covered has call chains that show only functions of an allocator
WITH stack AS (
  SELECT json_extract(value, '$.growth_kib') AS kib, json_extract(value, '$.live_kib') AS live_kib,
    json_extract(value, '$.allocations') AS allocations, json_extract(value, '$.frees') AS frees,
    json_extract(value, '$.kind') AS kind, json_extract(value, '$.function') AS function
  FROM json_each(:rows)
),
sums AS (
  SELECT ifnull(sum(kib), 0) AS growth_kib, ifnull(sum(live_kib), 0) AS live_kib, ifnull(sum(allocations), 0) AS allocations,
    ifnull(sum(frees), 0) AS frees, ifnull(sum(CASE kind WHEN 'stack' THEN kib END), 0) AS covered_kib,
    ifnull(sum(CASE kind WHEN 'older' THEN -kib END), 0) AS freed_kib,
    ifnull(sum(CASE WHEN kind = 'stack' AND function IS NULL THEN kib END), 0) AS headless_kib
  FROM stack
)
SELECT growth_kib, live_kib, allocations, frees, 'TOTAL' AS stack,
  CASE WHEN growth_kib > 0 THEN printf('%.1f %% of the growth', 100.0 * covered_kib / growth_kib)
    WHEN :suited THEN kib_text(covered_kib) || ' of ' || kib_text(growth_kib)
    ELSE covered_kib || ' of ' || growth_kib || ' KiB' END
  || CASE WHEN freed_kib = 0 THEN '' ELSE '; freed, from before the recording: '
    || CASE WHEN :suited THEN kib_text(freed_kib) ELSE freed_kib || ' KiB' END END AS covered,
  (SELECT group_concat(line, char(10)) FROM (SELECT json_extract(value, '$.line') AS line
    FROM json_each(:recordings) ORDER BY key)) AS recordings,
  covered_kib > 0 AND headless_kib > covered_kib / 2 AS headless
FROM sums;
