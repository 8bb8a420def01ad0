-- keep-lineages: repairs the processes of table tidy_process, which lost captures. Removes what no
-- capture shows any more: regions of table tidy_region, lineages, processes. Updates the first
-- snapshot of lineages. Run order.sql before.

CREATE TEMP TABLE IF NOT EXISTS keep_region (
  region_id INTEGER PRIMARY KEY,
  place     INTEGER NOT NULL            -- place of the first capture that shows it
);
DELETE FROM keep_region;
INSERT INTO keep_region SELECT region_id, min(place) FROM keep_seen GROUP BY region_id;

DELETE FROM tidy_region WHERE region_id IN (SELECT region_id FROM keep_region);
DELETE FROM region WHERE region_id IN (SELECT region_id FROM tidy_region);
DELETE FROM lineage WHERE process_id IN (SELECT process_id FROM tidy_process)
  AND NOT EXISTS (SELECT 1 FROM region r WHERE r.lineage_id = lineage.lineage_id);

-- Grouped first: searching the region of each lineage separately would take quadratic time.
UPDATE lineage SET first_snapshot_id = now_id,
  category_id = CASE WHEN rule IS NULL THEN own_category_id ELSE category_id END
FROM (
  SELECT f.lineage_id AS of_id, s.snapshot_id AS now_id, o.category_id AS own_category_id
  FROM (SELECT r.lineage_id, r.object_id, k.place, row_number() OVER (
      PARTITION BY r.lineage_id ORDER BY k.place, r.start) AS nth
    FROM keep_region k CROSS JOIN region r ON r.region_id = k.region_id) f
  CROSS JOIN keep_order s ON s.place = f.place
  CROSS JOIN object o ON o.object_id = f.object_id
  WHERE f.nth = 1)
WHERE lineage_id = of_id
  AND (first_snapshot_id <> now_id OR rule IS NULL AND category_id <> own_category_id);

-- Labels from before the oldest capture describe nothing that is left, except the last of them.
DELETE FROM label WHERE process_id IN (SELECT process_id FROM tidy_process)
  AND taken_ms < (SELECT max(l.taken_ms) FROM label l WHERE l.process_id = label.process_id
    AND l.taken_ms <= (SELECT min(s.taken_ms) FROM snapshot s
      WHERE s.process_id = label.process_id));

-- Likewise clearings: the last of them begins the window of the oldest capture.
DELETE FROM clearing WHERE process_id IN (SELECT process_id FROM tidy_process)
  AND cleared_ms < (SELECT max(c.cleared_ms) FROM clearing c WHERE c.process_id = clearing.process_id
    AND c.cleared_ms <= (SELECT min(s.taken_ms) FROM snapshot s
      WHERE s.process_id = clearing.process_id));

DELETE FROM tidy_process WHERE EXISTS (
  SELECT 1 FROM snapshot s WHERE s.process_id = tidy_process.process_id);
DELETE FROM label WHERE process_id IN (SELECT process_id FROM tidy_process);
DELETE FROM clearing WHERE process_id IN (SELECT process_id FROM tidy_process);
UPDATE traced_process SET process_id = NULL, pruned = 1
WHERE process_id IN (SELECT process_id FROM tidy_process);
DELETE FROM process WHERE process_id IN (SELECT process_id FROM tidy_process);
