-- label-known: 1 if process ?1 has exactly these rows of the reports in temp table label_new.

WITH same AS (
  SELECT taken_ms, source, start, length, label FROM label
  WHERE process_id = ?1 AND (taken_ms, source) IN (SELECT taken_ms, source FROM label_new))
SELECT NOT EXISTS (SELECT taken_ms, source, start, length, label FROM label_new EXCEPT SELECT * FROM same)
  AND NOT EXISTS (SELECT * FROM same EXCEPT SELECT taken_ms, source, start, length, label FROM label_new);
