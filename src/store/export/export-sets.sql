-- export-sets: everything that the processes and snapshots of export_process and export_snapshot
-- refer to.
--
-- Parameters: :whole (1: copies the whole store); :cut (1: copies a span of time, without the
-- processes that have no snapshot in it).

DELETE FROM export_process WHERE :cut AND id NOT IN (
  SELECT process_id FROM snapshot WHERE snapshot_id IN (SELECT id FROM export_snapshot));

INSERT INTO export_shown
SELECT epoch_id, off FROM snapshot WHERE snapshot_id IN (SELECT id FROM export_snapshot);
INSERT OR IGNORE INTO export_capture
SELECT capture_id FROM snapshot WHERE snapshot_id IN (SELECT id FROM export_snapshot);
INSERT OR IGNORE INTO export_region
SELECT v.region_id
FROM (SELECT DISTINCT epoch_id FROM export_shown) e
CROSS JOIN mapping_version v ON v.epoch_id = e.epoch_id
WHERE EXISTS (SELECT 1 FROM export_shown s
  WHERE s.epoch_id = v.epoch_id AND s.off BETWEEN v.first AND coalesce(v.last, 32767));
INSERT OR IGNORE INTO export_rare
SELECT v.rare_fields_id
FROM (SELECT DISTINCT epoch_id FROM export_shown) e
CROSS JOIN mapping_version v ON v.epoch_id = e.epoch_id
WHERE v.rare_fields_id IS NOT NULL AND EXISTS (SELECT 1 FROM export_shown s
  WHERE s.epoch_id = v.epoch_id AND s.off BETWEEN v.first AND coalesce(v.last, 32767));
INSERT OR IGNORE INTO export_category
SELECT c.category_id
FROM (SELECT DISTINCT epoch_id FROM export_shown) e
CROSS JOIN category_version c ON c.epoch_id = e.epoch_id
UNION SELECT r.category_id FROM region r
WHERE r.category_id IS NOT NULL AND r.region_id IN (SELECT id FROM export_region)
UNION SELECT l.category_id FROM region r JOIN lineage l ON l.lineage_id = r.lineage_id
WHERE r.region_id IN (SELECT id FROM export_region)
UNION SELECT o.category_id FROM region r JOIN object o ON o.object_id = r.object_id
WHERE r.region_id IN (SELECT id FROM export_region);

INSERT INTO export_traced
SELECT traced_process_id, coalesce(process_id, -traced_process_id) FROM traced_process
WHERE pruned = 0 AND (process_id IN (SELECT id FROM export_process) OR (:whole AND process_id IS NULL));
WITH RECURSIVE used (stack_id) AS (
  SELECT c.stack_id
  FROM export_traced e
  JOIN thread h ON h.traced_process_id = e.id
  JOIN call c ON c.thread_id = h.thread_id
  UNION
  SELECT k.caller_id FROM used u JOIN stack k ON k.stack_id = u.stack_id
  WHERE k.stack_id <> 0
)
INSERT OR IGNORE INTO export_stack SELECT stack_id FROM used;

INSERT OR IGNORE INTO export_host
SELECT host_id FROM process
WHERE host_id IS NOT NULL AND process_id IN (SELECT id FROM export_process)
UNION SELECT n.host_id FROM name n JOIN process p ON p.name_id = n.name_id
WHERE n.host_id IS NOT NULL AND p.process_id IN (SELECT id FROM export_process)
UNION SELECT j.host_id FROM beat w JOIN schedule j ON j.schedule_id = w.schedule_id
WHERE w.capture_id IN (SELECT id FROM export_capture)
UNION SELECT g.host_id FROM snapshot s JOIN import_log g ON g.import_log_id = s.import_log_id
WHERE g.host_id IS NOT NULL AND s.snapshot_id IN (SELECT id FROM export_snapshot)
UNION SELECT r.host_id FROM traced_process e JOIN recording r ON r.recording_id = e.recording_id
WHERE r.host_id IS NOT NULL AND e.traced_process_id IN (SELECT id FROM export_traced);
