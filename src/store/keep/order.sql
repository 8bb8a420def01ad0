-- order: lists the captures of the processes of table tidy_process in time order, and the first
-- capture of each epoch that shows a region.
--
-- Parameter: :some (1: at least the regions of lineages of table tidy_lineage; otherwise all).

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

-- The processes of which all versions are read: it takes less time than to look up the regions in
-- each epoch.
CREATE TEMP TABLE IF NOT EXISTS keep_read (process_id INTEGER PRIMARY KEY);
DELETE FROM keep_read;
INSERT INTO keep_read
SELECT t.process_id FROM tidy_process t
WHERE :some IS NOT 1
  OR EXISTS (SELECT 1 FROM tidy_lineage)
  AND 2 * (SELECT count(*) FROM epoch e WHERE e.process_id = t.process_id)
  * (SELECT count(*) FROM lineage l CROSS JOIN tidy_lineage s ON s.lineage_id = l.lineage_id
    CROSS JOIN region r ON r.lineage_id = l.lineage_id WHERE l.process_id = t.process_id)
  > (SELECT count(*) FROM epoch e CROSS JOIN mapping_version v ON v.epoch_id = e.epoch_id
    WHERE e.process_id = t.process_id);

CREATE TEMP TABLE IF NOT EXISTS keep_seen (
  region_id INTEGER NOT NULL,
  place     INTEGER NOT NULL,
  worth     INTEGER NOT NULL
);
DELETE FROM keep_seen;
INSERT INTO keep_seen
SELECT f.region_id, o.place, o.worth
FROM (SELECT v.epoch_id, v.region_id, min(v.first) AS first
  FROM keep_read t CROSS JOIN epoch e ON e.process_id = t.process_id
  CROSS JOIN mapping_version v ON v.epoch_id = e.epoch_id
  GROUP BY v.epoch_id, v.region_id
  UNION ALL
  SELECT v.epoch_id, v.region_id, min(v.first)
  FROM tidy_lineage t CROSS JOIN lineage l ON l.lineage_id = t.lineage_id
  CROSS JOIN region r ON r.lineage_id = l.lineage_id
  CROSS JOIN epoch e ON e.process_id = l.process_id
  CROSS JOIN mapping_version v ON v.epoch_id = e.epoch_id AND v.region_id = r.region_id
  WHERE :some IS 1 AND l.process_id NOT IN (SELECT process_id FROM keep_read)
  GROUP BY v.epoch_id, v.region_id) f
CROSS JOIN keep_order o ON o.epoch_id = f.epoch_id AND o.off = f.first;
