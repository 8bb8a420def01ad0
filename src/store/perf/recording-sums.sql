-- The sums of a recording (?1), as in pmapdb_perf_result.
SELECT r.calls, r.failed, r.unended, r.unbegun, r.bad, r.lost, (r.last_ns - r.first_ns) / 1000000,
       t.threads, t.homeless, t.processes, t.linked, t.live_kib
FROM recording r
CROSS JOIN (
  SELECT sum(threads) AS threads, coalesce(sum(CASE WHEN pid IS NULL THEN threads END), 0) AS homeless,
         count(*) AS processes, count(process_id) AS linked, sum(live) / 1024 AS live_kib
  FROM (
    SELECT pid, process_id,
           (SELECT count(*) FROM thread h WHERE h.traced_process_id = p.traced_process_id) AS threads,
           (SELECT sum(e.length) FROM extent e
            WHERE e.traced_process_id = p.traced_process_id AND e.died_ns IS NULL) AS live
    FROM traced_process p WHERE p.recording_id = ?1)) t
WHERE r.recording_id = ?1;
