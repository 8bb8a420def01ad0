-- unused-categories: removes categories from rules that no row has any more. The first :built_in
-- categories are built in.

DELETE FROM category WHERE category_id > :built_in
  AND category_id NOT IN (SELECT category_id FROM lineage)
  AND category_id NOT IN (SELECT category_id FROM region WHERE category_id IS NOT NULL)
  AND category_id NOT IN (SELECT category_id FROM category_version);
