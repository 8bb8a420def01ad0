-- keep-plan: decides which moments of which series stay, and why.
--
-- A series is a name on a host; each process without a name is its own series. A moment is all
-- snapshots of a series that were captured together: they stay or go together. The rules are those
-- of restic's forget: beginning with the newest, the last moment of each of the newest N hours,
-- days, weeks ... that have a moment; if a rule has places left, the oldest moment stays, too.
-- Periods follow the local calendar (TZ), weeks begin on Monday, and an hour that the clock shows
-- twice in autumn counts as two.
--
-- Parameters: :name_id, :process_id, :host (NULL: any); :last, :hourly, :daily, :weekly, :monthly,
-- :yearly (number of moments; 0: no such rule, -1: all), :within_ms (0: no such rule), :now_ms;
-- :rules (1: at least one of these is given), :drop (1: everything that is not pinned is removed).
-- Makes the temp tables keep_series, keep_snapshot, keep_moment, keep_reason.

DROP TABLE IF EXISTS temp.keep_series;
CREATE TEMP TABLE keep_series (
  series_id  INTEGER PRIMARY KEY,       -- the order in which series are reported
  name_id    INTEGER NOT NULL,
  process_id INTEGER,                   -- the process, if it has no name; otherwise NULL
  host       TEXT,                      -- NULL: unknown
  name       TEXT NOT NULL
);
INSERT INTO keep_series (name_id, process_id, host, name)
SELECT DISTINCT n.name_id, CASE WHEN n.name = '?' THEN p.process_id END AS process_id, h.name,
  n.name || CASE WHEN n.name = '?' AND p.pid IS NOT NULL THEN '/' || p.pid ELSE '' END
FROM name n
CROSS JOIN process p ON p.name_id = n.name_id
LEFT JOIN host h ON h.host_id = n.host_id
WHERE n.name_id IS coalesce(:name_id, n.name_id)
  AND p.process_id IS coalesce(:process_id, p.process_id)
  AND (:host IS NULL OR h.name = :host)
ORDER BY 3, 4, 1, 2;

DROP TABLE IF EXISTS temp.keep_snapshot;
CREATE TEMP TABLE keep_snapshot (
  series_id   INTEGER NOT NULL,
  moment_ms   INTEGER NOT NULL,
  snapshot_id INTEGER NOT NULL,
  PRIMARY KEY (series_id, moment_ms, snapshot_id)
) WITHOUT ROWID;
INSERT INTO keep_snapshot
SELECT k.series_id, s.moment_ms, s.snapshot_id
FROM keep_series k
CROSS JOIN process p ON p.name_id = k.name_id AND p.process_id = coalesce(k.process_id, p.process_id)
CROSS JOIN snapshot s ON s.process_id = p.process_id;

DROP TABLE IF EXISTS temp.keep_moment;
CREATE TEMP TABLE keep_moment (
  series_id INTEGER NOT NULL,
  moment_ms INTEGER NOT NULL,
  snapshots INTEGER NOT NULL,
  weight    INTEGER NOT NULL,           -- 1 for each snapshot, and 1 for each 1,024 of its mappings
  pinned    INTEGER NOT NULL,           -- 1: pinned, or changed since the plan was made
  fate      TEXT,                       -- why it is removed; NULL: it stays
  removed   INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (series_id, moment_ms)
) WITHOUT ROWID;
INSERT INTO keep_moment (series_id, moment_ms, snapshots, weight, pinned)
SELECT k.series_id, k.moment_ms, count(*), sum(1 + ifnull(s.mappings, 0) / 1024),
  count(i.snapshot_id) > 0
FROM keep_snapshot k
CROSS JOIN snapshot s ON s.snapshot_id = k.snapshot_id
LEFT JOIN pin i ON i.snapshot_id = k.snapshot_id
GROUP BY k.series_id, k.moment_ms;

-- The reasons why a moment stays: one row for each rule that keeps it.
DROP TABLE IF EXISTS temp.keep_reason;
CREATE TEMP TABLE keep_reason (
  series_id INTEGER NOT NULL,
  moment_ms INTEGER NOT NULL,
  rule      INTEGER NOT NULL,           -- the order in which rules are reported
  word      TEXT NOT NULL,
  oldest    INTEGER NOT NULL,           -- 1: kept only because it is the oldest
  PRIMARY KEY (series_id, moment_ms, rule)
) WITHOUT ROWID;

INSERT INTO keep_reason
WITH rule (rule, word, n) AS (
  VALUES (0, 'last', :last), (1, 'hourly', :hourly), (2, 'daily', :daily), (3, 'weekly', :weekly),
    (4, 'monthly', :monthly), (5, 'yearly', :yearly)),
clock AS (
  SELECT series_id, moment_ms, moment_ms / 1000 AS s,
    CAST(strftime('%s', moment_ms / 1000, 'unixepoch', 'localtime') AS INTEGER) AS local_s,
    strftime('%Y%m', moment_ms / 1000, 'unixepoch', 'localtime') AS local_month
  FROM keep_moment),
period AS (
  SELECT c.series_id, c.moment_ms, r.rule, r.word, r.n,
    CASE r.rule WHEN 0 THEN c.moment_ms WHEN 1 THEN c.s - c.local_s % 3600
      WHEN 2 THEN c.local_s / 86400 WHEN 3 THEN (c.local_s / 86400 + 3) / 7
      WHEN 4 THEN c.local_month ELSE substr(c.local_month, 1, 4) END AS period
  FROM rule r CROSS JOIN clock c
  WHERE r.n <> 0),
place AS (
  SELECT *, dense_rank() OVER (PARTITION BY series_id, rule ORDER BY period DESC) AS place,
    moment_ms = max(moment_ms) OVER (PARTITION BY series_id, rule, period) AS ends_period,
    moment_ms = min(moment_ms) OVER (PARTITION BY series_id, rule) AS is_oldest
  FROM period)
SELECT series_id, moment_ms, rule, word, NOT ends_period
FROM place
WHERE ends_period AND (n < 0 OR place <= n) OR NOT ends_period AND is_oldest AND (n < 0 OR place < n);

-- within counts back from the newest moment that is not in the future: a clock that was wrong once
-- does not make all other moments old.
INSERT INTO keep_reason
SELECT m.series_id, m.moment_ms, 6, 'within', 0
FROM keep_moment m
JOIN (SELECT series_id, coalesce(max(CASE WHEN moment_ms <= :now_ms THEN moment_ms END),
    max(moment_ms)) AS newest_ms FROM keep_moment GROUP BY series_id) n ON n.series_id = m.series_id
WHERE :within_ms > 0 AND m.moment_ms > n.newest_ms - :within_ms;

INSERT INTO keep_reason SELECT series_id, moment_ms, 7, 'pinned', 0 FROM keep_moment WHERE pinned;

-- Snapshots that a target of push lacks stay if a push tried to reach the target in the last week.
INSERT INTO keep_reason
SELECT DISTINCT k.series_id, k.moment_ms, 9, 'push', 0
FROM keep_snapshot k
WHERE NOT :drop AND k.snapshot_id > (SELECT min(done_id) FROM push
  WHERE tried_ms >= :now_ms - 604800000);

-- Without a rule about time, only the size limit removes moments.
INSERT INTO keep_reason SELECT series_id, moment_ms, 8, 'fits', 0 FROM keep_moment
WHERE NOT :rules AND NOT :drop;

UPDATE keep_moment SET fate = CASE WHEN :drop THEN 'dropped' ELSE 'no rule keeps it' END
WHERE NOT EXISTS (SELECT 1 FROM keep_reason r
  WHERE r.series_id = keep_moment.series_id AND r.moment_ms = keep_moment.moment_ms);
