-- push-hosts: the labels of hosts: a row for each moment at which one changed, with all of them.

SELECT w.host_key AS host_id, w.host, m.at_ms,
  '[' || ifnull((SELECT group_concat(push_quote(push_name('key', key))) FROM (SELECT key, value, max(at_ms) FROM host_label l
    WHERE l.host_id = w.host_id AND l.at_ms <= m.at_ms GROUP BY key ORDER BY key) WHERE value IS NOT NULL), '') || ']' AS label_key,
  '[' || ifnull((SELECT group_concat(push_quote(push_name('label', value))) FROM (SELECT key, value, max(at_ms) FROM host_label l
    WHERE l.host_id = w.host_id AND l.at_ms <= m.at_ms GROUP BY key ORDER BY key) WHERE value IS NOT NULL), '') || ']' AS label_value,
  1 AS schema, 2 * :seq AS seq
FROM push_place_name w
CROSS JOIN (SELECT 0 AS at_ms UNION SELECT at_ms FROM host_label) m
WHERE (m.at_ms = 0 OR m.at_ms IN (SELECT at_ms FROM host_label l WHERE l.host_id = w.host_id))
  AND (SELECT count(*) FROM host_label l WHERE l.host_id = w.host_id) IS NOT
    (SELECT labels FROM push_host h WHERE h.push_id = :push_id AND h.host_id = w.host_id);
