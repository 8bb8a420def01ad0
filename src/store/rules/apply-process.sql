-- apply-process: selects one process, or all processes, for order.sql. Parameter: :process_id
-- (NULL: all).

INSERT INTO tidy_process SELECT process_id FROM process
WHERE process_id = :process_id OR :process_id IS NULL;
