-- label-process: the process of a pid whose capture with mappings is nearest in time; 1 if several
-- hosts have one; its name.
--
-- Parameters: ?1 pid, ?2 the moment, ?3 name of the host (NULL: any).

SELECT p.process_id,
  min(coalesce(p.host_id, 0)) OVER () < max(coalesce(p.host_id, 0)) OVER (),
  (SELECT name FROM name n WHERE n.name_id = p.name_id)
FROM process p
LEFT JOIN host h ON h.host_id = p.host_id
CROSS JOIN snapshot s ON s.process_id = p.process_id AND s.preferred = 1 AND s.state <> 'totals'
WHERE coalesce(p.pid, -1) = ?1 AND (?3 IS NULL OR h.name = ?3)
GROUP BY p.process_id
ORDER BY min(abs(s.taken_ms - ?2)), p.process_id;
