-- push-done: keeps what was sent, for the next batch. The temp tables are those of push-steps.

DELETE FROM push_open WHERE push_id = :push_id AND process_id IN (
  SELECT process_id FROM temp.push_span);
INSERT INTO push_open (push_id, process_id, first_ms, last_ms, n, ended)
SELECT :push_id, process_id, first_ms, last_ms, n, ended FROM temp.push_span WHERE newest AND NOT gone;
INSERT OR IGNORE INTO push_key (process_id, push_id, process_key)
SELECT process_id, :push_id, process_key FROM temp.push_process;
REPLACE INTO push_host (push_id, host_id, through_ms, labels)
SELECT :push_id, host_id, through_ms,
  (SELECT count(*) FROM host_label l WHERE l.host_id = w.host_id) FROM temp.push_place w;
DELETE FROM push_hour WHERE push_id = :push_id;
INSERT INTO push_hour SELECT :push_id, host_id, hour_ms FROM temp.push_hours WHERE NOT over;
INSERT OR IGNORE INTO push_token (how, text) SELECT how, text FROM temp.push_said ORDER BY rowid;
DELETE FROM temp.push_said;
UPDATE push SET done_id = :until_id, until_id = NULL, seq = :seq, shown_gen = CASE WHEN :newest THEN gen ELSE shown_gen END,
  done_ms = :now_ms, paused_ms = NULL, failures = 0, error = NULL
WHERE push_id = :push_id;

DELETE FROM push_leak WHERE push_id = :push_id AND (:all OR process_id IN (SELECT process_id FROM temp.push_verdict));
INSERT OR IGNORE INTO push_leak (push_id, process_id, category, metric)
SELECT :push_id, process_id, category, metric FROM temp.push_verdict WHERE verdict IN ('leak', 'suspect');
UPDATE push SET judged_ms = :now_ms,
  judged_day = CASE WHEN :all THEN :now_ms / 86400000 ELSE judged_day END
WHERE push_id = :push_id AND EXISTS (SELECT 1 FROM temp.push_verdict);
DELETE FROM temp.push_verdict;
DELETE FROM temp.push_stack;
