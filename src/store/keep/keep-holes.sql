-- keep-holes: closes the gaps in epochs of table tidy_epoch, which lost captures. Removes epochs
-- without captures; in the others the captures get the places 0, 1, 2 ... again: table keep_place
-- has the new place of each, for keep-move.

CREATE TEMP TABLE IF NOT EXISTS keep_place (
  epoch_id INTEGER NOT NULL,
  off      INTEGER NOT NULL,            -- the current place
  into_id  INTEGER NOT NULL,
  at       INTEGER NOT NULL,            -- the new place
  PRIMARY KEY (epoch_id, off)
) WITHOUT ROWID;
DELETE FROM keep_place;
INSERT INTO keep_place
SELECT s.epoch_id, s.off, s.epoch_id,
  row_number() OVER (PARTITION BY s.epoch_id ORDER BY s.off) - 1
FROM tidy_epoch t CROSS JOIN snapshot s ON s.epoch_id = t.epoch_id;

DELETE FROM tidy_epoch WHERE epoch_id IN (SELECT epoch_id FROM keep_place);
DELETE FROM mapping_version WHERE epoch_id IN (SELECT epoch_id FROM tidy_epoch);
DELETE FROM category_version WHERE epoch_id IN (SELECT epoch_id FROM tidy_epoch);
DELETE FROM epoch WHERE epoch_id IN (SELECT epoch_id FROM tidy_epoch);
