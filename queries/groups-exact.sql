-- name:   groups-exact
-- title:  Memory of groups of processes, each page counted once
-- param:  by       text     name  By name, user, cgroup, instance, env:VARIABLE, or the value of an SQL expression
-- param:  process  process  ""   Only this NAME, PID, NAME/PID or @ID; uss is against the others, too
-- param:  at       snapshot last  The moment: first, last, prev, @ID, a time, -2h
-- param:  host     text     ""    Only this host
-- column: by                text  What makes the groups
-- column: part              text  group; several: pages of groups that are no group's alone; union: of all
-- column: group             text  The name, user, cgroup, or value
-- column: processes         count How many there are
-- column: rss_kib           kib   Resident: every page once, however many processes map it
-- column: uss_kib           kib   Of rss: no other group that was read maps it
-- column: anon_kib          kib   Of rss: anonymous
-- column: shmem_kib         kib   Of rss: shared memory: SysV, POSIX, memfd, tmpfs, shared anonymous
-- column: swap_kib          kib   In a swap area, every slot once; without shared memory
-- column: swap_uss_kib      kib   Of swap: no other group has it
-- column: page_tables_kib   kib   Page tables (VmPTE)
-- column: hugetlb_kib       kib   In the pool of huge pages, added up; not in rss
-- column: rss_sum_kib       kib   Resident, added up: a page of two processes counts twice
-- column: method            text  frame: a page is known by its frame; identity: by file, address, or as own
-- column: moved_kib         kib   Pages that the kernel moved meanwhile: at most this much counts twice
-- column: unread            count Processes whose pages could not be read
-- column: unreadable        count Processes that could not be read at all
-- column: taken_at          time  The moment, UTC
-- column: pids              text  The processes, separated by blanks
-- table:  group processes rss_kib uss_kib anon_kib shmem_kib swap_kib page_tables_kib rss_sum_kib
-- empty:  no pages of that moment or before it: capture --pages stores them
--
-- Answers from the last capture --pages up to the moment. The rss of all groups adds up to more than
-- the union where groups share pages; the uss of all and the part several add up to it exactly. A
-- page that a process in no group maps, one that ended meanwhile or was pruned since, is no group's
-- alone. Pages that no process maps (files in the page cache, tmpfs, segments) are in no group.
--
-- An instance is a server with all processes below it: PostgreSQL by its data directory, MariaDB by
-- --datadir or --port, redis and valkey by the port, Oracle by ORACLE_SID or the names of its
-- processes; by its pid where its command line or environment does not tell. Stored moments have
-- what --keep-cmdline and --keep-env kept of these.
--
-- A page of zeroes is no memory, and huge pages of the pool are in no RSS: neither is counted.
WITH RECURSIVE
scan AS (
  SELECT p.*, b.unreadable
  FROM page_scan p
  CROSS JOIN beat b ON b.capture_id = p.capture_id
  CROSS JOIN schedule j ON j.schedule_id = b.schedule_id
  WHERE p.taken_ms <= (SELECT taken_ms FROM snapshot WHERE snapshot_id = :at)
    AND (:host IS NULL OR j.host_id = (SELECT h.host_id FROM host h WHERE h.name = :host))
  ORDER BY p.taken_ms DESC LIMIT 1
),
fact AS (
  SELECT g.*, r.page_tables_kib, p.process_id, p.name_id, p.pid, n.name, t.*
  FROM scan c
  CROSS JOIN page_process g ON g.capture_id = c.capture_id
  CROSS JOIN snapshot s ON s.snapshot_id = g.snapshot_id
  CROSS JOIN process p ON p.process_id = s.process_id
  CROSS JOIN name n ON n.name_id = p.name_id
  CROSS JOIN live_reading r ON r.snapshot_id = s.snapshot_id
  CROSS JOIN live_process t ON t.live_process_id = r.live_process_id
),
ancestor AS (
  SELECT pid AS of_pid, ppid AS pid FROM fact WHERE ppid > 0 AND instr(:by, 'descendant_of')
  UNION
  SELECT a.of_pid, f.ppid FROM ancestor a CROSS JOIN fact f ON f.pid = a.pid WHERE f.ppid > 0
),
word AS (
  SELECT f.pid, f.cmdline || ' ' AS line,
    CASE
      WHEN f.comm IN ('postgres', 'postmaster') THEN 'postgresql'
      WHEN f.comm IN ('mariadbd', 'mysqld') THEN 'mariadb'
      WHEN f.comm IN ('redis-server', 'valkey-server') THEN substr(f.comm, 1, instr(f.comm, '-') - 1)
      WHEN f.cmdline GLOB 'ora_????_?*' OR f.cmdline GLOB 'asm_????_?*' OR f.cmdline GLOB 'oracle?* (*'
        THEN 'oracle'
    END AS kind
  FROM fact f
  WHERE :by = 'instance'
    AND NOT EXISTS (SELECT 1 FROM fact up WHERE up.pid = f.ppid AND up.comm = f.comm)
),
server AS (
  SELECT w.pid, w.kind, CASE
      WHEN w.kind = 'postgresql' AND instr(w.line, ' -D ') THEN substr(w.line, instr(w.line, ' -D ') + 4)
      WHEN w.kind = 'mariadb' AND instr(w.line, ' --datadir=')
        THEN substr(w.line, instr(w.line, ' --datadir=') + 11)
      WHEN w.kind = 'mariadb' AND instr(w.line, ' --port=')
        THEN substr(w.line, instr(w.line, ' --port=') + 8)
      WHEN w.kind IN ('redis', 'valkey') AND instr(w.line, ':') > 0
        THEN substr(w.line, instr(w.line, ':') + 1)
      WHEN w.kind IN ('postgresql', 'oracle') AND e.value IS NOT NULL THEN e.value || ' '
      WHEN w.kind = 'oracle' AND w.line GLOB 'oracle*' THEN substr(w.line, 7)
      WHEN w.kind = 'oracle' THEN substr(w.line, 10)
    END AS rest
  FROM word w
  JOIN fact f ON f.pid = w.pid
  LEFT JOIN environment e ON e.live_process_id = f.live_process_id
    AND e.name = CASE w.kind WHEN 'oracle' THEN 'ORACLE_SID' ELSE 'PGDATA' END
  WHERE w.kind IS NOT NULL
),
instance AS (
  SELECT pid, kind || ' ' || coalesce(substr(rest, 1, instr(rest, ' ') - 1), 'pid ' || pid) AS label
  FROM server
  UNION
  SELECT f.pid, i.label FROM instance i CROSS JOIN fact f ON f.ppid = i.pid
  WHERE f.pid NOT IN (SELECT s.pid FROM server s)
),
member AS (
  SELECT number, pid, anon_kib + file_kib + shmem_kib AS rss_kib, hugetlb_kib, page_tables_kib,
    CASE
      WHEN :by = 'name' THEN name
      WHEN :by = 'user' THEN coalesce(user, uid)
      WHEN :by = 'cgroup' THEN cgroup
      WHEN :by = 'instance'
        THEN coalesce((SELECT i.label FROM instance i WHERE i.pid = fact.pid), 'other')
      WHEN :by GLOB 'env:?*' THEN coalesce((SELECT e.value FROM environment e
        WHERE e.live_process_id = fact.live_process_id AND e.name = substr(:by, 5)), '(not set)')
      ELSE coalesce(process_value(:by, pid, ppid, uid, user, comm, exe, cmdline, cgroup, (
          SELECT group_concat(v.name || '=' || v.value || char(0), '') FROM environment v
          WHERE v.live_process_id = fact.live_process_id),
        (SELECT group_concat(a.pid, ' ') FROM ancestor a WHERE a.of_pid = fact.pid)), 'other')
    END AS "group"
  FROM fact
  WHERE (:process IS NULL OR process_id = :process) AND (:name_id IS NULL OR name_id = :name_id)
),
ranked AS (SELECT *, dense_rank() OVER (ORDER BY "group") AS k FROM member),
named AS (
  SELECT k, "group", count(*) AS processes, sum(rss_kib) AS rss_sum_kib,
    sum(hugetlb_kib) AS hugetlb_kib, sum(page_tables_kib) AS page_tables_kib,
    group_concat(pid, ' ') AS pids
  FROM ranked GROUP BY k
),
answer AS (
  SELECT c.page_kib, c.method, c.moved_kib, c.unread, c.unreadable, c.taken_ms,
    json_extract(v.value, '$[0]') AS k, json_extract(v.value, '$[1]') * c.page_kib AS rss_kib,
    json_extract(v.value, '$[2]') * c.page_kib AS anon_kib,
    json_extract(v.value, '$[3]') * c.page_kib AS shmem_kib,
    json_extract(v.value, '$[4]') * c.page_kib AS uss_kib,
    json_extract(v.value, '$[5]') * c.page_kib AS swap_kib,
    json_extract(v.value, '$[6]') * c.page_kib AS swap_uss_kib
  FROM scan c
  CROSS JOIN json_each(page_groups(c.sets,
    (SELECT group_concat(number || ' ' || k, ' ') FROM ranked))) v
),
every AS (
  SELECT * FROM named
  UNION ALL SELECT 0, '(union)', sum(processes), sum(rss_sum_kib), sum(hugetlb_kib),
    sum(page_tables_kib), NULL FROM named
  UNION ALL SELECT max(k) + 1, '(several groups)', 0, 0, 0, 0, NULL FROM named
)
SELECT :by AS "by",
  CASE a.k WHEN 0 THEN 'union' WHEN max(a.k) OVER () THEN 'several' ELSE 'group' END AS part,
  e."group", e.processes, a.rss_kib, a.uss_kib, a.anon_kib, a.shmem_kib, a.swap_kib, a.swap_uss_kib,
  e.page_tables_kib, e.hugetlb_kib, e.rss_sum_kib, a.method, a.moved_kib, a.unread, a.unreadable,
  strftime(CASE WHEN a.taken_ms % 1000 THEN '%Y-%m-%dT%H:%M:%fZ' ELSE '%Y-%m-%dT%H:%M:%SZ' END,
    a.taken_ms / 1000.0, 'unixepoch') AS taken_at, e.pids
FROM answer a
JOIN every e ON e.k = a.k
ORDER BY a.k = 0, a.k = max(a.k) OVER (), a.rss_kib DESC, e."group";
