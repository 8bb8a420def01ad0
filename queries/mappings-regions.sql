-- name:   mappings-regions
-- title:  What lies in regions of the address space, at one moment
-- param:  process   process  only NAME, PID, NAME/PID or @ID; may be left out where there is one name
-- param:  snapshot  snapshot last Which one: first, last, prev, @ID, a time, -2h
-- param:  regions   text     -    [[FIRST,LAST],...], decimal addresses; as mappings --regions FILE makes it
-- param:  skip-flag text     ""   ["dd",...]: leave out mappings with one of these VmFlags
-- param:  min-size  kib      0    Only mappings of at least this size
-- param:  category  category ""   Only this category; anonymous takes anonymous/... too
-- param:  depth     text     2    One of 1, 2: by the first word (anonymous), or as rules refine it (anonymous/thread-stack)
-- param:  dialect   text     ""   Only captures of this dialect; else, for each moment, the one with most fields
-- column: region             int      Number of the region, from 1
-- column: region_start       address  Its first address
-- column: region_end         address  First address after it
-- column: within             text     whole or part: the mapping lies in the region completely, or only in part
-- column: address            text     Its first address for a filter, 0x before it; unknown for a part
-- column: start              address  First address
-- column: end                address  First address after it
-- column: size_kib           kib      Address space
-- column: rss_kib            kib      Resident
-- column: pss_kib            kib      Proportional share of the resident
-- column: private_kib        kib      Private_Clean + Private_Dirty
-- column: private_dirty_kib  kib      Private_Dirty
-- column: swap_kib           kib      Swapped out
-- column: perms              text     rwx and p (private) or s (shared)
-- column: category           category Category
-- column: flags              text     VmFlags
-- column: path               text     What is mapped; empty for anonymous memory
-- column: lineage_id         lineage  This mapping through time
-- column: perms_text         text     perms in words
-- column: flags_text         text     VmFlags in words; those that are not known stay as they are
-- column: region_mappings    count    Mappings that lie in the region completely
-- column: region_parts       count    Mappings that lie in the region only in part
-- column: region_size_kib    kib      Sum over the mappings that lie in it completely, like the next columns
-- column: region_rss_kib     kib      Resident
-- column: region_pss_kib     kib      Proportional share of the resident
-- column: region_private_kib kib      Private_Clean + Private_Dirty
-- column: region_private_dirty_kib kib Private_Dirty
-- column: region_swap_kib    kib      Swapped out
-- column: pid                int      Process id
-- column: process_id         process  The process: one life of the pid
-- table:  region start size_kib rss_kib pss_kib private_kib swap_kib within perms category path region_mappings region_size_kib region_rss_kib
-- empty:  no mappings
--
-- A region without mappings has one row without a mapping. If only a part of a mapping lies in a
-- region, it is known how much of its address space lies inside, but not how much of its memory. A
-- mapping whose VmFlags are unknown is never left out. For a snapshot with sums only, nothing is
-- known.
WITH moment AS (
  -- the snapshots of the moment of :snapshot; a sweep takes less than an hour
  SELECT s.snapshot_id, s.process_id, s.state
  FROM snapshot m
  CROSS JOIN process p ON p.process_id = :process OR (:process IS NULL AND p.name_id = :name_id)
  CROSS JOIN snapshot s ON s.process_id = p.process_id
    AND s.taken_ms BETWEEN m.moment_ms AND m.moment_ms + 3600000
  WHERE m.snapshot_id = :snapshot AND s.moment_ms = m.moment_ms
    AND CASE WHEN s.process_id = m.process_id THEN s.snapshot_id = m.snapshot_id
      WHEN :dialect IS NULL THEN s.preferred ELSE s.dialect = :dialect END
),
area AS (
  -- addresses are unsigned, SQLite's integers are signed: strings of 16 digits compare correctly
  SELECT a.key + 1 AS region, json_extract(a.value, '$[0]') AS low,
    json_extract(a.value, '$[1]') AS high, printf('%016x', json_extract(a.value, '$[0]')) AS first,
    printf('%016x', json_extract(a.value, '$[1]')) AS last
  FROM json_each(:regions) a
),
laid AS (
  -- the mappings that may be shown; last is the last byte, because the end of the highest mapping
  -- is 0
  SELECT moment.process_id, printf('%016x', m.start) AS first, printf('%016x', m.end - 1) AS last,
    m.start, m.end, m.size_kib, m.rss_kib, m.pss_kib, m.private_kib, m.private_dirty_kib,
    m.swap_kib, m.perms, CASE :depth WHEN '1' THEN m.parent ELSE m.category END AS category,
    m.flags, m.path, m.lineage_id
  FROM moment
  CROSS JOIN mappings m ON m.snapshot_id = moment.snapshot_id
  WHERE coalesce(m.size_kib, 0) >= :min_size
    AND (:category IS NULL OR :category IN (m.category, m.parent))
    AND NOT EXISTS (SELECT 1 FROM json_each(:skip_flag) f
      WHERE instr(' ' || m.flags || ' ', ' ' || f.value || ' ') > 0)
),
found AS (
  SELECT a.region, a.low, a.high, l.*, l.first >= a.first AND l.last <= a.last AS whole
  FROM area a
  LEFT JOIN laid l ON l.first <= a.last AND l.last >= a.first
),
summed AS (
  SELECT f.*, coalesce(sum(f.whole) OVER w, 0) AS n, coalesce(sum(NOT f.whole) OVER w, 0) AS parts,
    sum(f.size_kib) FILTER (WHERE f.whole) OVER w AS size,
    count(f.size_kib) FILTER (WHERE f.whole) OVER w AS size_n,
    sum(f.rss_kib) FILTER (WHERE f.whole) OVER w AS rss,
    count(f.rss_kib) FILTER (WHERE f.whole) OVER w AS rss_n,
    sum(f.pss_kib) FILTER (WHERE f.whole) OVER w AS pss,
    count(f.pss_kib) FILTER (WHERE f.whole) OVER w AS pss_n,
    sum(f.private_kib) FILTER (WHERE f.whole) OVER w AS private,
    count(f.private_kib) FILTER (WHERE f.whole) OVER w AS private_n,
    sum(f.private_dirty_kib) FILTER (WHERE f.whole) OVER w AS private_dirty,
    count(f.private_dirty_kib) FILTER (WHERE f.whole) OVER w AS private_dirty_n,
    sum(f.swap_kib) FILTER (WHERE f.whole) OVER w AS swap,
    count(f.swap_kib) FILTER (WHERE f.whole) OVER w AS swap_n
  FROM found f
  WINDOW w AS (PARTITION BY f.region)
)
SELECT f.region, f.low AS region_start,
  CASE f.high WHEN 9223372036854775807 THEN -9223372036854775807 - 1 ELSE f.high + 1 END
    AS region_end,
  CASE f.whole WHEN 1 THEN 'whole' WHEN 0 THEN 'part' END AS within,
  CASE f.whole WHEN 1 THEN printf('0x%x', f.start) END AS address,
  f.start, f.end, f.size_kib, f.rss_kib, f.pss_kib, f.private_kib, f.private_dirty_kib, f.swap_kib,
  f.perms, f.category, f.flags, f.path, f.lineage_id, perms_text(f.perms) AS perms_text,
  vmflags_text(f.flags) AS flags_text,
  CASE WHEN k.known THEN f.n END AS region_mappings,
  CASE WHEN k.known THEN f.parts END AS region_parts,
  CASE WHEN k.known AND f.n = f.size_n THEN coalesce(f.size, 0) END AS region_size_kib,
  CASE WHEN k.known AND f.n = f.rss_n THEN coalesce(f.rss, 0) END AS region_rss_kib,
  CASE WHEN k.known AND f.n = f.pss_n THEN coalesce(f.pss, 0) END AS region_pss_kib,
  CASE WHEN k.known AND f.n = f.private_n THEN coalesce(f.private, 0) END AS region_private_kib,
  CASE WHEN k.known AND f.n = f.private_dirty_n THEN coalesce(f.private_dirty, 0) END AS region_private_dirty_kib,
  CASE WHEN k.known AND f.n = f.swap_n THEN coalesce(f.swap, 0) END AS region_swap_kib,
  (SELECT p.pid FROM process p WHERE p.process_id = f.process_id) AS pid, f.process_id
FROM summed f
CROSS JOIN (SELECT NOT EXISTS (SELECT 1 FROM moment WHERE state = 'totals') AS known) k
ORDER BY f.region, f.process_id, f.start < 0, f.start;
