-- recall-live: the live reading of the snapshot ?1, in the order of recall.c. The variables are as in a
-- live capture: sorted by NAME=VALUE, each ended by a NUL.

SELECT p.live_process_id, i.mono_ns, i.read_us, i.cpu_us, i.longest_us, i.predicted_us, i.threads,
  i.hwm_kib, i.swap_kib, i.page_tables_kib, i.anon_kib, i.file_kib, i.shmem_kib, i.degraded,
  s.tool_size_kib, s.tool_rss_kib, i.oom_score, i.cgroup_kib, i.cgroup_file_kib, i.cgroup_shmem_kib,
  i.cgroup_oom_kills, coalesce(g.number, 0), g.anon_kib, g.file_kib, g.shmem_kib, g.own_kib,
  g.swap_kib, g.zero_kib, g.hugetlb_kib, a.cpu_us, a.minor_faults, a.major_faults,
  a.page_idle, p.ppid, p.uid, p.memory_max_kib, p.address_limit_kib, p.stack_limit_kib,
  p.max_map_count, p.ns_pid, p.comm, p.exe, p.cmdline, p.user, p.cgroup,
  (SELECT group_concat(variable || char(0), '') FROM (SELECT name || '=' || value AS variable
    FROM environment e WHERE e.live_process_id = p.live_process_id ORDER BY 1))
FROM live_reading i
JOIN snapshot s ON s.snapshot_id = i.snapshot_id
LEFT JOIN live_process p ON p.live_process_id = i.live_process_id
LEFT JOIN page_process g ON g.snapshot_id = i.snapshot_id
LEFT JOIN activity a ON a.snapshot_id = i.snapshot_id
WHERE i.snapshot_id = ?1;
