-- name:   leaks
-- title:  What leaks: a verdict on every category, object or mapping of every process
-- param:  process     process ""     Only this NAME, PID, NAME/PID or @ID; else every process of the store
-- param:  by          text    category One of category, object, lineage
-- param:  metric      text    joint  One of joint, rss, pss, private, private_dirty, size, swap, mappings
-- param:  since       time    ""     Only snapshots from then on: a time, -7d before the newest, now-7d
-- param:  limit       kib     ""     What its rss cannot exceed, for eta_h
-- param:  limits      text    ""     The same by name: {"redis":4194304}
-- param:  sensitivity text    normal One of low, normal, high
-- param:  dialect     text    ""     Only captures of this dialect; else the one with most snapshots, if possible with rss
-- param:  top         int     ""     At most this many rows, the worst first
-- param:  grown       int     ""     Only the N that grew most in the last day
-- param:  depth       text    2      One of 1, 2: by the first word (anonymous), or as rules refine it (anonymous/thread-stack)
-- column: name             text      Name of the process
-- column: pid              int       Process id of its newest life
-- column: process_id       process   Its newest life
-- column: key              text      The category, the path ([anon] where there is none), or the lineage_id; total is the process
-- column: metric           text      Whose growth it is: rss (with swap, where there is any), size of stacks and reserves; mappings where no KiB grow
-- column: unit             text      KiB or mappings
-- column: verdict          text      leak, suspect, plateau, steady, shrinking, too-few
-- column: shape            text      The curve that explains the values best
-- column: snapshots        count     Snapshots that were judged
-- column: lives            count     1 and the restarts among them
-- column: span_h           real      Hours from the first to the last judged snapshot
-- column: first            amount    The metric in the first snapshot; 0 where the key was not there
-- column: last             amount    The metric in the last snapshot
-- column: rate_per_h       amount    Growth per hour, now
-- column: rate_low         amount    Lower end of its 90 % interval
-- column: rate_high        amount    Upper end
-- column: confidence       ratio     Of the curve of why_metric: of a leak the probability that its growth goes on, else the weight of the curves that say so
-- column: since            time      When the growth began; the first snapshot where it grew from there on
-- column: detectable_per_h amount    The smallest growth per hour that these snapshots would show
-- column: limit            amount    What the metric cannot exceed: --limit, or what is known: see limit_by
-- column: eta_h            real      Hours until the limit at this rate; empty for a process that has ended
-- column: reason           text      Why, in words
-- column: mappings_per_h   real      Growth in number of mappings
-- column: why_metric       text      The metric that decided
-- column: category         category  Category of the key; an object of two categories is two keys
-- column: dialect          text      Dialect of the captures that show the keys
-- column: last_at          time      When the newest snapshot was taken that knows the metric
-- column: limit_by         text      Where the limit comes from: given, reservation, cgroup, address space, stack, map count
-- column: rss_from         text      For the process: source of the resident memory: mappings, VmRSS, unknown
-- column: path             text      By lineage: what is mapped; empty for anonymous memory
-- column: touched          text      What of the growth was touched again, or why that cannot be told, after capture --touched
-- table:  name pid key metric verdict shape snapshots first last rate_per_h rate_low rate_high since eta_h reason
-- empty:  no processes
--
-- A category is judged by its sums, an object by the sums of all mappings of one path and category,
-- a lineage is one mapping through time, even if it grows, moves, splits or merges.
--
-- Eight snapshots are needed. Fourteen shapes, from constant and step to linear and accelerating,
-- are fitted to the curves of rss, size and number of mappings. A leak grows without an end in
-- sight, a plateau grew and stopped, and a suspect may be either. Then rules of the category
-- compare the metrics: where rss grows, but neither size nor private memory does, memory that was
-- already there is touched for the first time. The first row, total, is the process: the sum of
-- what leaks. With a --metric other than joint, each curve is judged separately.
--
-- Lives of one name that follow each other are one series, and a restart is not growth. A process
-- that lived at the same time as another one of its name is judged alone, and so is every process
-- without a name. Partial captures are left out.
--
-- The newest data decide. The first row is judged by every snapshot that knows the resident memory
-- of the process: from its rows, from a footer or rollup, or from VmRSS, which every live capture
-- has; a capture of maps has no other source. last_at tells how far the data of a row reach. A key whose rows end
-- earlier than those of the process counts as growing only as long as the process does; if the
-- newest snapshots would show its growth and do not, it is a plateau, or a suspect if the growth
-- may come in steps, and its reason says so. Where no source knows the resident memory, only sizes
-- are known, and nothing says that the process does not leak.
--
-- Live captures know limits: the memory.max of the cgroup and the process's own limits of address
-- space, stacks and number of mappings. The nearest one counts. --limit replaces the cgroup's. A
-- leak near --limit is doubted, because it may be a cache of this size; near the other limits it is
-- not.
WITH scope AS (
  SELECT process_id, name_id FROM process WHERE process_id = :process
  UNION ALL
  SELECT process_id, name_id FROM process WHERE :process IS NULL AND name_id = :name_id
  UNION ALL
  SELECT process_id, name_id FROM process WHERE :process IS NULL AND :name_id IS NULL
),
life AS (
  SELECT p.process_id, p.name_id, a.taken_ms AS first_ms, z.taken_ms AS last_ms
  FROM scope p
  CROSS JOIN snapshot a ON (a.epoch_id, a.off) = (SELECT s.epoch_id, s.off FROM snapshot s
    WHERE s.process_id = p.process_id AND s.taken_ms >= coalesce(:since, -9e15)
      AND s.state <> 'partial' AND (:dialect IS NULL OR s.dialect = :dialect)
    ORDER BY s.taken_ms LIMIT 1)
  CROSS JOIN snapshot z ON (z.epoch_id, z.off) = (SELECT s.epoch_id, s.off FROM snapshot s
    WHERE s.process_id = p.process_id AND s.state <> 'partial'
      AND (:dialect IS NULL OR s.dialect = :dialect)
    ORDER BY s.taken_ms DESC LIMIT 1)
),
alone AS (
  -- beside: 1 if another process of the name lived at the same time, or if the name is unknown
  SELECT l.process_id, l.name_id, l.first_ms, l.last_ms, n.name = '?'
    OR coalesce(l.first_ms <= max(l.last_ms) OVER (w
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)
    OR coalesce(l.last_ms >= lead(l.first_ms) OVER w, 0) AS beside
  FROM life l
  CROSS JOIN name n ON n.name_id = l.name_id
  WINDOW w AS (PARTITION BY l.name_id ORDER BY l.first_ms, l.process_id)
),
series AS (
  -- head: the newest life of a series; its process_id identifies the series; middle: of its time
  SELECT process_id, CASE WHEN beside THEN process_id
    ELSE first_value(process_id) OVER (PARTITION BY name_id, beside
      ORDER BY first_ms DESC, process_id DESC) END AS head,
    CASE WHEN beside THEN (first_ms + last_ms) / 2
      ELSE (min(first_ms) OVER w + max(last_ms) OVER w) / 2 END AS middle
  FROM alone
  WINDOW w AS (PARTITION BY name_id, beside)
),
grown AS (
  -- of the processes that the newest captures show, those whose resident size grew most in their
  -- last day; a process misses at most three of its own steps
  SELECT l.process_id FROM life l
  WHERE :grown IS NOT NULL AND l.last_ms >= (SELECT max(last_ms) FROM life) - max(15000,
      3 * (l.last_ms - (SELECT s.taken_ms FROM snapshot s WHERE s.process_id = l.process_id
        AND s.taken_ms < l.last_ms ORDER BY s.taken_ms DESC LIMIT 1)))
  ORDER BY (SELECT coalesce(s.rss_kib, s.tool_rss_kib) FROM snapshot s
      WHERE s.process_id = l.process_id ORDER BY s.taken_ms DESC LIMIT 1)
    - (SELECT coalesce(s.rss_kib, s.tool_rss_kib) FROM snapshot s
      WHERE s.process_id = l.process_id AND s.taken_ms <= max(l.first_ms, l.last_ms - 86400000)
      ORDER BY s.taken_ms DESC LIMIT 1) DESC
  LIMIT coalesce(:grown, 0)
),
chosen AS (
  -- the dialect with most preferred snapshots; of equals, the one that tells more. While rss is
  -- known in the newer half, dialects that tell rss, often enough for a verdict, come first
  SELECT head, dialect
  FROM (
    SELECT head, dialect, row_number() OVER (PARTITION BY head ORDER BY preferred DESC,
      (SELECT d.rank FROM dialect d WHERE d.name = dialect)) AS place
    FROM (
      SELECT k.head, k.dialect,
        CASE WHEN count(*) OVER (PARTITION BY k.head) > 1 THEN (
        SELECT sum(s.preferred) + CASE WHEN sum(s.preferred AND s.rss_kib IS NOT NULL) >= 8
          AND (SELECT r.taken_ms FROM snapshot r WHERE r.process_id = k.head
            AND r.rss_kib IS NOT NULL AND r.state = 'complete'
            ORDER BY r.taken_ms DESC LIMIT 1) >= k.middle
          THEN 9e9 ELSE 0 END
        FROM series x
        CROSS JOIN snapshot s ON s.process_id = x.process_id
        WHERE x.head = k.head AND CASE x.head WHEN k.head THEN s.dialect = k.dialect
          AND s.state <> 'partial' AND s.taken_ms >= coalesce(:since, -9e15) END) END AS preferred
      FROM (
        SELECT DISTINCT x.head, x.middle, e.dialect
        FROM series x
        CROSS JOIN epoch e ON e.process_id = x.process_id
        WHERE CASE x.head WHEN 0 THEN 0 ELSE e.state <> 'partial'
          AND (:dialect IS NULL OR e.dialect = :dialect) END
          AND (:grown IS NULL OR x.head IN (SELECT process_id FROM grown))
      ) k
    )
  )
  WHERE place = 1
),
limited AS (
  -- the newest live capture of the head, with the limits that the kernel enforces
  SELECT k.head, k.dialect, (SELECT g.live_process_id
    FROM process p
    CROSS JOIN snapshot s ON s.process_id = p.process_id
    CROSS JOIN live_reading g ON g.snapshot_id = s.snapshot_id
    WHERE p.process_id = k.head AND p.boot_id IS NOT NULL
    ORDER BY s.taken_ms DESC LIMIT 1) AS live_process_id, (
    -- when the head started, from a beat's pair of clocks; start_time counts 10 ms since boot
    SELECT b.started_ms - b.mono_ns / 1000000 + 10 * p.start_time
    FROM process p
    CROSS JOIN snapshot s ON s.process_id = p.process_id
    CROSS JOIN beat b ON b.capture_id = s.capture_id
    WHERE p.process_id = k.head AND p.boot_id IS NOT NULL
    ORDER BY s.taken_ms DESC LIMIT 1) AS process_ms, (
    -- of text nobody knows whether its file goes on
    SELECT CASE WHEN boot_id IS NULL THEN 0 ELSE (SELECT ended_at IS NOT NULL FROM processes p
      WHERE p.process_id = k.head) END FROM process WHERE process_id = k.head) AS ended, (
    SELECT j.value FROM process p CROSS JOIN name n ON n.name_id = p.name_id
    CROSS JOIN json_each(:limits) j ON j.key = n.name WHERE p.process_id = k.head) AS given_kib
  FROM chosen k
  LIMIT -1 -- keeps SQLite from asking this again for every row of leak_report
),
touched AS (
  -- a window of touched: a clearing of the accessed bits, up to the last snapshot before the next
  -- one, and the last snapshot before it; stalled_us: how long tasks of the machine waited for memory
  SELECT c.process_id, c.cleared_ms AS from_ms, s.taken_ms AS to_ms, f.snapshot_id AS from_snapshot_id, s.snapshot_id,
    a.cpu_us - c.cpu_us AS cpu_us, a.minor_faults - c.minor_faults AS minor_faults,
    bs.stall_some_us - bf.stall_some_us AS stalled_us
  FROM clearing c
  CROSS JOIN clearing n ON n.process_id = c.process_id AND n.mono_ns = (SELECT min(m.mono_ns)
    FROM clearing m WHERE m.process_id = c.process_id AND m.mono_ns > c.mono_ns)
  CROSS JOIN snapshot s ON s.snapshot_id = (SELECT q.snapshot_id
    FROM snapshot q CROSS JOIN live_reading r ON r.snapshot_id = q.snapshot_id
    WHERE q.process_id = c.process_id AND q.taken_ms > c.cleared_ms
      AND q.taken_ms <= n.cleared_ms AND q.state_code = 0
      AND CASE c.page_idle WHEN 1 THEN EXISTS (SELECT 1 FROM activity i
          WHERE i.snapshot_id = q.snapshot_id AND i.page_idle) ELSE q.dialect = 'smaps' END
      AND r.mono_ns > c.mono_ns AND r.mono_ns < n.mono_ns
    ORDER BY q.taken_ms DESC LIMIT 1)
  LEFT JOIN snapshot f ON f.snapshot_id = (SELECT q.snapshot_id
    FROM snapshot q CROSS JOIN live_reading r ON r.snapshot_id = q.snapshot_id
    WHERE q.process_id = c.process_id AND q.taken_ms <= c.cleared_ms
      AND q.dialect IN ('smaps', 'pagemap') AND q.state_code = 0 AND r.mono_ns <= c.mono_ns
    ORDER BY q.taken_ms DESC LIMIT 1)
  LEFT JOIN activity a ON a.snapshot_id = s.snapshot_id
  LEFT JOIN beat bs ON bs.capture_id = s.capture_id
  LEFT JOIN beat bf ON bf.capture_id = f.capture_id
  WHERE c.clear_us IS NOT NULL
),
report AS (
  -- CASE x.head WHEN k.head is always true: it keeps SQLite from building a Bloom filter over a
  -- full table for each series
  SELECT k.head, k.dialect, k.ended, leak_report((
      -- every moment; the rows of the other dialects are not compared, but their sums count
      SELECT leak_moments(s.taken_ms, s.process_id, s.epoch_id, s.off,
        CASE WHEN s.dialect = k.dialect AND s.state_code = 0 THEN NULL
          WHEN s.rss_kib IS NULL THEN 'VmRSS' ELSE 'total' END,
        s.mappings, s.size_kib, coalesce(s.rss_kib, s.tool_rss_kib), s.pss_kib, s.private_kib,
        s.private_dirty_kib, coalesce(s.swap_kib, (SELECT g.swap_kib FROM live_reading g
          WHERE g.snapshot_id = s.snapshot_id)))
      FROM series x
      CROSS JOIN snapshot s ON s.process_id = x.process_id
      WHERE x.head = k.head AND CASE x.head WHEN k.head THEN s.state_code <> 1
        AND (s.dialect = k.dialect OR :dialect IS NULL AND s.preferred)
        AND s.taken_ms >= coalesce(:since, -9e15) END
    ), CASE WHEN :by <> 'category' THEN (
      SELECT leak_runs(CASE WHEN :by = 'lineage' THEN CAST(r.lineage_id AS TEXT)
          WHEN o.path = '' THEN '[anon]' ELSE o.path END, c.category, v.epoch_id, v.first,
        ifnull(v.last, 32767), 1, CASE WHEN v.known & 1 THEN ifnull(r.size_kib, r.length / 1024) END,
        v.rss_kib, v.pss_kib, v.private_kib, v.private_dirty_kib, v.swap_kib)
      FROM series x
      CROSS JOIN mapping_versions v ON v.process_id = x.process_id
      CROSS JOIN region r ON r.region_id = v.region_id
      CROSS JOIN object o ON o.object_id = r.object_id
      CROSS JOIN category c ON c.category_id = ifnull(r.category_id, o.category_id)
      WHERE x.head = k.head AND CASE x.head WHEN k.head THEN v.dialect = k.dialect
        AND v.state = 'complete' END)
    WHEN :depth = '2' THEN (
      SELECT leak_runs(c.category, c.category, v.epoch_id, v.first, ifnull(v.last, 32767),
        v.mappings, v.size_kib, v.rss_kib, v.pss_kib, v.private_kib, v.private_dirty_kib, v.swap_kib)
      FROM series x
      CROSS JOIN epoch e ON e.process_id = x.process_id
      CROSS JOIN category_version v ON v.epoch_id = e.epoch_id
      CROSS JOIN category c ON c.category_id = v.category_id
      WHERE x.head = k.head AND CASE x.head WHEN k.head THEN e.dialect = k.dialect
        AND e.state = 'complete' END)
    ELSE (
      -- the sums of each first word over spans in which none of its parts changes: a change ends a
      -- span
      SELECT leak_runs(g.parent, g.parent, g.epoch_id, g.first, g.last, g.mappings, g.size_kib,
        g.rss_kib, g.pss_kib, g.private_kib, g.private_dirty_kib, g.swap_kib)
      FROM (
        SELECT t.epoch_id, t.parent, t.first, t.last, sum(v.mappings) AS mappings,
          CASE WHEN count(*) = count(v.size_kib) THEN sum(v.size_kib) END AS size_kib,
          CASE WHEN count(*) = count(v.rss_kib) THEN sum(v.rss_kib) END AS rss_kib,
          CASE WHEN count(*) = count(v.pss_kib) THEN sum(v.pss_kib) END AS pss_kib,
          CASE WHEN count(*) = count(v.private_kib) THEN sum(v.private_kib) END AS private_kib,
          CASE WHEN count(*) = count(v.private_dirty_kib) THEN sum(v.private_dirty_kib) END
            AS private_dirty_kib,
          CASE WHEN count(*) = count(v.swap_kib) THEN sum(v.swap_kib) END AS swap_kib
        FROM (
          SELECT epoch_id, parent, first, coalesce(lead(first) OVER (
            PARTITION BY epoch_id, parent ORDER BY first) - 1, 32767) AS last
          FROM (
            SELECT e.epoch_id, c.parent, v.first
            FROM series x
            CROSS JOIN epoch e ON e.process_id = x.process_id
            CROSS JOIN category_version v ON v.epoch_id = e.epoch_id
            CROSS JOIN category c ON c.category_id = v.category_id
            WHERE x.head = k.head AND CASE x.head WHEN k.head
              THEN e.dialect = k.dialect AND e.state = 'complete' END
            UNION
            SELECT e.epoch_id, c.parent, v.last + 1
            FROM series x
            CROSS JOIN epoch e ON e.process_id = x.process_id
            CROSS JOIN category_version v ON v.epoch_id = e.epoch_id
            CROSS JOIN category c ON c.category_id = v.category_id
            WHERE x.head = k.head AND v.last IS NOT NULL AND CASE x.head WHEN k.head
              THEN e.dialect = k.dialect AND e.state = 'complete' END
          )
        ) t
        CROSS JOIN category_version v ON v.epoch_id = t.epoch_id AND v.first <= t.first
          AND (v.last IS NULL OR v.last >= t.first)
        CROSS JOIN category c ON c.category_id = v.category_id AND c.parent = t.parent
        GROUP BY t.epoch_id, t.parent, t.first
      ) g)
    END, (
      -- the newest 24 windows of the head; touched_kib is unknown where it did not work (CPU time of
      -- 1 ms, or a page fault, a second) or tasks of the machine waited for memory for 1 ms a second
      SELECT leak_windows(key, slug, from_ms, to_ms, was_kib, rss_kib, touched_kib)
      FROM (
        SELECT CASE :by WHEN 'category' THEN slug WHEN 'lineage' THEN CAST(lineage_id AS TEXT)
            ELSE CASE path WHEN '' THEN '[anon]' ELSE path END END AS key,
          slug, from_ms, to_ms, sum(CASE side WHEN 0 THEN kib ELSE 0 END) AS was_kib,
          sum(CASE side WHEN 1 THEN kib ELSE 0 END) AS rss_kib,
          CASE WHEN worked AND NOT max(side = 1 AND referenced_kib IS NULL)
            THEN sum(CASE side WHEN 1 THEN referenced_kib ELSE 0 END) END AS touched_kib
        FROM (
          SELECT max(w.cpu_us, 1000 * w.minor_faults) >= w.to_ms - w.from_ms
              AND w.stalled_us <= w.to_ms - w.from_ms AS worked, w.from_ms, w.to_ms,
            e.column1 AS side, m.path, m.lineage_id, m.referenced_kib,
            m.rss_kib + ifnull(m.swap_kib, 0) AS kib,
            CASE WHEN :by = 'category' AND :depth = '1' THEN m.parent ELSE m.category END AS slug
          FROM touched w
          CROSS JOIN (VALUES (0), (1)) e
          CROSS JOIN mappings m ON m.snapshot_id
            = CASE e.column1 WHEN 0 THEN w.from_snapshot_id ELSE w.snapshot_id END
          WHERE w.process_id = k.head AND k.dialect IN ('smaps', 'pagemap')
            AND w.from_ms >= coalesce(:since, -9e15)
            AND w.from_ms > coalesce((SELECT c.cleared_ms FROM clearing c
              WHERE c.process_id = k.head ORDER BY c.mono_ns DESC LIMIT 1 OFFSET 25), -9e15))
        GROUP BY from_ms, slug, CASE :by WHEN 'lineage' THEN lineage_id WHEN 'object' THEN path END)
    ), :metric, coalesce(:limit, k.given_kib), :sensitivity, t.memory_max_kib, t.address_limit_kib,
    t.stack_limit_kib, t.max_map_count, k.process_ms) AS verdicts
  FROM limited k
  LEFT JOIN live_process t ON t.live_process_id = k.live_process_id
),
row AS (
  SELECT r.head, r.dialect, r.ended, v.key AS nth, v.value AS row
  FROM report r
  CROSS JOIN json_each(r.verdicts) v
  LIMIT -1 -- else SQLite makes the text of a row again for each of its columns
)
SELECT n.name,
  p.pid,
  p.process_id,
  json_extract(r.row, '$.key') AS "key",
  json_extract(r.row, '$.metric') AS metric,
  json_extract(r.row, '$.unit') AS unit,
  json_extract(r.row, '$.verdict') AS verdict,
  json_extract(r.row, '$.shape') AS shape,
  json_extract(r.row, '$.snapshots') AS snapshots,
  json_extract(r.row, '$.lives') AS lives,
  json_extract(r.row, '$.span_h') AS span_h,
  json_extract(r.row, '$.first') AS first,
  json_extract(r.row, '$.last') AS last,
  json_extract(r.row, '$.rate_per_h') AS rate_per_h,
  json_extract(r.row, '$.rate_low') AS rate_low,
  json_extract(r.row, '$.rate_high') AS rate_high,
  json_extract(r.row, '$.confidence') AS confidence,
  json_extract(r.row, '$.since') AS since,
  json_extract(r.row, '$.detectable_per_h') AS detectable_per_h,
  json_extract(r.row, '$.limit') AS "limit",
  CASE WHEN r.ended THEN NULL ELSE json_extract(r.row, '$.eta_h') END AS eta_h,
  CASE WHEN json_extract(r.row, '$.verdict') IN ('leak', 'suspect')
      THEN rtrim(CASE WHEN r.ended THEN 'the process has ended; ' ELSE '' END
        -- a life of fewer than 6 snapshots is not judged
        || CASE WHEN (SELECT count(*) FROM (SELECT 1 FROM snapshot s WHERE s.process_id = p.process_id LIMIT 6)) < 6
          THEN 'seen in an earlier process of the name; ' ELSE '' END
        || json_extract(r.row, '$.reason'), '; ')
    ELSE json_extract(r.row, '$.reason') END AS reason,
  json_extract(r.row, '$.mappings_per_h') AS mappings_per_h,
  json_extract(r.row, '$.why_metric') AS why_metric,
  CASE WHEN :depth = '1' AND :by <> 'category' THEN (SELECT parent FROM category
    WHERE category = json_extract(r.row, '$.category'))
    ELSE json_extract(r.row, '$.category') END AS category,
  r.dialect,
  json_extract(r.row, '$.last_at') AS last_at,
  json_extract(r.row, '$.limit_by') AS limit_by,
  json_extract(r.row, '$.rss_from') AS rss_from,
  CASE :by WHEN 'lineage' THEN (SELECT o.path FROM region g
    CROSS JOIN object o ON o.object_id = g.object_id
    WHERE g.lineage_id = CAST(json_extract(r.row, '$.key') AS INTEGER) LIMIT 1) END AS path,
  json_extract(r.row, '$.touched') AS touched
FROM row r
CROSS JOIN process p ON p.process_id = r.head
CROSS JOIN name n ON n.name_id = p.name_id
ORDER BY CASE WHEN :top THEN instr('leak suspect plateau steady shrinking too-few',
    json_extract(r.row, '$.verdict')) END,
  CASE WHEN :top THEN json_extract(r.row, '$.unit') END, -- KiB before mappings
  CASE WHEN :top THEN coalesce(-json_extract(r.row, '$.rate_per_h'), 9e99) END,
  n.name, r.head, r.nth
LIMIT coalesce(:top, -1);
