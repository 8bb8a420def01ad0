-- name:   plot-map
-- title:  What plot draws of the address space: each mapping as long as its numbers stay, around some snapshots
-- param:  snapshots text   ""  JSON list of snapshot ids, as plot-growth gives them
-- column: epoch_id   int      The sequence of captures that the snapshots are stored in
-- column: first      int      First place in the sequence where the row holds
-- column: last       int      Last place; unknown: to its end
-- column: start      address  First address
-- column: end        address  The address after the last one
-- column: rss_kib    kib      Resident
-- column: category   category Category
-- column: lineage_id lineage  The mapping through time
-- empty:  the snapshots have no mappings
--
-- Rows of one region follow each other. plot-growth says the sequence and the place of a snapshot.
SELECT v.epoch_id, v.first, v.last, r.start, r.start + r.length AS "end", v.rss_kib, c.category, r.lineage_id
FROM epoch x
CROSS JOIN mapping_versions v ON v.epoch_id = x.epoch_id
CROSS JOIN region r ON r.region_id = v.region_id
CROSS JOIN object o ON o.object_id = r.object_id
CROSS JOIN category c ON c.category_id = ifnull(r.category_id, o.category_id)
WHERE x.epoch_id IN (
  SELECT s.epoch_id
  FROM json_each(:snapshots) j
  CROSS JOIN snapshot s ON s.snapshot_id = j.value)
ORDER BY x.epoch_id, v.region_id, v.first;
