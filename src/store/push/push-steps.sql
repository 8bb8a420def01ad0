-- push-steps: the temp tables from which push-TABLE.sql sends a batch:
--
--   push_step     its snapshots, each with the preceding one of its process; after a late snapshot also
--                   the next one, which was sent
--   push_weaker     weaker captures of their moments, whose rows were sent and are corrected
--   push_anew     processes whose spans are found again from all their snapshots
--   push_life       the snapshots of the processes of the batch, and whether a span begins there
--   push_span       their spans: open, ended, or ended meanwhile
--   push_place    the hosts, each with its newest moment: an open span counts up to there
--   push_hours    the hours of these snapshots, and those that waited for their end
--   push_last       the last snapshots of each process in them
--   push_within     the categories that occur in an hour that is sent again
--   push_place_name, push_process   the keys and names that servers know
--
-- Parameters: :push_id, :done_id, :until_id, :now_ms, :newest (1: no snapshot is newer than the batch),
-- :store, :redact (1: names are tokens). push_hash and push_name are functions of push.c.
-- push-done.sql keeps what the next batch needs: push_open, push_key, push_host, push_hour.
--
-- A process counts as present until a beat of its group lacks it. A group is a schedule of live
-- captures, or a name of text captures.

DROP TABLE IF EXISTS temp.push_step;
CREATE TEMP TABLE push_step (
  snapshot_id   INTEGER PRIMARY KEY,
  process_id    INTEGER NOT NULL,
  epoch_id      INTEGER NOT NULL,
  off           INTEGER NOT NULL,
  taken_ms      INTEGER NOT NULL,
  known         INTEGER NOT NULL,       -- 1: sent before; now a late one precedes it
  prev_ms       INTEGER,                -- the preceding snapshot of the process
  prev_epoch_id INTEGER,
  prev_off      INTEGER,
  whole         INTEGER                 -- 1: all categories are sent, not only what changed
);

-- Of two snapshots of a process with one time the last counts.
INSERT INTO push_step (snapshot_id, process_id, epoch_id, off, taken_ms, known)
SELECT snapshot_id, process_id, epoch_id, off, taken_ms, 0 FROM snapshot s
WHERE snapshot_id > :done_id AND snapshot_id <= :until_id AND preferred = 1
  AND NOT EXISTS (SELECT 1 FROM snapshot t WHERE t.process_id = s.process_id
    AND t.taken_ms = s.taken_ms AND t.preferred = 1 AND t.ordinal > s.ordinal
    AND t.snapshot_id <= :until_id);

INSERT OR IGNORE INTO push_step (snapshot_id, process_id, epoch_id, off, taken_ms, known)
SELECT n.snapshot_id, n.process_id, n.epoch_id, n.off, n.taken_ms, 1
FROM push_step s
CROSS JOIN snapshot n ON n.snapshot_id = (SELECT t.snapshot_id FROM snapshot t
  WHERE t.process_id = s.process_id AND t.taken_ms > s.taken_ms AND t.preferred = 1
    AND t.snapshot_id <= :until_id ORDER BY t.taken_ms, t.ordinal DESC LIMIT 1)
WHERE n.snapshot_id <= :done_id;
CREATE INDEX temp.push_step_epoch ON push_step (epoch_id, off);
CREATE INDEX temp.push_step_process ON push_step (process_id, taken_ms);

UPDATE push_step SET (prev_ms, prev_epoch_id, prev_off) = (
  SELECT t.taken_ms, t.epoch_id, t.off FROM snapshot t
  WHERE t.process_id = push_step.process_id AND t.taken_ms < push_step.taken_ms
    AND t.preferred = 1 AND t.snapshot_id <= :until_id
  ORDER BY t.taken_ms DESC, t.ordinal DESC LIMIT 1);
-- A prune may have removed the preceding snapshot.
UPDATE push_step SET prev_ms = (SELECT o.last_ms FROM push_open o WHERE o.push_id = :push_id
  AND o.process_id = push_step.process_id AND o.last_ms < push_step.taken_ms)
WHERE prev_ms IS NULL;

-- Weaker captures whose rows were sent, with the stronger capture of the same moment that came later:
-- the rows of the stronger one are sent in their place, at both times.
DROP TABLE IF EXISTS temp.push_weaker;
CREATE TEMP TABLE push_weaker (
  snapshot_id INTEGER NOT NULL,         -- the stronger one
  taken_ms    INTEGER NOT NULL,         -- of the weaker one
  epoch_id    INTEGER NOT NULL,
  off         INTEGER NOT NULL,
  PRIMARY KEY (snapshot_id, taken_ms, epoch_id, off)
) WITHOUT ROWID;
INSERT INTO push_weaker
SELECT s.snapshot_id, w.taken_ms, w.epoch_id, w.off
FROM push_step s
CROSS JOIN snapshot t ON t.snapshot_id = s.snapshot_id
CROSS JOIN snapshot w ON w.process_id = s.process_id AND w.taken_ms > ifnull(s.prev_ms, -1e18)
  AND w.taken_ms < ifnull((SELECT min(n.taken_ms) FROM snapshot n WHERE n.process_id = s.process_id
    AND n.taken_ms > s.taken_ms AND n.preferred = 1), 1e18)
WHERE NOT s.known AND t.time_source <> 'live' AND w.moment_ms = t.moment_ms AND w.preferred = 0
  AND w.snapshot_id <= :done_id;

-- ---- spans ----

-- The processes whose spans are found anew from all their snapshots: a late one came, the span that goes
-- on is not known, or a better name is.
DROP TABLE IF EXISTS temp.push_anew;
CREATE TEMP TABLE push_anew (process_id INTEGER PRIMARY KEY);
INSERT OR IGNORE INTO push_anew SELECT process_id FROM push_step WHERE known;
INSERT OR IGNORE INTO push_anew
SELECT s.process_id
FROM (SELECT process_id, min(taken_ms), prev_ms FROM push_step GROUP BY process_id) s
WHERE s.prev_ms IS NOT NULL AND NOT EXISTS (SELECT 1 FROM push_open o
  WHERE o.push_id = :push_id AND o.process_id = s.process_id AND o.last_ms = s.prev_ms);
INSERT OR IGNORE INTO push_anew
SELECT o.process_id FROM push_open o CROSS JOIN process p ON p.process_id = o.process_id
WHERE o.push_id = :push_id AND p.name_ms > o.last_ms;

DROP TABLE IF EXISTS temp.push_life;
CREATE TEMP TABLE push_life (
  process_id  INTEGER NOT NULL,
  taken_ms    INTEGER NOT NULL,
  snapshot_id INTEGER NOT NULL,
  schedule_id INTEGER,                  -- NULL: from text
  prev_ms     INTEGER,
  begins      INTEGER,                  -- 1: a span begins: a beat after prev_ms lacks the process
  PRIMARY KEY (process_id, taken_ms)
) WITHOUT ROWID;
INSERT INTO push_life (process_id, taken_ms, snapshot_id, prev_ms, schedule_id)
SELECT s.process_id, s.taken_ms, s.snapshot_id, s.prev_ms,
  (SELECT b.schedule_id FROM snapshot t JOIN beat b ON b.capture_id = t.capture_id
    WHERE t.snapshot_id = s.snapshot_id)
FROM push_step s
WHERE s.process_id NOT IN (SELECT process_id FROM push_anew);
INSERT OR REPLACE INTO push_life (process_id, taken_ms, snapshot_id, prev_ms, schedule_id)
SELECT s.process_id, s.taken_ms, s.snapshot_id,
  lag(s.taken_ms) OVER (PARTITION BY s.process_id ORDER BY s.taken_ms),
  (SELECT b.schedule_id FROM beat b WHERE b.capture_id = s.capture_id)
FROM push_anew a
CROSS JOIN snapshot s ON s.process_id = a.process_id
WHERE s.preferred = 1 AND s.snapshot_id <= :until_id
  AND NOT EXISTS (SELECT 1 FROM snapshot t WHERE t.process_id = s.process_id
    AND t.taken_ms = s.taken_ms AND t.preferred = 1 AND t.ordinal > s.ordinal
    AND t.snapshot_id <= :until_id);

UPDATE push_life SET begins = prev_ms IS NULL OR CASE WHEN schedule_id IS NOT NULL
  THEN EXISTS (SELECT 1 FROM beat b WHERE b.schedule_id = push_life.schedule_id
    AND b.started_ms > push_life.prev_ms AND b.started_ms < push_life.taken_ms)
  ELSE EXISTS (SELECT 1 FROM process p
    CROSS JOIN process q ON q.name_id = p.name_id AND q.process_id <> p.process_id
    CROSS JOIN snapshot t ON t.process_id = q.process_id AND t.taken_ms > push_life.prev_ms
      AND t.taken_ms < push_life.taken_ms
    WHERE p.process_id = push_life.process_id AND t.snapshot_id <= :until_id
      AND t.moment_ms NOT IN (SELECT u.moment_ms FROM snapshot u
        WHERE u.process_id = p.process_id AND u.taken_ms IN (push_life.prev_ms, push_life.taken_ms)))
  END;

-- Only the newest span of a process may be open.
DROP TABLE IF EXISTS temp.push_span;
CREATE TEMP TABLE push_span (
  process_id  INTEGER NOT NULL,
  first_ms    INTEGER NOT NULL,
  last_ms     INTEGER NOT NULL,
  n           INTEGER NOT NULL,
  snapshot_id INTEGER,                  -- its newest; NULL: sought by last_ms
  schedule_id INTEGER,
  newest      INTEGER NOT NULL,
  gone        INTEGER,                  -- 1: its group has had a beat without the process since
  ended       INTEGER,                  -- 1: sent with its end
  changed     INTEGER NOT NULL,         -- 1: to be sent
  PRIMARY KEY (process_id, first_ms)
) WITHOUT ROWID;
INSERT INTO push_span
SELECT process_id, CASE nth WHEN 0 THEN open_ms ELSE min(taken_ms) END, max(taken_ms),
  count(*) + CASE nth WHEN 0 THEN open_n ELSE 0 END, snapshot_id, schedule_id, 0, NULL, NULL, 1
FROM (
  SELECT l.process_id, l.taken_ms, l.snapshot_id, l.schedule_id, o.first_ms AS open_ms, o.n AS open_n,
    sum(l.begins) OVER (PARTITION BY l.process_id ORDER BY l.taken_ms) AS nth
  FROM push_life l
  LEFT JOIN push_open o ON o.push_id = :push_id AND o.process_id = l.process_id)
GROUP BY process_id, nth;
-- The sent span of a process in push_anew, if no span found anew begins where it began: now a part of
-- another span, it is sent with an end.
INSERT OR IGNORE INTO push_span
SELECT process_id, first_ms, last_ms, n, NULL, NULL, 0, 1, 1, 1 FROM push_open
WHERE push_id = :push_id AND process_id IN (SELECT process_id FROM push_anew);
-- The other sent spans, which may have ended.
INSERT OR IGNORE INTO push_span
SELECT process_id, first_ms, last_ms, n, NULL,
  (SELECT b.schedule_id FROM snapshot t JOIN beat b ON b.capture_id = t.capture_id
    WHERE t.process_id = o.process_id AND t.taken_ms = o.last_ms AND t.preferred = 1 LIMIT 1), 0, NULL,
  NULL, 0
FROM push_open o
WHERE push_id = :push_id;
UPDATE push_span SET snapshot_id = (SELECT t.snapshot_id FROM snapshot t
  WHERE t.process_id = push_span.process_id AND t.taken_ms <= push_span.last_ms AND t.preferred = 1
  ORDER BY t.taken_ms DESC, t.ordinal DESC LIMIT 1)
WHERE snapshot_id IS NULL;
-- A weaker capture of the last moment may be the later one.
UPDATE push_span SET last_ms = (
  SELECT max(w.taken_ms) FROM snapshot s
  CROSS JOIN snapshot w ON w.process_id = s.process_id AND w.taken_ms >= s.taken_ms
    AND w.taken_ms < ifnull((SELECT min(n.taken_ms) FROM snapshot n WHERE n.process_id = s.process_id
      AND n.taken_ms > s.taken_ms AND n.preferred = 1), 1e18)
  WHERE s.snapshot_id = push_span.snapshot_id AND w.moment_ms = s.moment_ms)
WHERE changed AND schedule_id IS NULL AND snapshot_id IS NOT NULL;
UPDATE push_span SET newest = 1 WHERE first_ms = (SELECT max(s.first_ms) FROM push_span s
  WHERE s.process_id = push_span.process_id);

-- ---- hosts: the newest moment of each, with this batch ----

DROP TABLE IF EXISTS temp.push_place;
CREATE TEMP TABLE push_place (
  host_id    INTEGER PRIMARY KEY,       -- 0: unknown
  was_ms     INTEGER,                   -- through_ms of the batch before; NULL: the first batch
  through_ms INTEGER NOT NULL
);
INSERT INTO push_place
SELECT host_id, max(was_ms), max(ms) FROM (
  SELECT ifnull(p.host_id, 0) AS host_id, NULL AS was_ms, max(l.taken_ms) AS ms
  FROM push_life l CROSS JOIN process p ON p.process_id = l.process_id GROUP BY 1
  UNION ALL SELECT host_id, through_ms, through_ms FROM push_host WHERE push_id = :push_id)
GROUP BY host_id;

UPDATE push_span SET gone = CASE WHEN schedule_id IS NOT NULL
  THEN EXISTS (SELECT 1 FROM beat b WHERE b.schedule_id = push_span.schedule_id
    AND b.started_ms > push_span.last_ms AND b.started_ms <= (SELECT h.through_ms FROM push_place h
      JOIN process p ON p.process_id = push_span.process_id AND h.host_id = ifnull(p.host_id, 0)))
  ELSE EXISTS (SELECT 1 FROM process p
    CROSS JOIN process q ON q.name_id = p.name_id AND q.process_id <> p.process_id
    CROSS JOIN snapshot t ON t.process_id = q.process_id AND t.taken_ms > push_span.last_ms
    WHERE p.process_id = push_span.process_id AND t.snapshot_id <= :until_id
      AND t.moment_ms NOT IN (SELECT u.moment_ms FROM snapshot u
        WHERE u.process_id = p.process_id AND u.taken_ms = push_span.last_ms))
  END
WHERE newest AND gone IS NULL;
-- A span without an end counts up to the newest moment of its host, so a span that does not reach this
-- moment gets an end.
UPDATE push_span SET ended = NOT newest OR gone OR last_ms < (SELECT h.through_ms FROM push_place h
  JOIN process p ON p.process_id = push_span.process_id AND h.host_id = ifnull(p.host_id, 0))
WHERE ended IS NULL;
UPDATE push_span SET changed = 1
WHERE NOT changed AND ended <> (SELECT o.ended FROM push_open o
  WHERE o.push_id = :push_id AND o.process_id = push_span.process_id);

UPDATE push_step SET whole = prev_epoch_id IS NOT epoch_id OR prev_off >= off
  OR EXISTS (SELECT 1 FROM push_weaker w WHERE w.snapshot_id = push_step.snapshot_id)
  OR prev_ms / 86400000 <> taken_ms / 86400000 OR taken_ms - prev_ms > 3600000
  OR (SELECT l.begins FROM push_life l WHERE l.process_id = push_step.process_id
    AND l.taken_ms = push_step.taken_ms);

-- ---- hours: those of new snapshots, and those that waited for their end ----

DROP TABLE IF EXISTS temp.push_hours;
CREATE TEMP TABLE push_hours (
  host_id INTEGER NOT NULL,
  hour_ms INTEGER NOT NULL,
  late    INTEGER NOT NULL,             -- 1: it may have been sent before
  over    INTEGER NOT NULL,
  PRIMARY KEY (host_id, hour_ms)
) WITHOUT ROWID;
INSERT INTO push_hours
SELECT h.host_id, h.hour_ms, max(ifnull(h.late, 0)),
  w.through_ms >= h.hour_ms + 3600000 OR (:newest AND :now_ms >= h.hour_ms + 3600000)
FROM (
  SELECT ifnull(p.host_id, 0) AS host_id, s.taken_ms - s.taken_ms % 3600000 AS hour_ms,
    w.was_ms >= s.taken_ms - s.taken_ms % 3600000 AND NOT EXISTS (SELECT 1 FROM push_hour o
      WHERE o.push_id = :push_id AND o.host_id = w.host_id
        AND o.hour_ms = s.taken_ms - s.taken_ms % 3600000) AS late
  FROM push_step s
  CROSS JOIN process p ON p.process_id = s.process_id
  CROSS JOIN push_place w ON w.host_id = ifnull(p.host_id, 0)
  WHERE NOT s.known
  GROUP BY 1, 2
  UNION ALL SELECT host_id, hour_ms, 0 FROM push_hour WHERE push_id = :push_id) h
CROSS JOIN push_place w ON w.host_id = h.host_id
GROUP BY h.host_id, h.hour_ms;

-- The snapshots of the last beats of these hours: at most one for each process.
DROP TABLE IF EXISTS temp.push_last;
CREATE TEMP TABLE push_last (
  hour_ms     INTEGER NOT NULL,
  process_id  INTEGER NOT NULL,
  snapshot_id INTEGER,
  sent        INTEGER NOT NULL DEFAULT 1, -- 0: of an hour before one of these, to compare with
  PRIMARY KEY (hour_ms, process_id)
) WITHOUT ROWID;
INSERT OR IGNORE INTO push_last (hour_ms, process_id)
SELECT s.taken_ms - s.taken_ms % 3600000, s.process_id FROM push_step s;
INSERT OR IGNORE INTO push_last (hour_ms, process_id)
SELECT last_ms - last_ms % 3600000, process_id FROM push_open WHERE push_id = :push_id;
INSERT OR IGNORE INTO push_last (hour_ms, process_id)
SELECT h.hour_ms, p.process_id FROM push_hours h CROSS JOIN process p ON ifnull(p.host_id, 0) = h.host_id
WHERE h.late AND h.over;
DELETE FROM push_last WHERE NOT EXISTS (SELECT 1 FROM push_hours h
  JOIN process p ON p.process_id = push_last.process_id AND h.host_id = ifnull(p.host_id, 0)
  WHERE h.hour_ms = push_last.hour_ms AND h.over);
INSERT OR IGNORE INTO push_last (hour_ms, process_id, sent)
SELECT h.hour_ms - 3600000, p.process_id, 0
FROM push_hours h CROSS JOIN process p ON ifnull(p.host_id, 0) = h.host_id
WHERE h.over;
UPDATE push_last SET snapshot_id = (SELECT t.snapshot_id FROM snapshot t
  WHERE t.process_id = push_last.process_id AND t.taken_ms >= push_last.hour_ms
    AND t.taken_ms < push_last.hour_ms + 3600000 AND t.preferred = 1 AND t.snapshot_id <= :until_id
  ORDER BY t.taken_ms DESC, t.ordinal DESC LIMIT 1);
DELETE FROM push_last WHERE snapshot_id IS NULL;

-- The categories that occur in an hour that is sent again: its last beat may lack them.
DROP TABLE IF EXISTS temp.push_within;
CREATE TEMP TABLE push_within (
  hour_ms INTEGER NOT NULL, process_id INTEGER NOT NULL, category_id INTEGER NOT NULL,
  PRIMARY KEY (hour_ms, process_id, category_id)) WITHOUT ROWID;
INSERT OR IGNORE INTO push_within
SELECT l.hour_ms, l.process_id, v.category_id
FROM push_last l
CROSS JOIN process p ON p.process_id = l.process_id
CROSS JOIN push_hours h ON h.host_id = ifnull(p.host_id, 0) AND h.hour_ms = l.hour_ms AND h.late
CROSS JOIN snapshot s ON s.process_id = l.process_id AND s.taken_ms >= l.hour_ms
  AND s.taken_ms < l.hour_ms + 3600000
CROSS JOIN category_version v ON v.epoch_id = s.epoch_id AND v.first <= s.off
  AND (v.last IS NULL OR v.last >= s.off);
DELETE FROM push_last WHERE EXISTS (SELECT 1 FROM snapshot s
  JOIN beat b ON b.capture_id = s.capture_id
  JOIN beat n ON n.schedule_id = b.schedule_id
  WHERE s.snapshot_id = push_last.snapshot_id AND n.started_ms > b.started_ms
    AND n.started_ms < push_last.hour_ms + 3600000);
DELETE FROM push_last WHERE snapshot_id IN (
  SELECT snapshot_id FROM (
    SELECT l.snapshot_id, s.moment_ms, b.schedule_id,
      max(s.moment_ms) OVER (PARTITION BY l.hour_ms, p.name_id) AS newest_ms
    FROM push_last l
    JOIN snapshot s ON s.snapshot_id = l.snapshot_id
    JOIN process p ON p.process_id = l.process_id
    LEFT JOIN beat b ON b.capture_id = s.capture_id)
  WHERE schedule_id IS NULL AND moment_ms < newest_ms);

-- ---- the keys that servers have: hashes of the facts that identify a host or a process ----
--
-- Two stores of a host give a live process the same key. A process from text is known by its store.

-- The names of the system's programs are public: push_name must know them before it replaces names.
SELECT count(push_name('never', exe)) FROM (
  SELECT DISTINCT t.exe FROM push_step s
  CROSS JOIN live_reading r ON r.snapshot_id = s.snapshot_id
  CROSS JOIN live_process t ON t.live_process_id = r.live_process_id
  WHERE :redact ORDER BY t.exe);

DROP TABLE IF EXISTS temp.push_place_name;
CREATE TEMP TABLE push_place_name (host_id INTEGER PRIMARY KEY, host_key INTEGER, host TEXT);
INSERT INTO push_place_name
SELECT host_id, push_hash(host), host FROM (
  SELECT w.host_id, ifnull(push_name('host', h.name), '?')
    || CASE WHEN :redact THEN '-' || substr(:store, 1, 8) ELSE '' END AS host
  FROM push_place w LEFT JOIN host h ON h.host_id = w.host_id);

DROP TABLE IF EXISTS temp.push_process;
CREATE TEMP TABLE push_process (
  process_id INTEGER PRIMARY KEY, host_key INTEGER, process_key INTEGER, name TEXT);
INSERT INTO push_process
SELECT p.process_id, w.host_key,
  ifnull((SELECT process_key FROM main.push_key o WHERE o.process_id = p.process_id AND o.push_id = :push_id),
    push_hash(w.host, p.boot_id, p.pid, p.start_time, p.life,
      CASE WHEN p.start_time IS NULL THEN :store END)),
  push_name('path', n.name)
FROM (SELECT process_id FROM push_step UNION SELECT process_id FROM push_span WHERE changed
  UNION SELECT process_id FROM push_last UNION SELECT process_id FROM push_within
  UNION SELECT process_id FROM push_verdict UNION SELECT process_id FROM push_stack
  UNION SELECT process_id FROM main.push_leak WHERE push_id = :push_id) k
CROSS JOIN process p ON p.process_id = k.process_id
CROSS JOIN name n ON n.name_id = p.name_id
CROSS JOIN push_place_name w ON w.host_id = ifnull(p.host_id, 0);
