-- keep-all: the next processes to be tidied in full, for pm_tidy_some. The tables are those of
-- keep-remove, without tidy_lineage: all lineages are repaired.
--
-- Parameters: :after_id (processes up to this one are done), :most (the number of snapshots; a
-- single process may have more).

INSERT INTO tidy_process
SELECT process_id FROM (
  SELECT process_id, sum(n) OVER (ORDER BY process_id ROWS UNBOUNDED PRECEDING) - n AS before
  FROM (SELECT p.process_id, 1 + (SELECT count(*) FROM snapshot s
      WHERE s.process_id = p.process_id) AS n
    FROM process p WHERE p.process_id > :after_id))
WHERE before < :most;
INSERT INTO tidy_epoch
SELECT e.epoch_id FROM tidy_process t CROSS JOIN epoch e ON e.process_id = t.process_id
WHERE (SELECT count(*) <= coalesce(max(s.off), 0) FROM snapshot s WHERE s.epoch_id = e.epoch_id);
INSERT INTO tidy_region
SELECT r.region_id FROM tidy_process t
CROSS JOIN lineage l ON l.process_id = t.process_id
CROSS JOIN region r ON r.lineage_id = l.lineage_id;
INSERT INTO tidy_near
SELECT e.epoch_id FROM tidy_process t CROSS JOIN epoch e ON e.process_id = t.process_id;
