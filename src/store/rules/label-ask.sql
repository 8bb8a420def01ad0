-- label-ask: leaves in apply_ask only the captures in which rules must be matched. :all 1 (all reports
-- are matched again, so a lineage may lose its name): those that decide a lineage with a name. :all 0:
-- none.

DELETE FROM apply_ask
WHERE NOT :all OR place NOT IN (
  SELECT j.place FROM apply_judge j JOIN lineage l USING (lineage_id) WHERE l.rule = 'label');
