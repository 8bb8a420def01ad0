-- append-snapshot: a new snapshot, at first in a moment of its own.

INSERT INTO snapshot (process_id, capture_id, epoch_id, off, taken_ms, moment_ms, ordinal, preferred,
  time_source_code, dialect, state_code, checked_code, missing, hash, import_log_id, mappings,
  size_kib, rss_kib, pss_kib, private_kib, private_dirty_kib, swap_kib, tool_size_kib, tool_rss_kib)
VALUES (?1, ?2, ?3, ?4, ?5, ?5, ?6, 1, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20,
  ?21, ?22);
