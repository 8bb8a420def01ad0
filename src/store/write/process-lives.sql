-- process-lives: the lives of a pid, or of a file without one, nearest in time first. The distance of a
-- life from a capture is the time since its last snapshot before the capture. A life without such a
-- snapshot comes after all others: its distance is ?6 plus the time until its first snapshot.
--
-- Parameters: ?1 pid, or -1; ?2 host_id, or 0; ?3 taken_ms of the capture; ?4 and ?5 the first and last
-- number of a life without a pid; ?6 a distance above all others.

SELECT process_id, name_id, name_rank, name_ms,
  coalesce((SELECT ?3 - max(taken_ms) FROM snapshot s WHERE s.process_id = p.process_id
      AND taken_ms <= ?3),
    (SELECT ?6 + min(taken_ms) - ?3 FROM snapshot s WHERE s.process_id = p.process_id), ?6 - 1)
    AS distance,
  start_time, stack_end, vdso_start, libc_start, ld_start, exe_start, command, boot_id, life,
  command_ms, identity
FROM process p
WHERE coalesce(pid, -1) = ?1 AND coalesce(host_id, 0) = ?2 AND (?1 >= 0 OR life BETWEEN ?4 AND ?5)
ORDER BY distance;
