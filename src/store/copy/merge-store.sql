-- merge-store: copies what another store knows about itself. Data that was pruned there is incomplete
-- here, too; ?3 is the host of names whose host the other store does not know. Only the labels of
-- hosts that this store has now are copied.

SELECT * FROM host_labels;
INSERT OR IGNORE INTO host_label (host_id, key, at_ms, value)
SELECT host_id, :key, :at_ms, :value FROM host WHERE name = :host;

SELECT * FROM refused;
INSERT INTO refused (hash, first_ms, reason) VALUES (:hash, :first_ms, :reason)
ON CONFLICT (hash) DO UPDATE SET first_ms = min(first_ms, excluded.first_ms);

SELECT n.name, coalesce(h.name, ?3) AS host, pruned_ms
FROM name n LEFT JOIN host h USING (host_id)
WHERE pruned_ms IS NOT NULL;
UPDATE name SET pruned_ms = max(:pruned_ms, coalesce(pruned_ms, :pruned_ms))
WHERE name = :name AND CASE WHEN :host IS NULL THEN host_id IS NULL
  ELSE host_id = (SELECT host_id FROM host WHERE name = :host) END;

SELECT h.name AS host, j.*
FROM schedule j JOIN host h USING (host_id)
WHERE pruned_ms IS NOT NULL;
UPDATE schedule SET pruned_ms = max(:pruned_ms, coalesce(pruned_ms, :pruned_ms))
WHERE boot_id = :boot_id AND selection = :selection AND coalesce(every_ms, 0) = coalesce(:every_ms, 0)
  AND host_id = (SELECT host_id FROM host WHERE name = :host);
