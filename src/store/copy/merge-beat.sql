-- merge-beat: copies the beat of capture ?1 there, which is capture ?2 here. The sets of a scan are
-- copied unchanged, because page_process keeps its numbers. The beat is copied last, so that a stored
-- beat is complete.

SELECT ?2 AS here, * FROM page_scan WHERE capture_id = ?1;
INSERT OR IGNORE INTO page_scan VALUES (:here, :taken_ms, :method, :unread, :moved_kib, :page_kib, :sets);

SELECT h.name AS host, boot_id, selection, every_ms, ?2 AS here, w.*
FROM beat w JOIN schedule USING (schedule_id) JOIN host h USING (host_id)
WHERE capture_id = ?1;
INSERT OR IGNORE INTO host (name) VALUES (:host);
INSERT OR IGNORE INTO schedule (host_id, boot_id, selection, every_ms)
SELECT host_id, :boot_id, :selection, :every_ms FROM host WHERE name = :host;
INSERT OR IGNORE INTO beat -- every column, in the order of the table
SELECT :here, schedule_id, :started_ms, :ended_ms, :mono_ns, :missed, :unreadable, :vanished, :degraded,
  :unmoved, :changed, :total_kib, :free_kib, :available_kib, :buffers_kib, :cached_kib,
  :swap_cached_kib, :anonymous_kib, :mapped_kib, :shmem_kib, :dirty_kib, :slab_reclaimable_kib,
  :slab_unreclaimable_kib, :kernel_stack_kib, :page_tables_kib, :percpu_kib, :vmalloc_kib, :hugetlb_kib,
  :swap_total_kib, :swap_free_kib, :committed_kib, :compressed_kib, :swapped_in_kib, :swapped_out_kib,
  :oom_kills, :stall_some_us, :stall_full_us, :pressure_some, :pressure_full
FROM schedule JOIN host h USING (host_id)
WHERE h.name = :host AND boot_id = :boot_id AND selection = :selection
  AND coalesce(every_ms, 0) = coalesce(:every_ms, 0);
