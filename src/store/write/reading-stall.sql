-- reading-stall: the lower median of ?7, the stall by the cost of a page on the host, and of the longest
-- read(2) of the four newest readings of a process; and whether the median is such a reading.
--
-- Parameters: ?1 to ?4 pid, host, boot and start time of the process; ?5 its KiB now; ?6 the cost of a
-- page in ns; ?7 one vote in us; ?8 the number of its captures that count.

WITH own AS (
  SELECT s.taken_ms, s.dialect, i.longest_us * i.cpu_us / max(i.read_us, 1)
    + max(?5 - coalesce(s.tool_rss_kib, ?5) - coalesce(i.swap_kib, 0), 0) * ?6 / 4000 AS us
  FROM process p
  CROSS JOIN snapshot s ON s.process_id = p.process_id
  CROSS JOIN live_reading i ON i.snapshot_id = s.snapshot_id
  WHERE coalesce(p.pid, -1) = ?1
    AND coalesce(p.host_id, 0) = (SELECT host_id FROM host WHERE name = ?2)
    AND coalesce(p.boot_id, '') = ?3 AND coalesce(p.start_time, -1) = ?4
  ORDER BY s.taken_ms DESC LIMIT ?8),
latest AS (SELECT us FROM own WHERE dialect = 'smaps' ORDER BY taken_ms DESC LIMIT 4),
vote AS (SELECT us, 1 AS is_own FROM latest UNION ALL SELECT ?7, 0)
SELECT us, is_own FROM vote ORDER BY us LIMIT 1 OFFSET (SELECT count(*) / 2 FROM latest);
