-- doctor-push: how far behind the targets of push are.
SELECT 'push' AS "check", CASE WHEN failures > 3 OR error IS NOT NULL AND failures = 0 THEN 2
    WHEN failures > 0 OR lost > 0 THEN 1 ELSE 0 END AS level,
  CASE WHEN done_ms IS NULL THEN NULL ELSE d.now_ms - done_ms END AS number,
  'ms' AS unit, CASE WHEN done_ms IS NULL THEN 'never' END AS value,
  printf('since the last push to %s; %d snapshots wait%s%s', substr(target, 1, 200),
    (SELECT count(*) FROM snapshot WHERE snapshot_id > done_id),
    CASE WHEN lost > 0 THEN printf('; %d were pruned before they were sent', lost) ELSE '' END,
    CASE WHEN error IS NULL THEN '' ELSE printf('; %d tries failed: %s', max(failures, 1), substr(error, 1, 300)) END)
    AS detail
FROM push CROSS JOIN temp.doctor d;
