-- label-judge: finds the names that the reports of label_row give to lineages: table label_name.
-- Removes all other lineages from table apply_judge, except those that lose their name: with :all (1:
-- label_row has all reports of the process) the rules have been matched for lineages with a name.
--
-- The last report that names a lineage decides. Among reports of one moment, NMT decides, because
-- NMT is more exact. Within one report, the lowest mapping decides. If that mapping is vague, the
-- last name of the lineage, else its category, decides whether this is memory of a JVM.
--
-- A lineage keeps the name that it has if no capture of these reports shows it: those that showed it
-- may have been pruned since.
--
-- Parameter: :all.

DROP TABLE IF EXISTS temp.label_name;
CREATE TEMP TABLE label_name (lineage_id INTEGER PRIMARY KEY, category TEXT NOT NULL);
WITH said AS (
  SELECT lineage_id, named, row_number() OVER (
    PARTITION BY lineage_id ORDER BY taken_ms DESC, source, start) AS nth
  FROM label_row WHERE named IS NOT NULL OR vague),
last_name AS (
  SELECT lineage_id, named, min(nth) FROM said WHERE named IS NOT NULL GROUP BY lineage_id),
decided AS (
  SELECT s.lineage_id, CASE WHEN s.named IS NULL
      AND coalesce(n.named, c.category) IN (SELECT category FROM label_jvm)
    THEN 'anonymous/jvm-native' ELSE n.named END AS category
  FROM said s
  CROSS JOIN apply_judge j ON j.lineage_id = s.lineage_id
  CROSS JOIN lineage l ON l.lineage_id = s.lineage_id
  LEFT JOIN last_name n ON n.lineage_id = s.lineage_id
  LEFT JOIN category c ON c.category_id = CASE WHEN :all AND l.rule = 'label'
    THEN coalesce(j.category_id, j.own_id) ELSE l.category_id END
  WHERE s.nth = 1)
INSERT INTO label_name SELECT lineage_id, category FROM decided WHERE category IS NOT NULL;

DELETE FROM apply_judge
WHERE lineage_id NOT IN (SELECT lineage_id FROM label_name)
  AND NOT (:all AND lineage_id IN (SELECT l.lineage_id FROM lineage l
    JOIN label_row r ON r.lineage_id = l.lineage_id WHERE l.rule = 'label'));
