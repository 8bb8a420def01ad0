-- name:   rss-check
-- title:  Snapshots whose resident memory is not what the capture itself claims
-- param:  process process "" Only this NAME, PID, NAME/PID or @ID
-- param:  dialect text    "" Only captures of this dialect
-- param:  least   kib     1  Leave out smaller differences
-- column: snapshot_id  snapshot For --snapshot as @ID
-- column: taken_at     time     When it was taken, UTC
-- column: host         text     Where; empty when unknown
-- column: name         text     Name of the process
-- column: pid          int      Process id
-- column: dialect      text     The tool that printed it
-- column: state        text     complete, partial (rows are missing)
-- column: checked      text     What the sums were proved against
-- column: rss_kib      kib      The sum over its mappings
-- column: tool_rss_kib kib      What the capture claims: footer, VmRSS, rollup
-- column: off_kib      kib      rss_kib - tool_rss_kib
-- column: off_share    ratio    Part of what the capture claims
-- column: process_id   process  The process: one life of the pid
-- table:  snapshot_id taken_at name pid dialect state checked rss_kib tool_rss_kib off_kib off_share
-- narrow: snapshot_id name pid rss_kib tool_rss_kib off_kib off_share
-- empty:  no live captures
--
-- Largest difference first. VmRSS of a live process is read right after its map, and memory changes
-- meanwhile; kernels before 6.2 also keep VmRSS only roughly, off by up to 64 pages per thread. If
-- a footer differs from its rows, the capture was cut, or comes from a tool that is known to add up
-- differently.
SELECT s.snapshot_id, s.taken_at, h.name AS host, n.name, p.pid, s.dialect, s.state, s.checked,
  s.rss_kib, s.tool_rss_kib, s.rss_kib - s.tool_rss_kib AS off_kib,
  1.0 * (s.rss_kib - s.tool_rss_kib) / nullif(s.tool_rss_kib, 0) AS off_share, s.process_id
FROM process p
CROSS JOIN snapshot s ON s.process_id = p.process_id
JOIN name n ON n.name_id = p.name_id
LEFT JOIN host h ON h.host_id = p.host_id
WHERE (:process IS NULL OR p.process_id = :process) AND (:name_id IS NULL OR p.name_id = :name_id)
  AND (:dialect IS NULL OR s.dialect = :dialect)
  AND abs(s.rss_kib - s.tool_rss_kib) >= max(:least, 1)
ORDER BY abs(s.rss_kib - s.tool_rss_kib) DESC, s.taken_ms, s.snapshot_id;
