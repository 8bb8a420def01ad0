-- label-ask: the rules are asked only for the captures that decide a lineage whose name may be lost
-- (:all is 1: the names of all reports are given again).

DELETE FROM apply_ask
WHERE NOT :all OR place NOT IN (
  SELECT j.place FROM apply_judge j JOIN lineage l USING (lineage_id) WHERE l.rule = 'label');
