-- order: lists the captures of the processes of table tidy_process in time order, and the first
-- capture of each epoch that shows a region.

CREATE TEMP TABLE IF NOT EXISTS keep_order (
  place       INTEGER PRIMARY KEY,      -- process by process, in time order
  snapshot_id INTEGER NOT NULL,
  epoch_id    INTEGER NOT NULL,
  off         INTEGER NOT NULL,
  worth       INTEGER NOT NULL          -- lowest: shows most about the neighbours of a mapping
);
CREATE UNIQUE INDEX IF NOT EXISTS temp.keep_order_epoch ON keep_order (epoch_id, off);
DELETE FROM keep_order;
INSERT INTO keep_order (snapshot_id, epoch_id, off, worth)
SELECT s.snapshot_id, s.epoch_id, s.off, s.state_code * 100 + d.rank
FROM tidy_process t CROSS JOIN snapshot s ON s.process_id = t.process_id
JOIN dialect d ON d.name = s.dialect
ORDER BY s.process_id, s.taken_ms, d.rank, s.ordinal, s.hash;

CREATE TEMP TABLE IF NOT EXISTS keep_seen (
  region_id INTEGER NOT NULL,
  place     INTEGER NOT NULL,
  worth     INTEGER NOT NULL
);
DELETE FROM keep_seen;
INSERT INTO keep_seen
SELECT f.region_id, o.place, o.worth
FROM (SELECT v.epoch_id, v.region_id, min(v.first) AS first
  FROM tidy_process t CROSS JOIN epoch e ON e.process_id = t.process_id
  CROSS JOIN mapping_version v ON v.epoch_id = e.epoch_id
  GROUP BY v.epoch_id, v.region_id) f
CROSS JOIN keep_order o ON o.epoch_id = f.epoch_id AND o.off = f.first;
