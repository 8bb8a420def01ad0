-- versions: the rows of the captures of epoch ?1 from place ?2 on, each once, with their places, their
-- regions, their numbers and their objects. The columns of a missing row are NULL.

SELECT region_id, first, last, lineage_id, start, length, offset, size_kib, reason, r.category_id,
  private_dirty, private_clean, shared_clean, shared_dirty, swap, pss, referenced, rare_fields_id,
  rss_kib, fields, object_id, o.category_id, inferred, name_cut, perms, device, inode, path, flags,
  kernel_page_kib, mmu_page_kib, thp_eligible, protection_key
FROM mapping_version
LEFT JOIN region r USING (region_id)
LEFT JOIN object o USING (object_id)
LEFT JOIN rare_fields USING (rare_fields_id)
WHERE epoch_id = ?1 AND coalesce(last, ?2) >= ?2;
