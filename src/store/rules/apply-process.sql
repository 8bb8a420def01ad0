-- apply-process: selects one process, or all processes, for order.sql. Parameter: :process_id
-- (NULL: all).

CREATE TEMP TABLE IF NOT EXISTS tidy_process (process_id INTEGER PRIMARY KEY);
DELETE FROM tidy_process;
INSERT INTO tidy_process SELECT process_id FROM process
WHERE process_id = :process_id OR :process_id IS NULL;
