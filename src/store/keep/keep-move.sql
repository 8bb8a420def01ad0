-- keep-move: moves captures to the places in table keep_place, and the versions in keep_old and
-- keep_old_sums with them. A version that begins at a removed capture begins at the next remaining
-- one. A version ends just before the first remaining capture that does not show it; one that no
-- capture shows is removed; equal neighbours become one.

INSERT INTO keep_place
SELECT epoch_id, 32768, into_id, max(at) + 1 FROM keep_place GROUP BY epoch_id;
CREATE TEMP TABLE IF NOT EXISTS keep_end (into_id INTEGER PRIMARY KEY, last INTEGER NOT NULL);
DELETE FROM keep_end;
INSERT INTO keep_end SELECT into_id, max(at) - 1 FROM keep_place GROUP BY into_id;

CREATE TEMP VIEW IF NOT EXISTS keep_version AS
SELECT a.into_id, v.region_id, a.at AS first, z.at - 1 AS last, v.private_dirty, v.private_clean,
  v.shared_clean, v.shared_dirty, v.swap, v.pss, v.referenced, v.rare_fields_id
FROM keep_old o
CROSS JOIN mapping_version v
  ON v.epoch_id = o.epoch_id AND v.region_id = o.region_id AND v.first = o.first
CROSS JOIN keep_place a ON a.epoch_id = v.epoch_id AND a.off = (
  SELECT p.off FROM keep_place p WHERE p.epoch_id = v.epoch_id AND p.off >= v.first
  ORDER BY p.off LIMIT 1)
CROSS JOIN keep_place z ON z.epoch_id = v.epoch_id AND z.off = (
  SELECT p.off FROM keep_place p
  WHERE p.epoch_id = v.epoch_id AND p.off > coalesce(v.last, 32767) ORDER BY p.off LIMIT 1)
WHERE a.off < z.off;

CREATE TEMP VIEW IF NOT EXISTS keep_sums AS
SELECT a.into_id, v.category_id, a.at AS first, z.at - 1 AS last, v.mappings, v.size_kib, v.rss_kib,
  v.pss_kib, v.private_kib, v.private_dirty_kib, v.swap_kib
FROM keep_old_sums o
CROSS JOIN category_version v
  ON v.epoch_id = o.epoch_id AND v.category_id = o.category_id AND v.first = o.first
CROSS JOIN keep_place a ON a.epoch_id = v.epoch_id AND a.off = (
  SELECT p.off FROM keep_place p WHERE p.epoch_id = v.epoch_id AND p.off >= v.first
  ORDER BY p.off LIMIT 1)
CROSS JOIN keep_place z ON z.epoch_id = v.epoch_id AND z.off = (
  SELECT p.off FROM keep_place p
  WHERE p.epoch_id = v.epoch_id AND p.off > coalesce(v.last, 32767) ORDER BY p.off LIMIT 1)
WHERE a.off < z.off;

-- Equal versions of a region that follow each other have the same island: the number of earlier
-- places that no equal version covers.
DROP TABLE IF EXISTS temp.keep_new_version;
CREATE TEMP TABLE keep_new_version AS
SELECT n.into_id, region_id, min(first) AS first, nullif(max(n.last), e.last) AS last, private_dirty,
  private_clean, shared_clean, shared_dirty, swap, pss, referenced, rare_fields_id
FROM (SELECT *, last - sum(last - first + 1) OVER (PARTITION BY into_id, region_id, private_dirty,
    private_clean, shared_clean, shared_dirty, swap, pss, referenced, rare_fields_id ORDER BY first)
    AS island
  FROM keep_version) n
JOIN keep_end e ON e.into_id = n.into_id
GROUP BY n.into_id, region_id, private_dirty, private_clean, shared_clean, shared_dirty, swap, pss,
  referenced, rare_fields_id, island;

DROP TABLE IF EXISTS temp.keep_new_sums;
CREATE TEMP TABLE keep_new_sums AS
SELECT n.into_id, category_id, min(first) AS first, nullif(max(n.last), e.last) AS last, mappings,
  size_kib, rss_kib, pss_kib, private_kib, private_dirty_kib, swap_kib
FROM (SELECT *, last - sum(last - first + 1) OVER (PARTITION BY into_id, category_id, mappings,
    size_kib, rss_kib, pss_kib, private_kib, private_dirty_kib, swap_kib ORDER BY first) AS island
  FROM keep_sums) n
JOIN keep_end e ON e.into_id = n.into_id
GROUP BY n.into_id, category_id, mappings, size_kib, rss_kib, pss_kib, private_kib,
  private_dirty_kib, swap_kib, island;

DELETE FROM mapping_version WHERE (epoch_id, region_id, first) IN (
  SELECT epoch_id, region_id, first FROM keep_old);
INSERT INTO mapping_version SELECT * FROM keep_new_version ORDER BY into_id, region_id, first;
DELETE FROM category_version WHERE (epoch_id, category_id, first) IN (
  SELECT epoch_id, category_id, first FROM keep_old_sums);
INSERT INTO category_version SELECT * FROM keep_new_sums ORDER BY into_id, category_id, first;

-- Two steps: the new place may still belong to another capture.
UPDATE snapshot SET epoch_id = p.into_id, off = -1 - p.at
FROM keep_place p
WHERE p.epoch_id = snapshot.epoch_id AND p.off = snapshot.off
  AND (p.into_id, p.at) IS NOT (p.epoch_id, p.off);
UPDATE snapshot SET off = -1 - off
WHERE off < 0 AND epoch_id IN (SELECT into_id FROM keep_place);
DELETE FROM epoch WHERE epoch_id IN (SELECT epoch_id FROM keep_place WHERE epoch_id <> into_id);
