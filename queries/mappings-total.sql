-- name:   mappings-total
-- title:  The stored totals of the snapshot whose mappings are shown
-- param:  process  process  only NAME, PID, NAME/PID or @ID; may be left out where there is one name
-- param:  snapshot snapshot last Which one: first, last, prev, @ID, a time, -2h
-- param:  dialect  text     ""   Only captures of this dialect; else, for each moment, the one with most fields
-- column: snapshot_id       snapshot Unknown where several processes are summed
-- column: state             text     complete, partial, totals: that of its least complete capture
-- column: mappings          count    Number of mappings
-- column: size_kib          kib      Address space
-- column: rss_kib           kib      Resident
-- column: pss_kib           kib      Proportional share of the resident
-- column: private_kib       kib      Private_Clean + Private_Dirty
-- column: private_dirty_kib kib      Private_Dirty
-- column: swap_kib          kib      Swapped out
-- column: processes         count    Processes summed
-- column: partial           text     What is missing, where a capture is partial
--
-- The sums that were added up while the capture was read, or for state totals the sums that it
-- gave: then the number of mappings is unknown. In alphabetical order, the names of the states go
-- from the most to the least complete.
WITH moment AS (
  -- the snapshots of the moment of :snapshot; a sweep takes less than an hour
  SELECT s.snapshot_id, s.process_id
  FROM snapshot m
  CROSS JOIN process p ON p.process_id = :process OR (:process IS NULL AND p.name_id = :name_id)
  CROSS JOIN snapshot s ON s.process_id = p.process_id
    AND s.taken_ms BETWEEN m.moment_ms AND m.moment_ms + 3600000
  WHERE m.snapshot_id = :snapshot AND s.moment_ms = m.moment_ms
    AND CASE WHEN s.process_id = m.process_id THEN s.snapshot_id = m.snapshot_id
      WHEN :dialect IS NULL THEN s.preferred ELSE s.dialect = :dialect END
)
SELECT CASE count(*) WHEN 1 THEN max(s.snapshot_id) END AS snapshot_id, max(s.state) AS state,
  CASE WHEN count(*) = count(s.mappings) THEN sum(s.mappings) END AS mappings,
  CASE WHEN count(*) = count(s.size_kib) THEN sum(s.size_kib) END AS size_kib,
  CASE WHEN count(*) = count(s.rss_kib) THEN sum(s.rss_kib) END AS rss_kib,
  CASE WHEN count(*) = count(s.pss_kib) THEN sum(s.pss_kib) END AS pss_kib,
  CASE WHEN count(*) = count(s.private_kib) THEN sum(s.private_kib) END AS private_kib,
  CASE WHEN count(*) = count(s.private_dirty_kib) THEN sum(s.private_dirty_kib) END AS private_dirty_kib,
  CASE WHEN count(*) = count(s.swap_kib) THEN sum(s.swap_kib) END AS swap_kib,
  count(DISTINCT s.process_id) AS processes,
  max(CASE s.state WHEN 'partial' THEN s.missing END) AS partial
FROM moment
CROSS JOIN snapshot s ON s.snapshot_id = moment.snapshot_id;
