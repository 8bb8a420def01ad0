-- unused-categories: removes categories from rules that no row has any more. The first 14 are built
-- in.

DELETE FROM category WHERE category_id > 14
  AND category_id NOT IN (SELECT category_id FROM lineage)
  AND category_id NOT IN (SELECT category_id FROM region WHERE category_id IS NOT NULL)
  AND category_id NOT IN (SELECT category_id FROM category_version);
