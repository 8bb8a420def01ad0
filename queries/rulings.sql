-- name:   rulings
-- title:  Which rule gave each mapping of one snapshot its category
-- param:  process  process  only NAME, PID, NAME/PID or @ID; may be left out where there is one name
-- param:  snapshot snapshot last Which one: first, last, prev, @ID, a time, -2h
-- param:  dialect  text     ""   Only captures of this dialect; else, for each moment, the one with most fields
-- column: start             address  First address
-- column: end               address  First address after it
-- column: size_kib          kib      Address space
-- column: rss_kib           kib      Resident
-- column: perms             text     rwx and p (private) or s (shared)
-- column: device            text     major:minor of the file system
-- column: flags             text     VmFlags
-- column: path              text     What is mapped; empty for anonymous memory
-- column: base              category What the mapping is before any rule
-- column: category          category Category
-- column: rule              text     The rule that gave the category; empty: none, it is the base
-- column: lineage_id        lineage  This mapping through time
-- column: first_at          time     The first snapshot that shows the lineage, UTC
-- column: first_id          snapshot snapshot_id of that snapshot
-- column: process_id        process  The process: one life of the pid
-- column: snapshot_id       snapshot The snapshot of the mapping
-- column: taken_at          time     When the snapshot was taken, UTC
-- column: name              text     Name of the process
-- column: pid               int      Process id
-- table:  start size_kib rss_kib perms base category rule path lineage_id first_at
--
-- Rules decide once in the life of a lineage, in the first of its captures that tell most about it;
-- the decision stays. pmapdb rules --explain says why this rule decided.
WITH moment AS (
  -- the snapshots of the moment of :snapshot; a sweep takes less than an hour
  SELECT s.snapshot_id, s.process_id, s.taken_at
  FROM snapshot m
  CROSS JOIN process p ON p.process_id = :process OR (:process IS NULL AND p.name_id = :name_id)
  CROSS JOIN snapshot s ON s.process_id = p.process_id
    AND s.taken_ms BETWEEN m.moment_ms AND m.moment_ms + 3600000
  WHERE m.snapshot_id = :snapshot AND s.moment_ms = m.moment_ms
    AND CASE WHEN s.process_id = m.process_id THEN s.snapshot_id = m.snapshot_id
      WHEN :dialect IS NULL THEN s.preferred ELSE s.dialect = :dialect END
)
SELECT m.start, m.end, m.size_kib, m.rss_kib, m.perms, m.device, m.flags, m.path, m.base, m.category,
  coalesce(l.rule, '') AS rule, m.lineage_id, f.taken_at AS first_at, f.snapshot_id AS first_id, moment.process_id,
  moment.snapshot_id, moment.taken_at, n.name, p.pid
FROM moment
CROSS JOIN process p ON p.process_id = moment.process_id
CROSS JOIN name n ON n.name_id = p.name_id
CROSS JOIN mappings m ON m.snapshot_id = moment.snapshot_id
CROSS JOIN lineage l ON l.lineage_id = m.lineage_id
CROSS JOIN snapshot f ON f.snapshot_id = l.first_snapshot_id
ORDER BY moment.process_id, m.start < 0, m.start;
