-- push-marks: up to when each host is complete: sent last.

SELECT host_key AS host_id, host, :store AS store,
  CASE WHEN :newest THEN :gen ELSE :shown_gen END AS gen, w.through_ms, :now_ms AS pushed_ms,
  :rows AS rows, 2 * :seq AS seq
FROM push_place w
JOIN push_place_name n ON n.host_id = w.host_id;
