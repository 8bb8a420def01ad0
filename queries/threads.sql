-- name:   threads
-- title:  Thread stacks in one snapshot, by size, and the number of threads
-- param:  process    process  only NAME, PID, NAME/PID or @ID; may be left out where there is one name
-- param:  snapshot   snapshot last Which one: first, last, prev, @ID, a time, -2h
-- param:  stack-size kib      ""   Not by category: what has this size exactly, no name, may be read and written, as pmap-dotnet estimates
-- param:  dialect    text     ""   Only captures of this dialect; else, for each moment, the one with most fields
-- column: name           text    Name of the process
-- column: pid            int     Process id
-- column: stack_kib      kib     Size of one stack; unknown where there is none
-- column: stacks         count   Stacks of that size
-- column: size_kib       kib     Address space of these stacks: stacks x stack_kib
-- column: rss_kib        kib     Resident memory of these stacks
-- column: private_kib    kib     Private_Clean + Private_Dirty of these stacks
-- column: guard_kib      kib     Address space of the guards right below them
-- column: stacks_all     count   Stacks of the process, of all sizes
-- column: threads        count   Threads that a live capture counted; [stack] belongs to the first
-- column: difference     int     threads - 1 - stacks_all
-- column: why            text    What that usually means
-- column: process_id     process The process: one life of the pid
-- table:  name pid stack_kib stacks size_kib rss_kib guard_kib threads difference why
-- narrow: name pid stack_kib stacks rss_kib threads why
-- empty:  no thread stacks
--
-- A stack is a mapping of the category anonymous/thread-stack, which its neighbours and VmFlags
-- decide: see pmapdb explain anonymous/thread-stack. The stack of the first thread has the category
-- stack, and does not count. A process without any has a row that says so; a snapshot with sums
-- only has none.
--
-- glibc keeps the stacks of threads that ended, up to 40 MiB, for the next ones: more stacks than
-- threads are not an error. A Go program has threads and no stacks: they run on memory of its own
-- heap. The map is read first, the number of threads right after it, and a thread may begin or end
-- between the two. Stacks that the program maps itself, without a guard, are not known as such.
--
-- With stack-size the rule of pmap-dotnet decides instead: a stack has exactly that size, no name,
-- permissions rw?p and the VmFlags mr, mw and me; if a capture shows no VmFlags, they are not
-- checked. It counts any other mapping of that size as well.
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
),
piece AS (
  -- every mapping, with the size of a guard directly below it
  SELECT moment.process_id, m.snapshot_id, m.size_kib, m.rss_kib, m.private_kib,
    coalesce(CASE WHEN :stack_size IS NULL THEN m.category || '/' GLOB '*/thread-stack/*'
      ELSE m.size_kib = :stack_size AND m.path = '' AND m.perms GLOB 'rw?[p-]*'
        AND (m.flags IS NULL OR ' ' || m.flags || ' ' GLOB '* mr *'
          AND ' ' || m.flags || ' ' GLOB '* mw *' AND ' ' || m.flags || ' ' GLOB '* me *') END, 0)
      AS is_stack,
    m.start = 824633720832 AND m.path = '' AS is_go, -- 0xc000000000, where a Go heap begins
    CASE WHEN lag(m.end) OVER below = m.start AND lag(m.perms) OVER below GLOB '---*'
        AND lag(m.end - m.start) OVER below <= 1048576
      THEN lag(m.end - m.start) OVER below / 1024 ELSE 0 END AS guard_kib
  FROM moment
  CROSS JOIN mappings m ON m.snapshot_id = moment.snapshot_id
  WINDOW below AS (PARTITION BY m.snapshot_id ORDER BY m.start < 0, m.start, m.end)
),
kind AS (
  -- for each process, one row per size of stacks, and one row for all other mappings
  SELECT process_id, snapshot_id, is_stack, CASE WHEN is_stack THEN size_kib END AS stack_kib,
    count(*) AS mappings,
    CASE WHEN count(*) = count(size_kib) THEN sum(size_kib) END AS size_kib,
    CASE WHEN count(*) = count(rss_kib) THEN sum(rss_kib) END AS rss_kib,
    CASE WHEN count(*) = count(private_kib) THEN sum(private_kib) END AS private_kib,
    sum(guard_kib) AS guard_kib, max(is_go) AS is_go
  FROM piece
  GROUP BY process_id, snapshot_id, is_stack, stack_kib
),
whole AS (
  SELECT *, sum(is_stack * mappings) OVER process AS stacks, max(is_go) OVER process AS goes
  FROM kind
  WINDOW process AS (PARTITION BY snapshot_id)
)
SELECT n.name, p.pid, k.stack_kib, k.is_stack * k.mappings AS stacks,
  CASE WHEN k.is_stack THEN k.size_kib ELSE k.stacks END AS size_kib,
  CASE WHEN k.is_stack THEN k.rss_kib ELSE k.stacks END AS rss_kib,
  CASE WHEN k.is_stack THEN k.private_kib ELSE k.stacks END AS private_kib,
  CASE WHEN k.is_stack THEN k.guard_kib ELSE k.stacks END AS guard_kib,
  k.stacks AS stacks_all, g.threads, g.threads - 1 - k.stacks AS difference,
  CASE
    WHEN g.threads = 1 AND k.stacks = 0 THEN 'there is one thread'
    WHEN g.threads - 1 = k.stacks THEN 'each thread but the first has one'
    WHEN g.threads - 1 > k.stacks AND k.goes THEN 'Go runs its threads on memory of its heap'
    WHEN g.threads - 1 < k.stacks AND :stack_size IS NOT NULL
      THEN 'other memory has this size or stacks of ended threads are kept'
    WHEN g.threads - 1 < k.stacks THEN 'stacks of ended threads are kept for the next'
    WHEN g.threads - 1 > k.stacks AND :stack_size IS NOT NULL THEN 'threads with stacks of other sizes'
    WHEN g.threads - 2 > k.stacks THEN 'threads whose stacks are not known as such'
    WHEN g.threads - 1 > k.stacks THEN 'a thread began meanwhile or its stack is not known as such'
  END AS why,
  p.process_id
FROM whole k
CROSS JOIN process p ON p.process_id = k.process_id
CROSS JOIN name n ON n.name_id = p.name_id
LEFT JOIN live_reading g ON g.snapshot_id = k.snapshot_id
WHERE k.is_stack OR k.stacks = 0 -- a process without stacks shows its row for all other mappings
ORDER BY p.process_id, k.is_stack * k.mappings DESC, k.stack_kib;
