-- apply-judge: finds the capture that decides each lineage of the processes of table tidy_process:
-- the first of the strongest captures that show the lineage. The rules are matched there. Run
-- order.sql before.
--
-- Parameters: :ruled (1: includes lineages whose category comes from rules), :labelled (1: includes
-- lineages that their process itself named: label.h).

DROP TABLE IF EXISTS temp.apply_judge;
CREATE TEMP TABLE apply_judge (
  lineage_id  INTEGER PRIMARY KEY,
  place       INTEGER NOT NULL,         -- place of the deciding capture in keep_order
  own_id      INTEGER NOT NULL,         -- category of its lowest object in its first capture
  category_id INTEGER,                  -- by `rule`; NULL: the category of the object
  rule        TEXT
);
INSERT INTO apply_judge (lineage_id, place, own_id)
SELECT lineage_id, place, own_id FROM (
  SELECT r.lineage_id, s.place,
    row_number() OVER (PARTITION BY r.lineage_id ORDER BY s.worth, s.place) AS nth,
    first_value(o.category_id) OVER (PARTITION BY r.lineage_id ORDER BY s.place, r.start) AS own_id
  FROM keep_seen s
  CROSS JOIN region r ON r.region_id = s.region_id
  CROSS JOIN lineage l ON l.lineage_id = r.lineage_id
  CROSS JOIN object o ON o.object_id = r.object_id
  WHERE CASE WHEN l.rule IS 'label' THEN :labelled ELSE :ruled END)
WHERE nth = 1;

CREATE INDEX temp.apply_judge_place ON apply_judge (place);

-- The captures that decide at least one lineage, epoch by epoch.
DROP TABLE IF EXISTS temp.apply_ask;
CREATE TEMP TABLE apply_ask (
  epoch_id INTEGER NOT NULL,
  off      INTEGER NOT NULL,
  place    INTEGER NOT NULL,
  PRIMARY KEY (epoch_id, off)
) WITHOUT ROWID;
INSERT INTO apply_ask
SELECT o.epoch_id, o.off, o.place
FROM (SELECT DISTINCT place FROM apply_judge) j CROSS JOIN keep_order o ON o.place = j.place;
