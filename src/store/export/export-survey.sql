-- export-survey: before a redacted export copies a row, it sees all addresses (src/store/export/
-- addresses.h) and the programs and libraries of the system, whose names are public.
--
-- note_address(space, start, length), join_spaces(space, other) and note_path(path) are functions of
-- the export.

SELECT count(note_address(l.process_id, r.start, r.length))
FROM region r JOIN lineage l ON l.lineage_id = r.lineage_id
WHERE r.region_id IN (SELECT id FROM export_region);
SELECT count(note_address(process_id, start, length)) FROM label
WHERE process_id IN (SELECT id FROM export_process);
SELECT count(note_address(process_id, stack_end, 0)), count(note_address(process_id, vdso_start, 0)),
  count(note_address(process_id, libc_start, 0)), count(note_address(process_id, ld_start, 0)),
  count(note_address(process_id, exe_start, 0))
FROM process
WHERE process_id IN (SELECT id FROM export_process);
SELECT count(note_address(e.space, x.start, x.length))
FROM export_traced e JOIN extent x ON x.traced_process_id = e.id;
SELECT count(note_address(e.space, x.start, x.length))
FROM export_traced e JOIN foreign_extent x ON x.traced_process_id = e.id;
SELECT count(note_address(e.space, c.a0, 0)), count(note_address(e.space, c.ret, 0)),
  count(CASE c.kind WHEN 3 THEN note_address(e.space, c.a4, 0) END)
FROM export_traced e
JOIN thread h ON h.traced_process_id = e.id
JOIN call c ON c.thread_id = h.thread_id;
SELECT count(note_address(u.space, f.offset, 0))
FROM export_frame u JOIN frame f ON f.frame_id = u.frame_id;

-- A frame without a symbol is known by its address: processes that share one (they were forked) are
-- moved alike.
SELECT count(join_spaces(space, other)) FROM (
  SELECT u.space, k.space AS other
  FROM export_stack k
  JOIN stack s ON s.stack_id = k.stack_id
  JOIN export_frame u ON u.frame_id = s.frame_id
  JOIN frame f ON f.frame_id = u.frame_id
  WHERE k.space <> u.space AND f.offset > 0
  GROUP BY 1, 2);

SELECT count(note_path(path)) FROM object
WHERE object_id IN (SELECT object_id FROM region WHERE region_id IN (SELECT id FROM export_region));
SELECT count(note_path(exe)) FROM live_process
WHERE live_process_id IN (
  SELECT live_process_id FROM live_reading WHERE snapshot_id IN (SELECT id FROM export_snapshot));
SELECT count(note_path(substr(command, 1, instr(command || ' ', ' ') - 1))) FROM process
WHERE process_id IN (SELECT id FROM export_process);
