-- name:   who-events
-- title:  Calls of mmap, munmap, brk, mremap, mprotect that perf recorded, in their order
-- param:  process  process  only  NAME, PID, NAME/PID or @ID; may be left out where there is one name
-- param:  from     snapshot first The older snapshot
-- param:  to       snapshot last  The newer snapshot
-- param:  dialect  text     ""    Only captures of this dialect; else, for each moment, the one with most fields
-- param:  lineages text     ""    A JSON array of lineage ids; else all that the process has
-- param:  since    time     ""    Only calls from then on: a time, -1h before the newest snapshot, now-7d
-- param:  until    time     ""    Only calls up to then
-- column: at           time     When the call ended, UTC; empty: unknown
-- column: clock_s      text     The same on perf's clock, seconds
-- column: tid          int      Thread
-- column: comm         text     Its name, the last that it went by
-- column: call         text     mmap, munmap, brk, mremap or mprotect
-- column: parameters   text     In words
-- column: ret          text     An address, 0, or the error's name; empty: its exit was not recorded
-- column: took_us      int      How long it was in the kernel, microseconds
-- column: stack        text     The chain of calls, innermost first
-- column: recording_id int      Which recording shows it
-- column: call_id      int      Which call of the store it is
-- column: stack_id     int      Its stack
-- column: process_id   process  The process: one life of the pid
-- table:  at tid comm call parameters ret stack
-- empty:  no recorded calls
--
-- With lineages, only calls whose addresses lie where the lineages are in one of the two snapshots:
-- the range that was mapped, unmapped, moved or protected, or the end that a brk set. Without since
-- and until, all calls of the recordings.
WITH RECURSIVE scope AS (
  SELECT process_id FROM process
  WHERE process_id = :process OR (:process IS NULL AND name_id = :name_id)
),
side AS (
  -- the snapshots of the moments of :from (newer: 0) and :to (1); a sweep takes less than an hour
  SELECT s.snapshot_id, s.process_id
  FROM (SELECT 0 AS newer, :from AS id UNION ALL SELECT 1, :to) d
  CROSS JOIN snapshot m ON m.snapshot_id = d.id
  CROSS JOIN process p ON p.process_id = :process OR (:process IS NULL AND p.name_id = :name_id)
  CROSS JOIN snapshot s ON s.process_id = p.process_id
    AND s.taken_ms BETWEEN m.moment_ms AND m.moment_ms + 3600000
  WHERE s.moment_ms = m.moment_ms
    AND CASE WHEN s.process_id = m.process_id THEN s.snapshot_id = m.snapshot_id
      WHEN :dialect IS NULL THEN s.preferred ELSE s.dialect = :dialect END
),
place AS (
  -- the places of the lineages at both moments; with a condition on m alone, SQLite would read all
  -- regions to build a Bloom filter
  SELECT d.process_id, m.start, m.end - m.start AS length
  FROM (SELECT DISTINCT snapshot_id, process_id FROM side) d
  CROSS JOIN mappings m ON m.snapshot_id = d.snapshot_id
  WHERE m.lineage_id + 0 * d.snapshot_id IN (SELECT value FROM json_each(:lineages))
),
span AS (
  -- the places, and the ranges of the calls
  SELECT process_id, NULL AS call_id, start, length FROM place
  UNION ALL
  SELECT k.process_id, c.call_id,
    CASE WHEN b.back = 0 AND c.kind <> 0 AND c.kind <> 2 THEN c.a0 WHEN c.kind = 2 THEN c.ret - 1 ELSE c.ret END,
    CASE WHEN b.back = 1 THEN c.a2 WHEN c.kind = 2 THEN 1 ELSE c.a1 END
  FROM scope k
  CROSS JOIN traced_process t ON t.process_id = k.process_id
  CROSS JOIN thread h ON h.traced_process_id = t.traced_process_id
  CROSS JOIN call c ON c.thread_id = h.thread_id
  CROSS JOIN (SELECT 0 AS back UNION ALL SELECT 1) b ON b.back = 0 OR c.kind = 3
),
near AS (
  -- reached: the highest end of the places that begin at or before the range; next: the place that
  -- begins at or after it
  SELECT *,
    max(CASE WHEN call_id IS NULL THEN start + length END) OVER (PARTITION BY process_id ORDER BY start) AS reached,
    min(CASE WHEN call_id IS NULL THEN start END) OVER (PARTITION BY process_id ORDER BY start DESC) AS next
  FROM span
  WHERE start > 0 AND length > 0
),
picked AS (
  SELECT c.call_id, c.stack_id, t.offset_ns, coalesce(c.end_ns, c.begin_ns) AS clock_ns
  FROM scope k
  CROSS JOIN traced_process t ON t.process_id = k.process_id
  CROSS JOIN thread h ON h.traced_process_id = t.traced_process_id
  CROSS JOIN call c ON c.thread_id = h.thread_id
  WHERE (:since IS NULL OR coalesce(c.end_ns, c.begin_ns) + t.offset_ns >= :since * 1000000)
    AND (:until IS NULL OR coalesce(c.end_ns, c.begin_ns) + t.offset_ns <= :until * 1000000)
    AND (:lineages IS NULL OR c.call_id IN (
      SELECT call_id FROM near WHERE reached > start OR next < start + length))
),
above (stack_id) AS (
  -- each stack of the chains, once
  SELECT stack_id FROM picked
  UNION
  SELECT s.caller_id FROM above a CROSS JOIN stack s ON s.stack_id = a.stack_id
),
place_in_code AS (
  SELECT f.frame_id,
    CASE WHEN f.symbol <> '' THEN f.symbol || CASE f.inlined WHEN 1 THEN ' (inlined)' ELSE '' END
      WHEN f.dso <> '' THEN '[' || replace(f.dso, rtrim(f.dso, replace(f.dso, '/', '')), '') || ']'
      ELSE '?' END AS word
  FROM (SELECT DISTINCT s.frame_id FROM above a CROSS JOIN stack s ON s.stack_id = a.stack_id) k
  CROSS JOIN frame f ON f.frame_id = k.frame_id
  LIMIT -1 -- makes SQLite materialize it and look up frames by an index
),
chains AS (
  -- walks each chain separately, from the innermost frame: one walk for all chains would keep every
  -- part of every chain
  SELECT k.stack_id,
    (WITH RECURSIVE up (n, frame_id, caller_id) AS (
        SELECT 0, s.frame_id, s.caller_id FROM stack s WHERE s.stack_id = k.stack_id
        UNION ALL
        SELECT u.n + 1, s.frame_id, s.caller_id
        FROM up u
        CROSS JOIN stack s ON s.stack_id = u.caller_id
        WHERE u.caller_id <> 0
      )
      SELECT group_concat(word, ' < ')
      FROM (
        SELECT f.word
        FROM up u
        CROSS JOIN place_in_code f ON f.frame_id = u.frame_id
        ORDER BY u.n
        LIMIT -1)) AS chain
  FROM (SELECT DISTINCT stack_id FROM picked) k
  LIMIT -1
)
SELECT strftime('%Y-%m-%dT%H:%M:%S', (k.clock_ns + k.offset_ns) / 1000000000, 'unixepoch')
    || printf('.%06dZ', (k.clock_ns + k.offset_ns) / 1000 % 1000000) AS at,
  printf('%d.%09d', k.clock_ns / 1000000000, k.clock_ns % 1000000000) AS clock_s,
  h.tid, h.comm,
  CASE c.kind WHEN 0 THEN 'mmap' WHEN 1 THEN 'munmap' WHEN 2 THEN 'brk' WHEN 3 THEN 'mremap'
    WHEN 4 THEN 'mprotect' END AS call,
  call_words(c.kind, c.a0, c.a1, c.a2, c.a3, c.a4, c.a5) AS parameters,
  CASE WHEN c.ret IS NOT NULL THEN coalesce(call_error(c.kind, c.ret),
    CASE c.ret WHEN 0 THEN '0' ELSE printf('0x%x', c.ret) END) END AS ret,
  (c.end_ns - c.begin_ns) / 1000 AS took_us, coalesce(u.chain, '(no chain)') AS stack,
  t.recording_id, c.call_id, c.stack_id, t.process_id
FROM picked k
CROSS JOIN call c ON c.call_id = k.call_id
CROSS JOIN thread h ON h.thread_id = c.thread_id
CROSS JOIN traced_process t ON t.traced_process_id = h.traced_process_id
LEFT JOIN chains u ON u.stack_id = k.stack_id
ORDER BY k.clock_ns + coalesce(k.offset_ns, 0), c.call_id;
