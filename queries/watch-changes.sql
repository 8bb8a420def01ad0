-- name:   watch-changes
-- title:  What watch shows of a process: each category with its verdict, or each mapping
-- param:  rows    text ""  Rows of diff-category or diff-lineage, as JSON
-- param:  leaks   text ""  Rows of leaks about the process, as JSON
-- param:  metric  text rss One of rss, pss, private, size, swap
-- column: name      text Category; or #LINEAGE and the last part of the path
-- column: now_kib   kib  The newer number
-- column: grown_kib kib  newer - older
-- column: more      text The verdict on the category; or the category of the mapping
-- column: leaks     bool The verdict is a leak or a suspect
WITH row AS (
  SELECT key AS nth, json_extract(value, '$.category') AS category, json_extract(value, '$.lineage_id') AS lineage,
    ifnull(json_extract(value, '$.path'), '') AS path, json_extract(value, '$.' || :metric || '_kib_to') AS now_kib,
    json_extract(value, '$.' || :metric || '_kib_delta') AS grown_kib
  FROM json_each(:rows)
),
verdict AS (
  SELECT json_extract(value, '$.key') AS category, json_extract(value, '$.verdict') AS verdict
  FROM json_each(:leaks) WHERE NOT ifnull(json_extract(value, '$.whole'), 0)
)
SELECT CASE WHEN r.lineage IS NULL THEN r.category ELSE '#' || r.lineage || ' '
    || coalesce(nullif(replace(r.path, rtrim(r.path, replace(r.path, '/', '')), ''), ''), nullif(r.path, ''), r.category) END AS name,
  r.now_kib, r.grown_kib, CASE WHEN r.lineage IS NULL THEN v.verdict ELSE r.category END AS more,
  r.lineage IS NULL AND ifnull(v.verdict IN ('leak', 'suspect'), 0) AS leaks
FROM row r LEFT JOIN verdict v ON v.category = r.category
ORDER BY r.nth;
