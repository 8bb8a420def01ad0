-- name:   groups
-- title:  Processes of one moment, grouped by what they have in common
-- param:  by       text     name  By name, user, cgroup, env:VARIABLE, or the value of an SQL expression
-- param:  process  process  ""    Only this NAME, PID, NAME/PID or @ID
-- param:  at       snapshot last  The moment: first, last, prev, @ID, a time, -2h
-- param:  from     snapshot first The earlier moment of the steps
-- param:  within   duration 1m    How far from the moment a separate capture may be
-- param:  host     text     ""    Only this host
-- column: group             text  The name, user, cgroup, or value; unknown where not captured live
-- column: processes         count How many there are; 0: only in the earlier moment
-- column: rss_sum_kib       kib   Resident, added up: a page of two processes counts twice
-- column: pss_kib           kib   Proportional share of the resident: adds up to each page once
-- column: private_kib       kib   Private_Clean + Private_Dirty
-- column: swap_kib          kib   Swapped out
-- column: processes_from    count How many there were in the earlier moment
-- column: rss_sum_kib_delta kib   Step of rss_sum_kib since then
-- column: pss_kib_delta     kib   Step of pss_kib
-- column: private_kib_delta kib   Step of private_kib
-- column: swap_kib_delta    kib   Step of swap_kib
-- column: pss_unknown       count Processes without pss: read as maps, or sums only
-- column: taken_at          time  The moment, UTC
-- column: from_at           time  The earlier moment, UTC
-- column: unreadable        count Processes that the sweep of the moment was not allowed to read
-- column: unmoved           count Processes that the sweep left out: smaller than --on-rss-above
-- total:  processes rss_sum_kib pss_kib private_kib swap_kib processes_from rss_sum_kib_delta pss_kib_delta private_kib_delta swap_kib_delta pss_unknown
-- table:  group processes rss_sum_kib pss_kib private_kib swap_kib processes_from pss_kib_delta private_kib_delta swap_kib_delta taken_at
-- narrow: group processes pss_kib private_kib pss_kib_delta private_kib_delta
-- empty:  no processes at that moment
--
-- Largest first by pss or, where pss is unknown, by rss.
--
-- A moment is one live beat. Processes that were captured apart from it (on other hosts, by other
-- schedules, as text) count with their own nearest moment, unless that is further away than :within.
-- The sums were proved when the captures were read. A process that was read as maps has VmRSS as rss
-- and VmSwap as swap, and the pss and private of its group are unknown. A process that came or went
-- since the earlier moment counts as growth.
--
-- Users, cgroups, variables and expressions are known of live captures only. env:VARIABLE knows the
-- variables that --keep-env kept; (not set) is the group of processes without the variable, where
-- another process of the same schedule has it. An expression is SQL over comm exe cmdline cgroup user
-- uid pid ppid container unit, such as iif(exe GLOB '*/nginx', 'web', 'other'), with env('NAME') and
-- descendant_of(PID); its group is other where its value is NULL. descendant_of sees the parents that
-- the same beat has.
WITH RECURSIVE
scope AS (
  SELECT process_id, name_id, host_id, boot_id FROM process
  WHERE (:process IS NULL OR process_id = :process) AND (:name_id IS NULL OR name_id = :name_id)
    AND (:host IS NULL OR host_id = (SELECT h.host_id FROM host h WHERE h.name = :host))
),
side AS (
  -- all snapshots of a live beat have the same taken_ms, even if beats follow each other quickly
  SELECT 1 AS newer, CASE s.time_source WHEN 'live' THEN s.taken_ms ELSE s.moment_ms END AS side_ms
  FROM snapshot s WHERE s.snapshot_id = :at
  UNION ALL
  SELECT 0, CASE s.time_source WHEN 'live' THEN s.taken_ms ELSE s.moment_ms END
  FROM snapshot s WHERE s.snapshot_id = :from
),
near AS (
  -- for each process, the last snapshot up to the moment and the first one from it on
  SELECT d.newer, d.side_ms, p.process_id, p.host_id, p.boot_id, s.snapshot_id, w.schedule_id,
    CASE WHEN w.schedule_id IS NULL THEN p.name_id END AS name_id,
    CASE s.time_source WHEN 'live' THEN s.taken_ms ELSE s.moment_ms END AS moment_ms
  FROM side d
  CROSS JOIN scope p
  CROSS JOIN snapshot s ON s.snapshot_id IN (
    (SELECT s.snapshot_id FROM snapshot s WHERE s.process_id = p.process_id
      AND s.taken_ms <= d.side_ms AND (s.preferred OR s.time_source = 'live')
      ORDER BY s.taken_ms DESC LIMIT 1),
    (SELECT s.snapshot_id FROM snapshot s WHERE s.process_id = p.process_id
      AND s.taken_ms >= d.side_ms AND (s.preferred OR s.time_source = 'live')
      ORDER BY s.taken_ms LIMIT 1))
  LEFT JOIN beat w ON w.capture_id = s.capture_id
),
together AS (
  -- k = 1: the process is in the nearest beat of its schedule, or if captured as text, in the
  -- nearest moment of its name; a process that ended before it has a larger k. boot: the boot of
  -- the host at that time
  SELECT *,
    rank() OVER (PARTITION BY newer, schedule_id, name_id ORDER BY away, moment_ms) AS k,
    first_value(boot_id) OVER (PARTITION BY newer, host_id
      ORDER BY boot_id IS NULL, away, moment_ms) AS boot
  FROM (SELECT *, abs(moment_ms - side_ms) AS away FROM near)
  WHERE away <= :within
),
chosen AS (
  -- a process that two schedules captured counts once
  SELECT newer, process_id, snapshot_id, schedule_id
  FROM (
    SELECT *,
      row_number() OVER (PARTITION BY newer, process_id
        ORDER BY away, moment_ms, snapshot_id) AS nth
    FROM together
    WHERE k = 1 AND (boot_id IS NULL OR boot_id = boot)
  )
  WHERE nth = 1
),
fact AS (
  SELECT c.newer, c.snapshot_id, c.schedule_id, s.capture_id, p.pid, n.name, t.ppid,
    t.live_process_id, t.uid, t.user, t.comm, t.exe, t.cmdline, t.cgroup,
    coalesce(s.rss_kib, s.tool_rss_kib) AS rss_kib, s.pss_kib, s.private_kib,
    coalesce(s.swap_kib, g.swap_kib) AS swap_kib
  FROM chosen c
  CROSS JOIN snapshot s ON s.snapshot_id = c.snapshot_id
  CROSS JOIN process p ON p.process_id = c.process_id
  CROSS JOIN name n ON n.name_id = p.name_id
  LEFT JOIN live_reading g ON g.snapshot_id = c.snapshot_id
  LEFT JOIN live_process t ON t.live_process_id = g.live_process_id
),
ancestor AS (
  SELECT newer, snapshot_id, capture_id, ppid AS pid FROM fact
  WHERE ppid > 0 AND instr(:by, 'descendant_of')
  UNION
  SELECT a.newer, a.snapshot_id, a.capture_id, f.ppid
  FROM ancestor a
  CROSS JOIN fact f ON f.newer = a.newer AND f.capture_id = a.capture_id AND f.pid = a.pid
  WHERE f.ppid > 0
),
x AS (
  SELECT f.newer, f.rss_kib, f.pss_kib, f.private_kib, f.swap_kib,
    CASE
      WHEN :by = 'name' THEN f.name
      WHEN :by = 'user' THEN coalesce(f.user, f.uid)
      WHEN :by = 'cgroup' THEN f.cgroup
      WHEN :by GLOB 'env:?*' THEN coalesce(e.value, CASE max(e.name IS NOT NULL) OVER (
        PARTITION BY f.newer, f.schedule_id) WHEN 1 THEN '(not set)' END)
      WHEN f.live_process_id IS NOT NULL THEN coalesce(process_value(:by, f.pid, f.ppid, f.uid,
        f.user, f.comm, f.exe, f.cmdline, f.cgroup, (
          SELECT group_concat(v.name || '=' || v.value || char(0), '') FROM environment v
          WHERE v.live_process_id = f.live_process_id), a.pids, f.name), 'other')
    END AS "group"
  FROM fact f
  LEFT JOIN environment e ON e.live_process_id = f.live_process_id AND e.name = substr(:by, 5)
    AND :by GLOB 'env:?*'
  LEFT JOIN (SELECT newer, snapshot_id, group_concat(pid, ' ') AS pids
    FROM ancestor GROUP BY newer, snapshot_id) a
    ON a.newer = f.newer AND a.snapshot_id = f.snapshot_id
),
sums AS (
  SELECT "group", sum(newer = 1) AS processes, sum(newer = 0) AS processes_from,
    sum(newer = 1 AND pss_kib IS NULL) AS pss_unknown,
    CASE WHEN sum(newer = 1 AND rss_kib IS NULL) = 0
      THEN coalesce(sum(CASE newer WHEN 1 THEN rss_kib END), 0) END AS rss_kib,
    CASE WHEN sum(newer = 1 AND pss_kib IS NULL) = 0
      THEN coalesce(sum(CASE newer WHEN 1 THEN pss_kib END), 0) END AS pss_kib,
    CASE WHEN sum(newer = 1 AND private_kib IS NULL) = 0
      THEN coalesce(sum(CASE newer WHEN 1 THEN private_kib END), 0) END AS private_kib,
    CASE WHEN sum(newer = 1 AND swap_kib IS NULL) = 0
      THEN coalesce(sum(CASE newer WHEN 1 THEN swap_kib END), 0) END AS swap_kib,
    CASE WHEN sum(newer = 0 AND rss_kib IS NULL) = 0
      THEN coalesce(sum(CASE newer WHEN 0 THEN rss_kib END), 0) END AS rss_kib_from,
    CASE WHEN sum(newer = 0 AND pss_kib IS NULL) = 0
      THEN coalesce(sum(CASE newer WHEN 0 THEN pss_kib END), 0) END AS pss_kib_from,
    CASE WHEN sum(newer = 0 AND private_kib IS NULL) = 0
      THEN coalesce(sum(CASE newer WHEN 0 THEN private_kib END), 0) END AS private_kib_from,
    CASE WHEN sum(newer = 0 AND swap_kib IS NULL) = 0
      THEN coalesce(sum(CASE newer WHEN 0 THEN swap_kib END), 0) END AS swap_kib_from
  FROM x
  GROUP BY "group"
)
SELECT "group", processes, rss_kib AS rss_sum_kib, pss_kib, private_kib, swap_kib, processes_from,
  rss_kib - rss_kib_from AS rss_sum_kib_delta, pss_kib - pss_kib_from AS pss_kib_delta,
  private_kib - private_kib_from AS private_kib_delta, swap_kib - swap_kib_from AS swap_kib_delta,
  pss_unknown, (SELECT s.taken_at FROM snapshot s WHERE s.snapshot_id = :at) AS taken_at,
  (SELECT s.taken_at FROM snapshot s WHERE s.snapshot_id = :from) AS from_at,
  (SELECT w.unreadable FROM snapshot s JOIN beat w ON w.capture_id = s.capture_id
    WHERE s.snapshot_id = :at) AS unreadable,
  (SELECT w.unmoved FROM snapshot s JOIN beat w ON w.capture_id = s.capture_id
    WHERE s.snapshot_id = :at) AS unmoved
FROM sums
ORDER BY coalesce(pss_kib, rss_kib) DESC, "group";
