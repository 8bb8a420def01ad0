-- process-life: the life of a pid, or of a file without one, that a capture continues, and the link
-- between the two: 1 start time, 2 addresses, 3 command, 4 assumed; NULL: the capture begins a life.
-- The boot and start time of the capture itself come first, then the nearest life with a strong link;
-- a weak link ties the capture to the nearest life only.
--
-- A life is near if its latest snapshot at or before the capture is. Last come lives that begin after
-- the capture: 1 << 61 is more than any time between captures.
--
-- The third column is 1 if the capture adds nothing to the life; identity is compared in process.c.
--
-- Parameters: ?1 pid, or -1; ?2 host_id, or 0; ?3 taken_ms of the capture; ?4 and ?5 the first and last
-- number of a life; ?6 boot, ?7 start time, ?8 to ?11 anchors, ?12 the executable's lowest address, ?13
-- the first word of the command, ?14 the clock. Unknown ones are NULL.

SELECT process_id, CASE
    WHEN boot_id <> ?6 OR start_time <> ?7 THEN NULL
    WHEN start_time = ?7 THEN 1
    WHEN stack_end <> ?8 OR vdso_start <> ?9 OR libc_start <> ?10 OR ld_start <> ?11 THEN NULL
    WHEN stack_end = ?8 OR vdso_start = ?9 OR libc_start = ?10 OR ld_start = ?11 THEN 2
    WHEN exe_start <> ?12 OR substr(command || ' ', 1, length(?13) + 1) <> ?13 || ' ' THEN NULL
    WHEN exe_start = ?12 OR command || ?13 IS NOT NULL THEN 3
    ELSE 4 END AS link,
  ((boot_id NOTNULL OR ?6 ISNULL) AND (start_time NOTNULL OR ?7 ISNULL)
    AND (stack_end NOTNULL OR ?8 ISNULL) AND (vdso_start NOTNULL OR ?9 ISNULL)
    AND (libc_start NOTNULL OR ?10 ISNULL) AND (ld_start NOTNULL OR ?11 ISNULL)
    AND (exe_start <= ?12 OR ?12 ISNULL) AND (command_ms <= ?3 OR ?13 ISNULL)
    AND (clock_mono_ns <= ?14 OR ?14 ISNULL)) IS TRUE,
  identity, name_id, name_rank, name_ms, (SELECT name FROM name n WHERE n.name_id = p.name_id)
FROM process p
WHERE coalesce(pid, -1) = ?1 AND coalesce(host_id, 0) = ?2 AND life BETWEEN ?4 AND ?5
ORDER BY (boot_id = ?6 AND start_time = ?7) IS TRUE DESC, (link <= 2) IS TRUE DESC, coalesce(
  (SELECT ?3 - max(taken_ms) FROM snapshot s WHERE s.process_id = p.process_id AND taken_ms <= ?3),
  (SELECT (1 << 61) + min(taken_ms) - ?3 FROM snapshot s WHERE s.process_id = p.process_id),
  (1 << 61) - 1)
LIMIT 1;
