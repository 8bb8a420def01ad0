-- label-judge: the categories of table label_row become what table apply_judge says: those of the
-- lowest mapping of a lineage. Table label_category has their ids, NULL where the store has no room.

DELETE FROM apply_judge WHERE lineage_id NOT IN (
  SELECT lineage_id FROM label_row WHERE category IS NOT NULL);
UPDATE apply_judge SET category_id = named_id, rule = CASE WHEN named_id THEN 'label' END
FROM (SELECT n.lineage_id AS of_id, c.category_id AS named_id
  FROM (SELECT lineage_id, category, min(start) FROM label_row WHERE category IS NOT NULL
    GROUP BY lineage_id) n
  JOIN label_category c ON c.category = n.category)
WHERE lineage_id = of_id;
