-- merge-label: copies the reports of process ?1 to temp table label_new. Anybody may have
-- written the other store, so sources and lengths are checked.

SELECT * FROM label WHERE process_id = ?1 AND source IN ('nmt', 'system-map') AND length >= 0;
INSERT OR IGNORE INTO temp.label_new (taken_ms, source, start, length, label)
VALUES (:taken_ms, :source, :start, :length, :label);
