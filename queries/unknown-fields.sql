-- name:   unknown-fields
-- title:  Keys of smaps that pmapdb keeps without knowing them
-- param:  process process "" Only this NAME, PID, NAME/PID or @ID
-- column: field     text    The key, as the kernel prints it
-- column: dialect   text    Where it was met
-- column: processes count   Processes that show it
-- column: rows      count   Mappings that show it, each counted anew when it changes
-- column: not_zero  count   Those of them with another value than 0
-- column: first_at  time    First snapshot of a capture series that shows it, UTC
-- column: example   text    A line of it
--
-- Most frequent first. A newer kernel may print keys for which pmapdb has no column: they are kept
-- with each mapping, as lines "Key: N kB" in mappings.extra, and nothing sums them up.
WITH RECURSIVE line (rare_fields_id, text, rest) AS (
  SELECT rare_fields_id, NULL, extra || char(10) FROM rare_fields WHERE extra IS NOT NULL
  UNION ALL
  SELECT rare_fields_id, substr(rest, 1, instr(rest, char(10)) - 1),
    substr(rest, instr(rest, char(10)) + 1)
  FROM line
  WHERE rest <> ''
),
key AS (
  SELECT rare_fields_id, substr(text, 1, instr(text || ':', ':') - 1) AS field, text,
    substr(text, instr(text || ':', ':') + 1) GLOB '*[1-9]*' AS not_zero
  FROM line
  WHERE text <> ''
),
met AS (
  -- reads the table of versions only if there is such a key
  SELECT v.epoch_id, v.rare_fields_id, count(*) AS rows
  FROM (SELECT 1 FROM rare_fields WHERE extra IS NOT NULL LIMIT 1) d
  CROSS JOIN mapping_version v
  WHERE v.rare_fields_id IS NOT NULL
  GROUP BY v.epoch_id, v.rare_fields_id
)
SELECT k.field, e.dialect, count(DISTINCT e.process_id) AS processes, sum(m.rows) AS rows,
  sum(m.rows * k.not_zero) AS not_zero,
  min((SELECT s.taken_at FROM snapshot s WHERE s.epoch_id = e.epoch_id ORDER BY s.off LIMIT 1))
    AS first_at,
  coalesce(max(CASE WHEN k.not_zero THEN k.text END), max(k.text)) AS example
FROM met m
CROSS JOIN epoch e ON e.epoch_id = m.epoch_id
CROSS JOIN process p ON p.process_id = e.process_id
JOIN key k ON k.rare_fields_id = m.rare_fields_id
WHERE (:process IS NULL OR p.process_id = :process) AND (:name_id IS NULL OR p.name_id = :name_id)
GROUP BY k.field, e.dialect
ORDER BY rows DESC, k.field, e.dialect;
