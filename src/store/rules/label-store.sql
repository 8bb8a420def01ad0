-- label-store: the reports in temp table label_new replace those of process :process_id that the same
-- source made at the same moment.

DELETE FROM label
WHERE process_id = :process_id AND (taken_ms, source) IN (SELECT taken_ms, source FROM label_new);
INSERT INTO label (process_id, taken_ms, source, start, length, label)
SELECT :process_id, taken_ms, source, start, length, label FROM label_new;
