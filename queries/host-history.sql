-- name:   host-history
-- title:  The memory of the machine at every beat, for a spreadsheet or a plot
-- param:  since time "" Only beats from then on: a time, -7d before the newest snapshot, now-7d
-- param:  until time "" Only beats up to then
-- param:  host  text "" Only this host
-- column: taken_at       time  The beat, UTC
-- column: host           text  Where
-- column: total_kib      kib   MemTotal
-- column: available_kib  kib   MemAvailable
-- column: free_kib       kib   MemFree
-- column: anonymous_kib  kib   AnonPages: heaps and stacks of processes
-- column: cache_kib      kib   Buffers + Cached - Shmem: page cache of files
-- column: tmpfs_kib      kib   Shmem: tmpfs, shared memory, memfd
-- column: slab_kib       kib   Slab
-- column: slab_kept_kib  kib   SUnreclaim: the part of it that cannot be given back
-- column: page_tables_kib kib  PageTables
-- column: committed_kib  kib   Committed_AS
-- column: swap_used_kib  kib   SwapTotal - SwapFree
-- column: swapped_in_kib kib   Read from swap since the beat before
-- column: swapped_out_kib kib  Written to swap since the beat before
-- column: stalled        ratio Share of the time since the beat before in which some process waited for memory
-- column: oom_kills      count Processes that the OOM killer ended since the beat before
-- column: boot_id        text  The boot
-- table:  taken_at host total_kib available_kib anonymous_kib cache_kib tmpfs_kib slab_kib swap_used_kib stalled oom_kills
-- narrow: taken_at available_kib anonymous_kib cache_kib stalled
-- empty:  no live capture has read /proc/meminfo
--
-- A number that counts since the beat before is unknown in the first beat of a boot. host says the
-- same about one moment, with the processes beside it.
SELECT strftime(CASE WHEN b.started_ms % 1000 THEN '%Y-%m-%dT%H:%M:%fZ'
    ELSE '%Y-%m-%dT%H:%M:%SZ' END, b.started_ms / 1000.0, 'unixepoch') AS taken_at,
  h.name AS host, b.total_kib, b.available_kib, b.free_kib, b.anonymous_kib,
  b.buffers_kib + b.cached_kib - b.shmem_kib AS cache_kib, b.shmem_kib AS tmpfs_kib,
  b.slab_reclaimable_kib + b.slab_unreclaimable_kib AS slab_kib,
  b.slab_unreclaimable_kib AS slab_kept_kib, b.page_tables_kib, b.committed_kib,
  b.swap_total_kib - b.swap_free_kib AS swap_used_kib,
  b.swapped_in_kib - lag(b.swapped_in_kib) OVER w AS swapped_in_kib,
  b.swapped_out_kib - lag(b.swapped_out_kib) OVER w AS swapped_out_kib,
  round((b.stall_some_us - lag(b.stall_some_us) OVER w) / 1000.0
    / nullif(b.started_ms - lag(b.started_ms) OVER w, 0), 4) AS stalled,
  b.oom_kills - lag(b.oom_kills) OVER w AS oom_kills, j.boot_id
FROM beat b
CROSS JOIN schedule j ON j.schedule_id = b.schedule_id
CROSS JOIN host h ON h.host_id = j.host_id
WHERE b.total_kib IS NOT NULL AND b.started_ms BETWEEN coalesce(:since, -9e15) AND coalesce(:until, 9e15)
  AND (:host IS NULL OR h.name = :host)
WINDOW w AS (PARTITION BY j.host_id, j.boot_id ORDER BY b.started_ms)
ORDER BY b.started_ms, h.name, b.capture_id;
