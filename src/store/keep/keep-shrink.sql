-- keep-shrink: marks the oldest moments of all series for removal, because the store is too large.
--
-- Parameters: :snapshots (remove at least this number, in whole moments), :force (1: the newest
-- moment of a series may be removed). Pinned moments always stay.

INSERT OR IGNORE INTO keep_reason
SELECT series_id, max(moment_ms), 10, 'newest', 0 FROM keep_moment
WHERE fate IS NULL AND NOT :force GROUP BY series_id;

DELETE FROM keep_reason WHERE rule = 8 AND (series_id, moment_ms) IN (
  SELECT series_id, moment_ms FROM keep_reason WHERE rule = 10);

UPDATE keep_moment SET fate = 'max-size' WHERE (series_id, moment_ms) IN (
  SELECT series_id, moment_ms FROM (
    SELECT m.series_id, m.moment_ms, sum(m.snapshots) OVER (ORDER BY m.moment_ms, m.series_id
      ROWS UNBOUNDED PRECEDING) - m.snapshots AS before
    FROM keep_moment m
    WHERE m.fate IS NULL AND NOT m.pinned AND NOT EXISTS (SELECT 1 FROM keep_reason r
      WHERE r.series_id = m.series_id AND r.moment_ms = m.moment_ms AND r.rule = 10))
  WHERE before < max(:snapshots, 1));
