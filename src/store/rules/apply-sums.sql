-- apply-sums: takes the next epochs from table apply_epoch and computes their sums by category again.
-- The caller then checks that apply_broken is empty.
--
-- Parameter: :most (the number of versions of mappings; a single epoch may have more).

-- If an epoch is gone, or its id is used again, a prune or a late capture may have joined a part of
-- it to another: all epochs of the process are taken again.
DROP TABLE IF EXISTS temp.apply_gone;
CREATE TEMP TABLE apply_gone AS
SELECT epoch_id FROM apply_epoch a WHERE NOT EXISTS (SELECT 1 FROM snapshot s
  WHERE s.epoch_id = a.epoch_id AND s.off = 0 AND s.snapshot_id = a.begin_id);
DELETE FROM apply_epoch WHERE epoch_id IN (SELECT epoch_id FROM apply_gone);
INSERT OR IGNORE INTO apply_epoch
SELECT * FROM apply_any_epoch WHERE EXISTS (SELECT 1 FROM apply_gone);

DROP TABLE IF EXISTS temp.apply_some;
CREATE TEMP TABLE apply_some (epoch_id INTEGER PRIMARY KEY);
INSERT INTO apply_some
SELECT epoch_id FROM (
  SELECT epoch_id, sum(versions) OVER (ORDER BY epoch_id ROWS UNBOUNDED PRECEDING) - versions AS before
  FROM apply_epoch)
WHERE before < :most;
DELETE FROM apply_epoch WHERE epoch_id IN (SELECT epoch_id FROM apply_some);

-- The values that each version of a mapping adds to its category where it begins, and subtracts
-- after its end.
DROP TABLE IF EXISTS temp.apply_step;
CREATE TEMP TABLE apply_step AS
WITH version AS (
  SELECT v.epoch_id, coalesce(r.category_id, o.category_id) AS category_id, v.first, v.last,
    CASE WHEN known & 1 THEN coalesce(r.size_kib, r.length / 1024) END AS size_kib,
    v.rss_kib, v.pss_kib, v.private_kib, v.private_dirty_kib, v.swap_kib
  FROM apply_some a
  CROSS JOIN mapping_versions v ON v.epoch_id = a.epoch_id
  CROSS JOIN region r ON r.region_id = v.region_id
  CROSS JOIN object o ON o.object_id = r.object_id)
SELECT epoch_id, category_id, off, sum(sign) AS mappings,
  sum(sign * coalesce(size_kib, 0)) AS size_kib, sum(sign * (size_kib IS NULL)) AS no_size,
  sum(sign * coalesce(rss_kib, 0)) AS rss_kib, sum(sign * (rss_kib IS NULL)) AS no_rss,
  sum(sign * coalesce(pss_kib, 0)) AS pss_kib, sum(sign * (pss_kib IS NULL)) AS no_pss,
  sum(sign * coalesce(private_kib, 0)) AS private_kib,
  sum(sign * (private_kib IS NULL)) AS no_private,
  sum(sign * coalesce(private_dirty_kib, 0)) AS private_dirty_kib,
  sum(sign * (private_dirty_kib IS NULL)) AS no_private_dirty,
  sum(sign * coalesce(swap_kib, 0)) AS swap_kib, sum(sign * (swap_kib IS NULL)) AS no_swap
FROM (SELECT *, first AS off, 1 AS sign FROM version
  UNION ALL SELECT *, last + 1, -1 FROM version WHERE last IS NOT NULL)
GROUP BY epoch_id, category_id, off;

-- The sums from each step on; steps that change nothing are left out.
DROP TABLE IF EXISTS temp.apply_sums;
CREATE TEMP TABLE apply_sums AS
SELECT epoch_id, category_id, off AS first,
  lead(off) OVER (PARTITION BY epoch_id, category_id ORDER BY off) - 1 AS last,
  sum(mappings) OVER w AS mappings,
  CASE WHEN sum(no_size) OVER w = 0 THEN sum(size_kib) OVER w END AS size_kib,
  CASE WHEN sum(no_rss) OVER w = 0 THEN sum(rss_kib) OVER w END AS rss_kib,
  CASE WHEN sum(no_pss) OVER w = 0 THEN sum(pss_kib) OVER w END AS pss_kib,
  CASE WHEN sum(no_private) OVER w = 0 THEN sum(private_kib) OVER w END AS private_kib,
  CASE WHEN sum(no_private_dirty) OVER w = 0 THEN sum(private_dirty_kib) OVER w
    END AS private_dirty_kib,
  CASE WHEN sum(no_swap) OVER w = 0 THEN sum(swap_kib) OVER w END AS swap_kib
FROM apply_step
WHERE mappings OR size_kib OR no_size OR rss_kib OR no_rss OR pss_kib OR no_pss OR private_kib
  OR no_private OR private_dirty_kib OR no_private_dirty OR swap_kib OR no_swap
WINDOW w AS (PARTITION BY epoch_id, category_id ORDER BY off);

DROP TABLE IF EXISTS temp.apply_before;
CREATE TEMP TABLE apply_before AS
SELECT v.* FROM apply_some e CROSS JOIN category_version v ON v.epoch_id = e.epoch_id;
CREATE INDEX temp.apply_before_epoch ON apply_before (epoch_id);
DELETE FROM category_version WHERE epoch_id IN (SELECT epoch_id FROM apply_some);
INSERT INTO category_version
SELECT epoch_id, category_id, first, last, mappings, size_kib, rss_kib, pss_kib, private_kib,
  private_dirty_kib, swap_kib
FROM apply_sums WHERE mappings > 0 ORDER BY epoch_id, category_id, first;

-- The sums over all categories from each step on.
DROP TABLE IF EXISTS temp.apply_total;
CREATE TEMP TABLE apply_total (
  epoch_id INTEGER NOT NULL, off INTEGER NOT NULL, mappings INTEGER, size_kib INTEGER,
  rss_kib INTEGER, pss_kib INTEGER, private_kib INTEGER, private_dirty_kib INTEGER,
  swap_kib INTEGER,
  PRIMARY KEY (epoch_id, off)
) WITHOUT ROWID;
INSERT INTO apply_total
SELECT epoch_id, off, sum(sum(mappings)) OVER w,
  CASE WHEN sum(sum(no_size)) OVER w = 0 THEN sum(sum(size_kib)) OVER w END,
  CASE WHEN sum(sum(no_rss)) OVER w = 0 THEN sum(sum(rss_kib)) OVER w END,
  CASE WHEN sum(sum(no_pss)) OVER w = 0 THEN sum(sum(pss_kib)) OVER w END,
  CASE WHEN sum(sum(no_private)) OVER w = 0 THEN sum(sum(private_kib)) OVER w END,
  CASE WHEN sum(sum(no_private_dirty)) OVER w = 0 THEN sum(sum(private_dirty_kib)) OVER w END,
  CASE WHEN sum(sum(no_swap)) OVER w = 0 THEN sum(sum(swap_kib)) OVER w END
FROM apply_step GROUP BY epoch_id, off
WINDOW w AS (PARTITION BY epoch_id ORDER BY off);

-- Snapshots whose categories added up to their totals before and do not any more: the store is
-- damaged. The sums from before are computed only for the few that do not add up now.
DROP TABLE IF EXISTS temp.apply_broken;
CREATE TEMP TABLE apply_broken AS
SELECT s.snapshot_id, s.epoch_id, s.off, s.mappings, s.size_kib
FROM apply_some e
CROSS JOIN snapshot s ON s.epoch_id = e.epoch_id
LEFT JOIN apply_total t ON t.epoch_id = s.epoch_id AND t.off = (
  SELECT max(x.off) FROM apply_total x WHERE x.epoch_id = s.epoch_id AND x.off <= s.off)
WHERE (t.mappings, t.size_kib, t.rss_kib, t.pss_kib, t.private_kib, t.private_dirty_kib,
    t.swap_kib) IS NOT (s.mappings, s.size_kib, s.rss_kib, s.pss_kib, s.private_kib,
    s.private_dirty_kib, s.swap_kib);
DELETE FROM apply_broken WHERE (
  SELECT sum(b.mappings) IS apply_broken.mappings AND sum(b.size_kib) IS apply_broken.size_kib
  FROM apply_before b WHERE b.epoch_id = apply_broken.epoch_id AND b.first <= off
    AND (b.last IS NULL OR b.last >= off)) IS NOT 1;
