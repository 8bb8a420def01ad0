-- The processes of the name of :process, or of the whole store if :process is NULL: at most :most, the
-- largest, each with at most about :points snapshots, evenly chosen.
SELECT json_group_array(json_object('id', process_id, 'pid', pid, 'name', name, 'host', host, 'command',
  command, 'n', n, 'at', json(at)))
FROM (
  SELECT p.process_id, p.pid, n.name, h.name AS host, p.command,
    (SELECT count(*) FROM snapshot s WHERE s.process_id = p.process_id) AS n, (
    SELECT json_object('t', json(deltas(taken_ms)), 'rss', json(deltas(coalesce(rss_kib, tool_rss_kib))),
      'pss', json(deltas(pss_kib)), 'private', json(deltas(private_kib)))
    FROM (
      SELECT s.*, row_number() OVER (ORDER BY taken_ms, ordinal) AS place, count(*) OVER () AS of
      FROM snapshot s
      WHERE s.process_id = p.process_id
        AND CASE WHEN :dialect IS NULL THEN s.preferred ELSE s.dialect = :dialect END
        AND s.moment_ms BETWEEN :from_ms AND :to_ms
      ORDER BY taken_ms, ordinal)
    WHERE of <= :points OR place IN (1, of) OR place * :points / of > (place - 1) * :points / of) AS at
  FROM process p
  JOIN name n USING (name_id)
  LEFT JOIN host h ON h.host_id = p.host_id
  WHERE :process IS NULL OR p.name_id = (SELECT name_id FROM process WHERE process_id = :process)
  ORDER BY (SELECT max(coalesce(s.rss_kib, s.tool_rss_kib, s.size_kib)) FROM snapshot s
    WHERE s.process_id = p.process_id) DESC, p.process_id
  LIMIT :most);
