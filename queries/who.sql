-- name:   who
-- title:  Who allocated what grew between two snapshots: call stacks that perf recorded
-- param:  process  process  only  NAME, PID, NAME/PID or @ID; may be left out where there is one name
-- param:  from     snapshot first The older snapshot
-- param:  to       snapshot last  The newer snapshot
-- param:  dialect  text     ""    Only captures of this dialect; else, for each moment, the one with most fields
-- param:  lineages text     ""    A JSON array of lineage ids; else all that the process has
-- param:  by       text     stack One of stack, function: a row per chain of calls, or per function that is not an allocator
-- param:  form     text     chain One of chain, short, folded: main < start; down to main; start;main as flame graphs want it
-- column: growth_kib  kib      What its calls left mapped there, newer - older
-- column: share       ratio    Share of the growth of all
-- column: live_kib    kib      Of what it called for, mapped there in the newer snapshot
-- column: allocations count    Ranges there that came by its calls between the two
-- column: frees       count    Those of its ranges there that went between the two
-- column: stack       text     The chain of calls, innermost first
-- column: function    text     Its innermost function that is not an allocator's; empty: unknown
-- column: kind        text     stack; older: freed, and mapped before the recording; rest: not covered
-- column: recordings  text     recording_id of the recordings that show it
-- column: stack_id    int      One of its stacks
-- column: name        text     Name of the process
-- column: pid         int      Process id
-- column: process_id  process  The process: one life of the pid
-- table:  growth_kib share live_kib allocations frees stack
-- empty:  no stacks: pmapdb import-perf --help says how to record
--
-- At the moment of a snapshot, the recording says which call mapped each live range (table extent).
-- The part of a range inside the mappings of the lineages counts for the stack of its call: its
-- growth is what it has in the newer snapshot minus what it had in the older one, so memory that
-- was freed is subtracted. Growth that stacks do not explain has rows of its own: memory that was
-- mapped before the recording and freed during it (extents without born_ns), and the rest, which is
-- not covered. The rows of a process add up exactly to the growth of the lineages' size. If a range is
-- cut, each remaining piece counts as another range that came. The moment of a snapshot is the time
-- when its map was read, on the recording's clock; it may be wrong by the recording's slack. Ranges
-- that were live when a recording ended count as live from then on, as long as something is mapped
-- there. Several recordings add up; if two disagree on who mapped an address, the one that began
-- later is believed.
WITH RECURSIVE shown AS (
  -- the snapshots of the moments of :from (newer: 0) and :to (1); a sweep takes less than an hour
  SELECT d.newer, s.snapshot_id, s.process_id, s.taken_ms
  FROM (SELECT 0 AS newer, :from AS id UNION ALL SELECT 1, :to) d
  CROSS JOIN snapshot m ON m.snapshot_id = d.id
  CROSS JOIN process p ON p.process_id = :process OR (:process IS NULL AND p.name_id = :name_id)
  CROSS JOIN snapshot s ON s.process_id = p.process_id
    AND s.taken_ms BETWEEN m.moment_ms AND m.moment_ms + 3600000
  WHERE s.moment_ms = m.moment_ms
    AND CASE WHEN s.process_id = m.process_id THEN s.snapshot_id = m.snapshot_id
      WHEN :dialect IS NULL THEN s.preferred ELSE s.dialect = :dialect END
),
side AS (
  -- a live capture knows, on the kind of clock that perf uses, when it had finished reading the map
  SELECT d.newer, d.snapshot_id, d.process_id,
    coalesce(p.clock_utc_ms * 1000000 - p.clock_mono_ns + g.mono_ns + g.read_us * 1000,
      d.taken_ms * 1000000) AS utc_ns
  FROM shown d
  CROSS JOIN process p ON p.process_id = d.process_id
  LEFT JOIN live_reading g ON g.snapshot_id = d.snapshot_id
),
place AS (
  -- the places of the lineages. Two hints keep SQLite from reading all snapshots or regions to
  -- build a Bloom filter: unlikely() says that the snapshots are few, and the condition on lineages
  -- is not on m alone.
  SELECT d.newer, d.process_id, m.start, m.end - m.start AS length, m.size_kib
  FROM side d
  CROSS JOIN mappings m ON m.snapshot_id = d.snapshot_id
  WHERE unlikely(d.snapshot_id > 0) AND (:lineages IS NULL
    OR m.lineage_id + 0 * d.snapshot_id IN (SELECT value FROM json_each(:lineages)))
),
growth AS (
  SELECT process_id, sum(CASE newer WHEN 1 THEN size_kib ELSE -size_kib END) AS kib
  FROM place
  GROUP BY process_id
),
recorded AS (
  -- the recordings of the processes, numbered by the time when they began; from_ns and to_ns: the
  -- two moments on a recording's clock
  SELECT t.traced_process_id, t.recording_id, t.process_id,
    row_number() OVER (PARTITION BY t.process_id
      ORDER BY r.first_ns + t.offset_ns, t.traced_process_id) AS nth,
    coalesce(d.from_ns - t.offset_ns, -9000000000000000000) AS from_ns,
    coalesce(d.to_ns - t.offset_ns, 9000000000000000000) AS to_ns,
    min(r.first_ns + t.offset_ns) OVER later - t.offset_ns AS later_first_ns,
    max(r.last_ns + t.offset_ns) OVER later - t.offset_ns AS later_last_ns
  FROM (
    SELECT process_id, max(CASE newer WHEN 0 THEN utc_ns END) AS from_ns,
      max(CASE newer WHEN 1 THEN utc_ns END) AS to_ns
    FROM side
    GROUP BY process_id
  ) d
  CROSS JOIN traced_process t ON t.process_id = d.process_id
  CROSS JOIN recording r ON r.recording_id = t.recording_id
  WHERE t.offset_ns IS NOT NULL
  WINDOW later AS (PARTITION BY t.process_id ORDER BY r.first_ns + t.offset_ns, t.traced_process_id
    ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING)
),
held AS (
  -- the ranges that are live at one of the moments; live extents of one recording never share a
  -- start
  SELECT r.process_id, r.nth, e.start, e.length, e.call_id,
    e.born_ns <= r.from_ns AND coalesce(e.died_ns > r.from_ns, 1) AS then_,
    e.born_ns <= r.to_ns AND coalesce(e.died_ns > r.to_ns, 1) AS now_
  FROM recorded r
  CROSS JOIN extent e ON e.traced_process_id = r.traced_process_id AND e.born_ns <= r.to_ns
  WHERE coalesce(e.died_ns > r.from_ns, 1)
    AND (e.born_ns <= r.from_ns OR coalesce(e.died_ns > r.to_ns, 1))
),
live AS (
  SELECT m.newer, h.process_id, h.nth, h.start, h.length, h.call_id
  FROM held h
  CROSS JOIN (SELECT 0 AS newer UNION ALL SELECT 1) m
  WHERE CASE m.newer WHEN 1 THEN h.now_ ELSE h.then_ END
),
freed AS (
  -- ranges that were unmapped although their recording had not seen them mapped; before: unmapped
  -- before the moment, otherwise after it
  SELECT m.newer, r.process_id, r.nth, f.start, f.length,
    f.died_ns <= CASE m.newer WHEN 1 THEN r.to_ns ELSE r.from_ns END AS before
  FROM recorded r
  CROSS JOIN extent f ON f.traced_process_id = r.traced_process_id AND f.born_ns IS NULL
    AND f.died_ns <= r.to_ns
  CROSS JOIN (SELECT 0 AS newer UNION ALL SELECT 1) m
),
layer AS (
  -- For each recording, a walk through the addresses: the lineages (place), the recording's live
  -- ranges (own), and the addresses that a later recording accounts for (hidden). Number 0 stands
  -- for memory that was freed between the moments and that no recording saw being mapped; live
  -- ranges of all recordings hide it.
  SELECT t.newer, t.process_id, r.nth, t.start, t.length, t.nth IS NULL AS place,
    CASE WHEN r.nth > 0 THEN t.nth = r.nth AND t.live ELSE NOT t.newer AND t.freed = 0 END IS 1 AS own,
    CASE WHEN r.nth > 0 THEN t.nth > r.nth AND (t.live OR t.freed) ELSE NOT t.newer AND t.live
      END IS 1 AS hidden
  FROM (SELECT process_id, nth FROM recorded UNION SELECT process_id, 0 FROM recorded) r
  CROSS JOIN (
    SELECT newer, process_id, NULL AS nth, start, length, 0 AS live, NULL AS freed FROM place
    UNION ALL
    SELECT newer, process_id, nth, start, length, 1, NULL FROM live
    UNION ALL
    SELECT newer, process_id, nth, start, length, 0, before FROM freed
  ) t ON t.process_id = r.process_id
),
edge AS (
  -- the edges of each range: where it begins, and where it ends
  SELECT l.newer, l.process_id, l.nth, l.start + l.length * (b.sign < 0) AS at, b.sign * l.place AS place,
    b.sign * l.own AS own, b.sign * l.hidden AS hidden,
    CASE WHEN b.sign > 0 AND l.own AND l.nth > 0 THEN l.start END AS mine
  FROM layer l
  CROSS JOIN (SELECT 1 AS sign UNION ALL SELECT -1) b
),
piece AS (
  -- mine: the start of the extent that began last, which is the current one
  SELECT newer, process_id, nth, lead(at) OVER walk - at AS length, sum(place) OVER walk AS place,
    sum(own) OVER walk AS own, sum(hidden) OVER walk AS hidden, max(mine) OVER walk AS mine
  FROM edge
  WINDOW walk AS (PARTITION BY process_id, newer, nth ORDER BY at ROWS UNBOUNDED PRECEDING)
),
had AS (
  SELECT newer, process_id, nth, mine, sum(length) AS bytes
  FROM piece
  WHERE length > 0 AND place > 0 AND own > 0 AND hidden = 0
  GROUP BY newer, process_id, nth, mine
),
churn AS (
  -- ranges that came or went between the moments; if a later recording saw them too, only that
  -- recording counts them
  SELECT r.process_id, r.recording_id, c.stack_id, e.start, e.length,
    e.born_ns > r.from_ns AND (e.born_ns NOT BETWEEN r.later_first_ns AND r.later_last_ns) IS NOT 0 AS born,
    e.died_ns <= r.to_ns AND (e.died_ns NOT BETWEEN r.later_first_ns AND r.later_last_ns) IS NOT 0 AS died
  FROM recorded r
  CROSS JOIN extent e ON e.traced_process_id = r.traced_process_id AND e.born_ns <= r.to_ns
  CROSS JOIN call c ON c.call_id = e.call_id
  WHERE coalesce(e.died_ns > r.from_ns, 1) AND (e.born_ns > r.from_ns OR e.died_ns <= r.to_ns)
),
near AS (
  -- reached: the highest end of the places that begin at or before the range; next: the place that
  -- begins at or after it
  SELECT *,
    max(CASE WHEN recording_id IS NULL THEN start + length END) OVER (PARTITION BY process_id ORDER BY start) AS reached,
    min(CASE WHEN recording_id IS NULL THEN start END) OVER (PARTITION BY process_id ORDER BY start DESC) AS next
  FROM (
    SELECT process_id, NULL AS recording_id, NULL AS stack_id, start, length, 0 AS born, 0 AS died FROM place
    UNION ALL
    SELECT * FROM churn)
),
turnover AS (
  -- the churn in the places of the lineages
  SELECT process_id, recording_id, stack_id, coalesce(sum(born), 0) AS born, coalesce(sum(died), 0) AS died
  FROM near
  WHERE recording_id IS NOT NULL AND (reached > start OR next < start + length)
  GROUP BY process_id, recording_id, stack_id
),
called AS (
  -- the numbers of each stack, in pieces; without a stack: memory that was freed, and that no
  -- recording saw being mapped
  SELECT h.process_id, r.recording_id, c.stack_id, h.nth = 0 AS older,
    CASE WHEN h.newer AND h.nth > 0 THEN h.bytes ELSE -h.bytes END AS growth,
    CASE h.newer WHEN 1 THEN h.bytes ELSE 0 END AS live, 0 AS allocations, 0 AS frees
  FROM had h
  LEFT JOIN live l ON l.newer = h.newer AND l.process_id = h.process_id AND l.nth = h.nth
    AND l.start = h.mine
  LEFT JOIN recorded r ON r.process_id = h.process_id AND r.nth = h.nth
  LEFT JOIN call c ON c.call_id = l.call_id
  UNION ALL
  SELECT process_id, recording_id, stack_id, 0, 0, 0, born, died FROM turnover
),
plumbing (symbol) AS (
  -- functions that allocate for their callers, and that their library does not identify because
  -- they are inlined or linked statically
  VALUES ('mmap'), ('mmap64'), ('mremap'), ('brk'), ('sbrk'), ('__mmap*'), ('__mremap*'), ('__brk*'),
    ('__sbrk*'), ('__GI_*'), ('malloc'), ('calloc'), ('realloc'), ('reallocarray'), ('memalign'),
    ('aligned_alloc'), ('posix_memalign'), ('valloc'), ('__libc_*alloc*'), ('__minimal_*'),
    ('_int_*'), ('_mid_memalign*'), ('sysmalloc*'), ('*morecore'), ('tcache_*'), ('arena_get*'),
    ('new_heap'), ('grow_heap'), ('allocate_stack*'), ('*pthread_create*'), ('xmalloc'),
    ('xcalloc'), ('xrealloc'), ('g_malloc*'), ('g_realloc*'), ('g_slice_*'), -- C
    ('operator new*'), ('std::*'), ('__gnu_cxx::*'), -- C++
    ('je_*'), ('tcmalloc::*'), ('tc_*'), ('mi_*'), ('_mi_*'), -- allocators
    ('alloc::*'), ('__rust_*'), ('__rdl_*'), ('__rg_*'), ('hashbrown::*'), ('runtime.*'), -- Rust, Go
    ('PyMem_*'), ('_PyMem_*'), ('PyObject_*alloc'), ('_PyObject_*'), ('new_arena'), -- Python
    ('os::*'), ('AllocateHeap*'), ('Unsafe_AllocateMemory*') -- the JVM
),
library (dso) AS (
  VALUES ('*/libc.so*'), ('*/libc-2.*'), ('*/ld-linux*'), ('*/ld-2.*'), ('*/ld-musl*'),
    ('*/libpthread*'), ('*/libstdc++*'), ('*/libc++*'), ('*/libjemalloc*'), ('*/libtcmalloc*'),
    ('*/libmimalloc*')
),
start (symbol) AS (
  -- what calls main, and the first function of a thread
  VALUES ('_start'), ('__libc_start*'), ('start_thread'), ('clone'), ('clone3'), ('__clone*'),
    ('__GI___clone*'), ('thread_start'), ('_dl_start*')
),
above (stack_id) AS (
  -- each stack of the chains, once
  SELECT stack_id FROM called
  UNION
  SELECT s.caller_id FROM above a CROSS JOIN stack s ON s.stack_id = a.stack_id
),
place_in_code AS (
  SELECT f.frame_id,
    CASE WHEN :form = 'short' AND (EXISTS (SELECT 1 FROM start b WHERE f.symbol GLOB b.symbol)
        OR f.inlined AND EXISTS (SELECT 1 FROM plumbing p WHERE f.symbol GLOB p.symbol)) THEN NULL
      WHEN f.symbol <> '' THEN f.symbol || CASE WHEN NOT f.inlined THEN ''
        WHEN :form = 'folded' THEN '_[i]' ELSE ' (inlined)' END
      WHEN f.dso <> '' THEN '[' || replace(f.dso, rtrim(f.dso, replace(f.dso, '/', '')), '') || ']'
      ELSE '?' END AS word,
    CASE WHEN EXISTS (SELECT 1 FROM plumbing p WHERE f.symbol GLOB p.symbol)
        OR EXISTS (SELECT 1 FROM library l WHERE f.dso GLOB l.dso)
        OR f.symbol = '' AND f.dso = '' THEN NULL
      WHEN f.symbol <> '' THEN f.symbol
      ELSE '[' || replace(f.dso, rtrim(f.dso, replace(f.dso, '/', '')), '') || ']' END AS function
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
      SELECT CASE :form WHEN 'folded' THEN group_concat(replace(word, ';', ':'), ';')
        ELSE group_concat(word, ' < ') END
      FROM (
        SELECT f.word
        FROM up u
        CROSS JOIN place_in_code f ON f.frame_id = u.frame_id
        ORDER BY CASE :form WHEN 'folded' THEN -u.n ELSE u.n END
        LIMIT -1)) AS chain,
    (WITH RECURSIVE up (n, frame_id, caller_id) AS (
        SELECT 0, s.frame_id, s.caller_id FROM stack s WHERE s.stack_id = k.stack_id
        UNION ALL
        SELECT u.n + 1, s.frame_id, s.caller_id
        FROM up u
        CROSS JOIN stack s ON s.stack_id = u.caller_id
        WHERE u.caller_id <> 0
      )
      SELECT f.function
      FROM up u
      CROSS JOIN place_in_code f ON f.frame_id = u.frame_id
      WHERE f.function IS NOT NULL
      ORDER BY u.n
      LIMIT 1) AS function
  FROM (SELECT DISTINCT stack_id FROM called WHERE stack_id IS NOT NULL) k
  LIMIT -1
),
told AS (
  SELECT k.process_id, CASE WHEN k.older THEN '(freed, mapped before the recording)'
      WHEN :by = 'function' THEN coalesce(u.function, '?')
      ELSE coalesce(u.chain, '(no chain)') END AS stack,
    CASE WHEN k.older THEN 'older' ELSE 'stack' END AS kind,
    max(u.function) AS function, group_concat(DISTINCT k.recording_id) AS recordings,
    min(k.stack_id) AS stack_id, sum(k.growth) / 1024 AS growth_kib,
    CASE WHEN NOT k.older THEN sum(k.live) / 1024 END AS live_kib,
    CASE WHEN NOT k.older THEN sum(k.allocations) END AS allocations,
    CASE WHEN NOT k.older THEN sum(k.frees) END AS frees
  FROM called k
  LEFT JOIN chains u ON u.stack_id = k.stack_id
  GROUP BY k.process_id, 2, k.older
  UNION ALL
  SELECT process_id, '(not covered by a recording)', 'rest', NULL, NULL, NULL, kib, NULL, NULL, NULL
  FROM growth
),
whole AS (
  -- the row `rest` holds the full growth so far; subtracts the growth of the other rows from it
  SELECT process_id, stack, kind, function, recordings, stack_id, live_kib, allocations, frees,
    CASE kind WHEN 'rest' THEN 2 * growth_kib - sum(growth_kib) OVER (PARTITION BY process_id)
      ELSE growth_kib END AS growth_kib,
    sum(CASE kind WHEN 'rest' THEN growth_kib END) OVER () AS all_kib
  FROM told
)
SELECT w.growth_kib, 1.0 * w.growth_kib / nullif(w.all_kib, 0) + 0.0 AS share,
  w.live_kib, w.allocations, w.frees, w.stack, w.function, w.kind, w.recordings, w.stack_id,
  n.name, p.pid, w.process_id
FROM whole w
CROSS JOIN process p ON p.process_id = w.process_id
CROSS JOIN name n ON n.name_id = p.name_id
WHERE w.kind = 'stack' OR w.growth_kib <> 0
ORDER BY w.kind = 'stack' DESC, w.growth_kib DESC, w.live_kib DESC, w.allocations DESC, w.kind,
  w.stack, w.process_id;
