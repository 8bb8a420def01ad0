-- name:   groups-expr
-- title:  Processes of one moment, grouped by an SQL expression
-- param:  process  process  ""    Only this NAME, PID, NAME/PID or @ID
-- param:  at       snapshot last  The moment: first, last, prev, @ID, a time, -2h
-- param:  from     snapshot first The earlier moment of the steps
-- param:  within   duration 1m    How far from a moment what was captured apart may be
-- param:  host     text     ""    Only this host
-- param:  by       text     -     SQL over comm exe cmdline cgroup user uid pid ppid container
-- column: group             text  Value of the expression, or other; unknown where not captured live
-- column: processes         count How many there are; 0: there were in the earlier moment
-- column: rss_sum_kib       kib   Resident, added up: a page that two have counts twice
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
-- column: unmoved           count Processes that it left out: --on-growth, --on-rss-above
-- table:  group processes rss_sum_kib pss_kib private_kib swap_kib processes_from pss_kib_delta private_kib_delta swap_kib_delta
--
-- Largest first by pss, or, where that is unknown, by rss. A moment is one live sweep; what was
-- captured apart from it (other hosts, other jobs, captures from text of one name) counts in its
-- own nearest moment, if that is not further away than :within. The sums are those that were proved
-- when the captures were read; where a process was read as maps its rss and swap are VmRSS and
-- VmSwap, and pss and private of its group are unknown. What came or went since the earlier moment
-- is growth; so is, where a capture left out what did not grow (--on-growth), what it left out
-- once. The value of the expression is the group, other if it is NULL: comm, or
-- iif(exe GLOB '*/nginx', 'web', 'other'). env('NAME') sees what a capture kept (--keep-env);
-- descendant_of(PID) sees parents as far as the same sweep has them.
WITH RECURSIVE
scope AS (
  SELECT process_id, name_id, host_id, boot_id FROM process
  WHERE (:process IS NULL OR process_id = :process) AND (:name_id IS NULL OR name_id = :name_id)
    AND (:host IS NULL OR host_id = (SELECT h.host_id FROM host h WHERE h.name = :host))
),
side AS (
  -- all of a live sweep is of one taken_ms, however short its steps are
  SELECT 1 AS newer, CASE s.time_source WHEN 'live' THEN s.taken_ms ELSE s.moment_ms END AS side_ms
  FROM snapshot s WHERE s.snapshot_id = :at
  UNION ALL
  SELECT 0, CASE s.time_source WHEN 'live' THEN s.taken_ms ELSE s.moment_ms END
  FROM snapshot s WHERE s.snapshot_id = :from
),
near AS (
  -- of each process the snapshot before and the one after the moment, and what it was read with: a
  -- job's sweep, or, from text, what else there is of its name
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
  -- k = 1: in the nearest sweep of its job, so that who ended before it is not there; boot: the one
  -- that the host was up in
  SELECT *,
    rank() OVER (PARTITION BY newer, schedule_id, name_id ORDER BY away, moment_ms) AS k,
    first_value(boot_id) OVER (PARTITION BY newer, host_id
      ORDER BY boot_id IS NULL, away, moment_ms) AS boot
  FROM (SELECT *, abs(moment_ms - side_ms) AS away FROM near)
  WHERE away <= :within
),
chosen AS (
  -- a process that two jobs read counts once
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
  SELECT c.newer, c.snapshot_id, s.capture_id, p.pid, t.ppid, t.live_process_id
  FROM chosen c
  CROSS JOIN snapshot s ON s.snapshot_id = c.snapshot_id
  CROSS JOIN process p ON p.process_id = c.process_id
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
family AS (
  -- every process once, with the pids above it
  SELECT newer, snapshot_id, max(live_process_id) AS live_process_id, max(pid) AS pid,
    group_concat(above, ' ') AS ancestors
  FROM (
    SELECT newer, snapshot_id, live_process_id, pid, NULL AS above FROM fact
    UNION ALL
    SELECT newer, snapshot_id, NULL, NULL, pid FROM ancestor
  )
  GROUP BY newer, snapshot_id
),
taken AS (
  SELECT f.newer, f.snapshot_id, CASE WHEN t.live_process_id IS NOT NULL THEN coalesce(
    process_value(:by, f.pid, t.ppid, t.uid, t.user, t.comm, t.exe, t.cmdline, t.cgroup,
      (SELECT group_concat(e.name || '=' || e.value || char(0), '') FROM environment e
        WHERE e.live_process_id = t.live_process_id), f.ancestors), 'other') END AS label
  FROM family f
  LEFT JOIN live_process t ON t.live_process_id = f.live_process_id
),
x AS (
  SELECT c.newer, c.label AS "group",
    coalesce(s.rss_kib, s.tool_rss_kib) AS rss_kib, s.pss_kib, s.private_kib,
    coalesce(s.swap_kib, g.swap_kib) AS swap_kib
  FROM taken c
  CROSS JOIN snapshot s ON s.snapshot_id = c.snapshot_id
  LEFT JOIN live_reading g ON g.snapshot_id = c.snapshot_id
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
