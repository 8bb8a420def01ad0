-- label-ask: leaves in apply_ask only the captures that decide a lineage whose name may be lost: with
-- :all (1: the names of all reports are given again) those that have a name, else none.

DELETE FROM apply_ask
WHERE NOT :all OR place NOT IN (
  SELECT j.place FROM apply_judge j JOIN lineage l USING (lineage_id) WHERE l.rule = 'label');
