-- process-lives: the lives of a pid, or of a file without one. First those with a snapshot at or before
-- the capture, the latest such snapshot first; last those that begin after the capture: 1 << 61 is
-- more than any time between captures.
--
-- Parameters: ?1 pid, or -1; ?2 host_id, or 0; ?3 taken_ms of the capture; ?4 and ?5 the first and last
-- number of a life without a pid.

SELECT process_id, name_id, name_rank, name_ms, start_time, stack_end, vdso_start, libc_start, ld_start,
  exe_start, command, boot_id, life, command_ms, identity
FROM process p
WHERE coalesce(pid, -1) = ?1 AND coalesce(host_id, 0) = ?2 AND (?1 >= 0 OR life BETWEEN ?4 AND ?5)
ORDER BY coalesce(
  (SELECT ?3 - max(taken_ms) FROM snapshot s WHERE s.process_id = p.process_id AND taken_ms <= ?3),
  (SELECT (1 << 61) + min(taken_ms) - ?3 FROM snapshot s WHERE s.process_id = p.process_id),
  (1 << 61) - 1);
