-- name:   who-top
-- title:  Which stack allocated most of what grew, in a line
-- param:  rows text ""  Rows of who, as JSON
-- column: said text     97 % through session_alloc < handle_request < main (recording 2)
--
-- Four functions of the chain, from the innermost one that is not an allocator's, without the callers of main. No row if no
-- recording covers any of the growth.
WITH RECURSIVE stack AS (
  SELECT json_extract(value, '$.kind') AS kind, json_extract(value, '$.growth_kib') AS kib,
    json_extract(value, '$.stack') AS chain, ifnull(json_extract(value, '$.function'), '') AS function,
    json_extract(value, '$.recordings') AS recordings, sum(json_extract(value, '$.growth_kib')) OVER () AS all_kib
  FROM json_each(:rows)
),
top AS (
  SELECT kib, all_kib, recordings, substr(chain, max(instr(' < ' || chain, ' < ' || function), 1)) || ' < ' AS chain
  FROM stack WHERE kind = 'stack' AND kib > 0 AND all_kib > 0 ORDER BY kib DESC LIMIT 1
),
cut (n, frame, said, rest) AS (
  SELECT 0, '', '', chain FROM top
  UNION ALL
  SELECT n + 1, substr(rest, 1, instr(rest, ' < ') - 1),
    said || CASE n WHEN 0 THEN '' ELSE ' < ' END || substr(rest, 1, instr(rest, ' < ') - 1), substr(rest, instr(rest, ' < ') + 3)
  FROM cut WHERE n < 4 AND rest <> '' AND frame <> 'main'
)
SELECT printf('%.0f', 100.0 * t.kib / t.all_kib) || ' % through ' || c.said
  || CASE WHEN c.rest = '' OR c.frame = 'main' THEN '' ELSE ' < ...' END
  || ' (recording' || CASE WHEN t.recordings LIKE '%,%' THEN 's ' ELSE ' ' END || ifnull(t.recordings, '') || ')' AS said
FROM top t CROSS JOIN cut c
ORDER BY c.n DESC LIMIT 1;
