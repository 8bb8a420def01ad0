-- name:   diff-process
-- title:  Growth of each process of a host between two moments
-- param:  process process  ""    Only this NAME, PID, NAME/PID or @ID
-- param:  from    snapshot first The older moment
-- param:  to      snapshot last  The newer moment
-- param:  within  duration 1m    Captures as text this close are of one moment
-- param:  dialect text     ""    Only captures of this dialect; else, for each moment, the one with most fields
-- column: name                    text     Name of the process
-- column: pid                     int      Process id
-- column: process_id              process  The process: one life of the pid
-- column: host                    text     Where; empty when unknown
-- column: change                  text     new, gone, grown, shrunk, same
-- column: from_at                 time     When its older snapshot was taken, UTC; empty: it had not begun
-- column: to_at                   time     When its newer snapshot was taken, UTC; empty: it had ended
-- column: mappings_from           count    Number of mappings, older
-- column: mappings_to             count    Number of mappings, newer
-- column: mappings_delta          count    newer - older
-- column: size_kib_from           kib      Address space, older
-- column: size_kib_to             kib      Address space, newer
-- column: size_kib_delta          kib      newer - older
-- column: rss_kib_from            kib      Resident, older
-- column: rss_kib_to              kib      Resident, newer
-- column: rss_kib_delta           kib      newer - older
-- column: pss_kib_from            kib      Proportional share of the resident, older
-- column: pss_kib_to              kib      Proportional share of the resident, newer
-- column: pss_kib_delta           kib      newer - older
-- column: private_kib_from        kib      Private_Clean + Private_Dirty, older
-- column: private_kib_to          kib      Private_Clean + Private_Dirty, newer
-- column: private_kib_delta       kib      newer - older
-- column: private_dirty_kib_from  kib      Private_Dirty, older
-- column: private_dirty_kib_to    kib      Private_Dirty, newer
-- column: private_dirty_kib_delta kib      newer - older
-- column: swap_kib_from           kib      Swapped out, older
-- column: swap_kib_to             kib      Swapped out, newer
-- column: swap_kib_delta          kib      newer - older
-- column: processes_from          count    1: it was there, older
-- column: processes_to            count    1: it was there, newer
-- total:  mappings_from mappings_to mappings_delta size_kib_from size_kib_to size_kib_delta rss_kib_from rss_kib_to rss_kib_delta pss_kib_from pss_kib_to pss_kib_delta private_kib_from private_kib_to private_kib_delta private_dirty_kib_from private_dirty_kib_to private_dirty_kib_delta swap_kib_from swap_kib_to swap_kib_delta
-- table:  name pid change mappings_delta size_kib_from size_kib_to size_kib_delta rss_kib_from rss_kib_to rss_kib_delta private_kib_delta swap_kib_delta
-- narrow: name pid rss_kib_to rss_kib_delta
-- empty:  no process was captured at two moments
--
-- The process that grew most first. A process that began counts as at most what the processes of its
-- name that began and ended hold more than before: a restart is not at the top. The moments are those of the snapshots :from and :to; of each process, the last
-- snapshot at or before a moment counts. A process that began or ended in between counts in full. One
-- that was only captured later is compared with its first snapshot, and one that was not captured any
-- more, although nothing says that it ended, with its last: from_at and to_at say when. The numbers
-- are sums over the categories; resident is VmRSS where a live capture read maps only. Resident
-- memory of several processes is added up: a page of two processes counts twice.
WITH scope AS (
  SELECT process_id, name_id, host_id, boot_id,
    clock_utc_ms - clock_mono_ns / 1000000 + start_time * 10 AS started_ms
  FROM process
  WHERE (:process IS NULL OR process_id = :process) AND (:name_id IS NULL OR name_id = :name_id)
),
moment AS (
  SELECT 0 AS newer, taken_ms AS ms FROM snapshot WHERE snapshot_id = :from
  UNION ALL
  SELECT 1, taken_ms FROM snapshot WHERE snapshot_id = :to
),
sweep AS (
  -- the last beat of each live job; spared: it left out processes that live
  SELECT m.newer, j.schedule_id, j.host_id, j.boot_id, w.capture_id,
    w.unmoved + w.changed > 0 AS spared, max(w.started_ms) AS started_ms
  FROM moment m
  CROSS JOIN schedule j
  CROSS JOIN beat w ON w.schedule_id = j.schedule_id AND w.started_ms <= m.ms
  GROUP BY m.newer, j.schedule_id
),
seen AS (
  -- of each process its last snapshot at or before the moment
  SELECT m.newer, m.ms, p.process_id, p.name_id, p.host_id, p.boot_id, s.snapshot_id, s.capture_id,
    s.taken_ms
  FROM moment m
  CROSS JOIN scope p
  CROSS JOIN snapshot s ON s.snapshot_id = (SELECT s.snapshot_id FROM snapshot s
    WHERE s.process_id = p.process_id AND s.taken_ms <= m.ms
      AND CASE WHEN :dialect IS NULL THEN s.preferred ELSE s.dialect = :dialect END
    ORDER BY s.taken_ms DESC LIMIT 1)
),
judged AS (
  -- ended: nothing was captured later, and a later beat of its job lacks it, or another boot of its
  -- host was captured; as text: others of its name were
  SELECT x.newer, x.process_id, x.snapshot_id,
    NOT EXISTS (SELECT 1 FROM snapshot s WHERE s.process_id = x.process_id AND s.taken_ms > x.ms)
    AND CASE
      WHEN w.capture_id IS NULL
        THEN max(x.taken_ms) OVER (PARTITION BY x.newer, x.name_id) > x.taken_ms + :within
      WHEN j.capture_id <> w.capture_id AND NOT j.spared THEN 1
      ELSE EXISTS (SELECT 1 FROM sweep o WHERE o.newer = x.newer AND o.host_id = x.host_id
        AND o.boot_id <> x.boot_id AND o.started_ms > x.taken_ms)
    END AS ended
  FROM seen x
  LEFT JOIN beat w ON w.capture_id = x.capture_id
  LEFT JOIN sweep j ON j.newer = x.newer AND j.schedule_id = w.schedule_id
),
pair AS (
  -- a process that was first captured after :from and did not begin after it grew from then on
  SELECT p.process_id, CASE
      WHEN a.snapshot_id IS NOT NULL THEN CASE WHEN NOT a.ended THEN a.snapshot_id END
      WHEN CASE WHEN p.started_ms IS NOT NULL THEN p.started_ms <= m.ms
        ELSE p.name_id NOT IN (SELECT name_id FROM seen WHERE newer = 0) END
      THEN (SELECT s.snapshot_id FROM snapshot s WHERE s.process_id = p.process_id
        AND CASE WHEN :dialect IS NULL THEN s.preferred ELSE s.dialect = :dialect END
        ORDER BY s.taken_ms LIMIT 1)
    END AS from_id,
    CASE WHEN NOT z.ended THEN z.snapshot_id END AS to_id
  FROM scope p
  CROSS JOIN moment m ON m.newer = 0
  LEFT JOIN judged a ON a.newer = 0 AND a.process_id = p.process_id
  LEFT JOIN judged z ON z.newer = 1 AND z.process_id = p.process_id
  WHERE z.process_id IS NOT NULL
),
side AS (
  SELECT from_id AS snapshot_id FROM pair WHERE from_id IS NOT to_id
  UNION
  SELECT to_id FROM pair WHERE from_id IS NOT to_id
),
x AS (
  SELECT s.snapshot_id, s.taken_at, 1 AS processes,
    CASE WHEN count(*) = count(t.mappings) THEN sum(t.mappings) END AS mappings,
    CASE WHEN count(*) = count(t.size_kib) THEN sum(t.size_kib) END AS size_kib,
    coalesce(CASE WHEN count(*) = count(t.rss_kib) THEN sum(t.rss_kib) END, s.tool_rss_kib) AS rss_kib,
    CASE WHEN count(*) = count(t.pss_kib) THEN sum(t.pss_kib) END AS pss_kib,
    CASE WHEN count(*) = count(t.private_kib) THEN sum(t.private_kib) END AS private_kib,
    CASE WHEN count(*) = count(t.private_dirty_kib) THEN sum(t.private_dirty_kib) END AS private_dirty_kib,
    CASE WHEN count(*) = count(t.swap_kib) THEN sum(t.swap_kib) END AS swap_kib
  FROM side d
  CROSS JOIN snapshot s ON s.snapshot_id = d.snapshot_id
  CROSS JOIN categories t ON t.snapshot_id = d.snapshot_id
  GROUP BY s.snapshot_id
),
absent AS (
  SELECT NULL AS snapshot_id, NULL AS taken_at, 0 AS processes, 0 AS mappings, 0 AS size_kib,
    0 AS rss_kib, 0 AS pss_kib, 0 AS private_kib, 0 AS private_dirty_kib, 0 AS swap_kib
),
y AS (
  SELECT * FROM x UNION ALL SELECT * FROM absent
)
SELECT n.name, p.pid, p.process_id, h.name AS host,
  CASE
    WHEN a.processes = 0 THEN 'new'
    WHEN b.processes = 0 THEN 'gone'
    WHEN b.rss_kib > a.rss_kib THEN 'grown'
    WHEN b.rss_kib < a.rss_kib THEN 'shrunk'
    WHEN b.size_kib > a.size_kib THEN 'grown'
    WHEN b.size_kib < a.size_kib THEN 'shrunk'
    ELSE 'same'
  END AS change, a.taken_at AS from_at, b.taken_at AS to_at,
  a.mappings AS mappings_from, b.mappings AS mappings_to, b.mappings - a.mappings AS mappings_delta,
  a.size_kib AS size_kib_from, b.size_kib AS size_kib_to, b.size_kib - a.size_kib AS size_kib_delta,
  a.rss_kib AS rss_kib_from, b.rss_kib AS rss_kib_to, b.rss_kib - a.rss_kib AS rss_kib_delta,
  a.pss_kib AS pss_kib_from, b.pss_kib AS pss_kib_to, b.pss_kib - a.pss_kib AS pss_kib_delta,
  a.private_kib AS private_kib_from, b.private_kib AS private_kib_to, b.private_kib - a.private_kib AS private_kib_delta,
  a.private_dirty_kib AS private_dirty_kib_from, b.private_dirty_kib AS private_dirty_kib_to, b.private_dirty_kib - a.private_dirty_kib AS private_dirty_kib_delta,
  a.swap_kib AS swap_kib_from, b.swap_kib AS swap_kib_to, b.swap_kib - a.swap_kib AS swap_kib_delta,
  a.processes AS processes_from, b.processes AS processes_to
FROM pair
CROSS JOIN process p ON p.process_id = pair.process_id
CROSS JOIN name n ON n.name_id = p.name_id
LEFT JOIN host h ON h.host_id = p.host_id
JOIN y a ON a.snapshot_id IS pair.from_id
JOIN y b ON b.snapshot_id IS pair.to_id
WHERE pair.from_id IS NOT pair.to_id
WINDOW w AS (PARTITION BY p.name_id, a.processes = b.processes)
ORDER BY min(b.rss_kib - a.rss_kib, CASE WHEN a.processes = b.processes THEN 9e18 ELSE sum(b.rss_kib - a.rss_kib) OVER w END) DESC,
  min(b.size_kib - a.size_kib, CASE WHEN a.processes = b.processes THEN 9e18 ELSE sum(b.size_kib - a.size_kib) OVER w END) DESC,
  n.name, host, rss_kib_delta DESC, size_kib_delta DESC, p.pid, p.process_id;
