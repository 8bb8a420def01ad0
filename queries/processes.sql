-- name:   processes
-- title:  The processes in the store
-- param:  process process "" NAME, PID, NAME/PID or @ID
-- param:  user    text    "" Only processes of this user, as live captures saw them
-- column: process_id process One life of one pid; for --process as @ID
-- column: host       text    Where; empty when unknown
-- column: pid        int     Process id
-- column: name       text    Name that survives restarts
-- column: command    text    Command line of its earliest capture that shows one
-- column: first_at   time    Its first snapshot, UTC
-- column: last_at    time    Its last snapshot, UTC
-- column: snapshots  count   How many there are
-- column: size_kib   kib     Address space in the last one
-- column: rss_kib    kib     Resident in the last one; VmRSS where a live capture read maps only
-- column: boot_id    text    Which boot of the host, of a process that was captured live
-- column: user       text    Who ran it, of a process that was captured live
-- column: ended_at   time    last_at of a process that has ended: captures went on without it
-- table:  process_id host pid name command first_at last_at ended_at snapshots size_kib rss_kib
-- narrow: process_id pid name last_at snapshots rss_kib
--
SELECT p.process_id, p.host, p.pid, p.name, p.command, p.first_at, p.last_at, p.snapshots, p.size_kib,
  p.rss_kib, p.boot_id, coalesce(l.user, l.uid) AS user, p.ended_at
FROM processes p
LEFT JOIN live_reading r ON r.snapshot_id = (SELECT snapshot_id FROM snapshot s
  WHERE s.process_id = p.process_id AND s.preferred ORDER BY taken_ms DESC LIMIT 1)
LEFT JOIN live_process l ON l.live_process_id = r.live_process_id
WHERE (:process IS NULL OR p.process_id = :process)
  AND (:name_id IS NULL OR p.process_id IN (SELECT process_id FROM process WHERE name_id = :name_id))
  AND (:user IS NULL OR :user IN (l.user, l.uid || ''))
ORDER BY p.host, p.name, first_at, p.pid, p.process_id;
