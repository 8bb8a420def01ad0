-- push-hosts: a row with all labels of a host for each moment at which a label changed. A host that had
-- another name in the same boot has the label `was`.

WITH due AS (
  SELECT * FROM push_place_name w
  WHERE (SELECT count(*) FROM host_label l WHERE l.host_id = w.host_id) IS NOT
    (SELECT labels FROM push_host h WHERE h.push_id = :push_id AND h.host_id = w.host_id)
),
boot AS (
  SELECT p.host_id, p.boot_id,
    min((SELECT min(taken_ms) FROM snapshot s WHERE s.process_id = p.process_id)) AS first_ms,
    max((SELECT max(taken_ms) FROM snapshot s WHERE s.process_id = p.process_id)) AS last_ms
  FROM process p
  WHERE p.boot_id IS NOT NULL AND EXISTS (SELECT 1 FROM due) AND (SELECT count(*) FROM host) > 1
  GROUP BY p.host_id, p.boot_id
),
named AS (
  SELECT d.host_id, l.at_ms, CASE WHEN l.key IN ('build', 'version', 'role', 'region') THEN l.key ELSE push_name('reason', l.key) END AS key, push_name('reason', l.value) AS value
  FROM due d CROSS JOIN host_label l ON l.host_id = d.host_id
  UNION ALL
  SELECT d.host_id, b.first_ms, 'was', w.host
  FROM due d
  CROSS JOIN boot b ON b.host_id = d.host_id
  CROSS JOIN boot o ON o.boot_id = b.boot_id AND o.host_id <> b.host_id AND o.last_ms < b.first_ms
  CROSS JOIN push_place_name w ON w.host_id = o.host_id
),
label AS ( -- as elements of an array of ClickHouse
  SELECT host_id, at_ms,
    '''' || replace(replace(replace(replace(key, '\', '\\'), '''', '\'''), char(9), '\t'), char(10), '\n') || '''' AS key,
    '''' || replace(replace(replace(replace(value, '\', '\\'), '''', '\'''), char(9), '\t'), char(10), '\n') || '''' AS value
  FROM named
)
SELECT d.host_key AS host_id, d.host, m.at_ms,
  '[' || ifnull((SELECT group_concat(key) FROM (SELECT key, value, max(at_ms) FROM label l
    WHERE l.host_id = d.host_id AND l.at_ms <= m.at_ms GROUP BY key ORDER BY key) WHERE value IS NOT NULL), '') || ']' AS label_key,
  '[' || ifnull((SELECT group_concat(value) FROM (SELECT key, value, max(at_ms) FROM label l
    WHERE l.host_id = d.host_id AND l.at_ms <= m.at_ms GROUP BY key ORDER BY key) WHERE value IS NOT NULL), '') || ']' AS label_value,
  1 AS schema, 2 * :seq AS seq
FROM due d
CROSS JOIN (SELECT host_id, 0 AS at_ms FROM due UNION SELECT host_id, at_ms FROM label) m ON m.host_id = d.host_id;
