-- export-survey: before a redacted export copies a row, finds all addresses, the values that get
-- numbers, and the programs and libraries of the system, whose names are public.
--
-- note_path(path) is a function of the export. An end above the largest number becomes the start.

INSERT INTO export_address
SELECT space, start, CASE WHEN length < 0 OR length > 9223372036854775807 - start THEN start ELSE start + length END
FROM (
  SELECT l.process_id AS space, r.start, r.length
  FROM region r JOIN lineage l ON l.lineage_id = r.lineage_id
  WHERE r.region_id IN (SELECT id FROM export_region)
  UNION ALL SELECT process_id, start, length FROM label WHERE process_id IN (SELECT id FROM export_process)
  UNION ALL SELECT e.space, x.start, x.length
  FROM export_traced e JOIN extent x ON x.traced_process_id = e.id)
WHERE start > 0;

INSERT INTO export_address
SELECT space, start, start FROM (
  SELECT p.process_id AS space, CASE n.column1 WHEN 1 THEN p.stack_end WHEN 2 THEN p.vdso_start
    WHEN 3 THEN p.libc_start WHEN 4 THEN p.ld_start ELSE p.exe_start END AS start
  FROM export_process e JOIN process p ON p.process_id = e.id
  CROSS JOIN (VALUES (1), (2), (3), (4), (5)) n
  UNION ALL
  SELECT e.space, CASE n.column1 WHEN 1 THEN c.a0 WHEN 2 THEN c.ret WHEN 3 THEN CASE c.kind WHEN 3 THEN c.a4 END END
  FROM export_traced e
  JOIN thread h ON h.traced_process_id = e.id
  JOIN call c ON c.thread_id = h.thread_id
  CROSS JOIN (VALUES (1), (2), (3)) n)
WHERE start > 0;

INSERT INTO export_number
SELECT 'inode', key, row_number() OVER (ORDER BY first) FROM (
  SELECT device || ' ' || inode AS key, min(object_id) AS first FROM object
  WHERE inode <> 0 AND device IS NOT NULL
    AND object_id IN (SELECT object_id FROM region WHERE region_id IN (SELECT id FROM export_region))
  GROUP BY key)
UNION ALL SELECT 'uid', uid, row_number() OVER (ORDER BY min(live_process_id)) FROM live_process
WHERE uid >= 1000 GROUP BY uid
UNION ALL SELECT 'frame', offset, row_number() OVER (ORDER BY min(frame_id)) FROM frame
WHERE symbol = '' GROUP BY offset;

SELECT count(note_path(path)) FROM object
WHERE object_id IN (SELECT object_id FROM region WHERE region_id IN (SELECT id FROM export_region));
SELECT count(note_path(exe)) FROM live_process
WHERE live_process_id IN (
  SELECT live_process_id FROM live_reading WHERE snapshot_id IN (SELECT id FROM export_snapshot));
SELECT count(note_path(substr(command, 1, instr(command || ' ', ' ') - 1))) FROM process
WHERE process_id IN (SELECT id FROM export_process);
