-- label-begin: fills temp table label_new, the reports to match, with all reports of process :process_id;
-- NULL leaves the table empty.

CREATE TEMP TABLE IF NOT EXISTS label_new (taken_ms INTEGER NOT NULL, source TEXT NOT NULL,
  start INTEGER NOT NULL, length INTEGER NOT NULL, label TEXT NOT NULL,
  PRIMARY KEY (taken_ms, source, start));
DELETE FROM label_new;
INSERT INTO label_new (taken_ms, source, start, length, label)
SELECT taken_ms, source, start, length, label FROM label WHERE process_id = :process_id;
