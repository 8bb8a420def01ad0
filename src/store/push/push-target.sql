-- push-target: finds or makes the target :target at :now_ms, and gives the store its name. Marks all
-- snapshots as not sent if the rules of the categories have changed since the last push, else the
-- snapshots from :from_ms on, if that is given.

INSERT INTO push_self SELECT lower(hex(randomblob(8))) WHERE NOT EXISTS (SELECT 1 FROM push_self);
INSERT OR IGNORE INTO push (target, done_id, seq, gen, shown_gen, lost, failures)
VALUES (:target, 0, 0, 1, 1, 0, 0);

DROP TABLE IF EXISTS temp.push_again;
CREATE TEMP TABLE push_again AS
SELECT p.push_id, r.rules, p.rules <> r.rules AS changed,
  CASE WHEN p.rules <> r.rules THEN 0 ELSE (SELECT ifnull(min(s.snapshot_id), 1) - 1 FROM snapshot s
    WHERE s.taken_ms >= :from_ms AND s.snapshot_id <= p.done_id) END AS done_id
FROM push p CROSS JOIN (SELECT hash || ' ' || ifnull(applied_ms, 0) AS rules FROM rule_set) r
WHERE p.target = :target;
UPDATE push SET tried_ms = :now_ms, rules = (SELECT rules FROM temp.push_again) WHERE target = :target;
DELETE FROM temp.push_again WHERE NOT ifnull(changed, 0) AND :from_ms IS NULL;
UPDATE push SET until_id = NULL, (done_id, gen) = (SELECT a.done_id, gen + ifnull(a.changed, 0) FROM temp.push_again a)
WHERE push_id IN (SELECT push_id FROM temp.push_again);
DELETE FROM push_open WHERE push_id IN (SELECT push_id FROM temp.push_again);
UPDATE push_host SET labels = -1 WHERE push_id IN (SELECT push_id FROM temp.push_again);
