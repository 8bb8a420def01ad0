-- export-tables: every table of the schema: the rows that an export copies, and what a redacted
-- export shows of each column. Result: temp.export_statement, two statements a table.
--
-- rows follows FROM TABLE t and refers to the sets of export-begin.sql; ?1 is 1 if the whole store
-- is copied. space: whose addresses are in a row (export-move.sql). open: copied only without
-- redaction. A table comes after the tables that it refers to.

CREATE TEMP TABLE export_table (place INTEGER PRIMARY KEY, name TEXT, rows TEXT, space TEXT, open INTEGER);
CREATE TEMP TABLE export_column ("table" TEXT, "column" TEXT, how TEXT, PRIMARY KEY ("table", "column"));
CREATE TEMP TABLE export_how (how TEXT PRIMARY KEY, number TEXT, expression TEXT);

INSERT INTO temp.export_table (name, rows, space, open) VALUES
  ('host', 'WHERE ?1 OR t.host_id IN (SELECT id FROM temp.export_host)', NULL, 0),
  ('host_label', 'WHERE ?1 OR t.host_id IN (SELECT id FROM temp.export_host)', NULL, 0),
  ('name', 'WHERE ?1 OR t.name_id IN (SELECT name_id FROM process
    WHERE process_id IN (SELECT id FROM temp.export_process))', NULL, 0),
  ('process', 'WHERE t.process_id IN (SELECT id FROM temp.export_process)', 't.process_id', 0),
  ('origin', 'WHERE ?1 OR t.origin_id IN (SELECT origin_id FROM capture
    WHERE capture_id IN (SELECT id FROM temp.export_capture))', NULL, 0),
  ('capture', 'WHERE ?1 OR t.capture_id IN (SELECT id FROM temp.export_capture)', NULL, 0),
  ('schedule', 'WHERE ?1 OR t.schedule_id IN (SELECT schedule_id FROM beat
    WHERE capture_id IN (SELECT id FROM temp.export_capture))', NULL, 0),
  ('beat', 'WHERE ?1 OR t.capture_id IN (SELECT id FROM temp.export_capture)', NULL, 0),
  ('page_scan', 'WHERE ?1 OR t.capture_id IN (SELECT id FROM temp.export_capture)', NULL, 0),
  ('import_log', 'WHERE ?1 OR t.import_log_id IN (SELECT import_log_id FROM snapshot
    WHERE snapshot_id IN (SELECT id FROM temp.export_snapshot))', NULL, 0),
  ('epoch', 'WHERE t.epoch_id IN (SELECT epoch_id FROM temp.export_shown)', NULL, 0),
  ('snapshot', 'WHERE t.snapshot_id IN (SELECT id FROM temp.export_snapshot)', NULL, 0),
  ('live_process', 'WHERE t.live_process_id IN (SELECT live_process_id FROM live_reading
    WHERE snapshot_id IN (SELECT id FROM temp.export_snapshot))', NULL, 0),
  ('environment', 'WHERE t.live_process_id IN (SELECT live_process_id FROM live_reading
    WHERE snapshot_id IN (SELECT id FROM temp.export_snapshot))', NULL, 1),
  ('live_reading', 'WHERE t.snapshot_id IN (SELECT id FROM temp.export_snapshot)', NULL, 0),
  ('page_process', 'WHERE t.snapshot_id IN (SELECT id FROM temp.export_snapshot)', NULL, 0),
  ('activity', 'WHERE t.snapshot_id IN (SELECT id FROM temp.export_snapshot)', NULL, 0),
  ('clearing', 'WHERE t.process_id IN (SELECT id FROM temp.export_process)', NULL, 0),
  ('pin', 'WHERE t.snapshot_id IN (SELECT id FROM temp.export_snapshot)', NULL, 0),
  ('forgotten', 'WHERE ?1', NULL, 1),
  ('refused', 'WHERE ?1', NULL, 1),
  ('category', 'WHERE t.category_id > 14
    AND (?1 OR t.category_id IN (SELECT id FROM temp.export_category))', NULL, 0),
  ('object', 'WHERE t.object_id IN (SELECT object_id FROM region
    WHERE region_id IN (SELECT id FROM temp.export_region))', NULL, 0),
  ('lineage', 'WHERE t.lineage_id IN (SELECT lineage_id FROM region
    WHERE region_id IN (SELECT id FROM temp.export_region))', NULL, 0),
  ('label', 'WHERE t.process_id IN (SELECT id FROM temp.export_process)', 't.process_id', 0),
  ('region', 'CROSS JOIN lineage l ON l.lineage_id = t.lineage_id
    WHERE t.region_id IN (SELECT id FROM temp.export_region)', 'l.process_id', 0),
  ('recording', 'WHERE t.recording_id IN (SELECT recording_id FROM traced_process
    WHERE traced_process_id IN (SELECT id FROM temp.export_traced))', NULL, 0),
  ('traced_process', 'CROSS JOIN temp.export_traced e ON e.id = t.traced_process_id', NULL, 0),
  ('thread', 'CROSS JOIN temp.export_traced e ON e.id = t.traced_process_id', NULL, 0),
  ('frame', 'WHERE t.frame_id IN (SELECT frame_id FROM stack
    WHERE stack_id IN (SELECT id FROM temp.export_stack))', NULL, 0),
  ('stack', 'WHERE t.stack_id > 0 AND t.stack_id IN (SELECT id FROM temp.export_stack)', NULL, 0),
  ('call', 'CROSS JOIN thread h ON h.thread_id = t.thread_id
    CROSS JOIN temp.export_traced e ON e.id = h.traced_process_id', 'e.space', 0),
  ('extent', 'CROSS JOIN temp.export_traced e ON e.id = t.traced_process_id', 'e.space', 0),
  ('rare_fields', 'WHERE t.rare_fields_id IN (SELECT id FROM temp.export_rare)', NULL, 0),
  ('mapping_version', 'WHERE EXISTS (SELECT 1 FROM temp.export_shown s
    WHERE s.epoch_id = t.epoch_id AND s.off BETWEEN t.first AND coalesce(t.last, 32767))', NULL, 0),
  ('category_version', 'WHERE EXISTS (SELECT 1 FROM temp.export_shown s
    WHERE s.epoch_id = t.epoch_id AND s.off BETWEEN t.first AND coalesce(t.last, 32767))', NULL, 0),
  ('rule_set', '', NULL, 1);

-- Each column with a text or an address. A column without a line is a number that stays: sizes,
-- counts, times, ids, pids, lengths, offsets. A text in such a column ends the export: no unlisted
-- text leaves the store. The ways that export_how does not have are those of redact.h, for texts.
INSERT INTO temp.export_column VALUES
  ('host', 'name', 'host'), ('host_label', 'key', 'reason'), ('host_label', 'value', 'reason'),
  ('name', 'name', 'path'), ('process', 'boot_id', 'boot'), ('process', 'command', 'command'),
  ('process', 'identity', 'fixed'), ('process', 'stack_end', 'address'),
  ('process', 'vdso_start', 'address'), ('process', 'libc_start', 'address'),
  ('process', 'ld_start', 'address'), ('process', 'exe_start', 'address'), ('origin', 'folder', 'path'),
  ('origin', 'file', 'path'), ('capture', 'number', 'never'), ('schedule', 'boot_id', 'boot'),
  ('schedule', 'selection', 'reason'), ('epoch', 'dialect', 'fixed'), ('epoch', 'state', 'fixed'),
  ('snapshot', 'dialect', 'fixed'), ('snapshot', 'missing', 'word'), ('snapshot', 'hash', 'order'),
  ('live_process', 'hash', 'zero'), ('live_process', 'comm', 'path'), ('live_process', 'exe', 'path'),
  ('live_process', 'cmdline', 'command'), ('live_process', 'uid', 'uid'), ('live_process', 'user', 'user'),
  ('live_process', 'cgroup', 'path'), ('live_reading', 'degraded', 'word'), ('page_scan', 'method', 'fixed'),
  ('page_scan', 'sets', 'counts'), ('pin', 'reason', 'reason'), ('category', 'category', 'category'),
  ('category', 'parent', 'category'),
  ('category', 'description', 'note'), ('object', 'hash', 'zero'), ('object', 'perms', 'word'),
  ('object', 'device', 'word'), ('object', 'inode', 'inode'), ('object', 'path', 'path'),
  ('object', 'flags', 'word'), ('lineage', 'rule', 'rule'), ('label', 'source', 'fixed'),
  ('label', 'start', 'address'), ('label', 'label', 'word'), ('region', 'start', 'address'),
  ('recording', 'hash', 'hash'), ('recording', 'file', 'path'), ('traced_process', 'pid_source', 'fixed'),
  ('traced_process', 'offset_source', 'fixed'), ('thread', 'comm', 'path'), ('frame', 'symbol', 'symbol'),
  ('frame', 'offset', 'frame'), ('frame', 'dso', 'path'), ('call', 'a0', 'address'),
  ('call', 'a4', 'new_address'), ('call', 'ret', 'address'), ('extent', 'start', 'address'),
  ('rare_fields', 'extra', 'word');

-- {v}: the value; {s}: the space; {n}: the expression for a number.
-- fixed: one of the schema's own words (its CHECK ensures that). never: is not copied. zero: 0, no
-- hash: no capture that is stored later finds the row. hash: a random number, because the hash of a
-- text confirms a guess of the text. order: the same; snapshots that are ordered by the hash alone
-- keep their order. symbol, of a frame: see redact.h. counts: a blob of counts stays.
-- address: moved with its cluster, or the next one below it; 0 and the kernel's half stay.
-- new_address: the fifth argument of a call, for mremap an address. frame: a distance stays; the
-- address of a frame without a symbol gets a number. inode, uid: numbers in the order of appearance;
-- the same for the same device and inode, and from 1001 on; a uid below 1000 stays.
INSERT INTO temp.export_how VALUES
  ('fixed', NULL, '{v}'),
  ('never', NULL, 'NULL'),
  ('zero', NULL, '0'),
  ('hash', NULL, 'draw() & 4611686018427387903'),
  ('order', NULL, '(row_number() OVER (PARTITION BY t.process_id, t.taken_ms, t.dialect, t.ordinal
    ORDER BY t.hash) << 44) + (draw() & 17592186044415)'),
  ('symbol', NULL, 'redact(''symbol'', {v}, t.dso)'),
  ('counts', NULL, 'CASE WHEN typeof({v}) IN (''null'', ''blob'') THEN {v} ELSE redact(''number'', {v}, ''{c}'') END'),
  ('address', 'CASE WHEN {v} > 0 THEN {v} + coalesce(
      (SELECT c.moved FROM temp.export_cluster c WHERE c.space = {s} AND c.start <= {v} ORDER BY c.start DESC LIMIT 1),
      (SELECT c.moved FROM temp.export_cluster c WHERE c.space = {s} ORDER BY c.start LIMIT 1), -{v})
    ELSE {v} END', NULL),
  ('frame', 'CASE WHEN t.symbol <> '''' THEN {v} ELSE 16 * (SELECT number FROM temp.export_number
    WHERE kind = ''frame'' AND key = {v}) - 2147483648 * ({v} < 0) END', NULL),
  ('inode', 'CASE {v} WHEN 0 THEN 0 ELSE (SELECT number FROM temp.export_number
    WHERE kind = ''inode'' AND key = t.device || '' '' || t.inode) END', NULL),
  ('uid', 'CASE WHEN {v} < 1000 THEN {v} ELSE 1000 + (SELECT number FROM temp.export_number
    WHERE kind = ''uid'' AND key = {v}) END', NULL);
INSERT INTO temp.export_how
SELECT 'new_address', 'CASE WHEN t.kind = 3 THEN ' || number || ' ELSE {v} END', NULL
FROM temp.export_how WHERE how = 'address';

-- A version that ends at or after the last copied capture is left open: else the next imported
-- capture would show it again.
CREATE TEMP TABLE export_statement AS
WITH expression AS (
  SELECT t.place, p.cid,
    replace(replace(replace(replace(CASE
        WHEN NOT :redacted THEN '{v}'
        WHEN c.how IS NOT NULL AND h.number IS NULL
          THEN coalesce(h.expression, 'redact(''' || c.how || ''', {v}, NULL)')
        ELSE 'CASE typeof({v}) WHEN ''null'' THEN NULL WHEN ''integer'' THEN {n}
          ELSE redact(''number'', {v}, ''{c}'') END' END,
      '{n}', coalesce(h.number, '{v}')),
      '{c}', p.name || ' of table ' || t.name),
      '{s}', coalesce(t.space, '')),
      '{v}', CASE p.name WHEN 'last' THEN 'CASE WHEN t.last < (SELECT max(s.off)
        FROM temp.export_shown s WHERE s.epoch_id = t.epoch_id) THEN t.last END'
        ELSE 't."' || p.name || '"' END) AS text
  FROM temp.export_table t
  CROSS JOIN pragma_table_info(t.name) p
  LEFT JOIN temp.export_column c ON c."table" = t.name AND c."column" = p.name
  LEFT JOIN temp.export_how h ON h.how = c.how
)
SELECT t.place, t.name,
  'SELECT ' || (SELECT group_concat(text, ', ') FROM (
    SELECT text FROM expression e WHERE e.place = t.place ORDER BY cid))
  || ' FROM "' || t.name || '" t ' || t.rows AS reading,
  CASE t.name WHEN 'rule_set' THEN 'REPLACE' ELSE 'INSERT' END || ' INTO "' || t.name
  || '" VALUES (' || (SELECT group_concat('?', ', ') FROM expression e WHERE e.place = t.place)
  || ')' AS writing
FROM temp.export_table t
WHERE NOT (:redacted AND t.open);
