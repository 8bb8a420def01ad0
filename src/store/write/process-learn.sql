-- process-learn: adds what a process did not know yet; keeps the earliest command and clocks, the
-- lowest address of the executable, and the weakest link. Writes no page if the process knows all.
--
-- Parameters: ?1 process_id, ?2 start_time, ?3 boot_id, ?4 to ?7 anchors, ?8 exe_start, ?9 and ?10
-- clocks, ?11 and ?12 command and its moment, ?13 link. Unknown ones are NULL.

UPDATE process SET start_time = n.start_time, boot_id = n.boot_id, stack_end = n.stack_end,
  vdso_start = n.vdso_start, libc_start = n.libc_start, ld_start = n.ld_start,
  exe_start = n.exe_start, clock_mono_ns = n.mono_ns, clock_utc_ms = n.utc_ms,
  command = n.command, command_ms = n.command_ms, identity = n.identity
FROM (
  SELECT coalesce(start_time, ?2) AS start_time, coalesce(boot_id, ?3) AS boot_id,
    coalesce(stack_end, ?4) AS stack_end, coalesce(vdso_start, ?5) AS vdso_start,
    coalesce(libc_start, ?6) AS libc_start, coalesce(ld_start, ?7) AS ld_start,
    min(coalesce(exe_start, ?8), coalesce(?8, exe_start)) AS exe_start,
    min(coalesce(clock_mono_ns, ?9), coalesce(?9, clock_mono_ns)) AS mono_ns,
    CASE WHEN ?9 < coalesce(clock_mono_ns, ?9 + 1) THEN ?10 ELSE clock_utc_ms END AS utc_ms,
    CASE WHEN is_earlier THEN ?11 ELSE command END AS command,
    CASE WHEN is_earlier THEN ?12 ELSE command_ms END AS command_ms,
    CASE WHEN instr(strength, ?13) > instr(strength, identity) THEN ?13 ELSE identity END AS identity
  FROM (SELECT *, 'start-time addresses command assumed' AS strength,
      ?11 IS NOT NULL AND ?12 < coalesce(command_ms, ?12 + 1) AS is_earlier
    FROM process WHERE process_id = ?1)) n
WHERE process_id = ?1
  AND (process.start_time, process.boot_id, process.stack_end, process.vdso_start,
      process.libc_start, process.ld_start, process.exe_start, process.clock_mono_ns,
      process.command_ms, process.identity)
    IS NOT (n.start_time, n.boot_id, n.stack_end, n.vdso_start, n.libc_start, n.ld_start,
      n.exe_start, n.mono_ns, n.command_ms, n.identity);
