-- moment-rows: the snapshots of a name in a span of time, in their order, for moment.c. The order does
-- not depend on the order of import, as ids do.
--
-- Parameters: ?1 name_id, ?2 and ?3 the first and the last taken_ms. A row also has what holds for
-- all rows of its taken_ms, which are in one moment: live, 1 if one is of a live sweep; again_ms, the
-- latest earlier time at which one of their processes was captured in the same dialect.

SELECT snapshot_id, process_id, taken_ms, moment_ms, preferred, state_code * 100 + rank AS worth,
  max(live) OVER (PARTITION BY taken_ms) AS live, max(again_ms) OVER (PARTITION BY taken_ms) AS again_ms
FROM (
  SELECT s.snapshot_id, s.process_id, s.taken_ms, s.moment_ms, s.preferred, s.state_code, d.rank,
    s.ordinal, s.hash, p.pid, s.time_source_code = 6 AS live,
    max(s.taken_ms) OVER (PARTITION BY s.process_id, s.dialect ORDER BY s.taken_ms
      RANGE BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS again_ms
  FROM process p
  CROSS JOIN snapshot s ON s.process_id = p.process_id AND s.taken_ms BETWEEN ?2 AND ?3
  JOIN dialect d ON d.name = s.dialect
  WHERE p.name_id = ?1)
ORDER BY taken_ms, ordinal, rank, pid, hash;
