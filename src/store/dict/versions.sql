-- versions: the rows of the captures of epoch ?1 from place ?2 on, each once, with their places, their
-- regions, their numbers and their objects. What is missing has only NULLs.

SELECT v.region_id, v.first, v.last, r.lineage_id, r.start, r.length, r.offset, r.size_kib,
  r.reason, r.category_id, v.private_dirty, v.private_clean, v.shared_clean, v.shared_dirty, v.swap,
  v.pss, v.referenced, v.rare_fields_id, d.rss_kib, d.fields, o.object_id, o.category_id, o.inferred,
  o.name_cut, o.perms, o.device, o.inode, o.path, o.flags, o.kernel_page_kib, o.mmu_page_kib,
  o.thp_eligible, o.protection_key
FROM mapping_version v
LEFT JOIN region r ON r.region_id = v.region_id
LEFT JOIN object o ON o.object_id = r.object_id
LEFT JOIN rare_fields d ON d.rare_fields_id = v.rare_fields_id
WHERE v.epoch_id = ?1 AND coalesce(v.last, ?2) >= ?2;
