-- stream-newest: the newest capture of a stream, and how many versions its epoch has beyond the rows of
-- its first capture. It is usually the last snapshot of the process.
--
-- Parameters: ?1 process_id, ?2 dialect, ?3 state, ?4 its code.

SELECT epoch_id, n, fields, snapshot_id, taken_ms, ordinal, hash,
  (SELECT count(*) FROM mapping_version v WHERE v.epoch_id = newest.epoch_id AND v.first > 0)
FROM (
  SELECT s.epoch_id, s.off + 1 AS n, e.fields, s.snapshot_id, s.taken_ms, s.ordinal, s.hash
  FROM snapshot s CROSS JOIN epoch e ON e.epoch_id = s.epoch_id
  WHERE s.process_id = ?1 AND s.dialect = ?2 AND s.state_code = ?4 AND s.off >= 0
    AND EXISTS (SELECT 1 FROM epoch WHERE process_id = ?1 AND dialect = ?2 AND state = ?3)
  ORDER BY s.taken_ms DESC, s.ordinal DESC, s.hash DESC LIMIT 1) newest;
