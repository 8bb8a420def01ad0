-- name:   map-count
-- title:  Mappings of each process against the kernel's limit
-- param:  process process "" Only this NAME, PID, NAME/PID or @ID
-- param:  limit   int     "" The limit; else what live captures saw of vm.max_map_count, else 65530
-- param:  dialect text    "" Only captures of this dialect
-- column: process_id     process The process: one life of the pid
-- column: host           text    Where; empty when unknown
-- column: name           text    Name of the process
-- column: pid            int     Process id
-- column: last_at        time    Its last complete snapshot, UTC
-- column: mappings       count   Number of mappings in it
-- column: share          ratio   Part of the limit
-- column: first_at       time    Its first complete snapshot, UTC
-- column: mappings_first count   Number of mappings in that
-- column: mappings_delta count   Last - first; unknown where there is only one
-- column: mappings_per_h real    The same per hour, as a straight line
-- column: limit          count   The limit that share is of
-- table:  name pid last_at mappings share mappings_first mappings_delta mappings_per_h
-- narrow: name pid last_at mappings share mappings_delta
-- empty:  no process has a known number of mappings
--
-- A process at the limit gets ENOMEM from mmap although memory is free. Partial captures and those
-- with sums only do not count mappings: a process without other captures is listed with unknown
-- numbers. [vsyscall] is counted although the kernel does not count it: the number is then one too
-- high. If growth is uneven, the line from first to last is not a forecast.
WITH newest AS (
  SELECT p.process_id, p.name_id, p.pid,
    (SELECT s.snapshot_id FROM snapshot s WHERE s.process_id = p.process_id
      AND s.state = 'complete' AND s.mappings IS NOT NULL
      AND CASE WHEN :dialect IS NULL THEN s.preferred ELSE s.dialect = :dialect END
      ORDER BY s.taken_ms DESC LIMIT 1) AS snapshot_id,
    coalesce(:limit, CASE WHEN p.boot_id IS NOT NULL THEN (SELECT t.max_map_count FROM snapshot s
      CROSS JOIN live_reading g ON g.snapshot_id = s.snapshot_id
      CROSS JOIN live_process t ON t.live_process_id = g.live_process_id
      WHERE s.process_id = p.process_id
      ORDER BY s.taken_ms DESC LIMIT 1) END, 65530) AS max_map_count
  FROM process p
  WHERE (:process IS NULL OR p.process_id = :process) AND (:name_id IS NULL OR p.name_id = :name_id)
)
SELECT p.process_id, h.name AS host, n.name, p.pid, z.taken_at AS last_at, z.mappings,
  1.0 * z.mappings / nullif(p.max_map_count, 0) AS share, a.taken_at AS first_at,
  a.mappings AS mappings_first,
  CASE WHEN a.snapshot_id <> z.snapshot_id THEN z.mappings - a.mappings END AS mappings_delta,
  CASE WHEN a.snapshot_id <> z.snapshot_id
    THEN 3600000.0 * (z.mappings - a.mappings) / nullif(z.taken_ms - a.taken_ms, 0) END
    AS mappings_per_h,
  p.max_map_count AS "limit"
FROM newest p
JOIN name n ON n.name_id = p.name_id
LEFT JOIN host h ON h.host_id = n.host_id
LEFT JOIN snapshot z ON z.snapshot_id = p.snapshot_id
LEFT JOIN snapshot a ON a.snapshot_id = (SELECT s.snapshot_id FROM snapshot s
  WHERE s.process_id = z.process_id AND s.state = 'complete' AND s.mappings IS NOT NULL
    AND CASE WHEN :dialect IS NULL THEN s.preferred ELSE s.dialect = :dialect END
  ORDER BY s.taken_ms LIMIT 1)
ORDER BY z.mappings DESC, n.name, p.pid, p.process_id;
