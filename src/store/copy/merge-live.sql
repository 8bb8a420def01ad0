-- merge-live: copies the live reading of snapshot ?1 there, which is snapshot ?2 here. A row of
-- live_process is known by its hash; a redacted store has the hash 0. An INSERT without names of columns
-- has every column, in the order of the table.

SELECT p.* FROM live_reading LEFT JOIN live_process p USING (live_process_id) WHERE snapshot_id = ?1;
INSERT INTO live_process (hash, ppid, comm, exe, cmdline, uid, user, cgroup, memory_max_kib,
  address_limit_kib, stack_limit_kib, max_map_count, ns_pid)
SELECT :hash, :ppid, :comm, :exe, :cmdline, :uid, :user, :cgroup, :memory_max_kib, :address_limit_kib,
  :stack_limit_kib, :max_map_count, :ns_pid
WHERE NOT EXISTS (SELECT 1 FROM temp.copied WHERE kind = 'live_process' AND there = :live_process_id)
  AND NOT EXISTS (SELECT 1 FROM live_process WHERE hash = :hash AND hash <> 0);
INSERT OR IGNORE INTO temp.copied
SELECT 'live_process', :live_process_id, max(live_process_id) FROM live_process WHERE hash = :hash;

SELECT e.* FROM live_reading JOIN environment e USING (live_process_id) WHERE snapshot_id = ?1;
INSERT OR IGNORE INTO environment (live_process_id, name, value)
SELECT here, :name, :value FROM temp.copied WHERE kind = 'live_process' AND there = :live_process_id;

SELECT ?2 AS here, * FROM live_reading WHERE snapshot_id = ?1;
INSERT INTO live_reading VALUES (:here,
  (SELECT here FROM temp.copied WHERE kind = 'live_process' AND there = :live_process_id),
  :mono_ns, :read_us, :cpu_us, :longest_us, :predicted_us, :degraded, :threads, :hwm_kib, :swap_kib,
  :page_tables_kib, :anon_kib, :file_kib, :shmem_kib, :oom_score, :cgroup_kib, :cgroup_file_kib,
  :cgroup_shmem_kib, :cgroup_oom_kills);

SELECT ?2 AS here, * FROM page_process WHERE snapshot_id = ?1;
INSERT INTO page_process
SELECT snapshot_id, capture_id, :number, :anon_kib, :file_kib, :shmem_kib, :own_kib, :swap_kib,
  :zero_kib, :hugetlb_kib
FROM snapshot WHERE snapshot_id = :here;

SELECT ?2 AS here, * FROM activity WHERE snapshot_id = ?1;
INSERT INTO activity VALUES (:here, :cpu_us, :minor_faults, :major_faults, :page_idle);
