-- export-begin: the sets of rows that an export copies, empty. Temporary tables are of the reading
-- connection alone, and in memory.

DROP TABLE IF EXISTS temp.export_process;
DROP TABLE IF EXISTS temp.export_snapshot;
DROP TABLE IF EXISTS temp.export_shown;
DROP TABLE IF EXISTS temp.export_capture;
DROP TABLE IF EXISTS temp.export_region;
DROP TABLE IF EXISTS temp.export_rare;
DROP TABLE IF EXISTS temp.export_category;
DROP TABLE IF EXISTS temp.export_host;
DROP TABLE IF EXISTS temp.export_traced;
DROP TABLE IF EXISTS temp.export_stack;
DROP TABLE IF EXISTS temp.export_frame;

CREATE TEMP TABLE export_process (id INTEGER PRIMARY KEY);
CREATE TEMP TABLE export_snapshot (id INTEGER PRIMARY KEY);
CREATE TEMP TABLE export_shown (        -- the places of these snapshots in their epochs
  epoch_id INTEGER, off INTEGER, PRIMARY KEY (epoch_id, off)) WITHOUT ROWID;
CREATE TEMP TABLE export_capture (id INTEGER PRIMARY KEY);
CREATE TEMP TABLE export_region (id INTEGER PRIMARY KEY);
CREATE TEMP TABLE export_rare (id INTEGER PRIMARY KEY);
CREATE TEMP TABLE export_category (id INTEGER PRIMARY KEY);
CREATE TEMP TABLE export_host (id INTEGER PRIMARY KEY);
CREATE TEMP TABLE export_traced (       -- traced processes; space: whose addresses they show
  id INTEGER PRIMARY KEY, space INTEGER NOT NULL);
CREATE TEMP TABLE export_stack (
  space INTEGER, stack_id INTEGER, PRIMARY KEY (stack_id, space)) WITHOUT ROWID;
CREATE TEMP TABLE export_frame (        -- frames without a symbol: known by an address
  frame_id INTEGER PRIMARY KEY, space INTEGER);
