-- The tables of a fleet in ClickHouse, from 18.16 on; `pmapdb fleet schema` prints them.
--
-- Rows are facts that never become false, so a row may arrive twice, late or in any order: of the rows
-- of one key the one with the greatest seq counts. Sizes are KiB, times ms since 1970 UTC; unknown is
-- NULL. `mappings` to `swap_kib` are the seven numbers of a category. `gen` counts how often a store's
-- categories were decided anew; marks.gen is the current one.

-- The labels of a host (build, version, role, region), from when on.
CREATE TABLE IF NOT EXISTS hosts (
    host_id UInt64, host String, at_ms Int64, label_key Array(String), label_value Array(String),
    schema UInt16, seq UInt64)
ENGINE = ReplacingMergeTree(seq) ORDER BY (host_id, at_ms);

-- Up to when a store was pushed completely: the last row of every push.
CREATE TABLE IF NOT EXISTS marks (
    host_id UInt64, host String, store String, gen UInt32, through_ms Int64, pushed_ms Int64,
    rows UInt64, seq UInt64)
ENGINE = ReplacingMergeTree(seq) ORDER BY (host_id, store);

-- A process, in spans without a missing beat. last_ms NULL: the span counts up to marks.through_ms.
CREATE TABLE IF NOT EXISTS spans (
    host_id UInt64, process_key UInt64, store String, name String, pid Nullable(Int64), boot_id String,
    command String, exe String, user String, cgroup String, memory_max_kib Nullable(Int64),
    dialect String, state String, first_ms Int64, last_ms Nullable(Int64), n UInt32, seq UInt64)
ENGINE = ReplacingMergeTree(seq)
PARTITION BY toYYYYMM(toDate(toDateTime(intDiv(first_ms, 1000)), 'UTC'))
ORDER BY (host_id, process_key, first_ms);

-- The categories of a process when they change, and all of them at the first snapshot of a span and of
-- every UTC day: the value at T is the newest row at or before T, at most 25 hours old. seq is 0; only
-- rows that replace the rows of a weaker capture, imported earlier, of the same moment have another.
CREATE TABLE IF NOT EXISTS points (
    host_id UInt64, name String, process_key UInt64, gen UInt32, category String, at_ms Int64,
    mappings Nullable(Int64), size_kib Nullable(Int64), rss_kib Nullable(Int64),
    pss_kib Nullable(Int64), private_kib Nullable(Int64), private_dirty_kib Nullable(Int64),
    swap_kib Nullable(Int64), seq UInt64)
ENGINE = ReplacingMergeTree(seq)
PARTITION BY toDate(toDateTime(intDiv(at_ms, 1000)), 'UTC')
ORDER BY (host_id, name, process_key, category, gen, at_ms);

-- The sums of a name and category at the last beat of every hour.
CREATE TABLE IF NOT EXISTS hourly (
    host_id UInt64, name String, category String, hour DateTime, gen UInt32, at_ms Int64,
    processes UInt32, mappings Nullable(Int64), size_kib Nullable(Int64), rss_kib Nullable(Int64),
    pss_kib Nullable(Int64), private_kib Nullable(Int64), private_dirty_kib Nullable(Int64),
    swap_kib Nullable(Int64), seq UInt64)
ENGINE = ReplacingMergeTree(seq) PARTITION BY toDate(hour, 'UTC')
ORDER BY (name, category, host_id, gen, hour);

-- The sums of a name over all its categories, at the same beats, and the lowest memory limit of the
-- cgroups of its processes. Rules do not change them, so they have no gen.
CREATE TABLE IF NOT EXISTS totals (
    host_id UInt64, name String, hour DateTime, at_ms Int64, processes UInt32,
    memory_max_kib Nullable(Int64), mappings Nullable(Int64), size_kib Nullable(Int64),
    rss_kib Nullable(Int64), pss_kib Nullable(Int64), private_kib Nullable(Int64),
    private_dirty_kib Nullable(Int64), swap_kib Nullable(Int64), seq UInt64)
ENGINE = ReplacingMergeTree(seq) PARTITION BY toDate(hour, 'UTC')
ORDER BY (name, host_id, hour);

-- The sums of a name's objects at the last beat of an hour in which they moved by 64 KiB or more.
CREATE TABLE IF NOT EXISTS objects (
    host_id UInt64, name String, object String, category String, hour DateTime, gen UInt32,
    at_ms Int64, mappings Nullable(Int64), size_kib Nullable(Int64), rss_kib Nullable(Int64),
    pss_kib Nullable(Int64), private_kib Nullable(Int64), private_dirty_kib Nullable(Int64),
    swap_kib Nullable(Int64), seq UInt64)
ENGINE = ReplacingMergeTree(seq) PARTITION BY toDate(hour, 'UTC')
ORDER BY (name, object, category, host_id, gen, hour);

-- Verdicts of the host, when they change and once a day. `steady` and `too-few` are rows of
-- process_key 0 and 1 that count their processes; other rows are one process.
CREATE TABLE IF NOT EXISTS verdicts (
    host_id UInt64, name String, category String, metric String, process_key UInt64,
    pid Nullable(Int64), gen UInt32, day Date, judged_ms Int64, verdict String, shape String,
    since_ms Nullable(Int64), rate_per_h Nullable(Float64), rate_low Nullable(Float64),
    rate_high Nullable(Float64), could_see_per_h Nullable(Float64), last_kib Nullable(Int64),
    limit_kib Nullable(Int64), limit_by String, eta_h Nullable(Float64), snapshots UInt32,
    processes UInt32, stack_hash UInt64, build String, seq UInt64)
ENGINE = ReplacingMergeTree(seq) PARTITION BY toYYYYMM(day)
ORDER BY (name, category, metric, host_id, process_key, gen, day);

-- The call stacks of the memory that grew, as `pmapdb who` shows them.
CREATE TABLE IF NOT EXISTS stacks (
    stack_hash UInt64, host_id UInt64, name String, category String, stack String,
    growth_kib Nullable(Int64), share Nullable(Float64), from_ms Int64, to_ms Int64, seq UInt64)
ENGINE = ReplacingMergeTree(seq) ORDER BY (name, category, stack_hash, host_id, from_ms);

-- From version 20 on: smaller columns, and ClickHouse removes old rows.
ALTER TABLE points, hourly, objects
    MODIFY COLUMN category LowCardinality(String);
ALTER TABLE points, hourly, totals, objects
    MODIFY COLUMN name LowCardinality(String),
    MODIFY COLUMN at_ms Int64 CODEC(DoubleDelta, ZSTD(1)),
    MODIFY COLUMN mappings Nullable(Int64) CODEC(Delta(8), ZSTD(1)),
    MODIFY COLUMN size_kib Nullable(Int64) CODEC(Delta(8), ZSTD(1)),
    MODIFY COLUMN rss_kib Nullable(Int64) CODEC(Delta(8), ZSTD(1)),
    MODIFY COLUMN pss_kib Nullable(Int64) CODEC(Delta(8), ZSTD(1)),
    MODIFY COLUMN private_kib Nullable(Int64) CODEC(Delta(8), ZSTD(1)),
    MODIFY COLUMN private_dirty_kib Nullable(Int64) CODEC(Delta(8), ZSTD(1)),
    MODIFY COLUMN swap_kib Nullable(Int64) CODEC(Delta(8), ZSTD(1));
ALTER TABLE verdicts
    MODIFY COLUMN name LowCardinality(String),
    MODIFY COLUMN category LowCardinality(String),
    MODIFY COLUMN metric LowCardinality(String),
    MODIFY COLUMN verdict LowCardinality(String),
    MODIFY COLUMN shape LowCardinality(String);
ALTER TABLE points
    MODIFY TTL toDateTime(intDiv(at_ms, 1000)) + INTERVAL 14 DAY;
ALTER TABLE hourly, totals, objects
    MODIFY TTL hour + INTERVAL 400 DAY;
ALTER TABLE verdicts
    MODIFY TTL day + INTERVAL 400 DAY;
ALTER TABLE points, hourly, totals, objects, verdicts
    MODIFY SETTING ttl_only_drop_parts = 1;
