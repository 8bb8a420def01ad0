-- moment-spread: neighbouring moments of a name without a common process, where processes of the
-- first appear again later. They are at most :reach_ms apart, so that one sweep may have been meant.
--
-- Parameters: ?1 name_id, ?2 and ?3 the first and the last taken_ms, ?4 the reach in ms.

WITH seen AS (
  SELECT s.process_id, s.moment_ms FROM process p
  CROSS JOIN snapshot s ON s.process_id = p.process_id AND s.taken_ms BETWEEN ?2 AND ?3
  WHERE p.name_id = ?1 AND s.preferred),
pair AS (
  SELECT moment_ms, lag(moment_ms) OVER (ORDER BY moment_ms) AS before
  FROM (SELECT DISTINCT moment_ms FROM seen)),
close AS (SELECT * FROM pair WHERE moment_ms - before <= ?4)
SELECT count(*), max(moment_ms - before), (SELECT name FROM name WHERE name_id = ?1),
  (SELECT count(DISTINCT process_id) FROM seen)
FROM close c
WHERE NOT EXISTS (SELECT 1 FROM seen a JOIN seen b ON b.process_id = a.process_id
    AND b.moment_ms = c.moment_ms WHERE a.moment_ms = c.before)
  AND EXISTS (SELECT 1 FROM seen a JOIN seen b ON b.process_id = a.process_id
    AND b.moment_ms > c.moment_ms WHERE a.moment_ms = c.before);
