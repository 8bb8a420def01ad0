-- merge-process: copies what is known of process ?1 there besides its captures; here it is process ?2.

SELECT ?2 AS here, * FROM clearing WHERE process_id = ?1;
INSERT OR IGNORE INTO clearing (process_id, mono_ns, cleared_ms, page_idle, clear_us, small_kib, cpu_us,
  minor_faults, major_faults)
VALUES (:here, :mono_ns, :cleared_ms, :page_idle, :clear_us, :small_kib, :cpu_us, :minor_faults,
  :major_faults);
