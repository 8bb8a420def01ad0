-- keep-remove: removes the snapshots of the next moments that the plan removes. The caller then
-- tidies (pm_tidy_some) in the same transaction.
--
-- Parameters: :most (the largest weight of a transaction; a single moment may weigh more), :last_id
-- (the newest snapshot at the time of the plan). Foreign keys are off.

CREATE TEMP TABLE IF NOT EXISTS keep_next (
  series_id INTEGER NOT NULL,
  moment_ms INTEGER NOT NULL,
  PRIMARY KEY (series_id, moment_ms)
) WITHOUT ROWID;
DELETE FROM keep_next;
INSERT INTO keep_next
SELECT series_id, moment_ms FROM (
  SELECT series_id, moment_ms, sum(weight) OVER (ORDER BY series_id DESC, moment_ms DESC
    ROWS UNBOUNDED PRECEDING) - weight AS before
  FROM keep_moment WHERE fate IS NOT NULL AND NOT removed)
WHERE before < :most;

-- A moment that changed since the plan stays until the next prune: it was pinned, another snapshot
-- joined it, or another prune removed a part of it.
UPDATE keep_moment SET fate = NULL, pinned = 1
WHERE (series_id, moment_ms) IN (SELECT n.series_id, n.moment_ms
  FROM keep_next n
  CROSS JOIN keep_snapshot k ON k.series_id = n.series_id AND k.moment_ms = n.moment_ms
  CROSS JOIN keep_series q ON q.series_id = n.series_id
  LEFT JOIN snapshot s ON s.snapshot_id = k.snapshot_id
  LEFT JOIN process p ON p.process_id = s.process_id
  LEFT JOIN pin i ON i.snapshot_id = k.snapshot_id
  WHERE s.moment_ms IS NOT n.moment_ms OR p.name_id IS NOT q.name_id OR i.snapshot_id IS NOT NULL
  UNION ALL
  SELECT n.series_id, n.moment_ms
  FROM snapshot s
  CROSS JOIN process p ON p.process_id = s.process_id
  CROSS JOIN keep_series q ON q.name_id = p.name_id
  CROSS JOIN keep_next n ON n.series_id = q.series_id AND n.moment_ms = s.moment_ms
  WHERE s.snapshot_id > :last_id);
DELETE FROM keep_next WHERE (series_id, moment_ms) IN (
  SELECT series_id, moment_ms FROM keep_moment WHERE fate IS NULL);
UPDATE keep_moment SET removed = 1
WHERE (series_id, moment_ms) IN (SELECT series_id, moment_ms FROM keep_next);

CREATE TEMP TABLE IF NOT EXISTS keep_gone (snapshot_id INTEGER PRIMARY KEY);
DELETE FROM keep_gone;
INSERT INTO keep_gone
SELECT k.snapshot_id FROM keep_next n
CROSS JOIN keep_snapshot k ON k.series_id = n.series_id AND k.moment_ms = n.moment_ms;

-- Recorded so that no import restores the snapshots. Live captures and standard input without a
-- time are not recorded: they cannot be imported a second time.
INSERT INTO forgotten (hash, taken_ms, n, ordinal, dialect, pid, host_id, import_log_id)
SELECT s.hash, s.taken_ms, row_number() OVER (PARTITION BY s.hash, s.taken_ms) - 1
    + (SELECT count(*) FROM forgotten t WHERE t.hash = s.hash AND t.taken_ms = s.taken_ms),
  s.ordinal, s.dialect, p.pid, p.host_id, s.import_log_id
FROM keep_gone g
CROSS JOIN snapshot s ON s.snapshot_id = g.snapshot_id
CROSS JOIN process p ON p.process_id = s.process_id
WHERE s.time_source NOT IN ('now', 'live');

-- Records how far a series was pruned: missing captures up to then are no gap.
UPDATE name SET pruned_ms = max(newest_ms, coalesce(pruned_ms, newest_ms))
FROM (SELECT q.name_id AS of_name, max(n.moment_ms) AS newest_ms FROM keep_next n
  JOIN keep_series q ON q.series_id = n.series_id GROUP BY q.name_id)
WHERE name_id = of_name;

UPDATE push SET lost = lost + (SELECT count(*) FROM keep_gone WHERE snapshot_id > done_id)
WHERE done_id < (SELECT max(snapshot_id) FROM keep_gone);

INSERT INTO tidy_process SELECT DISTINCT s.process_id
FROM keep_gone g CROSS JOIN snapshot s ON s.snapshot_id = g.snapshot_id;
INSERT INTO tidy_epoch SELECT DISTINCT s.epoch_id
FROM keep_gone g CROSS JOIN snapshot s ON s.snapshot_id = g.snapshot_id;
INSERT INTO tidy_place SELECT s.epoch_id, s.off
FROM keep_gone g CROSS JOIN snapshot s ON s.snapshot_id = g.snapshot_id;
INSERT INTO tidy_lineage SELECT l.lineage_id
FROM tidy_process t CROSS JOIN lineage l ON l.process_id = t.process_id
WHERE l.first_snapshot_id IN (SELECT snapshot_id FROM keep_gone);
-- In each stream of captures, the epochs from the one before the first that lost captures to the one
-- after the last may become one. An epoch that is alone in its stream has no other to join.
INSERT INTO tidy_near
WITH stream AS (
  SELECT e.process_id, e.dialect, e.state, e.epoch_id, row_number() OVER (
      PARTITION BY e.process_id, e.dialect, e.state ORDER BY s.taken_ms, s.ordinal, s.hash) AS k,
    e.epoch_id IN (SELECT epoch_id FROM tidy_epoch) AS lost
  FROM tidy_process t
  CROSS JOIN epoch e ON e.process_id = t.process_id
  CROSS JOIN snapshot s ON s.epoch_id = e.epoch_id AND s.off = 0)
SELECT epoch_id
FROM (SELECT epoch_id, k, count(*) OVER w AS n, min(CASE WHEN lost THEN k END) OVER w AS first_lost,
    max(CASE WHEN lost THEN k END) OVER w AS last_lost
  FROM stream WINDOW w AS (PARTITION BY process_id, dialect, state))
WHERE n > 1 AND k BETWEEN first_lost - 1 AND last_lost + 1;
DELETE FROM activity WHERE snapshot_id IN (SELECT snapshot_id FROM keep_gone);
DELETE FROM page_process WHERE snapshot_id IN (SELECT snapshot_id FROM keep_gone);
DELETE FROM live_reading WHERE snapshot_id IN (SELECT snapshot_id FROM keep_gone);
DELETE FROM snapshot WHERE snapshot_id IN (SELECT snapshot_id FROM keep_gone);
-- SQLite gives the highest removed ids to the next snapshots; push must not take these for sent.
UPDATE push SET done_id = (SELECT ifnull(max(snapshot_id), 0) FROM snapshot), until_id = NULL
WHERE done_id > (SELECT ifnull(max(snapshot_id), 0) FROM snapshot);
UPDATE push SET until_id = NULL WHERE until_id > (SELECT ifnull(max(snapshot_id), 0) FROM snapshot);
