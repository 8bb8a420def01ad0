-- The store of pmapdb, version 1. Applied once; never edited after a release.
--
-- Plural names are views for people: snapshots, processes, mappings, categories, lineages; also
-- category_runs and lineage_history. Singular names are the tables under the views. Sizes are KiB,
-- times are ms since 1970 UTC, addresses are 64-bit two's complement, unknown is NULL. Nothing here
-- needs more than SQLite 3.34.

CREATE TABLE host (
  host_id INTEGER PRIMARY KEY,
  name    TEXT NOT NULL UNIQUE
);

-- What a host is: its build, version, role, region, in the user's words.
CREATE TABLE host_label (
  host_id INTEGER NOT NULL REFERENCES host,
  key     TEXT NOT NULL,
  at_ms   INTEGER NOT NULL,             -- from this moment on
  value   TEXT,                         -- NULL: the label ends
  PRIMARY KEY (host_id, key, at_ms)
) WITHOUT ROWID;

-- A name that survives restarts, and names a series in queries.
CREATE TABLE name (
  name_id   INTEGER PRIMARY KEY,
  host_id   INTEGER REFERENCES host,    -- NULL: unknown
  name      TEXT NOT NULL,
  pruned_ms INTEGER                     -- newest moment that a prune removed; NULL: none
);
CREATE UNIQUE INDEX name_unique ON name (name, coalesce(host_id, 0));

-- One life of one pid.
CREATE TABLE process (
  process_id  INTEGER PRIMARY KEY,
  host_id     INTEGER REFERENCES host,  -- NULL: unknown
  name_id     INTEGER NOT NULL REFERENCES name,
  name_rank   INTEGER NOT NULL,         -- how good the name is; 0 is best
  name_ms     INTEGER NOT NULL,         -- time of the capture that gave the name
  pid         INTEGER,                  -- NULL: the captures do not show it
  boot_id     TEXT,                     -- live captures only
  start_time  INTEGER,                  -- clock ticks since boot; NULL: unknown
  life        INTEGER NOT NULL,         -- distinguishes lives of one pid if nothing else does
  command     TEXT,                     -- the earliest command line that a capture shows
  command_ms  INTEGER,
  identity    TEXT NOT NULL CHECK (identity IN
                ('start-time', 'addresses', 'command', 'assumed')), -- weakest link of its captures
  stack_end   INTEGER,                  -- anchors: the same in every capture of one life
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

-- The places of captures: the folder is DIR/ or ARCHIVE:DIR/, as the user named it, '' for live
-- captures; the file is - for standard input, /proc for a live capture.
CREATE TABLE origin (
  origin_id INTEGER PRIMARY KEY,
  folder    TEXT NOT NULL,
  file      TEXT NOT NULL,              -- * replaces the number of the capture, if it has one
  UNIQUE (folder, file)
);

-- Snapshots that were read together.
CREATE TABLE capture (
  capture_id INTEGER PRIMARY KEY,
  origin_id  INTEGER NOT NULL REFERENCES origin,
  number     INTEGER                    -- in the file's name: usually a time
);

-- One selection of processes, captured live since one boot of a host.
CREATE TABLE schedule (
  schedule_id    INTEGER PRIMARY KEY,
  host_id   INTEGER NOT NULL REFERENCES host,
  boot_id   TEXT NOT NULL,
  selection TEXT NOT NULL,              -- in the user's words: pids, --match EXPR, --all
  every_ms  INTEGER,                    -- step of its beats; NULL: one beat, as from cron
  pruned_ms INTEGER,                    -- newest sweep that a prune removed, here or before a
                                        -- merge; NULL: none
  removed_ms INTEGER                    -- newest sweep that a prune removed here: a merge brings
                                        -- back only later ones
);
CREATE UNIQUE INDEX schedule_unique ON schedule (host_id, boot_id, selection, coalesce(every_ms, 0));

-- A live capture: one beat of a schedule. All its snapshots have the beat's taken_ms.
CREATE TABLE beat (
  capture_id  INTEGER PRIMARY KEY REFERENCES capture,
  schedule_id      INTEGER NOT NULL REFERENCES schedule,
  started_ms  INTEGER NOT NULL,
  ended_ms    INTEGER,                  -- NULL: unknown
  mono_ns     INTEGER NOT NULL,         -- CLOCK_MONOTONIC at started_ms
  missed      INTEGER NOT NULL,         -- beats of the schedule that were missed before this one
  unreadable  INTEGER NOT NULL,         -- processes that this user may not read
  vanished    INTEGER NOT NULL,         -- processes that ended while they were read: not stored
  degraded    INTEGER NOT NULL,         -- processes read from maps: smaps would have stalled them
  unmoved     INTEGER NOT NULL,         -- processes left out by --on-rss-above
  changed     INTEGER NOT NULL,         -- processes whose maps changed too quickly: not stored
  total_kib INTEGER,                    -- MemTotal of /proc/meminfo at started_ms, and so on; NULL: unknown
  free_kib INTEGER,
  available_kib INTEGER,
  buffers_kib INTEGER,
  cached_kib INTEGER,
  swap_cached_kib INTEGER,
  anonymous_kib INTEGER,
  mapped_kib INTEGER,                   -- of files and shared memory, in page tables
  shmem_kib INTEGER,                    -- tmpfs, shared memory, memfd
  dirty_kib INTEGER,
  slab_reclaimable_kib INTEGER,
  slab_unreclaimable_kib INTEGER,
  kernel_stack_kib INTEGER,
  page_tables_kib INTEGER,
  percpu_kib INTEGER,
  vmalloc_kib INTEGER,                  -- includes kernel stacks
  hugetlb_kib INTEGER,                  -- the pool of huge pages
  swap_total_kib INTEGER,
  swap_free_kib INTEGER,
  committed_kib INTEGER,
  compressed_kib INTEGER,               -- nr_zspages of /proc/vmstat: zram and zswap
  swapped_in_kib INTEGER,               -- since boot, as are the next four
  swapped_out_kib INTEGER,
  oom_kills INTEGER,
  stall_some_us INTEGER,                -- /proc/pressure/memory
  stall_full_us INTEGER,
  pressure_some INTEGER,                -- avg60, hundredths of a percent
  pressure_full INTEGER
);
CREATE INDEX beat_schedule ON beat (schedule_id, started_ms);

-- A text file of captures without times, recognized by the sequence of its blocks.
CREATE TABLE import_log (
  import_log_id  INTEGER PRIMARY KEY,
  host_id INTEGER REFERENCES host
);

-- The printer of a capture. Of several captures of one moment, queries use that of the lowest rank:
-- it has most fields. A new store has the dialects of src/base/record/formats.def; a dialect that
-- is new to an older store is added with its first capture.
CREATE TABLE dialect (
  name TEXT PRIMARY KEY,
  rank INTEGER NOT NULL
) WITHOUT ROWID;

-- A sequence of captures of one process, dialect and state. The first capture is stored in full,
-- the others as differences from the capture before.
CREATE TABLE epoch (
  epoch_id   INTEGER PRIMARY KEY,
  process_id INTEGER NOT NULL REFERENCES process,
  dialect    TEXT NOT NULL REFERENCES dialect,
  state      TEXT NOT NULL CHECK (state IN ('complete', 'partial', 'totals')),
  fields     INTEGER NOT NULL           -- the fields of its captures: bit N is line N of
);                                      -- src/base/record/fields.def; mapping.h has bits 32 and up
CREATE INDEX epoch_process ON epoch (process_id, dialect, state, fields);

-- One process at one moment.
CREATE TABLE snapshot (
  snapshot_id INTEGER PRIMARY KEY,
  process_id  INTEGER NOT NULL REFERENCES process,
  capture_id  INTEGER NOT NULL REFERENCES capture,
  epoch_id    INTEGER NOT NULL REFERENCES epoch,
  off         INTEGER NOT NULL,         -- place in the epoch: 0, 1, 2 ... A prune leaves gaps
  taken_ms    INTEGER NOT NULL,
  taken_at    TEXT AS (replace(
                strftime('%Y-%m-%dT%H:%M:%fZ', taken_ms / 1000.0, 'unixepoch'), '.000Z', 'Z')),
  moment_ms   INTEGER NOT NULL,         -- time of the first snapshot of its moment
  ordinal     INTEGER NOT NULL,         -- order among captures of one taken_ms
  preferred   INTEGER NOT NULL,         -- 1: has the most fields for its process and moment
  dialect     TEXT NOT NULL,            -- as of its epoch
  time_source_code INTEGER NOT NULL CHECK (time_source_code BETWEEN 0 AND 7),
  state_code   INTEGER NOT NULL CHECK (state_code BETWEEN 0 AND 2), -- codes take at most a byte
  checked_code INTEGER NOT NULL CHECK (checked_code BETWEEN 0 AND 3),
  time_source TEXT AS (rtrim(substr(
                'none  given streamname  mtime now   live  every ', 6 * time_source_code + 1, 6))),
  state       TEXT AS (rtrim(substr(
                'completepartial totals  ', 8 * state_code + 1, 8))),
  checked     TEXT AS (rtrim(substr(
                'none  footerstatusrollup', 6 * checked_code + 1, 6))),
  missing     TEXT,                     -- of a partial capture: what is missing
  hash        INTEGER NOT NULL,         -- XXH3 of the block's lines; live: CLOCK_MONOTONIC
  import_log_id INTEGER REFERENCES import_log,
  mappings    INTEGER,                  -- the sums when read, never computed again; NULL: unknown
  size_kib    INTEGER,
  rss_kib     INTEGER,
  pss_kib     INTEGER,
  private_kib INTEGER,
  private_dirty_kib INTEGER,
  swap_kib    INTEGER,
  tool_size_kib INTEGER,                -- the same, as the capture itself states them
  tool_rss_kib  INTEGER,
  UNIQUE (epoch_id, off)
);
CREATE INDEX snapshot_process ON snapshot (process_id, taken_ms);
CREATE INDEX snapshot_import_log ON snapshot (import_log_id) WHERE import_log_id IS NOT NULL;

-- ---- what pmapdb push has sent; the first push makes more tables ----

-- A server, or a folder. The snapshots after done_id wait here to be sent.
CREATE TABLE push (
  push_id   INTEGER PRIMARY KEY,
  target    TEXT NOT NULL UNIQUE,       -- URL and database, or the folder
  done_id   INTEGER NOT NULL,           -- snapshots up to here are sent
  until_id  INTEGER,                    -- the end of a batch that began, so that a retry sends the
                                        -- same; NULL: none
  seq       INTEGER NOT NULL,           -- batches sent: the version of their rows
  gen       INTEGER NOT NULL,           -- of the sent categories: one more at each rules --apply
  shown_gen INTEGER NOT NULL,           -- the gen that readers use: gen once all is sent
  rules     TEXT,                       -- the rules of gen
  lost      INTEGER NOT NULL,           -- snapshots that a prune removed unsent
  tried_ms  INTEGER,                    -- the last run
  done_ms   INTEGER,                    -- the last batch that was sent
  paused_ms INTEGER,                    -- no run before this moment; NULL: any
  judged_ms INTEGER,                    -- when verdicts were last made
  judged_day INTEGER,                   -- the day, since 1970, when they were made of all processes
  failures  INTEGER NOT NULL,           -- failed runs since done_ms
  error     TEXT                        -- of the last failed run
);

-- Facts of a process that rarely change, from live captures. A limit of -1 is no limit.
CREATE TABLE live_process (
  live_process_id INTEGER PRIMARY KEY,
  hash        INTEGER NOT NULL,         -- of the columns below and its environment, for lookup
  ppid        INTEGER,
  comm        TEXT,
  exe         TEXT,
  cmdline     TEXT,                     -- arguments separated by blanks
  uid         INTEGER,                  -- effective
  user        TEXT,
  cgroup      TEXT,
  memory_max_kib    INTEGER,            -- the lowest memory.max of its cgroup and its parents
  address_limit_kib INTEGER,            -- RLIMIT_AS
  stack_limit_kib   INTEGER,            -- RLIMIT_STACK
  max_map_count     INTEGER,            -- vm.max_map_count
  ns_pid            INTEGER             -- its pid in its own pid namespace
);
CREATE INDEX live_process_hash ON live_process (hash);

-- The environment variables of a process that --keep-env names.
CREATE TABLE environment (
  live_process_id INTEGER NOT NULL REFERENCES live_process,
  name        TEXT NOT NULL,
  value       TEXT NOT NULL,
  PRIMARY KEY (live_process_id, name)
) WITHOUT ROWID;

-- Facts of a process that a live capture read beside its mappings; VmSize and VmRSS are
-- tool_size_kib and tool_rss_kib of the snapshot.
CREATE TABLE live_reading (
  snapshot_id  INTEGER PRIMARY KEY REFERENCES snapshot,
  live_process_id  INTEGER NOT NULL REFERENCES live_process,
  mono_ns      INTEGER NOT NULL,        -- CLOCK_MONOTONIC when the reading of its map began
  read_us      INTEGER NOT NULL,        -- duration of that reading
  cpu_us       INTEGER NOT NULL,        -- CPU time of that reading, here and in the kernel
  longest_us   INTEGER NOT NULL,        -- the longest read(2): the process may have stalled as long
  predicted_us INTEGER,                 -- the prediction of longest_us for smaps
  degraded     TEXT,                    -- why maps or pagemap was read instead of smaps; NULL: as asked
  threads      INTEGER,
  hwm_kib      INTEGER,                 -- VmHWM
  swap_kib     INTEGER,                 -- VmSwap
  page_tables_kib INTEGER,              -- VmPTE
  anon_kib     INTEGER,                 -- RssAnon
  file_kib     INTEGER,                 -- RssFile
  shmem_kib    INTEGER,                 -- RssShmem
  oom_score    INTEGER,                 -- the OOM killer takes the highest first
  cgroup_kib       INTEGER,             -- of the cgroup of memory_max_kib; NULL: unknown, or no limit
  cgroup_file_kib  INTEGER,             -- its page cache, with tmpfs and shared memory
  cgroup_shmem_kib INTEGER,             -- its tmpfs and shared memory
  cgroup_oom_kills INTEGER              -- since the cgroup was made
);

-- What a process had done when it was captured (capture --touched): counts since its start.
CREATE TABLE activity (
  snapshot_id  INTEGER PRIMARY KEY REFERENCES snapshot,
  cpu_us       INTEGER NOT NULL,        -- user and system time of all its threads
  minor_faults INTEGER NOT NULL,
  major_faults INTEGER NOT NULL,
  page_idle    INTEGER NOT NULL         -- 1: page idle tracking gave Referenced of its mappings:
);                                      -- what was touched since the last clearing; 0: smaps did

-- The kernel's accessed bits of all pages of a process were cleared (capture --touched). From then
-- on, Referenced of its mappings is the memory touched since then. If page idle tracking marked the
-- pages, this holds only in the snapshots that read the marks (activity.page_idle).
CREATE TABLE clearing (
  process_id   INTEGER NOT NULL REFERENCES process,
  mono_ns      INTEGER NOT NULL,        -- CLOCK_MONOTONIC just before
  cleared_ms   INTEGER NOT NULL,        -- the same moment in UTC
  page_idle    INTEGER NOT NULL,        -- 1: page idle tracking marked the pages; 0: clear_refs
  clear_us     INTEGER,                 -- CPU time; with clear_refs, mmap and munmap of the process
                                        -- waited as long, or longer; NULL: perhaps not done
  small_kib    INTEGER NOT NULL,        -- in small pages of the process, which were all visited
  cpu_us       INTEGER NOT NULL,        -- as in activity, at that moment
  minor_faults INTEGER NOT NULL,
  major_faults INTEGER NOT NULL,
  PRIMARY KEY (process_id, mono_ns)
) WITHOUT ROWID;

-- Which processes of a live capture share which pages of memory (capture --pages). The function
-- page_groups() reads it.
CREATE TABLE page_scan (
  capture_id  INTEGER PRIMARY KEY REFERENCES capture,
  taken_ms    INTEGER NOT NULL,         -- of its beat
  method      TEXT NOT NULL CHECK (method IN
                ('frame', 'identity')), -- how two processes are known to share a page
  unread      INTEGER NOT NULL,         -- processes whose pages could not be read
  moved_kib   INTEGER,                  -- pages that the kernel moved meanwhile: some may be counted
                                        -- twice; NULL: unknown
  page_kib    INTEGER NOT NULL,         -- size of a page
  sets        BLOB NOT NULL             -- src/pages/sets.h
);
CREATE INDEX page_scan_taken ON page_scan (taken_ms);

-- The pages of one process, as a page_scan read them.
CREATE TABLE page_process (
  snapshot_id INTEGER PRIMARY KEY REFERENCES snapshot,
  capture_id  INTEGER NOT NULL REFERENCES capture, -- of the snapshot
  number      INTEGER NOT NULL,         -- of the process in the sets
  anon_kib    INTEGER NOT NULL,         -- in memory: anonymous,
  file_kib    INTEGER NOT NULL,         -- of files,
  shmem_kib   INTEGER NOT NULL,         -- and shared memory; together they are Rss
  own_kib     INTEGER NOT NULL,         -- of these: mapped once
  swap_kib    INTEGER NOT NULL,         -- in a swap area; shared memory is not counted
  zero_kib    INTEGER NOT NULL,         -- mapped to the page of zeroes: no memory, not in Rss
  hugetlb_kib INTEGER NOT NULL          -- in the pool of huge pages: not in Rss
);
CREATE INDEX page_process_capture ON page_process (capture_id);

-- Snapshots that no prune removes.
CREATE TABLE pin (
  snapshot_id INTEGER PRIMARY KEY REFERENCES snapshot,
  reason      TEXT NOT NULL,
  pinned_ms   INTEGER NOT NULL
);

-- Captures from text that a prune removed, so that an import does not bring them back: cron reads
-- the same folder every day. About 40 bytes each. Captures that nobody can import again have no
-- row: live captures, and standard input without a time.
CREATE TABLE forgotten (
  hash     INTEGER NOT NULL,            -- as in the snapshot
  taken_ms INTEGER NOT NULL,
  n        INTEGER NOT NULL,            -- distinguishes equal hashes and times: 0, 1 ...
  ordinal  INTEGER NOT NULL,
  dialect  TEXT NOT NULL,
  pid      INTEGER,
  host_id  INTEGER REFERENCES host,
  import_log_id   INTEGER REFERENCES import_log,
  PRIMARY KEY (hash, taken_ms, n)
) WITHOUT ROWID;
CREATE INDEX forgotten_import_log ON forgotten (import_log_id) WHERE import_log_id IS NOT NULL;

-- Input that an import refused; kept so that cron reports it only once.
CREATE TABLE refused (
  hash     INTEGER PRIMARY KEY,
  first_ms INTEGER NOT NULL,
  reason   TEXT NOT NULL
);

-- The first 14 are the program's own (src/classify/classify.h), the others come from rules. A
-- category without a reference is removed, and its id may be used again: outside of these tables, a
-- category is known only by its text.
CREATE TABLE category (
  category_id INTEGER PRIMARY KEY,
  category    TEXT NOT NULL UNIQUE,
  description TEXT NOT NULL,
  parent      TEXT NOT NULL             -- of SLUG/DETAIL: the program's own category SLUG; of every
);                                      -- other text: the category itself

-- The rules that decide categories: one row, with a built-in set or another one.
CREATE TABLE rule_set (
  rule_set_id INTEGER PRIMARY KEY CHECK (rule_set_id = 1),
  name       TEXT NOT NULL,             -- of a built-in set, or of the file
  hash       INTEGER NOT NULL,          -- XXH3 of the text; 0: not applied to all processes yet
  text       TEXT NOT NULL,             -- the rule file
  applied_ms INTEGER                    -- to the whole store; NULL: the store began with them
);

-- The facts of a mapping that do not depend on its address.
CREATE TABLE object (
  object_id   INTEGER PRIMARY KEY,
  hash        INTEGER NOT NULL,         -- of the columns below, 32 bits, for lookup
  category_id INTEGER NOT NULL REFERENCES category,
  inferred    INTEGER NOT NULL,         -- 1: the heap by its place; the source does not name it
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

-- One mapping through time, even if it grows, moves, splits or merges.
CREATE TABLE lineage (
  lineage_id        INTEGER PRIMARY KEY,
  process_id        INTEGER NOT NULL REFERENCES process,
  first_snapshot_id INTEGER NOT NULL REFERENCES snapshot,
  category_id       INTEGER NOT NULL REFERENCES category,
  rule              TEXT                -- the rule that gave it, in the first capture of the
);                                      -- strongest dialect; NULL: the object's own category
CREATE INDEX lineage_process ON lineage (process_id);

-- A program's own report about its memory, at one moment: ranges that do not overlap. They decide
-- the categories of lineages, whose rule is then label.
CREATE TABLE label (
  process_id INTEGER NOT NULL REFERENCES process,
  taken_ms   INTEGER NOT NULL,
  source     TEXT NOT NULL CHECK (source IN ('nmt', 'system-map')), -- of jcmd
  start      INTEGER NOT NULL,
  length     INTEGER NOT NULL,          -- bytes; 0 at start 0: the report is incomplete
  label      TEXT NOT NULL,             -- in the report's words: Java Heap, STACK-4712-main
  PRIMARY KEY (process_id, taken_ms, source, start)
) WITHOUT ROWID;

-- An object at an address range, in one lineage.
CREATE TABLE region (
  region_id  INTEGER PRIMARY KEY,
  lineage_id INTEGER NOT NULL REFERENCES lineage,
  object_id  INTEGER NOT NULL REFERENCES object,
  start      INTEGER NOT NULL,
  length     INTEGER NOT NULL,          -- bytes
  offset     INTEGER,
  size_kib   INTEGER,                   -- NULL: length / 1024; old kernels count a guard page
  category_id INTEGER REFERENCES category, -- the lineage's, by a rule; NULL: the object's
  reason     INTEGER NOT NULL           -- why it is in this lineage: see lineage_history
);
CREATE INDEX region_lineage ON region (lineage_id, length);

-- ---- who allocated memory: calls of mmap, munmap, brk, mremap and mprotect, recorded by perf ----

-- One text of perf script. Times in ns are on perf's clock.
CREATE TABLE recording (
  recording_id INTEGER PRIMARY KEY,
  hash     INTEGER NOT NULL UNIQUE,     -- XXH3 of its bytes, to recognize it
  host_id  INTEGER REFERENCES host,     -- NULL: unknown
  file     TEXT NOT NULL,               -- as the user named it, - for standard input
  first_ns INTEGER NOT NULL,            -- of its first and last call
  last_ns  INTEGER NOT NULL,
  calls    INTEGER NOT NULL,            -- with enter and exit, paired by thread
  failed   INTEGER NOT NULL,            -- of these, with an error as result
  unended  INTEGER NOT NULL,            -- enters without an exit
  unbegun  INTEGER NOT NULL,            -- exits without an enter
  bad      INTEGER NOT NULL,            -- events that could not be read
  lost     INTEGER                      -- lost by perf; NULL: the text does not say
);

-- An address space that a recording shows: a process, whose threads share it.
CREATE TABLE traced_process (
  traced_process_id    INTEGER PRIMARY KEY,
  recording_id INTEGER NOT NULL REFERENCES recording,
  pid          INTEGER,                 -- NULL: the text shows only threads, and no pid was given
  pid_source   TEXT NOT NULL CHECK (pid_source IN
                 ('text', 'given', 'thread', 'assumed', 'unknown')), -- unknown: pid is NULL, and its
                                        -- calls make no extents: they may be of several processes
  process_id   INTEGER REFERENCES process, -- NULL: no process of that pid and time in the store
  offset_ns    INTEGER,                 -- UTC in ns is perf's time plus this; NULL: unknown
  slack_ns     INTEGER,                 -- the greatest error of offset_ns in either direction
  offset_source TEXT CHECK (offset_source IN ('clocks', 'given', 'events')),
  pruned       INTEGER NOT NULL         -- 1: its process was pruned; a prune then removes this row
);
CREATE INDEX traced_process_recording ON traced_process (recording_id);
CREATE INDEX traced_process_process ON traced_process (process_id);

CREATE TABLE thread (
  thread_id INTEGER PRIMARY KEY,
  traced_process_id INTEGER NOT NULL REFERENCES traced_process,
  tid       INTEGER NOT NULL,
  comm      TEXT NOT NULL               -- the last known
);
CREATE INDEX thread_traced_process ON thread (traced_process_id);

-- A place in code that calls.
CREATE TABLE frame (
  frame_id INTEGER PRIMARY KEY,
  symbol   TEXT NOT NULL,               -- '' unknown
  offset   INTEGER NOT NULL,            -- bytes after the start of the symbol; or the address if
                                        -- the symbol is unknown
  dso      TEXT NOT NULL,               -- '' unknown, or inlined
  inlined  INTEGER NOT NULL,
  UNIQUE (symbol, offset, dso, inlined)
);

-- A chain of calls: its innermost frame and the chain that called it. Stack 0 is the empty one.
CREATE TABLE stack (
  stack_id  INTEGER PRIMARY KEY,
  caller_id INTEGER NOT NULL REFERENCES stack,
  frame_id  INTEGER REFERENCES frame,   -- NULL: only for stack 0
  UNIQUE (caller_id, frame_id)
);
INSERT INTO stack (stack_id, caller_id, frame_id) VALUES (0, 0, NULL);

-- Enter and exit of one call of one thread, in the order of the ends. An argument is NULL if the
-- text does not have it, or has no enter.
CREATE TABLE call (
  call_id   INTEGER PRIMARY KEY,
  thread_id INTEGER NOT NULL REFERENCES thread,
  kind      INTEGER NOT NULL,           -- 0 mmap, 1 munmap, 2 brk, 3 mremap, 4 mprotect
  begin_ns  INTEGER,                    -- NULL: an exit without an enter
  end_ns    INTEGER,                    -- NULL: an enter without an exit
  a0        INTEGER,                    -- addr, start, brk
  a1        INTEGER,                    -- len, old_len
  a2        INTEGER,                    -- prot, new_len
  a3        INTEGER,                    -- flags
  a4        INTEGER,                    -- fd, new_addr
  a5        INTEGER,                    -- off
  ret       INTEGER,                    -- two's complement; -4095..-1: an error
  stack_id  INTEGER NOT NULL REFERENCES stack
);
CREATE INDEX call_thread ON call (thread_id, end_ns);

-- The effect of the calls, replayed in order, on the addresses: a range that one call mapped, with
-- its beginning and end in time; at any moment the extents of a traced process do not overlap.
-- Mapping over, moving or cutting an extent ends it and makes another. The rest after a cut keeps its
-- call and its birth; a range moved by mremap keeps its call, and is born at the end of the mremap.
-- For a brk, call_id is the call that moved the end of the heap there.
-- An extent without a birth was unmapped, or mapped over, without a recorded allocation: it is older
-- than the recording, or its call is lost; or the range was free, which is no error of munmap.
CREATE TABLE extent (
  extent_id INTEGER PRIMARY KEY,
  traced_process_id INTEGER NOT NULL REFERENCES traced_process,
  start     INTEGER NOT NULL,
  length    INTEGER NOT NULL,           -- bytes
  call_id   INTEGER NOT NULL REFERENCES call, -- that allocated it: mmap, brk, or an extending mremap;
                                        -- without a birth: that freed it
  born_ns   INTEGER,                    -- end of that call, or of the mremap that moved it
  died_ns   INTEGER                     -- beginning of the call that freed it; NULL: not freed
);
CREATE INDEX extent_traced_process ON extent (traced_process_id, born_ns);

-- Fields that nearly always have their usual value, and keys that pmapdb does not know: few rows,
-- which versions share, so that a version needs one column for all these fields. NULL for a known
-- field means its usual value, by the columns of mapping_version: rss = shared_clean + shared_dirty
-- + private_clean + private_dirty; dirty = shared_dirty + private_dirty; pss_dirty = private_dirty
-- + (pss - private) * shared_dirty / (shared_clean + shared_dirty); anonymous = private_dirty;
-- swap_pss = swap; all others 0.
CREATE TABLE rare_fields (
  rare_fields_id   INTEGER PRIMARY KEY,
  hash        INTEGER NOT NULL,         -- XXH3 of the numbers, by which a row is found
  pss_dirty_kib INTEGER,
  anonymous_kib INTEGER,
  swap_pss_kib  INTEGER,
  anon_huge_kib INTEGER,
  locked_kib    INTEGER,
  ksm_kib     INTEGER,
  lazy_free_kib INTEGER,
  shmem_pmd_kib INTEGER,
  file_pmd_kib  INTEGER,
  shared_hugetlb_kib  INTEGER,
  private_hugetlb_kib INTEGER,
  rss_kib     INTEGER,
  dirty_kib   INTEGER,
  own_fields  INTEGER,                  -- the fields of the epoch that the row has; NULL: all
  extra       TEXT                      -- lines "Key: N kB"
);
CREATE INDEX rare_fields_hash ON rare_fields (hash);

-- A region with unchanged numbers during first..last of its epoch (last NULL: to its end). It begins
-- at a capture, and ends just before the first capture that does not show it.
-- The four parts are those of Rss. An epoch that lacks some of them has there what is known of Rss:
-- private_dirty is Dirty, else Anonymous, else 0; private_clean is the rest; the others are 0. With
-- the field Private (dialect pagemap), private_dirty + private_clean is Private, private_dirty +
-- shared_dirty is Anonymous, and shared_clean is the rest. So the sum of all four is Rss, unless
-- rare_fields.rss_kib has another value. NULL for a known field means "the usual value": pss = rss;
-- referenced = rss; rare_fields_id: all as usual and no extra.
-- Most columns of a row take one byte: rare values are in rare_fields.
CREATE TABLE mapping_version (
  epoch_id      INTEGER NOT NULL REFERENCES epoch,
  region_id     INTEGER NOT NULL REFERENCES region,
  first         INTEGER NOT NULL,
  last          INTEGER,
  private_dirty INTEGER,
  private_clean INTEGER,
  shared_clean  INTEGER,
  shared_dirty  INTEGER,
  swap          INTEGER,
  pss           INTEGER,
  referenced    INTEGER,
  rare_fields_id     INTEGER REFERENCES rare_fields,
  PRIMARY KEY (epoch_id, region_id, first)
) WITHOUT ROWID;

-- The sums of one category, unchanged during first..last of the epoch. Captures of state totals
-- have the one category total and no rows in mapping_version.
CREATE TABLE category_version (
  epoch_id      INTEGER NOT NULL REFERENCES epoch,
  category_id   INTEGER NOT NULL REFERENCES category,
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

-- ---- views ----

-- One row per snapshot.
CREATE VIEW snapshots AS
SELECT snapshot_id, process_id, capture_id, n.name, pid, h.name AS host, taken_at, taken_ms,
  moment_ms, dialect, state, missing, checked, time_source, preferred, mappings, size_kib, rss_kib,
  pss_kib, private_kib, private_dirty_kib, swap_kib, tool_size_kib, tool_rss_kib
FROM snapshot
JOIN process p USING (process_id)
JOIN name n USING (name_id)
LEFT JOIN host h USING (host_id);

-- One row per process: one life of one pid, with the sizes of its newest snapshot. ended_at is the
-- last moment of a process that has ended. A live process has ended if a later beat of its schedule
-- lacks it although that beat left out no living process, if three later beats lack it that left
-- out only processes whose maps changed too quickly, or if its host was booted again. A process from
-- text has ended if captures of its host went on for more than one and a half of its steps.
CREATE VIEW processes AS
SELECT p.process_id, n.name, pid, h.name AS host, command, identity, boot_id, start_time,
  (SELECT taken_at FROM snapshot WHERE process_id = p.process_id ORDER BY taken_ms LIMIT 1) AS first_at,
  z.taken_at AS last_at,
  CASE WHEN CASE WHEN schedule_id IS NULL
      THEN t.last_ms - z.taken_ms > 1.5 * (z.taken_ms - (SELECT max(taken_ms) FROM snapshot
        WHERE process_id = p.process_id AND taken_ms < z.taken_ms))
      ELSE 2 < (SELECT sum(iif(changed, 1, 3)) FROM (SELECT changed FROM beat
          WHERE schedule_id = b.schedule_id AND started_ms > b.started_ms AND unmoved = 0 LIMIT 3))
        OR EXISTS (SELECT 1 FROM schedule CROSS JOIN beat USING (schedule_id)
          WHERE host_id = p.host_id AND boot_id <> p.boot_id AND started_ms > z.taken_ms)
    END THEN z.taken_at END AS ended_at,
  (SELECT count(*) FROM snapshot WHERE process_id = p.process_id) AS snapshots,
  y.size_kib, ifnull(y.rss_kib, y.tool_rss_kib) AS rss_kib
FROM process p
JOIN name n USING (name_id)
LEFT JOIN host h USING (host_id)
-- its newest snapshot, if possible of a beat, and the one with the most fields
LEFT JOIN snapshot z ON z.snapshot_id = (SELECT snapshot_id FROM snapshot LEFT JOIN beat USING (capture_id)
  WHERE process_id = p.process_id ORDER BY taken_ms DESC, schedule_id IS NULL LIMIT 1)
LEFT JOIN beat b USING (capture_id)
LEFT JOIN snapshot y ON y.snapshot_id = (SELECT snapshot_id FROM snapshot
  WHERE process_id = p.process_id AND preferred ORDER BY taken_ms DESC LIMIT 1)
LEFT JOIN (
  -- the last text of each host
  SELECT host_id, max((SELECT max(taken_ms) FROM snapshot WHERE process_id = q.process_id)) AS last_ms
  FROM process q WHERE boot_id IS NULL GROUP BY host_id
) t ON t.host_id IS p.host_id;

-- One row per value that a label of a host had, with the moment from which it counts.
CREATE VIEW host_labels AS
SELECT h.name AS host, key, value, at_ms,
  replace(strftime('%Y-%m-%dT%H:%M:%fZ', at_ms / 1000.0, 'unixepoch'), '.000Z', 'Z') AS at
FROM host_label
JOIN host h USING (host_id);

-- One row per lineage: one mapping of a process through time.
CREATE VIEW lineages AS
SELECT lineage_id, process_id, first_snapshot_id, category, rule
FROM lineage
JOIN category USING (category_id);

-- The numbers of every region in every version, decoded, for the views below. 8 is 1 << Rss, and so
-- on, as in src/base/record/fields.def; Dirty itself is 16777216, its parts are 128 and 512: one part
-- alone is not enough. 0 / (known & 4096) is 0 for a known field, NULL for an unknown one.
CREATE VIEW mapping_versions AS
SELECT process_id, dialect, state, epoch_id, region_id, first, last, known, swap AS swap_kib, extra,
  CASE WHEN known & 8 THEN rss END AS rss_kib,
  CASE WHEN known & 16 THEN ifnull(pss, rss) END AS pss_kib,
  CASE WHEN known & 16777856 >= 640 THEN ifnull(dirty_kib, shared_dirty + private_dirty) END AS dirty_kib,
  CASE WHEN fields & 768 = 768 OR fields & 33554432 THEN private_clean + private_dirty END
    AS private_kib,
  CASE WHEN fields & 512 THEN private_dirty END AS private_dirty_kib,
  CASE WHEN fields & 64 THEN shared_clean END AS shared_clean_kib,
  CASE WHEN fields & 128 THEN shared_dirty END AS shared_dirty_kib,
  CASE WHEN fields & 256 THEN private_clean END AS private_clean_kib,
  CASE WHEN known & 32 THEN ifnull(pss_dirty_kib, private_dirty + CASE shared_dirty WHEN 0 THEN 0
    ELSE (ifnull(pss, rss) - private_clean - private_dirty) * shared_dirty
      / (shared_clean + shared_dirty) END) END AS pss_dirty_kib,
  CASE WHEN known & 1024 THEN ifnull(referenced, rss) END AS referenced_kib,
  CASE WHEN known & 2048 THEN ifnull(anonymous_kib, private_dirty) END AS anonymous_kib,
  ifnull(ksm_kib, 0 / (known & 4096)) AS ksm_kib,
  ifnull(lazy_free_kib, 0 / (known & 8192)) AS lazy_free_kib,
  ifnull(anon_huge_kib, 0 / (known & 16384)) AS anon_huge_kib,
  ifnull(shmem_pmd_kib, 0 / (known & 32768)) AS shmem_pmd_kib,
  ifnull(file_pmd_kib, 0 / (known & 65536)) AS file_pmd_kib,
  ifnull(shared_hugetlb_kib, 0 / (known & 131072)) AS shared_hugetlb_kib,
  ifnull(private_hugetlb_kib, 0 / (known & 262144)) AS private_hugetlb_kib,
  CASE WHEN known & 1048576 THEN ifnull(swap_pss_kib, swap) END AS swap_pss_kib,
  ifnull(locked_kib, 0 / (known & 2097152)) AS locked_kib
FROM (
  SELECT *, ifnull(own_fields, fields) AS known,
    ifnull(rss_kib, shared_clean + shared_dirty + private_clean + private_dirty) AS rss
  FROM epoch
  CROSS JOIN mapping_version USING (epoch_id)
  LEFT JOIN rare_fields USING (rare_fields_id));

-- One row per mapping per snapshot. parent is the category by its first word alone, base the
-- category before any rule. The condition on preferred is always true: no index has this column, so
-- no index covers s, and old statistics cannot make SQLite scan an index instead of seeking a
-- snapshot_id.
CREATE VIEW mappings AS
SELECT snapshot_id, start, start + length AS end,
  CASE WHEN known & 1 THEN ifnull(r.size_kib, length / 1024) END AS size_kib,
  v.rss_kib, v.pss_kib, dirty_kib, v.private_kib, v.private_dirty_kib, v.swap_kib, perms, offset,
  device, inode, category, flags, path, lineage_id, kernel_page_kib, mmu_page_kib, pss_dirty_kib,
  shared_clean_kib, shared_dirty_kib, private_clean_kib, referenced_kib, anonymous_kib, ksm_kib,
  lazy_free_kib, anon_huge_kib, shmem_pmd_kib, file_pmd_kib, shared_hugetlb_kib, private_hugetlb_kib,
  swap_pss_kib, locked_kib, thp_eligible, protection_key, extra, inferred, name_cut, region_id,
  parent,
  (SELECT category FROM category WHERE category_id = o.category_id
    AND o.object_id = r.object_id) AS base -- always true; o alone would get a Bloom filter
FROM snapshot s
CROSS JOIN mapping_versions v USING (epoch_id)
CROSS JOIN region r USING (region_id)
CROSS JOIN object o USING (object_id)
CROSS JOIN category c ON c.category_id = ifnull(r.category_id, o.category_id)
WHERE preferred >= 0 AND first <= off AND (last IS NULL OR last >= off);

-- The categories of a snapshot; if it has only sums, the one category total. preferred: as in
-- mappings. A version is looked up, not searched for among the versions of its epoch: the cost of a
-- snapshot does not depend on the others, and a trend of one category reads no other category.
CREATE VIEW categories AS
SELECT snapshot_id, process_id, taken_ms, category, v.mappings, v.size_kib, v.rss_kib, v.pss_kib,
  v.private_kib, v.private_dirty_kib, v.swap_kib,
  parent, taken_at, name, pid
FROM snapshot s
CROSS JOIN process USING (process_id)
CROSS JOIN name USING (name_id)
CROSS JOIN category c
CROSS JOIN category_version v USING (epoch_id, category_id)
WHERE preferred >= 0 AND (last IS NULL OR last >= off)
  AND first = (SELECT max(first) FROM category_version WHERE epoch_id = s.epoch_id
    AND category_id = c.category_id AND first <= off);

-- One row per unchanged run of a category: n snapshots from first_ms to last_ms. A run ends with
-- its epoch, so equal rows may follow each other. Partial captures are left out; captures with only
-- sums have the one category total.
CREATE VIEW category_runs AS
SELECT process_id, dialect, category,
  (SELECT taken_ms FROM snapshot WHERE epoch_id = v.epoch_id
    AND off BETWEEN first AND ifnull(last, 32767) ORDER BY off LIMIT 1) AS first_ms,
  (SELECT taken_ms FROM snapshot WHERE epoch_id = v.epoch_id AND off <= ifnull(last, 32767)
    ORDER BY off DESC LIMIT 1) AS last_ms,
  (SELECT count(*) FROM snapshot WHERE epoch_id = v.epoch_id
    AND off BETWEEN first AND ifnull(last, 32767)) AS n,
  mappings, size_kib, rss_kib, pss_kib, private_kib, private_dirty_kib, swap_kib
FROM epoch
CROSS JOIN category_version v USING (epoch_id)
CROSS JOIN category USING (category_id)
WHERE state <> 'partial' AND first_ms NOTNULL;

-- Every version of every region of a lineage, in every dialect that shows it.
CREATE VIEW lineage_history AS
SELECT lineage_id, process_id, dialect,
  (SELECT taken_ms FROM snapshot WHERE epoch_id = v.epoch_id AND off >= first
    ORDER BY off LIMIT 1) AS first_ms,
  (SELECT taken_ms FROM snapshot WHERE epoch_id = v.epoch_id AND off <= ifnull(last, 32767)
    ORDER BY off DESC LIMIT 1) AS last_ms,
  start, start + length AS end,
  CASE WHEN known & 1 THEN ifnull(r.size_kib, length / 1024) END AS size_kib,
  rss_kib, pss_kib, private_kib, private_dirty_kib, swap_kib, perms, offset, category, path,
  rtrim(substr('new        same       same-start same-end   overlap    file-offset', 11 * reason + 1, 11))
    AS reason, state, region_id,
  parent
FROM lineage
CROSS JOIN region r USING (lineage_id)
CROSS JOIN object o USING (object_id)
CROSS JOIN category c ON c.category_id = ifnull(r.category_id, o.category_id)
CROSS JOIN mapping_versions v USING (process_id, region_id);
