-- recall-process: the process ?1, in the order of recall.c.

SELECT h.name, n.name, p.command, p.boot_id, p.pid, p.start_time, p.name_rank, p.name_ms,
  p.command_ms, p.clock_mono_ns, p.clock_utc_ms,
  CASE WHEN p.identity IN ('start-time', 'addresses', 'command', 'assumed') THEN p.identity END
FROM process p
LEFT JOIN name n ON n.name_id = p.name_id
LEFT JOIN host h ON h.host_id = p.host_id
WHERE p.process_id = ?1;
