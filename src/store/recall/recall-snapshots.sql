-- recall-snapshots: the snapshots of the process ?1, in the order of recall.c.

SELECT s.snapshot_id, s.capture_id, s.epoch_id, s.off, s.taken_ms, s.ordinal, s.hash, s.dialect,
  s.state_code, s.time_source_code, s.import_log_id, p.reason, p.pinned_ms
FROM snapshot s LEFT JOIN pin p ON p.snapshot_id = s.snapshot_id
WHERE s.process_id = ?1;
