-- import-log-find: the log of a host that has all blocks of a file in its beginning, or whose blocks
-- are all in the beginning of the file; both per pid. A log that has the whole file comes first: an
-- old, rotated file may also begin like the fresh log of an idle process. Of several the latest.
--
-- A log that has the whole file counts only if the file was not written after the log's last block:
-- otherwise an idle process printed the same text again into a fresh file.
--
-- Parameters: ?1 host_id, or 0; ?2 the blocks of the file as JSON, [[pid, hash], ...]; ?3 their
-- number; ?4 when the file was written (NULL: unknown).

WITH own AS (
  SELECT pid, hash, row_number() OVER (PARTITION BY pid ORDER BY place) AS nth
  FROM (SELECT "key" AS place, json_extract(value, '$[0]') AS pid, json_extract(value, '$[1]') AS hash
    FROM json_each(?2))),
stored AS (
  SELECT import_log_id, pid, hash, taken_ms, row_number() OVER (
      PARTITION BY import_log_id, pid ORDER BY taken_ms, ordinal) AS nth
  FROM (
    SELECT l.import_log_id, coalesce(p.pid, -1) AS pid, s.hash, s.taken_ms, s.ordinal
    FROM import_log l
    CROSS JOIN snapshot s ON s.import_log_id = l.import_log_id
    CROSS JOIN process p ON p.process_id = s.process_id
    WHERE coalesce(l.host_id, 0) = ?1
    UNION ALL
    SELECT l.import_log_id, coalesce(f.pid, -1), f.hash, f.taken_ms, f.ordinal
    FROM import_log l CROSS JOIN forgotten f ON f.import_log_id = l.import_log_id
    WHERE coalesce(l.host_id, 0) = ?1)),
relation AS (
  SELECT s.import_log_id, max(s.taken_ms) AS last_ms, count(*) AS n, count(o.nth) AS shared,
    sum(o.hash <> s.hash) AS differ
  FROM stored s LEFT JOIN own o ON o.pid = s.pid AND o.nth = s.nth
  GROUP BY s.import_log_id)
SELECT import_log_id, last_ms
FROM relation
WHERE differ = 0
  AND CASE shared WHEN ?3 THEN ?4 IS NULL OR ?4 / 1000 <= last_ms / 1000 ELSE shared = n END
ORDER BY shared = ?3 DESC, last_ms DESC LIMIT 1;
