-- select-process: what a person means by a process. Result: no row, or the first way of reading the
-- selector that finds something: how many it finds, the last of them, and for `several`, the ids of
-- all as a JSON array.
--
-- ?1: the selector; ?2: its number, after a leading @ (?3 is 1) or alone; ?4/?5: NAME/PID; ?6:?7:
-- HOST:NAME. Missing parts are NULL. A name may look like any of these, so each is tried in turn:
-- pid, name, NAME/PID, HOST:NAME, what people know the process by, the beginning of a name.
WITH known (word, process_id) AS (
  -- people know a process by the program or the script of its command, or by its newest comm or exe
  SELECT w.word, p.process_id
  FROM (SELECT ?1 AS word UNION SELECT ?4) w
  CROSS JOIN (
    SELECT process_id, rtrim(substr(command, 1, instr(command || ' ', ' ') - 1), ':') AS program,
      substr(command, length(rtrim(command, replace(command, ' ', ''))) + 1) AS script
    FROM process) p
  WHERE w.word IN (p.program, p.script) OR substr(p.program, -length(w.word) - 1) = '/' || w.word
    OR substr(p.script, -length(w.word) - 1) = '/' || w.word
  UNION
  SELECT w.word, p.process_id
  FROM process p
  CROSS JOIN live_reading g ON g.snapshot_id = (SELECT s.snapshot_id FROM snapshot s
    JOIN live_reading USING (snapshot_id) WHERE s.process_id = p.process_id ORDER BY s.taken_ms DESC LIMIT 1)
  CROSS JOIN live_process l ON l.live_process_id = g.live_process_id
  CROSS JOIN (SELECT ?1 AS word UNION SELECT ?4) w
  WHERE p.boot_id IS NOT NULL AND (w.word IN (l.exe, l.comm) OR substr(l.exe, -length(w.word) - 1) = '/' || w.word)
)
SELECT 'id' AS way, 1 AS n, process_id, NULL AS name_id, NULL AS ids
FROM process WHERE ?3 AND process_id = ?2
UNION ALL
SELECT 'pid', count(*), max(process_id), NULL, NULL
FROM process WHERE NOT ?3 AND coalesce(pid, -1) = ?2 GROUP BY pid
UNION ALL
SELECT 'name', count(*), NULL, max(name_id), NULL
FROM name n
WHERE NOT ?3 AND name = ?1 AND EXISTS (SELECT 1 FROM process p WHERE p.name_id = n.name_id) GROUP BY name
UNION ALL
SELECT 'pid', count(*), max(p.process_id), NULL, NULL
FROM process p JOIN name n ON n.name_id = p.name_id
WHERE NOT ?3 AND coalesce(p.pid, -1) = ?5 AND n.name = ?4 GROUP BY p.pid
UNION ALL
SELECT 'pid', count(*), max(process_id), NULL, NULL
FROM process
WHERE NOT ?3 AND coalesce(pid, -1) = ?5 AND process_id IN (SELECT process_id FROM known WHERE word = ?4) GROUP BY pid
UNION ALL
SELECT 'name', count(*), NULL, max(n.name_id), NULL
FROM name n JOIN host h ON h.host_id = n.host_id
WHERE NOT ?3 AND h.name = ?6 AND n.name = ?7
  AND EXISTS (SELECT 1 FROM process p WHERE p.name_id = n.name_id) GROUP BY n.name
UNION ALL
-- one process, or all processes of one name
SELECT CASE WHEN n = 1 OR others = 0 THEN 'name' ELSE 'several' END, 1,
  CASE n WHEN 1 THEN process_id END, CASE WHEN n > 1 AND others = 0 THEN name_id END, ids
FROM (
  SELECT total(k.process_id IS NOT NULL) AS n, total(k.process_id IS NULL) + count(DISTINCT p.name_id) - 1 AS others,
    max(k.process_id) AS process_id, max(p.name_id) AS name_id, json_group_array(k.process_id) AS ids
  FROM process p
  LEFT JOIN (SELECT process_id FROM known WHERE word = ?1) k ON k.process_id = p.process_id
  WHERE p.name_id IN (SELECT name_id FROM process WHERE process_id IN (SELECT process_id FROM known WHERE word = ?1)))
WHERE NOT ?3 AND n > 0
UNION ALL
SELECT 'name', 1, NULL, max(name_id), NULL
FROM process JOIN name USING (name_id)
WHERE NOT ?3 AND length(?1) > 2 AND substr(name, 1, length(?1)) = ?1
GROUP BY ?1 HAVING count(DISTINCT name_id) = 1
LIMIT 1;
