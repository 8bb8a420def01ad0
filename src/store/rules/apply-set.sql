-- apply-set: the decisions of table apply_judge about the processes of table tidy_process, with the
-- ids that their categories now have in the store.

DROP TABLE IF EXISTS temp.apply_set;
CREATE TEMP TABLE apply_set (
  lineage_id  INTEGER PRIMARY KEY,
  category_id INTEGER,                  -- by `rule`; NULL: the category of the object
  own_id      INTEGER NOT NULL,
  rule        TEXT
);
INSERT INTO apply_set
SELECT j.lineage_id, coalesce((SELECT k.category_id FROM category_new n
    CROSS JOIN category k ON k.category = n.category
    WHERE n.category_id = j.category_id), j.category_id), j.own_id, j.rule
FROM tidy_process t
CROSS JOIN lineage l ON l.process_id = t.process_id
CROSS JOIN apply_judge j ON j.lineage_id = l.lineage_id;
