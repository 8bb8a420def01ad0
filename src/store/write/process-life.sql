-- process-life: the life of a pid, or of a file without one, that a capture continues, and the link
-- between the two: 1 start time, 2 addresses, 3 command, 4 assumed; NULL: the capture begins a life.
-- The boot and start time of the capture itself come first, then the nearest life with a strong link;
-- a weak link ties the capture to the nearest life only.
--
-- The nearest life has the latest snapshot at or before the capture; lives that begin later come last.
--
-- The columns from boot_id on are the facts that the life knows, as process.c compares them.
--
-- Parameters: ?1 pid, or -1; ?2 host_id, or 0; ?3 taken_ms of the capture; ?4 and ?5 the first and last
-- number of a life; ?6 boot, ?7 start time, ?8 to ?11 anchors, ?12 the executable's lowest address, ?13
-- the first word of the command. Unknown ones are NULL.

SELECT process_id, CASE
    WHEN boot_id <> ?6 OR start_time <> ?7 THEN NULL
    WHEN start_time = ?7 THEN 1
    WHEN stack_end <> ?8 OR vdso_start <> ?9 OR libc_start <> ?10 OR ld_start <> ?11 THEN NULL
    WHEN stack_end = ?8 OR vdso_start = ?9 OR libc_start = ?10 OR ld_start = ?11 THEN 2
    WHEN exe_start <> ?12 OR instr(command || ' ', ?13 || ' ') <> 1 THEN NULL
    WHEN exe_start = ?12 OR command || ?13 IS NOT NULL THEN 3
    ELSE 4 END AS link,
  identity, name_id, name_rank, name_ms, (SELECT name FROM name WHERE name_id = p.name_id),
  boot_id, start_time, stack_end, vdso_start, libc_start, ld_start, exe_start, command_ms, clock_mono_ns
FROM process p
WHERE coalesce(pid, -1) = ?1 AND coalesce(host_id, 0) = ?2 AND life BETWEEN ?4 AND ?5
ORDER BY (boot_id = ?6 AND start_time = ?7) IS TRUE DESC, (link <= 2) IS TRUE DESC,
  (SELECT max(taken_ms) FROM snapshot WHERE process_id = p.process_id AND taken_ms <= ?3) DESC,
  (SELECT min(taken_ms) FROM snapshot WHERE process_id = p.process_id)
LIMIT 1;
