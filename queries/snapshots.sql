-- name:   snapshots
-- title:  The snapshots in the store
-- param:  process process "" NAME, PID, NAME/PID or @ID
-- param:  dialect text    "" Only captures of this dialect
-- param:  state   text    "" Only complete, partial or totals
-- param:  since   time    "" Only snapshots from then on: a time, -7d before the newest snapshot, now-7d
-- param:  until   time    "" Only snapshots up to then
-- column: snapshot_id       snapshot For --from, --to, --snapshot as @ID
-- column: taken_at          time     When it was taken, UTC
-- column: host              text     Where; empty when unknown
-- column: name              text     Name of the process
-- column: pid               int      Process id
-- column: dialect           text     The tool that printed it
-- column: state             text     complete, partial (rows are missing), totals (only sums)
-- column: checked           text     What the sums were proved against
-- column: mappings          count    Number of mappings
-- column: size_kib          kib      Address space
-- column: rss_kib           kib      Resident
-- column: pss_kib           kib      Proportional share of the resident
-- column: private_kib       kib      Private_Clean + Private_Dirty
-- column: private_dirty_kib kib      Private_Dirty
-- column: swap_kib          kib      Swapped out
-- column: source            text     File or archive member it was read from; /proc: live
-- column: process_id        process  The process: one life of the pid
-- table:  snapshot_id taken_at name pid dialect state checked mappings size_kib rss_kib pss_kib private_kib source
-- narrow: snapshot_id taken_at name pid state rss_kib
-- order:  time
--
-- A template for queries of your own: one statement, read-only, every column declared. :process is
-- the process_id, or NULL if a name was given; :name_id is then the id of that name.
SELECT s.snapshot_id, s.taken_at, h.name AS host, n.name, p.pid, s.dialect, s.state, s.checked,
  s.mappings, s.size_kib, s.rss_kib, s.pss_kib, s.private_kib, s.private_dirty_kib, s.swap_kib,
  -- A subquery and not a join: with statistics from a time with one capture, a join would read all
  -- captures.
  (SELECT (SELECT o.folder || coalesce(replace(o.file, '*', c.number), o.file) FROM origin o
      WHERE o.origin_id = c.origin_id)
    FROM capture c WHERE c.capture_id = s.capture_id) AS source,
  s.process_id
FROM process p
JOIN name n ON n.name_id = p.name_id
LEFT JOIN host h ON h.host_id = p.host_id
CROSS JOIN snapshot s ON s.process_id = p.process_id
WHERE (:process IS NULL OR p.process_id = :process)
  AND (:name_id IS NULL OR p.name_id = :name_id)
  AND (:dialect IS NULL OR s.dialect = :dialect)
  AND (:state IS NULL OR s.state = :state)
  AND s.taken_ms BETWEEN coalesce(:since, s.taken_ms) AND coalesce(:until, s.taken_ms)
ORDER BY s.taken_ms, n.name, p.pid, s.dialect, s.ordinal;
