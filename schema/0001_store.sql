-- The store of pmapdb, version 1. Applied once; never edited after a release.
--
-- People read the tables snapshots and categories and the views mappings, category_totals,
-- category_runs, lineage_history. The other tables are the encoding behind the views.
-- Sizes are KiB, times are ms since 1970 UTC, addresses are 64-bit two's complement, unknown is NULL.
-- Nothing here needs more than SQLite 3.34.

CREATE TABLE host (
  host_id INTEGER PRIMARY KEY,
  name    TEXT NOT NULL UNIQUE
);

-- A name that survives restarts; a series is asked for by it.
CREATE TABLE name (
  name_id INTEGER PRIMARY KEY,
  host_id INTEGER REFERENCES host,      -- NULL: unknown
  name    TEXT NOT NULL
);
CREATE UNIQUE INDEX name_unique ON name (name, coalesce(host_id, 0));

-- One life of one pid.
CREATE TABLE process (
  process_id  INTEGER PRIMARY KEY,
  host_id     INTEGER REFERENCES host,  -- NULL: unknown
  name_id     INTEGER NOT NULL REFERENCES name,
  name_rank   INTEGER NOT NULL,         -- how good the name is; 0 is best
  name_ms     INTEGER NOT NULL,         -- moment of the capture that gave it
  pid         INTEGER,                  -- NULL: the captures do not say
  boot_id     TEXT,                     -- live captures only
  start_time  INTEGER,                  -- clock ticks since boot; NULL: unknown
  life        INTEGER NOT NULL,         -- tells lives of one pid apart where nothing else does
  command     TEXT,                     -- the earliest command line that a capture shows
  command_ms  INTEGER,
  identity    TEXT NOT NULL CHECK (identity IN
                ('start-time', 'addresses', 'command', 'assumed')), -- weakest link of its captures
  stack_end   INTEGER,                  -- anchors: equal in every capture of one life
  vdso_start  INTEGER,
  libc_start  INTEGER,
  ld_start    INTEGER,
  exe_start   INTEGER,
  clock_mono_ns INTEGER,                -- one moment on two clocks: perf's CLOCK_MONOTONIC
  clock_utc_ms  INTEGER                 -- and UTC; live captures only
);
CREATE UNIQUE INDEX process_unique ON process
  (coalesce(pid, -1), coalesce(host_id, 0), coalesce(boot_id, ''), coalesce(start_time, -1), life);
CREATE INDEX process_name ON process (name_id);

-- Where captures were found: DIR or ARCHIVE:DIR.
CREATE TABLE folder (
  folder_id INTEGER PRIMARY KEY,
  path      TEXT NOT NULL UNIQUE
);

-- What was read together.
CREATE TABLE capture (
  capture_id INTEGER PRIMARY KEY,
  folder_id  INTEGER REFERENCES folder,
  file       TEXT,                      -- last part of the path, - for standard input
  started_ms INTEGER NOT NULL,
  ended_ms   INTEGER                    -- NULL: unknown
);

-- A text file of captures without times, known by the sequence of its blocks.
CREATE TABLE log (
  log_id  INTEGER PRIMARY KEY,
  host_id INTEGER REFERENCES host
);

-- A stretch of captures of one process, dialect and state, the first written whole, the rest as
-- differences.
CREATE TABLE epoch (
  epoch_id   INTEGER PRIMARY KEY,
  process_id INTEGER NOT NULL REFERENCES process,
  dialect    TEXT NOT NULL,
  state      TEXT NOT NULL CHECK (state IN ('complete', 'partial', 'totals')),
  fields     INTEGER NOT NULL           -- which fields its captures have: bit N is line N of
);                                      -- src/base/fields.def, 32 and more are in mapping.h
CREATE INDEX epoch_process ON epoch (process_id, dialect, state);

-- One process at one moment.
CREATE TABLE snapshots (
  snapshot_id INTEGER PRIMARY KEY,
  process_id  INTEGER NOT NULL REFERENCES process,
  capture_id  INTEGER NOT NULL REFERENCES capture,
  epoch_id    INTEGER NOT NULL REFERENCES epoch,
  off         INTEGER NOT NULL,         -- place in the epoch: 0, 1, 2 ...
  taken_ms    INTEGER NOT NULL,
  taken_at    TEXT GENERATED ALWAYS AS (strftime('%Y-%m-%dT%H:%M:%S', taken_ms / 1000, 'unixepoch')
                || CASE WHEN taken_ms % 1000 THEN '.' || substr(1000 + taken_ms % 1000, 2) ELSE '' END
                || 'Z') VIRTUAL,
  moment_ms   INTEGER NOT NULL,         -- first taken_ms of what was captured together
  ordinal     INTEGER NOT NULL,         -- order among captures of one taken_ms
  preferred   INTEGER NOT NULL,         -- 1: of its process and moment, the one with most fields
  time_source TEXT NOT NULL,
  dialect     TEXT NOT NULL,
  state       TEXT NOT NULL CHECK (state IN ('complete', 'partial', 'totals')),
  checked     TEXT NOT NULL CHECK (checked IN ('footer', 'status', 'rollup', 'none')),
  missing     TEXT,                     -- partial: what is missing
  hash        INTEGER NOT NULL,         -- XXH3 of the block's lines
  log_id      INTEGER REFERENCES log,
  mappings    INTEGER,                  -- the sums as read, never computed again; NULL: unknown
  size_kib    INTEGER,
  rss_kib     INTEGER,
  pss_kib     INTEGER,
  private_kib INTEGER,
  private_dirty_kib INTEGER,
  swap_kib    INTEGER,
  tool_size_kib INTEGER,                -- the same as the capture itself claims
  tool_rss_kib  INTEGER
);
CREATE INDEX snapshots_process ON snapshots (process_id, taken_ms);
CREATE UNIQUE INDEX snapshots_epoch ON snapshots (epoch_id, off);
CREATE INDEX snapshots_log ON snapshots (log_id) WHERE log_id IS NOT NULL;

-- Input that was turned away, so that cron is told once.
CREATE TABLE refused (
  hash     INTEGER PRIMARY KEY,
  first_ms INTEGER NOT NULL,
  reason   TEXT NOT NULL
);

CREATE TABLE categories (
  category_id INTEGER PRIMARY KEY,
  category    TEXT NOT NULL UNIQUE,
  description TEXT NOT NULL
);

-- What a mapping shows, wherever it lies.
CREATE TABLE object (
  object_id   INTEGER PRIMARY KEY,
  hash        INTEGER NOT NULL,         -- of all that follows, 32 bits, to find it again
  category_id INTEGER NOT NULL REFERENCES categories,
  inferred    INTEGER NOT NULL,         -- 1: the heap by its place, the source does not name it
  name_cut    INTEGER NOT NULL,         -- 1: the tool cut the path at 127 bytes
  perms       TEXT NOT NULL,
  device      TEXT,
  inode       INTEGER,
  path        TEXT NOT NULL,            -- '' for anonymous memory
  flags       TEXT,                     -- VmFlags
  kernel_page_kib INTEGER,
  mmu_page_kib    INTEGER,
  thp_eligible    INTEGER,
  protection_key  INTEGER
);
CREATE INDEX object_hash ON object (hash);

-- One mapping through time, although it grows, moves, splits, merges.
CREATE TABLE lineage (
  lineage_id        INTEGER PRIMARY KEY,
  process_id        INTEGER NOT NULL REFERENCES process,
  first_snapshot_id INTEGER NOT NULL REFERENCES snapshots (snapshot_id),
  category_id       INTEGER NOT NULL REFERENCES categories,
  rule              TEXT                -- the rule that gave the category; NULL: the built-in table
);
CREATE INDEX lineage_process ON lineage (process_id);

-- An object at an address range, in one lineage.
CREATE TABLE region (
  region_id  INTEGER PRIMARY KEY,
  lineage_id INTEGER NOT NULL REFERENCES lineage,
  object_id  INTEGER NOT NULL REFERENCES object,
  start      INTEGER NOT NULL,
  length     INTEGER NOT NULL,          -- bytes
  offset     INTEGER,
  size_kib   INTEGER,                   -- NULL: length / 1024; old kernels count a guard page
  reason     INTEGER NOT NULL           -- why in this lineage: see lineage_history
);
CREATE INDEX region_lineage ON region (lineage_id, length);

-- Fields that are 0 nearly everywhere, and keys that pmapdb does not know.
CREATE TABLE detail (
  detail_id   INTEGER PRIMARY KEY,
  ksm_kib     INTEGER,
  lazy_free_kib INTEGER,
  shmem_pmd_kib INTEGER,
  file_pmd_kib  INTEGER,
  shared_hugetlb_kib  INTEGER,
  private_hugetlb_kib INTEGER,
  extra       TEXT                      -- lines "Key: N kB"
);
CREATE UNIQUE INDEX detail_unique ON detail (coalesce(extra, ''), coalesce(ksm_kib, -1),
  coalesce(lazy_free_kib, -1), coalesce(shmem_pmd_kib, -1), coalesce(file_pmd_kib, -1),
  coalesce(shared_hugetlb_kib, -1), coalesce(private_hugetlb_kib, -1));

-- A region with unchanged numbers during first..last of its epoch (last NULL: to its end).
-- NULL where a field is known means "the usual value":
--   rss = shared_clean + shared_dirty + private_clean + private_dirty; pss = rss; referenced = rss;
--   pss_dirty = dirty = shared_dirty + private_dirty; anonymous = private_dirty; swap_pss = swap;
--   anon_huge = locked = 0; detail: all 0 and no extra.
CREATE TABLE ver (
  epoch_id      INTEGER NOT NULL REFERENCES epoch,
  region_id     INTEGER NOT NULL REFERENCES region,
  first         INTEGER NOT NULL,
  last          INTEGER,
  private_dirty INTEGER,
  private_clean INTEGER,
  shared_clean  INTEGER,
  shared_dirty  INTEGER,
  swap          INTEGER,
  rss           INTEGER,
  pss           INTEGER,
  pss_dirty     INTEGER,
  referenced    INTEGER,
  anonymous     INTEGER,
  swap_pss      INTEGER,
  anon_huge     INTEGER,
  locked        INTEGER,
  dirty         INTEGER,
  detail_id     INTEGER REFERENCES detail,
  absent        INTEGER NOT NULL,       -- fields of the epoch that this row lacks
  PRIMARY KEY (epoch_id, region_id, first)
) WITHOUT ROWID;

-- The sums of one category, unchanged during first..last of the epoch. Captures of state totals
-- have the one category total and no rows in ver.
CREATE TABLE catver (
  epoch_id      INTEGER NOT NULL REFERENCES epoch,
  category_id   INTEGER NOT NULL REFERENCES categories,
  first         INTEGER NOT NULL,
  last          INTEGER,
  mappings      INTEGER,                -- NULL: unknown, in the category total
  size_kib      INTEGER,
  rss_kib       INTEGER,
  pss_kib       INTEGER,
  private_kib   INTEGER,
  private_dirty_kib INTEGER,
  swap_kib      INTEGER,
  PRIMARY KEY (epoch_id, category_id, first)
) WITHOUT ROWID;

-- One row per mapping per snapshot. 8 is 1 << Rss, and so on, as in src/base/fields.def.
CREATE VIEW mappings AS
SELECT
  s.snapshot_id,
  r.start,
  r.start + r.length AS end,
  CASE WHEN e.fields & ~v.absent & 1 THEN coalesce(r.size_kib, r.length / 1024) END AS size_kib,
  CASE WHEN e.fields & ~v.absent & 8 THEN coalesce(v.rss,
    v.shared_clean + v.shared_dirty + v.private_clean + v.private_dirty) END AS rss_kib,
  CASE WHEN e.fields & ~v.absent & 16 THEN coalesce(v.pss, v.rss,
    v.shared_clean + v.shared_dirty + v.private_clean + v.private_dirty) END AS pss_kib,
  coalesce(v.dirty, v.shared_dirty + v.private_dirty) AS dirty_kib,
  v.private_clean + v.private_dirty AS private_kib,
  v.private_dirty AS private_dirty_kib,
  v.swap AS swap_kib,
  o.perms,
  r.offset,
  o.device,
  o.inode,
  c.category,
  o.flags,
  o.path,
  r.lineage_id,
  o.kernel_page_kib,
  o.mmu_page_kib,
  CASE WHEN e.fields & ~v.absent & 32 THEN coalesce(v.pss_dirty, v.shared_dirty + v.private_dirty)
    END AS pss_dirty_kib,
  v.shared_clean AS shared_clean_kib,
  v.shared_dirty AS shared_dirty_kib,
  v.private_clean AS private_clean_kib,
  CASE WHEN e.fields & ~v.absent & 1024 THEN coalesce(v.referenced, v.rss,
    v.shared_clean + v.shared_dirty + v.private_clean + v.private_dirty) END AS referenced_kib,
  CASE WHEN e.fields & ~v.absent & 2048 THEN coalesce(v.anonymous, v.private_dirty)
    END AS anonymous_kib,
  CASE WHEN e.fields & ~v.absent & 4096 THEN coalesce(d.ksm_kib, 0) END AS ksm_kib,
  CASE WHEN e.fields & ~v.absent & 8192 THEN coalesce(d.lazy_free_kib, 0) END AS lazy_free_kib,
  CASE WHEN e.fields & ~v.absent & 16384 THEN coalesce(v.anon_huge, 0) END AS anon_huge_kib,
  CASE WHEN e.fields & ~v.absent & 32768 THEN coalesce(d.shmem_pmd_kib, 0) END AS shmem_pmd_kib,
  CASE WHEN e.fields & ~v.absent & 65536 THEN coalesce(d.file_pmd_kib, 0) END AS file_pmd_kib,
  CASE WHEN e.fields & ~v.absent & 131072 THEN coalesce(d.shared_hugetlb_kib, 0)
    END AS shared_hugetlb_kib,
  CASE WHEN e.fields & ~v.absent & 262144 THEN coalesce(d.private_hugetlb_kib, 0)
    END AS private_hugetlb_kib,
  CASE WHEN e.fields & ~v.absent & 1048576 THEN coalesce(v.swap_pss, v.swap) END AS swap_pss_kib,
  CASE WHEN e.fields & ~v.absent & 2097152 THEN coalesce(v.locked, 0) END AS locked_kib,
  o.thp_eligible,
  o.protection_key,
  d.extra,
  o.inferred,
  o.name_cut,
  v.region_id
FROM snapshots s
CROSS JOIN epoch e ON e.epoch_id = s.epoch_id
CROSS JOIN ver v ON v.epoch_id = s.epoch_id AND v.first <= s.off
  AND (v.last IS NULL OR v.last >= s.off)
CROSS JOIN region r ON r.region_id = v.region_id
CROSS JOIN object o ON o.object_id = r.object_id
CROSS JOIN categories c ON c.category_id = o.category_id
LEFT JOIN detail d ON d.detail_id = v.detail_id;

-- The categories of one snapshot; where it has sums only, the one category total.
CREATE VIEW category_totals AS
SELECT s.snapshot_id, s.process_id, s.taken_ms, c.category, v.mappings, v.size_kib, v.rss_kib,
  v.pss_kib, v.private_kib, v.private_dirty_kib, v.swap_kib
FROM snapshots s
CROSS JOIN catver v ON v.epoch_id = s.epoch_id AND v.first <= s.off
  AND (v.last IS NULL OR v.last >= s.off)
CROSS JOIN categories c ON c.category_id = v.category_id;

-- One row per unchanged stretch of a category, equal neighbours joined across epochs, cut where
-- captures are missing: at a gap of more than 3 median steps. n counts the snapshots in it. Those
-- with sums only are a series of their own, in a category of their own; partial ones are left out.
-- Windows and no GROUP BY: a condition on process_id then reaches the index of snapshots.
CREATE VIEW category_runs AS
SELECT process_id, dialect, category, first_ms, last_ms, n, mappings, size_kib, rss_kib, pss_kib,
  private_kib, private_dirty_kib, swap_kib
FROM (
  SELECT process_id, dialect, category, fresh, first_ms, max(last_ms) OVER island AS last_ms,
    sum(n) OVER island AS n, mappings, size_kib, rss_kib, pss_kib, private_kib, private_dirty_kib,
    swap_kib
  FROM (
    SELECT *, sum(fresh) OVER (PARTITION BY process_id, dialect, category ORDER BY first_rn)
      AS island_no
    FROM (
      -- fresh: a value differs from the stretch before, or snapshots lie between
      SELECT *,
        NOT (first_rn IS lag(last_rn) OVER w + 1 AND segment IS lag(segment) OVER w
          AND mappings IS lag(mappings) OVER w AND size_kib IS lag(size_kib) OVER w
          AND rss_kib IS lag(rss_kib) OVER w AND pss_kib IS lag(pss_kib) OVER w
          AND private_kib IS lag(private_kib) OVER w
          AND private_dirty_kib IS lag(private_dirty_kib) OVER w
          AND swap_kib IS lag(swap_kib) OVER w) AS fresh
      FROM (
        SELECT p.process_id, p.dialect, p.segment, c.category, v.mappings, v.size_kib, v.rss_kib,
          v.pss_kib, v.private_kib, v.private_dirty_kib, v.swap_kib,
          p.first_rn + (SELECT count(*) FROM snapshots s WHERE s.epoch_id = p.epoch_id
            AND s.off >= p.first_off AND s.off < v.first) AS first_rn,
          p.last_rn - (SELECT count(*) FROM snapshots s WHERE s.epoch_id = p.epoch_id
            AND s.off <= p.last_off AND s.off > v.last) AS last_rn,
          (SELECT count(*) FROM snapshots s WHERE s.epoch_id = p.epoch_id AND s.off
            BETWEEN max(p.first_off, v.first) AND min(p.last_off, coalesce(v.last, p.last_off)))
            AS n,
          (SELECT s.taken_ms FROM snapshots s WHERE s.epoch_id = p.epoch_id
            AND s.off >= max(p.first_off, v.first) ORDER BY s.off LIMIT 1) AS first_ms,
          (SELECT s.taken_ms FROM snapshots s WHERE s.epoch_id = p.epoch_id
            AND s.off <= min(p.last_off, coalesce(v.last, p.last_off)) ORDER BY s.off DESC LIMIT 1)
            AS last_ms
        FROM (
          -- pieces: the part of an epoch between two gaps, in its first row
          SELECT process_id, dialect, state, epoch_id, segment, rn,
            min(off) OVER piece AS first_off, max(off) OVER piece AS last_off,
            min(rn) OVER piece AS first_rn, max(rn) OVER piece AS last_rn
          FROM (
            SELECT *, coalesce(sum(step > 3 * median)
              OVER (PARTITION BY process_id, dialect, state ORDER BY rn), 0) AS segment
            FROM (
              SELECT *, max(CASE WHEN k = (m + 1) / 2 THEN step END)
                OVER (PARTITION BY process_id, dialect, state) AS median
              FROM (
                SELECT *, count(step) OVER (PARTITION BY process_id, dialect, state) AS m,
                  row_number() OVER (PARTITION BY process_id, dialect, state
                    ORDER BY step IS NULL, step) AS k
                FROM (
                  SELECT s.process_id, s.dialect, s.state, s.epoch_id, s.off,
                    row_number() OVER w AS rn, s.taken_ms - lag(s.taken_ms) OVER w AS step
                  FROM snapshots s
                  WHERE s.state <> 'partial'
                  WINDOW w AS (PARTITION BY s.process_id, s.dialect, s.state
                    ORDER BY s.taken_ms, s.ordinal)
                )
              )
            )
          )
          WINDOW piece AS (PARTITION BY process_id, dialect, state, epoch_id, segment)
        ) p
        CROSS JOIN catver v ON v.epoch_id = p.epoch_id AND v.first <= p.last_off
          AND (v.last IS NULL OR v.last >= p.first_off)
        CROSS JOIN categories c ON c.category_id = v.category_id
        WHERE p.rn = p.first_rn
      )
      WHERE n > 0
      WINDOW w AS (PARTITION BY process_id, dialect, category ORDER BY first_rn)
    )
  )
  WINDOW island AS (PARTITION BY process_id, dialect, category, island_no)
)
WHERE fresh;

-- Every version of every region of a lineage, in the dialects that show it.
CREATE VIEW lineage_history AS
SELECT l.lineage_id, l.process_id, e.dialect,
  (SELECT s.taken_ms FROM snapshots s WHERE s.epoch_id = v.epoch_id AND s.off >= v.first
    ORDER BY s.off LIMIT 1) AS first_ms,
  (SELECT s.taken_ms FROM snapshots s WHERE s.epoch_id = v.epoch_id
    AND s.off <= coalesce(v.last, 32767) ORDER BY s.off DESC LIMIT 1) AS last_ms,
  r.start, r.start + r.length AS end,
  CASE WHEN e.fields & ~v.absent & 1 THEN coalesce(r.size_kib, r.length / 1024) END AS size_kib,
  CASE WHEN e.fields & ~v.absent & 8 THEN coalesce(v.rss,
    v.shared_clean + v.shared_dirty + v.private_clean + v.private_dirty) END AS rss_kib,
  CASE WHEN e.fields & ~v.absent & 16 THEN coalesce(v.pss, v.rss,
    v.shared_clean + v.shared_dirty + v.private_clean + v.private_dirty) END AS pss_kib,
  v.private_clean + v.private_dirty AS private_kib,
  v.private_dirty AS private_dirty_kib,
  v.swap AS swap_kib,
  o.perms, r.offset, c.category, o.path,
  CASE r.reason WHEN 0 THEN 'new' WHEN 1 THEN 'same' WHEN 2 THEN 'same-start' WHEN 3 THEN 'same-end'
    WHEN 4 THEN 'overlap' WHEN 5 THEN 'file-offset' END AS reason,
  e.state, v.region_id
FROM lineage l
CROSS JOIN region r ON r.lineage_id = l.lineage_id
CROSS JOIN object o ON o.object_id = r.object_id
CROSS JOIN categories c ON c.category_id = o.category_id
CROSS JOIN epoch e ON e.process_id = l.process_id
CROSS JOIN ver v ON v.epoch_id = e.epoch_id AND v.region_id = r.region_id;
