-- recall-block: the row of the snapshot ?1, and the file of its capture, in the order of recall.c.

SELECT s.checked_code, coalesce(s.missing, ''), c.capture_id, coalesce(o.folder, ''),
  coalesce(replace(o.file, '*', c.number), o.file, ''), s.mappings, s.size_kib, s.rss_kib, s.pss_kib,
  s.private_kib, s.private_dirty_kib, s.swap_kib, s.tool_size_kib, s.tool_rss_kib
FROM snapshot s
LEFT JOIN capture c ON c.capture_id = s.capture_id
LEFT JOIN origin o ON o.origin_id = c.origin_id
WHERE s.snapshot_id = ?1;
