-- tidy-begin: empties the tables that say what must be tidied: keep-remove.sql and keep-all.sql fill
-- them.

CREATE TEMP TABLE IF NOT EXISTS tidy_process (process_id INTEGER PRIMARY KEY);
DELETE FROM tidy_process;
-- Epochs that lost captures.
CREATE TEMP TABLE IF NOT EXISTS tidy_epoch (epoch_id INTEGER PRIMARY KEY);
DELETE FROM tidy_epoch;
-- The removed captures, if they are known: their places.
CREATE TEMP TABLE IF NOT EXISTS tidy_place (
  epoch_id INTEGER NOT NULL,
  off      INTEGER NOT NULL,
  PRIMARY KEY (epoch_id, off)
) WITHOUT ROWID;
DELETE FROM tidy_place;
-- Epochs that may now become one.
CREATE TEMP TABLE IF NOT EXISTS tidy_near (epoch_id INTEGER PRIMARY KEY);
DELETE FROM tidy_near;
-- Regions that perhaps no capture shows any more.
CREATE TEMP TABLE IF NOT EXISTS tidy_region (region_id INTEGER PRIMARY KEY);
DELETE FROM tidy_region;
-- Lineages whose first capture may be another one now.
CREATE TEMP TABLE IF NOT EXISTS tidy_lineage (lineage_id INTEGER PRIMARY KEY);
DELETE FROM tidy_lineage;
