-- versions: the rows of the captures of epoch ?1 from place ?2 on, each once, with their places, their
-- regions and their numbers. The columns of a missing region are NULL.

SELECT region_id, first, last, reason, lineage_id, object_id, start, length, offset, size_kib,
  category_id, private_dirty, private_clean, shared_clean, shared_dirty, swap, pss, referenced,
  rare_fields_id, rss_kib, fields
FROM mapping_version
LEFT JOIN region USING (region_id)
LEFT JOIN rare_fields USING (rare_fields_id)
WHERE epoch_id = ?1 AND (last IS NULL OR last >= ?2);
