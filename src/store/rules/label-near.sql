-- label-near: the reports that wait in temp table label_new, each with the capture of the process
-- that is nearest in time: temp table label_report. A report is incomplete if a row has 0 bytes.
-- System.map is always incomplete: it names a row by what lies anywhere in the row.
--
-- Parameters: :process_id.

DROP TABLE IF EXISTS temp.label_report;
CREATE TEMP TABLE label_report AS
WITH report AS (
  SELECT taken_ms, source, source = 'nmt' AND min(length) > 0 AS knows_all
  FROM label_new GROUP BY taken_ms, source),
around AS (
  SELECT r.*, (SELECT s.snapshot_id FROM snapshot s WHERE s.process_id = :process_id
      AND s.preferred = 1 AND s.state <> 'totals' AND s.taken_ms <= r.taken_ms
      ORDER BY s.taken_ms DESC, s.ordinal DESC LIMIT 1) AS before_id,
    (SELECT s.snapshot_id FROM snapshot s WHERE s.process_id = :process_id
      AND s.preferred = 1 AND s.state <> 'totals' AND s.taken_ms > r.taken_ms
      ORDER BY s.taken_ms, s.ordinal LIMIT 1) AS after_id
  FROM report r)
SELECT r.taken_ms, r.source, r.knows_all,
  CASE WHEN a.taken_ms - r.taken_ms < r.taken_ms - b.taken_ms OR b.snapshot_id IS NULL
    THEN a.snapshot_id ELSE b.snapshot_id END AS snapshot_id
FROM around r
LEFT JOIN snapshot b ON b.snapshot_id = r.before_id
LEFT JOIN snapshot a ON a.snapshot_id = r.after_id;
