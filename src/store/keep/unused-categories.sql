-- unused-categories: categories that a rule gave and nothing has any more go. The first 14 are the
-- program's own.

DELETE FROM category WHERE category_id > 14
  AND category_id NOT IN (SELECT category_id FROM lineage)
  AND category_id NOT IN (SELECT category_id FROM region WHERE category_id IS NOT NULL)
  AND category_id NOT IN (SELECT category_id FROM category_version);
