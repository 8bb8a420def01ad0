-- recall-snapshots: the snapshots of the process ?1, in the order of recall.c.

SELECT snapshot_id, capture_id, epoch_id, off, taken_ms, ordinal, hash, dialect, state_code,
  time_source_code, import_log_id
FROM snapshot
WHERE process_id = ?1;
