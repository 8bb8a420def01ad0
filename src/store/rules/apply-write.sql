-- apply-write: copies the decisions of table apply_set to lineages and their regions.

-- Only these rows are read: with UPDATE FROM, SQLite would read the rows of all processes.
UPDATE lineage SET (category_id, rule) = (
  SELECT coalesce(j.category_id, j.own_id), j.rule FROM apply_set j
  WHERE j.lineage_id = lineage.lineage_id)
WHERE lineage_id IN (
  SELECT l.lineage_id FROM apply_set j CROSS JOIN lineage l ON l.lineage_id = j.lineage_id
  WHERE (l.category_id, l.rule) IS NOT (coalesce(j.category_id, j.own_id), j.rule));
UPDATE region SET category_id = (
  SELECT j.category_id FROM apply_set j WHERE j.lineage_id = region.lineage_id)
WHERE region_id IN (
  SELECT r.region_id FROM apply_set j CROSS JOIN region r ON r.lineage_id = j.lineage_id
  WHERE r.category_id IS NOT j.category_id);
