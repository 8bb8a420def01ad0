-- name:   sights
-- title:  What live captures saw of a process besides its mappings, over time
-- param:  process process "" Only this NAME, PID, NAME/PID or @ID
-- param:  since   time    "" Only snapshots from then on: a time, -7d before the newest, now-7d
-- column: snapshot_id       snapshot For --snapshot as @ID
-- column: taken_at          time     When it was taken, UTC
-- column: host              text     Where; empty when unknown
-- column: name              text     Name of the process
-- column: pid               int      Process id
-- column: ns_pid            int      Its pid in its own pid namespace: in a container it differs
-- column: threads           count    Threads
-- column: mappings          count    Number of mappings
-- column: size_kib          kib      VmSize
-- column: rss_kib           kib      VmRSS
-- column: hwm_kib           kib      VmHWM: the most that was ever resident
-- column: anon_kib          kib      RssAnon: resident, of no file
-- column: file_kib          kib      RssFile: resident, of files
-- column: shmem_kib         kib      RssShmem: resident, shared memory
-- column: swap_kib          kib      VmSwap
-- column: page_tables_kib   kib      VmPTE
-- column: memory_max_kib    kib      Lowest memory.max of its cgroup and those above; empty: none, or unknown
-- column: cgroup_kib        kib      Use of the cgroup of that limit
-- column: cgroup_file_kib   kib      Of it page cache, tmpfs and shared memory
-- column: oom_kills         count    Processes of that cgroup that the OOM killer ended
-- column: oom_score         int      The OOM killer takes the highest first
-- column: address_limit_kib kib      RLIMIT_AS; empty: none, or unknown
-- column: stack_limit_kib   kib      RLIMIT_STACK; empty: none, or unknown
-- column: map_limit         count    vm.max_map_count: the most mappings that it can have
-- column: read_us           int      Reading and parsing its map, microseconds
-- column: cpu_us            int      CPU of that, the kernel's included
-- column: longest_us        int      The longest read(2): so long it may have waited
-- column: degraded          text     Why maps or pagemap was read and not smaps; empty: smaps was
-- column: user              text     Effective user
-- column: cgroup            text     Its cgroup
-- column: process_id        process  The process: one life of the pid
-- table:  taken_at name pid threads mappings size_kib rss_kib hwm_kib anon_kib file_kib shmem_kib swap_kib page_tables_kib memory_max_kib
-- order:  time
-- empty:  no live captures
--
-- The kernel's own sums, from /proc/PID/status, read right after the map.
SELECT s.snapshot_id, s.taken_at, h.name AS host, n.name, p.pid, t.ns_pid, g.threads, s.mappings,
  s.tool_size_kib AS size_kib, s.tool_rss_kib AS rss_kib, g.hwm_kib, g.anon_kib, g.file_kib,
  g.shmem_kib, g.swap_kib, g.page_tables_kib,
  CASE WHEN t.memory_max_kib >= 0 THEN t.memory_max_kib END AS memory_max_kib,
  g.cgroup_kib, g.cgroup_file_kib, g.cgroup_oom_kills AS oom_kills, g.oom_score,
  CASE WHEN t.address_limit_kib >= 0 THEN t.address_limit_kib END AS address_limit_kib,
  CASE WHEN t.stack_limit_kib >= 0 THEN t.stack_limit_kib END AS stack_limit_kib,
  t.max_map_count AS map_limit, g.read_us, g.cpu_us, g.longest_us, g.degraded, t.user, t.cgroup, s.process_id
FROM process p
JOIN name n ON n.name_id = p.name_id
LEFT JOIN host h ON h.host_id = p.host_id
CROSS JOIN snapshot s ON s.process_id = p.process_id AND s.taken_ms >= coalesce(:since, -9e15)
CROSS JOIN live_reading g ON g.snapshot_id = s.snapshot_id
CROSS JOIN live_process t ON t.live_process_id = g.live_process_id
WHERE (:process IS NULL OR p.process_id = :process) AND (:name_id IS NULL OR p.name_id = :name_id)
ORDER BY s.taken_ms, n.name, p.pid, s.process_id;
