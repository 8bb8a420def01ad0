-- process-insert: a new process. Parameters: its columns below; ?9 is the moment of the command; ?18 and
-- ?19 are the first and last number of a life of this pid, or of this file.

INSERT INTO process (host_id, name_id, name_rank, name_ms, pid, start_time, boot_id, command, command_ms,
  identity, stack_end, vdso_start, libc_start, ld_start, exe_start, clock_mono_ns, clock_utc_ms, life)
SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, CASE WHEN ?8 IS NOT NULL THEN ?9 END, ?10, ?11, ?12, ?13, ?14, ?15,
  ?16, ?17, coalesce(max(life) + 1, ?18)
FROM process
WHERE coalesce(pid, -1) = coalesce(?5, -1) AND coalesce(host_id, 0) = coalesce(?1, 0)
  AND life BETWEEN ?18 AND ?19;
