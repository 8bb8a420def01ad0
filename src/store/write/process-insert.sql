-- process-insert: a new process. Parameters: its columns below; ?9 is the moment of the command.

INSERT INTO process (host_id, name_id, name_rank, name_ms, pid, start_time, life, command, command_ms,
  identity, stack_end, vdso_start, libc_start, ld_start, exe_start, boot_id, clock_mono_ns,
  clock_utc_ms)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, CASE WHEN ?8 IS NOT NULL THEN ?9 END, ?10, ?11, ?12, ?13, ?14,
  ?15, ?16, ?17, ?18);
