-- recall-standing: the facts ?1 of a live process that rarely change, in the order of recall_live.c.

SELECT ppid, uid, memory_max_kib, address_limit_kib, stack_limit_kib, max_map_count, ns_pid, comm, exe,
  cmdline, user, cgroup
FROM live_process
WHERE live_process_id = ?1;
