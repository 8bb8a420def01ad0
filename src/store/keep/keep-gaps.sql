-- keep-gaps: repairs the epochs of table tidy_epoch, which lost captures. Removes epochs without
-- captures. In the others the first capture gets the place 0. For keep-move, table keep_place has the
-- new place of each capture, and keep_old, keep_old_sums have the versions to write again.
--
-- Parameter: :whole. 1: the captures get the places 0, 1, 2 ... 0: the removed captures are those of
-- table tidy_place. All captures but the first keep their places, so that only versions next to a
-- removed capture are written again, however many captures stay.

CREATE TEMP TABLE IF NOT EXISTS keep_place (
  epoch_id INTEGER NOT NULL,
  off      INTEGER NOT NULL,            -- the current place; 32768: the end, added by keep-move
  into_id  INTEGER NOT NULL,
  at       INTEGER NOT NULL,            -- the new place
  PRIMARY KEY (epoch_id, off)
) WITHOUT ROWID;
DELETE FROM keep_place;
INSERT INTO keep_place
SELECT epoch_id, off, epoch_id, CASE WHEN :whole OR nth = 0 THEN nth ELSE off END
FROM (
  SELECT s.epoch_id, s.off, row_number() OVER (PARTITION BY s.epoch_id ORDER BY s.off) - 1 AS nth
  FROM tidy_epoch t CROSS JOIN snapshot s ON s.epoch_id = t.epoch_id);

-- The removed captures, and the first one that stays after each. Only a version that begins at one of
-- these places, or ends just before one, can change or become equal to its neighbour.
CREATE TEMP TABLE IF NOT EXISTS keep_edge (
  epoch_id INTEGER NOT NULL,
  off      INTEGER NOT NULL,
  PRIMARY KEY (epoch_id, off)
) WITHOUT ROWID;
DELETE FROM keep_edge;
INSERT INTO keep_edge
SELECT epoch_id, off FROM tidy_place WHERE off > 0
UNION
SELECT t.epoch_id, (SELECT p.off FROM keep_place p WHERE p.epoch_id = t.epoch_id AND p.off > t.off
  ORDER BY p.off LIMIT 1) AS next
FROM tidy_place t WHERE next IS NOT NULL;
-- Most versions begin and end outside of lo..hi: no lookup in keep_edge, which saves a sixth of a prune.
CREATE TEMP TABLE IF NOT EXISTS keep_span (epoch_id INTEGER PRIMARY KEY, lo INTEGER, hi INTEGER);
DELETE FROM keep_span;
INSERT INTO keep_span
SELECT t.epoch_id, min(e.off), max(e.off)
FROM (SELECT DISTINCT epoch_id FROM keep_place) t LEFT JOIN keep_edge e ON e.epoch_id = t.epoch_id
GROUP BY t.epoch_id;

CREATE TEMP TABLE IF NOT EXISTS keep_old (
  epoch_id  INTEGER NOT NULL,
  region_id INTEGER NOT NULL,
  first     INTEGER NOT NULL,
  PRIMARY KEY (epoch_id, region_id, first)
) WITHOUT ROWID;
DELETE FROM keep_old;
INSERT INTO keep_old
SELECT v.epoch_id, v.region_id, v.first
FROM keep_span t CROSS JOIN mapping_version v ON v.epoch_id = t.epoch_id
WHERE :whole OR (v.first BETWEEN t.lo AND t.hi OR v.last + 1 BETWEEN t.lo AND t.hi) AND EXISTS (
  SELECT 1 FROM keep_edge e WHERE e.epoch_id = v.epoch_id AND e.off IN (v.first, v.last + 1));

CREATE TEMP TABLE IF NOT EXISTS keep_old_sums (
  epoch_id    INTEGER NOT NULL,
  category_id INTEGER NOT NULL,
  first       INTEGER NOT NULL,
  PRIMARY KEY (epoch_id, category_id, first)
) WITHOUT ROWID;
DELETE FROM keep_old_sums;
INSERT INTO keep_old_sums
SELECT v.epoch_id, v.category_id, v.first
FROM keep_span t CROSS JOIN category_version v ON v.epoch_id = t.epoch_id
WHERE :whole OR (v.first BETWEEN t.lo AND t.hi OR v.last + 1 BETWEEN t.lo AND t.hi) AND EXISTS (
  SELECT 1 FROM keep_edge e WHERE e.epoch_id = v.epoch_id AND e.off IN (v.first, v.last + 1));

DELETE FROM tidy_epoch WHERE epoch_id IN (SELECT epoch_id FROM keep_place);
INSERT OR IGNORE INTO tidy_region
SELECT v.region_id FROM tidy_epoch t CROSS JOIN mapping_version v ON v.epoch_id = t.epoch_id;
DELETE FROM mapping_version WHERE epoch_id IN (SELECT epoch_id FROM tidy_epoch);
DELETE FROM category_version WHERE epoch_id IN (SELECT epoch_id FROM tidy_epoch);
DELETE FROM epoch WHERE epoch_id IN (SELECT epoch_id FROM tidy_epoch);
