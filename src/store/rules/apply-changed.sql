-- apply-changed: the regions whose category table apply_set changes, and the epochs that show one.
--
-- Parameter: :all (1: all epochs with mappings, because an earlier run was interrupted).

DROP TABLE IF EXISTS temp.apply_moved;
CREATE TEMP TABLE apply_moved (region_id INTEGER PRIMARY KEY);
INSERT INTO apply_moved
SELECT r.region_id
FROM apply_set j
CROSS JOIN region r ON r.lineage_id = j.lineage_id
CROSS JOIN object o ON o.object_id = r.object_id
WHERE coalesce(j.category_id, o.category_id) <> coalesce(r.category_id, o.category_id);

DROP TABLE IF EXISTS temp.apply_epoch;
CREATE TEMP TABLE apply_epoch (
  epoch_id INTEGER PRIMARY KEY,
  begin_id INTEGER NOT NULL,            -- its first snapshot
  versions INTEGER NOT NULL
);
CREATE TEMP VIEW IF NOT EXISTS apply_any_epoch AS
SELECT e.epoch_id, s.snapshot_id AS begin_id,
  (SELECT count(*) FROM mapping_version v WHERE v.epoch_id = e.epoch_id) AS versions
FROM tidy_process t
CROSS JOIN epoch e ON e.process_id = t.process_id
CROSS JOIN snapshot s ON s.epoch_id = e.epoch_id AND s.off = 0
WHERE e.state <> 'totals';
INSERT INTO apply_epoch
SELECT * FROM apply_any_epoch WHERE :all OR epoch_id IN (
  SELECT v.epoch_id
  FROM (SELECT DISTINCT l.process_id FROM apply_moved m
    CROSS JOIN region r ON r.region_id = m.region_id
    CROSS JOIN lineage l ON l.lineage_id = r.lineage_id) p
  CROSS JOIN epoch e ON e.process_id = p.process_id
  CROSS JOIN mapping_version v ON v.epoch_id = e.epoch_id
  CROSS JOIN apply_moved m ON m.region_id = v.region_id);
