-- keep-lost: adds the regions of versions that keep-move.sql removed to table tidy_region, and leaves
-- there only those that no epoch of tidy_near shows. order.sql then looks up which other captures show
-- the regions of their lineages.

INSERT OR IGNORE INTO tidy_region
SELECT region_id FROM keep_old EXCEPT SELECT region_id FROM keep_new_version;
DELETE FROM tidy_region WHERE region_id IN (
  SELECT v.region_id FROM tidy_near t CROSS JOIN mapping_version v ON v.epoch_id = t.epoch_id);
INSERT OR IGNORE INTO tidy_lineage
SELECT r.lineage_id FROM tidy_region t CROSS JOIN region r ON r.region_id = t.region_id;
