-- name:   host
-- title:  The memory of the machine: processes, page cache, tmpfs, slab, kernel, swap, limits
-- param:  to       time     ""  The last beat up to then (the newest)
-- param:  from     time     ""  The step since the last beat up to then (an hour before)
-- param:  host     text     ""  Only this host
-- param:  within   duration 1m  Which other live captures count as of the same moment
-- column: part       text   What is summed
-- column: kib        kib    How much; empty where it is not known, or not a size
-- column: share      ratio  used to not captured: of all memory; swap: of the swap; cgroup: of its limit; pressure: of the time
-- column: kib_delta  kib    The step since from
-- column: detail     text   In words
-- column: next       text   The command that says more
-- column: taken_at   time   The beat, UTC
-- column: from_at    time   The beat of from, UTC
-- column: host       text   Where
-- table:  part kib share kib_delta detail next
-- narrow: part kib share kib_delta
-- empty:  no live capture has read /proc/meminfo
--
-- used is MemTotal - MemAvailable, as free(1) has it. The parts from anonymous to free add up to
-- MemTotal: anonymous is AnonPages; page cache is Buffers + Cached - Shmem; tmpfs is Shmem, which
-- includes shared memory and memfd; kernel is PageTables, Percpu, and the larger of VmallocUsed and
-- KernelStack; unaccounted is what no line of /proc/meminfo names. Processes are counted a second
-- time below: what the captured ones hold is the sum of their Pss (Rss where Pss is unknown, which
-- counts shared pages for each), and not captured is AnonPages + Mapped, which all processes hold,
-- minus that sum. Pressure is the share of time since from in which some process waited for memory.
-- A cgroup is shown if it has a limit and a captured process.
WITH last AS (
  SELECT j.host_id, max(b.started_ms) AS ms, b.capture_id
  FROM beat b CROSS JOIN schedule j ON j.schedule_id = b.schedule_id
  WHERE b.total_kib IS NOT NULL AND b.started_ms <= coalesce(:to, 9e15)
    AND (:host IS NULL OR j.host_id = (SELECT h.host_id FROM host h WHERE h.name = :host))
  GROUP BY j.host_id
),
before AS (
  -- of each host the last beat up to from, or the first one
  SELECT l.host_id, b.capture_id, max(CASE WHEN b.started_ms <= coalesce(:from, l.ms - 3600000)
    THEN b.started_ms - l.ms ELSE l.ms - b.started_ms - 9e15 END)
  FROM last l
  CROSS JOIN schedule j ON j.host_id = l.host_id
  CROSS JOIN beat b ON b.schedule_id = j.schedule_id
  WHERE b.total_kib IS NOT NULL AND b.started_ms <= l.ms
  GROUP BY l.host_id
),
side AS (
  SELECT 1 AS newer, host_id, capture_id FROM last UNION ALL SELECT 0, host_id, capture_id FROM before
),
reading AS (
  SELECT s.newer, s.host_id, j.boot_id, b.*,
    max(coalesce(b.vmalloc_kib, 0), coalesce(b.kernel_stack_kib, 0)) + coalesce(b.page_tables_kib, 0)
      + coalesce(b.percpu_kib, 0) AS kernel_kib,
    b.buffers_kib + b.cached_kib - b.shmem_kib AS cache_kib,
    b.slab_reclaimable_kib + b.slab_unreclaimable_kib AS slab_kib
  FROM side s
  CROSS JOIN beat b ON b.capture_id = s.capture_id
  CROSS JOIN schedule j ON j.schedule_id = b.schedule_id
),
captured AS (
  -- the processes of the last beat of each job around either moment, each once
  SELECT r.newer, r.host_id, p.process_id, p.name_id, p.pid, max(s.taken_ms) AS ms,
    coalesce(s.pss_kib, s.rss_kib, s.tool_rss_kib) AS kib, s.pss_kib IS NULL AS rss_only,
    g.oom_score, g.cgroup_kib, g.cgroup_file_kib, g.cgroup_shmem_kib, g.cgroup_oom_kills,
    t.memory_max_kib, t.cgroup
  FROM (
    SELECT r.newer, r.host_id, r.boot_id, max(b.started_ms) AS ms
    FROM reading r
    CROSS JOIN schedule j ON j.host_id = r.host_id AND j.boot_id = r.boot_id
    CROSS JOIN beat b ON b.schedule_id = j.schedule_id
      AND b.started_ms BETWEEN r.started_ms - :within AND r.started_ms
    GROUP BY r.newer, r.host_id, j.schedule_id
  ) r
  CROSS JOIN process p ON p.host_id = r.host_id AND p.boot_id = r.boot_id
  CROSS JOIN snapshot s ON s.process_id = p.process_id AND s.taken_ms = r.ms
  CROSS JOIN live_reading g ON g.snapshot_id = s.snapshot_id
  CROSS JOIN live_process t ON t.live_process_id = g.live_process_id
  GROUP BY r.newer, p.process_id
),
held AS (
  SELECT newer, host_id, sum(kib) AS kib, count(*) AS n, sum(rss_only) AS n_rss FROM captured
  GROUP BY newer, host_id
),
amount AS (
  SELECT r.newer, r.host_id, w.column1 AS nth, w.column2 AS part, w.column3 AS next,
    CASE w.column1
      WHEN 1 THEN r.total_kib - r.available_kib
      WHEN 2 THEN r.anonymous_kib
      WHEN 3 THEN r.cache_kib
      WHEN 4 THEN r.shmem_kib
      WHEN 5 THEN r.slab_kib
      WHEN 6 THEN r.kernel_kib
      WHEN 7 THEN nullif(r.hugetlb_kib, 0)
      WHEN 8 THEN nullif(r.compressed_kib, 0)
      WHEN 9 THEN r.total_kib - r.free_kib - r.anonymous_kib - r.cache_kib - r.shmem_kib - r.slab_kib
        - r.kernel_kib - coalesce(r.hugetlb_kib, 0) - coalesce(r.compressed_kib, 0)
      WHEN 10 THEN r.free_kib
      WHEN 11 THEN h.kib
      WHEN 12 THEN r.anonymous_kib + r.mapped_kib - h.kib
      WHEN 13 THEN r.swap_total_kib - r.swap_free_kib
    END AS kib
  FROM reading r
  LEFT JOIN held h ON h.newer = r.newer AND h.host_id = r.host_id
  CROSS JOIN (VALUES (1, 'used', 'status'), (2, 'anonymous', 'by-process'), (3, 'page cache', 'files'),
    (4, 'tmpfs', 'shared'), (5, 'slab', 'host-history'), (6, 'kernel', 'sights'), (7, 'huge pages', 'huge-pages'),
    (8, 'compressed', 'swapped'), (9, 'unaccounted', 'host-history'), (10, 'free', 'host-history'),
    (11, 'processes', 'by-name'), (12, 'not captured', 'sweeps'), (13, 'swap', 'swapped')) w
),
step AS (
  SELECT a.nth, a.part, a.next, a.kib,
    CASE WHEN o.started_ms < r.started_ms THEN a.kib - b.kib END AS kib_delta, r.*,
    CASE WHEN o.started_ms < r.started_ms THEN o.started_ms END AS from_ms,
    CASE WHEN o.boot_id = r.boot_id AND o.started_ms < r.started_ms
      THEN r.stall_some_us - o.stall_some_us END AS some_us,
    CASE WHEN o.boot_id = r.boot_id AND o.started_ms < r.started_ms
      THEN r.stall_full_us - o.stall_full_us END AS full_us,
    r.oom_kills - CASE o.boot_id WHEN r.boot_id THEN o.oom_kills ELSE 0 END AS killed,
    r.swapped_in_kib - CASE o.boot_id WHEN r.boot_id THEN o.swapped_in_kib ELSE 0 END AS in_kib,
    r.swapped_out_kib - CASE o.boot_id WHEN r.boot_id THEN o.swapped_out_kib ELSE 0 END AS out_kib
  FROM amount a
  JOIN amount b ON b.newer = 0 AND b.host_id = a.host_id AND b.nth = a.nth
  JOIN reading r ON r.newer = 1 AND r.host_id = a.host_id
  JOIN reading o ON o.newer = 0 AND o.host_id = a.host_id
  WHERE a.newer = 1
),
line AS (
  SELECT s.host_id, s.started_ms, s.from_ms, s.nth, s.part, s.kib,
    1.0 * s.kib / CASE s.nth WHEN 13 THEN nullif(s.swap_total_kib, 0) ELSE s.total_kib END AS share,
    s.kib_delta, s.next,
    CASE s.nth
      WHEN 1 THEN 'of ' || kib_text(s.total_kib)
        || coalesce(', ' || kib_text(s.available_kib) || ' available', '') || coalesce((SELECT ', grew most: ' || g.part FROM step g WHERE g.host_id = s.host_id
          AND g.nth BETWEEN 2 AND 9 AND g.nth <> 3 AND g.kib_delta > 0 ORDER BY g.kib_delta DESC LIMIT 1), '')
      WHEN 2 THEN 'heaps and stacks of processes'
      WHEN 3 THEN 'of files, given back on demand' || CASE WHEN s.dirty_kib > 0
        THEN '; ' || kib_text(s.dirty_kib) || ' to be written first' ELSE '' END
      WHEN 4 THEN 'and shared memory: held until files or segments are removed'
      WHEN 5 THEN kib_text(s.slab_unreclaimable_kib) || ' cannot be given back; slabtop says what'
      WHEN 6 THEN 'page tables ' || coalesce(kib_text(s.page_tables_kib), '?') || ', stacks '
        || coalesce(kib_text(s.kernel_stack_kib), '?') || ', per CPU ' || coalesce(kib_text(s.percpu_kib), '?')
      WHEN 7 THEN 'the pool, used or not'
      WHEN 8 THEN 'swap in memory: zram, zswap'
      WHEN 9 THEN 'drivers, network buffers, a balloon of the hypervisor'
      WHEN 10 THEN 'unused'
      WHEN 11 THEN h.n || ' captured' || CASE h.n_rss WHEN 0 THEN ', Pss' ELSE ', Rss of ' || h.n_rss END
        || (SELECT '; most: ' || group_concat(word, ', ') FROM (
          SELECT n.name || '/' || c.pid || ' ' || kib_text(c.kib) AS word FROM captured c
          JOIN name n ON n.name_id = c.name_id WHERE c.newer = 1 AND c.host_id = s.host_id
          ORDER BY c.kib DESC LIMIT 3))
      WHEN 12 THEN s.unreadable || ' unreadable, ' || s.unmoved || ' left out, others not selected, and pmapdb itself'
      WHEN 13 THEN 'of ' || kib_text(s.swap_total_kib) || coalesce(', in ' || kib_text(s.in_kib) || ', out '
        || kib_text(s.out_kib), '')
    END AS detail
  FROM step s
  LEFT JOIN held h ON h.newer = 1 AND h.host_id = s.host_id
  WHERE (s.kib IS NOT NULL OR s.nth = 1) AND NOT (s.nth = 13 AND s.swap_total_kib = 0)
  UNION ALL
  SELECT host_id, started_ms, from_ms, 14, 'pressure', NULL,
    coalesce(some_us / (1000.0 * (started_ms - from_ms)), pressure_some / 10000.0), NULL, 'sweeps',
    CASE WHEN some_us IS NULL THEN 'of the last minute some process waited for memory'
      ELSE 'of the last ' || span_text(started_ms - from_ms) || ' some process waited for memory'
        || printf('; all waited: %.1f %%', full_us / (10.0 * (started_ms - from_ms)))
        || printf('; in the last minute: %.1f %%', pressure_some / 100.0) END
  FROM step WHERE nth = 1 AND pressure_some IS NOT NULL
  UNION ALL
  SELECT host_id, started_ms, from_ms, 17, 'labels', NULL, NULL, NULL, 'host-labels', said
  FROM (SELECT s.*, (SELECT group_concat(key || ' ' || value, ', ') FROM (
        SELECT key, value, max(at_ms) FROM host_label WHERE host_id = s.host_id AND at_ms <= s.started_ms
        GROUP BY key HAVING value IS NOT NULL ORDER BY key)) AS said
    FROM step s WHERE s.nth = 1)
  WHERE said IS NOT NULL
  UNION ALL
  SELECT s.host_id, s.started_ms, s.from_ms, 15, 'OOM killer', NULL, NULL, NULL, 'restarts',
    'killed ' || s.oom_kills || ' since boot'
      || CASE WHEN s.from_ms IS NULL THEN '' ELSE ', ' || s.killed || ' in the last ' || span_text(s.started_ms - s.from_ms) END
      || coalesce((SELECT '; next: ' || n.name || '/' || c.pid || ', score '
        || c.oom_score FROM captured c JOIN name n ON n.name_id = c.name_id
        WHERE c.newer = 1 AND c.host_id = s.host_id AND c.oom_score > 0
        ORDER BY c.oom_score DESC, c.kib DESC LIMIT 1), '')
  FROM step s WHERE s.nth = 1 AND s.oom_kills IS NOT NULL
  UNION ALL
  SELECT s.host_id, s.started_ms, s.from_ms, 16, 'cgroup', c.cgroup_kib,
    1.0 * c.cgroup_kib / c.memory_max_kib,
    c.cgroup_kib - (SELECT max(b.cgroup_kib) FROM captured b WHERE b.newer = 0 AND b.host_id = c.host_id
      AND b.cgroup = min(c.cgroup)), 'groups --by cgroup',
    min(c.cgroup) || ': of ' || kib_text(c.memory_max_kib) || coalesce(', page cache '
      || kib_text(c.cgroup_file_kib - c.cgroup_shmem_kib) || ', tmpfs ' || kib_text(c.cgroup_shmem_kib), '')
      || CASE WHEN c.cgroup_oom_kills > 0 THEN ', OOM kills ' || c.cgroup_oom_kills ELSE '' END
  FROM captured c
  JOIN step s ON s.nth = 1 AND s.host_id = c.host_id
  WHERE c.newer = 1 AND c.memory_max_kib > 0 AND c.cgroup_kib IS NOT NULL
  GROUP BY c.host_id, c.memory_max_kib, c.cgroup_kib, c.cgroup_file_kib
)
SELECT l.part, l.kib, round(l.share, 4) AS share, l.kib_delta, l.detail, 'pmapdb ' || l.next AS next,
  strftime(CASE WHEN l.started_ms % 1000 THEN '%Y-%m-%dT%H:%M:%fZ' ELSE '%Y-%m-%dT%H:%M:%SZ' END,
    l.started_ms / 1000.0, 'unixepoch') AS taken_at,
  strftime(CASE WHEN l.from_ms % 1000 THEN '%Y-%m-%dT%H:%M:%fZ' ELSE '%Y-%m-%dT%H:%M:%SZ' END,
    l.from_ms / 1000.0, 'unixepoch') AS from_at, h.name AS host
FROM line l
LEFT JOIN host h ON h.host_id = l.host_id
ORDER BY h.name, l.nth, l.share DESC;
