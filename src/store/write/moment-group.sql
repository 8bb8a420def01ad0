-- moment-group: groups the snapshots of a name in a span of time again. Writes the moments before
-- moment_end.until_ms, which are certain. If until_ms is NULL, the span was too short: nothing is
-- written, and the caller tries a longer one.
--
-- Parameters: :name_id; :from_ms, where a moment begins, and :to_ms, the span; :after_ms, the last time
-- of a new snapshot; :newest_ms, the newest snapshot of the name; :sweep_ms.

-- All snapshots of one time are in one moment. live: 1 if one is of a live sweep; again_ms: the latest
-- earlier time at which one of their processes was captured in the same dialect: no moment has both.
CREATE TEMP TABLE IF NOT EXISTS moment_time (
  k         INTEGER PRIMARY KEY,
  taken_ms  INTEGER NOT NULL,
  moment_ms INTEGER NOT NULL,           -- before
  live      INTEGER NOT NULL,
  again_ms  INTEGER
);
DELETE FROM moment_time;
INSERT INTO moment_time
SELECT row_number() OVER (ORDER BY taken_ms), taken_ms, max(moment_ms), max(live), max(again_ms)
FROM (
  SELECT s.taken_ms, s.moment_ms, s.time_source_code = 6 AS live,
    max(s.taken_ms) OVER (PARTITION BY s.process_id, s.dialect ORDER BY s.taken_ms
      RANGE BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS again_ms
  FROM process p
  CROSS JOIN snapshot s ON s.process_id = p.process_id AND s.taken_ms BETWEEN :from_ms AND :to_ms
  WHERE p.name_id = :name_id)
GROUP BY taken_ms;

CREATE TEMP TABLE IF NOT EXISTS moment_new (taken_ms INTEGER PRIMARY KEY, moment_ms INTEGER NOT NULL);
DELETE FROM moment_new;
INSERT INTO moment_new
WITH RECURSIVE go (k, taken_ms, moment_ms, live) AS (
  SELECT k, taken_ms, taken_ms, live FROM moment_time WHERE k = 1
  UNION ALL
  SELECT t.k, t.taken_ms, CASE WHEN t.live OR g.live OR t.taken_ms - g.moment_ms > :sweep_ms
      OR t.again_ms >= g.moment_ms THEN t.taken_ms ELSE g.moment_ms END, t.live
  FROM go g CROSS JOIN moment_time t ON t.k = g.k + 1)
SELECT taken_ms, moment_ms FROM go;

-- until_ms: the first moment after the new snapshots that began there before, too: all later moments
-- are unchanged. If the span ends with a pause, the next snapshot begins a moment in any case.
CREATE TEMP TABLE IF NOT EXISTS moment_end (until_ms INTEGER);
DELETE FROM moment_end;
INSERT INTO moment_end
SELECT coalesce(min(CASE WHEN t.taken_ms > :after_ms AND t.taken_ms = t.moment_ms
    AND t.taken_ms = n.moment_ms THEN t.taken_ms END),
  CASE WHEN :to_ms >= :newest_ms OR ifnull(max(t.taken_ms) + :sweep_ms < :to_ms, 1) THEN 1 << 61 END)
FROM moment_time t JOIN moment_new n ON n.taken_ms = t.taken_ms;

-- The order of snapshots does not depend on the order of import, as ids do.
UPDATE snapshot SET moment_ms = g.now_ms, preferred = g.nth = 1
FROM (
  SELECT s.snapshot_id AS of_id, n.moment_ms AS now_ms, row_number() OVER (
    PARTITION BY n.moment_ms, s.process_id
    ORDER BY s.state_code * 100 + d.rank, s.taken_ms DESC, s.ordinal DESC, s.hash DESC) AS nth
  FROM process p
  CROSS JOIN snapshot s ON s.process_id = p.process_id AND s.taken_ms BETWEEN :from_ms AND :to_ms
    AND s.taken_ms < (SELECT until_ms FROM moment_end)
  JOIN dialect d ON d.name = s.dialect
  JOIN moment_new n ON n.taken_ms = s.taken_ms
  WHERE p.name_id = :name_id) g
WHERE snapshot_id = of_id AND (moment_ms <> g.now_ms OR preferred <> (g.nth = 1));
