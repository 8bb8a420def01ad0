-- The data of a report of process :process, as JSON. Sizes are KiB, times ms since 1970 UTC, addresses
-- pages of 4 KiB; unknown is null. deltas() gives the differences from one value to the next, the first
-- from 0; an unknown value is null, and the next one counts from the value before it. t and id have a
-- value for each snapshot that is kept, total and each category of cat likewise; life, gap and partial
-- list places among these snapshots, kmap the places that have mappings. str: the stretches of lin, one
-- line after the other.
SELECT json_object(
  'process_id', :process,
  'name', (SELECT n.name FROM process p JOIN name n USING (name_id) WHERE p.process_id = :process),
  'pid', (SELECT pid FROM process WHERE process_id = :process),
  'command', (SELECT command FROM process WHERE process_id = :process),
  'host', (SELECT h.name FROM process p JOIN host h USING (host_id) WHERE p.process_id = :process),
  'dialects', json((SELECT json_group_array(dialect) FROM (SELECT DISTINCT e.dialect
    FROM report_moment s JOIN epoch e USING (epoch_id)))),
  'n', (SELECT count(*) FROM report_moment),
  'step_ms', (SELECT step_ms FROM report_step),
  't', json((SELECT deltas(taken_ms) FROM (SELECT taken_ms FROM report_moment WHERE level ORDER BY n))),
  'id', json((SELECT deltas(snapshot_id) FROM (SELECT snapshot_id FROM report_moment WHERE level ORDER BY n))),
  'life', json((SELECT json_group_array(json_object('at', k, 'pid', pid)) FROM (
    SELECT s.k, l.pid FROM report_moment s JOIN report_life l USING (process_id)
    WHERE s.level AND s.life ORDER BY s.n))),
  'gap', json((SELECT json_group_array(json_array(k, missed)) FROM (
    SELECT k, missed FROM report_moment WHERE level AND missed ORDER BY n))),
  'partial', json((SELECT json_group_array(k) FROM (
    SELECT k FROM report_moment WHERE level AND state = 'partial' ORDER BY n))),
  'total', json((SELECT json_object('mappings', json(deltas(mappings)), 'size', json(deltas(size_kib)),
      'rss', json(deltas(rss_kib)), 'pss', json(deltas(pss_kib)), 'private', json(deltas(private_kib)),
      'swap', json(deltas(swap_kib)))
    FROM (SELECT * FROM report_moment WHERE level ORDER BY n))),
  'cats', json((SELECT json_group_array(category) FROM (SELECT category FROM report_category ORDER BY place))),
  -- A category that a snapshot does not have is 0 there. A snapshot with sums only has the category
  -- total, and knows nothing of the others.
  'cat', json((SELECT json_object('mappings', json(deltas(mappings)), 'size', json(deltas(size_kib)),
      'rss', json(deltas(rss_kib)), 'pss', json(deltas(pss_kib)), 'private', json(deltas(private_kib)),
      'swap', json(deltas(swap_kib)))
    FROM (
      SELECT CASE WHEN v.first IS NULL THEN none ELSE v.mappings END AS mappings,
        CASE WHEN v.first IS NULL THEN none * s.size_kib ELSE v.size_kib END AS size_kib,
        CASE WHEN v.first IS NULL THEN none * of_rows * s.rss_kib ELSE v.rss_kib END AS rss_kib,
        CASE WHEN v.first IS NULL THEN none * s.pss_kib ELSE v.pss_kib END AS pss_kib,
        CASE WHEN v.first IS NULL THEN none * s.private_kib ELSE v.private_kib END AS private_kib,
        CASE WHEN v.first IS NULL THEN none * s.swap_kib ELSE v.swap_kib END AS swap_kib
      FROM (
        SELECT c.place, c.category_id, s.*,
          CASE WHEN (s.state = 'totals') = (c.category = 'total') THEN 0 END AS none
        FROM report_category c
        CROSS JOIN report_moment s
        WHERE s.level) s
      LEFT JOIN category_version v ON v.epoch_id = s.epoch_id AND v.category_id = s.category_id
        AND v.first = (SELECT max(w.first) FROM category_version w WHERE w.epoch_id = s.epoch_id
          AND w.category_id = s.category_id AND w.first <= s.off)
        AND (v.last IS NULL OR v.last >= s.off)
      ORDER BY s.place, s.n))),
  'kmap', json((SELECT deltas(k) FROM (SELECT k FROM report_moment WHERE level = 2 ORDER BY n))),
  'lin_total', (SELECT count(*) FROM report_lineage),
  'paths', json((SELECT json_group_array(path) FROM (SELECT path FROM report_path ORDER BY place))),
  'lin', json((SELECT json_group_array(json_array(lineage_id, place - 1, path, perms, mappings, stretches))
    FROM (
      SELECT l.lineage_id, c.place, p.place - 1 AS path, o.perms, l.mappings, l.stretches
      FROM report_line l
      JOIN report_category c ON c.category_id = l.category_id
      LEFT JOIN object o ON o.object_id = l.object_id
      LEFT JOIN report_path p ON p.path = o.path
      ORDER BY l.line))),
  'str', json((SELECT json_object('a', json(deltas(a)), 'more', json(json_group_array(z - a)),
      'page', json(deltas(page)), 'pages', json(deltas(pages)),
      'odd', json(json_group_array(size_kib - 4 * pages)), 'rss', json(deltas(rss_kib)),
      'shared', json(json_group_array(rss_kib - pss_kib)),
      'public', json(json_group_array(rss_kib - private_kib)), 'swap', json(json_group_array(swap_kib)))
    FROM (SELECT * FROM report_row ORDER BY rowid)))
);
