-- keep-join: joins neighbouring epochs of table tidy_near if appending their captures one by one
-- would have made one epoch. Writes the new places to table keep_place, for keep-move.
--
-- Parameters: :captures (limit of an epoch), :alpha (limit of its versions, as a multiple of the rows
-- of its last capture).

CREATE TEMP TABLE IF NOT EXISTS keep_epoch (
  process_id INTEGER NOT NULL,
  dialect    TEXT NOT NULL,
  state      TEXT NOT NULL,
  k          INTEGER NOT NULL,          -- its number in the stream: 1, 2 ...
  epoch_id   INTEGER NOT NULL,
  fields     INTEGER NOT NULL,
  n          INTEGER NOT NULL,          -- captures
  versions   INTEGER NOT NULL,
  last_rows  INTEGER NOT NULL,          -- versions without an end
  same       INTEGER,                   -- versions that continue from the previous epoch;
  PRIMARY KEY (process_id, dialect, state, k) -- NULL: the two must not become one
) WITHOUT ROWID;
DELETE FROM keep_epoch;
INSERT INTO keep_epoch
SELECT e.process_id, e.dialect, e.state, row_number() OVER (
    PARTITION BY e.process_id, e.dialect, e.state ORDER BY s.taken_ms, s.ordinal, s.hash),
  e.epoch_id, e.fields, (SELECT count(*) FROM snapshot c WHERE c.epoch_id = e.epoch_id),
  coalesce(v.versions, 0), coalesce(v.last_rows, 0), NULL
FROM tidy_near t
CROSS JOIN epoch e ON e.epoch_id = t.epoch_id
CROSS JOIN snapshot s ON s.epoch_id = e.epoch_id AND s.off = 0
LEFT JOIN (SELECT v.epoch_id, count(*) AS versions, sum(v.last IS NULL) AS last_rows
  FROM tidy_near t CROSS JOIN mapping_version v ON v.epoch_id = t.epoch_id
  GROUP BY v.epoch_id) v ON v.epoch_id = e.epoch_id;

UPDATE keep_epoch SET same = (
  SELECT count(*) FROM mapping_version b
  CROSS JOIN mapping_version a ON a.epoch_id = before_id AND a.region_id = b.region_id AND a.last IS NULL
  WHERE b.epoch_id = keep_epoch.epoch_id AND b.first = 0
    AND (a.private_dirty, a.private_clean, a.shared_clean, a.shared_dirty, a.swap, a.pss,
      a.referenced, a.rare_fields_id) IS (b.private_dirty, b.private_clean, b.shared_clean,
      b.shared_dirty, b.swap, b.pss, b.referenced, b.rare_fields_id))
FROM (SELECT b.epoch_id AS of_id, a.epoch_id AS before_id
  FROM keep_epoch b
  CROSS JOIN keep_epoch a ON a.process_id = b.process_id AND a.dialect = b.dialect
    AND a.state = b.state AND a.k = b.k - 1
  WHERE a.fields = b.fields AND a.n + b.n <= :captures
    AND a.versions <= :alpha * (b.last_rows + 1))
WHERE epoch_id = of_id;

-- Goes through the epochs of a stream: each continues the current group or begins a new one.
CREATE TEMP TABLE IF NOT EXISTS keep_group (
  epoch_id INTEGER PRIMARY KEY,
  into_id  INTEGER NOT NULL,            -- the first epoch of the group
  base     INTEGER NOT NULL             -- captures of the group before this epoch
);
DELETE FROM keep_group;
INSERT INTO keep_group
WITH RECURSIVE go (process_id, dialect, state, k, epoch_id, into_id, base, n, versions) AS (
  SELECT process_id, dialect, state, k, epoch_id, epoch_id, 0, n, versions
  FROM keep_epoch WHERE k = 1
  UNION ALL
  SELECT e.process_id, e.dialect, e.state, e.k, e.epoch_id, coalesce(j.yes * g.into_id, e.epoch_id),
    coalesce(j.yes * g.n, 0), coalesce(j.yes * g.n, 0) + e.n,
    coalesce(j.yes * (g.versions - e.same), 0) + e.versions
  FROM go g
  CROSS JOIN keep_epoch e ON e.process_id = g.process_id AND e.dialect = g.dialect
    AND e.state = g.state AND e.k = g.k + 1
  LEFT JOIN (SELECT 1 AS yes) j ON e.same IS NOT NULL AND g.n + e.n <= :captures
    AND g.versions + e.versions - e.same <= :alpha * (e.last_rows + 1)
)
SELECT epoch_id, into_id, base FROM go;

-- The captures of a group get the places 0, 1, 2 ...
DELETE FROM keep_place;
INSERT INTO keep_place
SELECT s.epoch_id, s.off, g.into_id,
  g.base - 1 + row_number() OVER (PARTITION BY s.epoch_id ORDER BY s.off)
FROM keep_group g CROSS JOIN snapshot s ON s.epoch_id = g.epoch_id
WHERE g.into_id IN (SELECT into_id FROM keep_group WHERE base > 0);

-- The captures up to the place `cut` keep their places, so the versions that end before it stay as
-- they are. -1: every capture of the epoch moves.
CREATE TEMP TABLE IF NOT EXISTS keep_cut (epoch_id INTEGER PRIMARY KEY, cut INTEGER NOT NULL);
DELETE FROM keep_cut;
INSERT INTO keep_cut
SELECT epoch_id, coalesce(max(CASE WHEN into_id = epoch_id AND at = off THEN off END), -1)
FROM keep_place GROUP BY epoch_id;
DELETE FROM keep_old;
INSERT INTO keep_old
SELECT v.epoch_id, v.region_id, v.first
FROM keep_cut c CROSS JOIN mapping_version v
  ON v.epoch_id = c.epoch_id AND coalesce(v.last, 32767) >= c.cut;
DELETE FROM keep_old_sums;
INSERT INTO keep_old_sums
SELECT v.epoch_id, v.category_id, v.first
FROM keep_cut c CROSS JOIN category_version v
  ON v.epoch_id = c.epoch_id AND coalesce(v.last, 32767) >= c.cut;
