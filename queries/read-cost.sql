-- name:   read-cost
-- title:  What reading live processes costs, and how long it may have stalled them
-- param:  process process ""      Only this NAME, PID, NAME/PID or @ID
-- param:  by      text    process One of process, name
-- param:  since   time    ""      Only snapshots from then on: a time, -7d before the newest, now-7d
-- column: host             text    Where; empty when unknown
-- column: name             text    Name of the process
-- column: pid              int     Process id; unknown where there were several
-- column: process_id       process The process: one life of the pid; unknown where there were several
-- column: processes        count   Processes that were read
-- column: snapshots        count   How often
-- column: read_us_p50      int     Reading and parsing a map, microseconds: the median
-- column: read_us_p99      int     99 of 100 took at most this long
-- column: read_us_max      int     The slowest
-- column: longest_us_p50   int     The longest read(2) of a map, for which a process may have waited: the median
-- column: longest_us_p99   int     Of 99 of 100 snapshots at most
-- column: longest_us_max   int     The longest of all snapshots
-- column: cpu_share        ratio   CPU that reading took since the first snapshot, as part of one core
-- column: cpu_of_read      ratio   CPU share of the time spent reading; the rest was waiting
-- column: predicted_ratio  real    Median of predicted to longest read; below 1 a stall was underestimated
-- column: underestimated   count   Snapshots whose longest read took longer than predicted
-- column: degraded         count   Snapshots of maps or pagemap instead of smaps
-- column: degraded_last_at time    The last of these, UTC
-- column: reason           text    Why, then
-- table:  name pid snapshots read_us_p50 read_us_p99 longest_us_p50 longest_us_p99 longest_us_max cpu_share underestimated degraded reason
-- narrow: name pid snapshots read_us_p50 longest_us_p99 cpu_share degraded
-- empty:  no live captures
--
-- Live captures only. Rows with the longest single read come first. A process waits if it maps or
-- unmaps memory while its map is read, at most for one read(2). A prediction is compared with the
-- actual time only where smaps was read. A median is the lower of the two middle values.
WITH scope AS (
  SELECT process_id, name_id, pid, host_id FROM process
  WHERE (:process IS NULL OR process_id = :process) AND (:name_id IS NULL OR name_id = :name_id)
),
seen AS (
  SELECT CASE :by WHEN 'name' THEN p.name_id ELSE p.process_id END AS who, p.process_id, p.name_id,
    p.pid, s.taken_ms, g.read_us, g.longest_us, g.cpu_us, g.degraded,
    CASE WHEN g.degraded IS NULL THEN 1.0 * g.predicted_us / max(g.longest_us, 1) END AS ratio
  FROM scope p
  CROSS JOIN snapshot s ON s.process_id = p.process_id AND s.taken_ms >= coalesce(:since, -9e15)
  CROSS JOIN live_reading g ON g.snapshot_id = s.snapshot_id
),
ranked AS (
  SELECT *, count(*) OVER (PARTITION BY who) AS n, count(ratio) OVER (PARTITION BY who) AS n_ratio,
    min(taken_ms) OVER (PARTITION BY who) AS first_ms,
    max(CASE WHEN degraded IS NOT NULL THEN taken_ms END) OVER (PARTITION BY who) AS degraded_ms,
    row_number() OVER (PARTITION BY who ORDER BY read_us) AS read_k,
    row_number() OVER (PARTITION BY who ORDER BY longest_us) AS longest_k,
    row_number() OVER (PARTITION BY who ORDER BY ratio IS NULL, ratio) AS ratio_k
  FROM seen
),
summed AS (
  SELECT who, name_id, n AS snapshots, count(DISTINCT process_id) AS processes,
    CASE count(DISTINCT process_id) WHEN 1 THEN max(process_id) END AS process_id,
    CASE count(DISTINCT process_id) WHEN 1 THEN max(pid) END AS pid,
    max(CASE WHEN read_k = (n + 1) / 2 THEN read_us END) AS read_us_p50,
    max(CASE WHEN read_k = (99 * n + 99) / 100 THEN read_us END) AS read_us_p99,
    max(read_us) AS read_us_max,
    max(CASE WHEN longest_k = (n + 1) / 2 THEN longest_us END) AS longest_us_p50,
    max(CASE WHEN longest_k = (99 * n + 99) / 100 THEN longest_us END) AS longest_us_p99,
    max(longest_us) AS longest_us_max,
    sum(CASE WHEN taken_ms > first_ms THEN cpu_us END) / 1000.0
      / nullif(max(taken_ms) - min(taken_ms), 0) AS cpu_share,
    1.0 * sum(cpu_us) / nullif(sum(read_us), 0) AS cpu_of_read,
    max(CASE WHEN ratio_k = (n_ratio + 1) / 2 THEN ratio END) AS predicted_ratio,
    CASE WHEN n_ratio THEN sum(ratio < 1) END AS underestimated,
    count(degraded) AS degraded, degraded_ms,
    max(CASE WHEN taken_ms = degraded_ms THEN degraded END) AS reason
  FROM ranked
  GROUP BY who
)
SELECT h.name AS host, n.name, r.pid, r.process_id, r.processes, r.snapshots, r.read_us_p50,
  r.read_us_p99, r.read_us_max, r.longest_us_p50, r.longest_us_p99, r.longest_us_max, r.cpu_share,
  r.cpu_of_read, r.predicted_ratio, r.underestimated, r.degraded,
  strftime(CASE WHEN r.degraded_ms % 1000 THEN '%Y-%m-%dT%H:%M:%fZ'
    ELSE '%Y-%m-%dT%H:%M:%SZ' END, r.degraded_ms / 1000.0, 'unixepoch') AS degraded_last_at,
  r.reason
FROM summed r
JOIN name n ON n.name_id = r.name_id
LEFT JOIN host h ON h.host_id = n.host_id
ORDER BY r.longest_us_max DESC, host, n.name, r.who;
