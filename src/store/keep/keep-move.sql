-- keep-move: moves captures to the places in table keep_place, and their versions with them. A
-- version that begins at a removed capture begins at the next remaining one; one that ends there
-- ends at the previous one; one that no capture shows is removed; equal neighbours become one.

CREATE TEMP TABLE IF NOT EXISTS keep_end (into_id INTEGER PRIMARY KEY, off INTEGER NOT NULL);
DELETE FROM keep_end;
INSERT INTO keep_end SELECT into_id, max(at) FROM keep_place GROUP BY into_id;

-- The captures up to the place `cut` stay, and so do the versions that end before it. -1: every
-- capture of the epoch moves.
CREATE TEMP TABLE IF NOT EXISTS keep_cut (epoch_id INTEGER PRIMARY KEY, cut INTEGER NOT NULL);
DELETE FROM keep_cut;
INSERT INTO keep_cut
SELECT epoch_id, coalesce(max(CASE WHEN into_id = epoch_id AND at = off THEN off END), -1)
FROM keep_place GROUP BY epoch_id;

CREATE TEMP VIEW IF NOT EXISTS keep_version AS
SELECT a.into_id, v.region_id, a.at AS first, b.at AS last, v.private_dirty, v.private_clean,
  v.shared_clean, v.shared_dirty, v.swap, v.pss, v.referenced, v.rare_fields_id
FROM keep_cut e
CROSS JOIN mapping_version v ON v.epoch_id = e.epoch_id AND coalesce(v.last, 32767) >= e.cut
CROSS JOIN keep_place a ON a.epoch_id = v.epoch_id AND a.off = (
  SELECT min(p.off) FROM keep_place p WHERE p.epoch_id = v.epoch_id AND p.off >= v.first)
CROSS JOIN keep_place b ON b.epoch_id = v.epoch_id AND b.off = (
  SELECT max(p.off) FROM keep_place p
  WHERE p.epoch_id = v.epoch_id AND p.off <= coalesce(v.last, 32767))
WHERE a.off <= b.off;

CREATE TEMP VIEW IF NOT EXISTS keep_sums AS
SELECT a.into_id, v.category_id, a.at AS first, b.at AS last, v.mappings, v.size_kib, v.rss_kib,
  v.pss_kib, v.private_kib, v.private_dirty_kib, v.swap_kib
FROM keep_cut e
CROSS JOIN category_version v ON v.epoch_id = e.epoch_id AND coalesce(v.last, 32767) >= e.cut
CROSS JOIN keep_place a ON a.epoch_id = v.epoch_id AND a.off = (
  SELECT min(p.off) FROM keep_place p WHERE p.epoch_id = v.epoch_id AND p.off >= v.first)
CROSS JOIN keep_place b ON b.epoch_id = v.epoch_id AND b.off = (
  SELECT max(p.off) FROM keep_place p
  WHERE p.epoch_id = v.epoch_id AND p.off <= coalesce(v.last, 32767))
WHERE a.off <= b.off;

-- Equal versions of a region that follow each other have the same island: the number of earlier
-- captures that no equal version covers.
DROP TABLE IF EXISTS temp.keep_new_version;
CREATE TEMP TABLE keep_new_version AS
SELECT into_id, region_id, min(first) AS first, nullif(max(last), off) AS last, private_dirty,
  private_clean, shared_clean, shared_dirty, swap, pss, referenced, rare_fields_id
FROM (SELECT *, last - sum(last - first + 1) OVER (PARTITION BY into_id, region_id, private_dirty,
    private_clean, shared_clean, shared_dirty, swap, pss, referenced, rare_fields_id ORDER BY first)
    AS island
  FROM keep_version)
JOIN keep_end USING (into_id)
GROUP BY into_id, region_id, private_dirty, private_clean, shared_clean, shared_dirty, swap, pss,
  referenced, rare_fields_id, island;

DROP TABLE IF EXISTS temp.keep_new_sums;
CREATE TEMP TABLE keep_new_sums AS
SELECT into_id, category_id, min(first) AS first, nullif(max(last), off) AS last, mappings,
  size_kib, rss_kib, pss_kib, private_kib, private_dirty_kib, swap_kib
FROM (SELECT *, last - sum(last - first + 1) OVER (PARTITION BY into_id, category_id, mappings,
    size_kib, rss_kib, pss_kib, private_kib, private_dirty_kib, swap_kib ORDER BY first) AS island
  FROM keep_sums)
JOIN keep_end USING (into_id)
GROUP BY into_id, category_id, mappings, size_kib, rss_kib, pss_kib, private_kib,
  private_dirty_kib, swap_kib, island;

DELETE FROM mapping_version WHERE epoch_id IN (SELECT epoch_id FROM keep_cut)
  AND coalesce(last, 32767) >= (SELECT cut FROM keep_cut c WHERE c.epoch_id = mapping_version.epoch_id);
INSERT INTO mapping_version SELECT * FROM keep_new_version ORDER BY into_id, region_id, first;
DELETE FROM category_version WHERE epoch_id IN (SELECT epoch_id FROM keep_cut)
  AND coalesce(last, 32767) >= (SELECT cut FROM keep_cut c WHERE c.epoch_id = category_version.epoch_id);
INSERT INTO category_version SELECT * FROM keep_new_sums ORDER BY into_id, category_id, first;

-- Two steps: the new place may still belong to another capture.
UPDATE snapshot SET epoch_id = p.into_id, off = -1 - p.at
FROM keep_place p
WHERE p.epoch_id = snapshot.epoch_id AND p.off = snapshot.off
  AND (p.into_id, p.at) IS NOT (p.epoch_id, p.off);
UPDATE snapshot SET off = -1 - off
WHERE off < 0 AND epoch_id IN (SELECT into_id FROM keep_place);
DELETE FROM epoch WHERE epoch_id IN (SELECT epoch_id FROM keep_place WHERE epoch_id <> into_id);
