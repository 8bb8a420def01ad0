-- doctor-proof: reads one snapshot in full, and compares its stored sums with its mappings and its
-- categories. A capture of sums alone has no mappings, and one category with an unknown number of
-- mappings. A sum is unknown if it is unknown for one row.
--
-- Parameter: :snapshot.
WITH told (n, size_kib, rss_kib, pss_kib, private_kib, private_dirty_kib, swap_kib, mappings, is_category) AS (
    SELECT 1, size_kib, rss_kib, pss_kib, private_kib, private_dirty_kib, swap_kib, 1, 0 FROM mappings
    WHERE snapshot_id = :snapshot
    UNION ALL SELECT 1, size_kib, rss_kib, pss_kib, private_kib, private_dirty_kib, swap_kib, mappings, 1 FROM categories
    WHERE snapshot_id = :snapshot),
  side (is_category) AS (VALUES (0), (1)),
  summed AS (SELECT d.is_category, coalesce(sum(t.mappings), 0) AS mappings,
      CASE WHEN count(t.n) = count(t.size_kib) THEN coalesce(sum(t.size_kib), 0) END AS size_kib,
      CASE WHEN count(t.n) = count(t.rss_kib) THEN coalesce(sum(t.rss_kib), 0) END AS rss_kib,
      CASE WHEN count(t.n) = count(t.pss_kib) THEN coalesce(sum(t.pss_kib), 0) END AS pss_kib,
      CASE WHEN count(t.n) = count(t.private_kib) THEN coalesce(sum(t.private_kib), 0) END AS private_kib,
      CASE WHEN count(t.n) = count(t.private_dirty_kib) THEN coalesce(sum(t.private_dirty_kib), 0) END AS private_dirty_kib,
      CASE WHEN count(t.n) = count(t.swap_kib) THEN coalesce(sum(t.swap_kib), 0) END AS swap_kib
    FROM side d LEFT JOIN told t ON t.is_category = d.is_category GROUP BY d.is_category),
  held AS (SELECT m.is_category, CASE WHEN s.state = 'totals'
      THEN NOT m.is_category OR (s.size_kib, s.rss_kib, s.pss_kib) IS (m.size_kib, m.rss_kib, m.pss_kib)
      ELSE (s.mappings, s.size_kib, s.rss_kib, s.pss_kib, s.private_kib, s.private_dirty_kib, s.swap_kib)
        IS (m.mappings, m.size_kib, m.rss_kib, m.pss_kib, m.private_kib, m.private_dirty_kib, m.swap_kib) END AS equal
    FROM snapshot s CROSS JOIN summed m WHERE s.snapshot_id = :snapshot)
INSERT INTO temp.proof SELECT :snapshot, max(equal) FILTER (WHERE NOT is_category), max(equal) FILTER (WHERE is_category)
FROM held GROUP BY 1;
