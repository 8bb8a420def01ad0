-- process-learn: adds the facts that the row of a process lacks; keeps the earliest command and clocks,
-- the lowest address of the executable, and the weakest link. Writes no page if nothing is new.
--
-- Parameters: ?1 process_id, ?2 start_time, ?3 boot_id, ?4 to ?7 anchors, ?8 exe_start, ?9 and ?10
-- clocks, ?11 and ?12 command and its moment, ?13 link. Unknown ones are NULL.

UPDATE process SET start_time = coalesce(start_time, ?2), boot_id = coalesce(boot_id, ?3),
  stack_end = coalesce(stack_end, ?4), vdso_start = coalesce(vdso_start, ?5),
  libc_start = coalesce(libc_start, ?6), ld_start = coalesce(ld_start, ?7),
  exe_start = min(coalesce(exe_start, ?8), coalesce(?8, exe_start)),
  clock_mono_ns = min(coalesce(clock_mono_ns, ?9), coalesce(?9, clock_mono_ns)),
  clock_utc_ms = CASE WHEN ?9 < coalesce(clock_mono_ns, ?9 + 1) THEN ?10 ELSE clock_utc_ms END,
  command = CASE WHEN ?11 IS NOT NULL AND ?12 < coalesce(command_ms, ?12 + 1) THEN ?11 ELSE command END,
  command_ms = CASE WHEN ?11 IS NOT NULL AND ?12 < coalesce(command_ms, ?12 + 1) THEN ?12 ELSE command_ms END,
  identity = CASE WHEN instr('start-time addresses command assumed', ?13)
    > instr('start-time addresses command assumed', identity) THEN ?13 ELSE identity END
WHERE process_id = ?1
  AND (?2 IS NOT NULL AND start_time IS NULL OR ?3 IS NOT NULL AND boot_id IS NULL
    OR ?4 IS NOT NULL AND stack_end IS NULL OR ?5 IS NOT NULL AND vdso_start IS NULL
    OR ?6 IS NOT NULL AND libc_start IS NULL OR ?7 IS NOT NULL AND ld_start IS NULL
    OR ?8 < coalesce(exe_start, ?8 + 1) OR ?9 < coalesce(clock_mono_ns, ?9 + 1)
    OR ?11 IS NOT NULL AND ?12 < coalesce(command_ms, ?12 + 1)
    OR instr('start-time addresses command assumed', ?13)
      > instr('start-time addresses command assumed', identity));
