-- reading-page-ns: the median cost in ns of a page in the newest readings of smaps on the host ?1; no
-- row before the third reading.
--
-- A mapping without pages costs 2.5 us (4,040 mappings: 10.3 ms). A process whose mappings cost more
-- than its pages is left out, and so are small processes. The median is at least 25 ns, because huge
-- pages of others do not predict this process. Reads only the end of the table, so the time does not
-- grow with the store.

SELECT max(25, ns)
FROM (
  SELECT ns, row_number() OVER (ORDER BY ns) AS k, count(*) OVER () AS n
  FROM (
    SELECT (i.cpu_us - 2.5 * s.mappings) * 4000
      / (i.anon_kib + i.file_kib + i.shmem_kib + coalesce(i.swap_kib, 0)) AS ns
    FROM (SELECT * FROM live_reading ORDER BY snapshot_id DESC LIMIT 1000) i
    CROSS JOIN snapshot s ON s.snapshot_id = i.snapshot_id
    CROSS JOIN process p ON p.process_id = s.process_id
    WHERE i.anon_kib + i.file_kib + i.shmem_kib >= 65536 AND i.cpu_us >= 5 * s.mappings
      AND s.dialect = 'smaps' AND p.host_id = (SELECT host_id FROM host WHERE name = ?1)
    ORDER BY i.snapshot_id DESC LIMIT 31))
WHERE k = (n + 1) / 2 AND n >= 3;
