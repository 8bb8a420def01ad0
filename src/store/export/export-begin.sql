-- export-begin: makes the sets of rows that an export copies, still empty. Temporary tables belong
-- to the reading connection alone, and are in memory. The transaction that reads is rolled back, and
-- takes them away.

CREATE TEMP TABLE export_process (id INTEGER PRIMARY KEY);
CREATE TEMP TABLE export_snapshot (id INTEGER PRIMARY KEY);
CREATE TEMP TABLE export_shown (        -- the places of these snapshots in their epochs
  epoch_id INTEGER, off INTEGER, PRIMARY KEY (epoch_id, off)) WITHOUT ROWID;
CREATE TEMP TABLE export_capture (id INTEGER PRIMARY KEY);
CREATE TEMP TABLE export_region (id INTEGER PRIMARY KEY);
CREATE TEMP TABLE export_rare (id INTEGER PRIMARY KEY);
CREATE TEMP TABLE export_category (id INTEGER PRIMARY KEY);
CREATE TEMP TABLE export_host (id INTEGER PRIMARY KEY);
CREATE TEMP TABLE export_traced (       -- traced processes; space: the owner of their addresses
  id INTEGER PRIMARY KEY, space INTEGER NOT NULL);
CREATE TEMP TABLE export_stack (id INTEGER PRIMARY KEY);

-- For a redacted export. A space is the owner of addresses: a process, or a process that only a
-- recording of perf has.
CREATE TEMP TABLE export_address (space INTEGER, start INTEGER, last INTEGER);
CREATE TEMP TABLE export_drawn (        -- the clusters of a space, in units of 64 MiB
  space INTEGER, start INTEGER, last INTEGER, unit INTEGER, units INTEGER, draw INTEGER);
CREATE TEMP TABLE export_cluster (      -- moved: bytes
  space INTEGER, start INTEGER, last INTEGER, moved INTEGER, PRIMARY KEY (space, start)) WITHOUT ROWID;
CREATE TEMP TABLE export_number (       -- numbers in the order of appearance, from 1
  kind TEXT, key, number INTEGER, PRIMARY KEY (kind, key)) WITHOUT ROWID;
