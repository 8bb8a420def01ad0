-- name:   status
-- title:  One screen of a host: who holds memory, who grew, who nears a limit, what ended
-- param:  host    text     ""  Only this host
-- param:  top     int      3   Rows of each part
-- param:  limits  text     ""  Limits in KiB by name, as JSON: {"redis":4194304}
-- param:  leaks   text     ""  Rows of leaks as JSON: of the processes that grew most in the last day
-- column: part       text  machine, holds, grew 1h, grew 1d, limit, ended, captured, labels, leaks if its rows are given, as pmapdb status does
-- column: name       text  Name of the process
-- column: pid        int   Process id; unknown where there are several
-- column: processes  count Processes summed; captured: living processes of the host
-- column: kib        kib   machine: used; holds: Pss, or Rss where Pss is unknown; grew: the growth of Rss; limit: Rss, or what its cgroup cannot give back; ended: the last Rss, of the largest; leaks: growth per hour
-- column: taken_at   time  When it was captured, UTC
-- column: detail     text  In words
-- column: next       text  The command that says more
-- column: host       text  Where; empty when unknown
-- table:  part name pid processes kib detail next
-- narrow: part name kib detail next
--
-- All times count back from the newest moment of the host, not from the clock; the part captured
-- says how long ago that was, and comes first if live captures have stopped. A process has ended if
-- captures went on without it (ended_at of the view processes). Growth is the difference of resident memory (VmRSS where only maps was read) against the last snapshot an
-- hour, or a day, before; a process that began later counts from its first snapshot. ended has
-- the names whose processes ended in the last day, the largest first. limit has the processes that use 80 %
-- of their limit or more: that of the configuration, or that of their cgroup. The command pmapdb
-- status also judges the 12 processes that grew most, as pmapdb leaks does. leaks has all that leak, the fastest first, and three
-- suspects that grew by 1 MiB, those with the most snapshots first, because young processes grow fastest.
WITH life AS (
  -- each process with its first and newest snapshot and the mean step between its snapshots
  SELECT p.process_id, p.name_id, p.pid, p.host_id, x.first_ms, x.last_ms,
    (x.last_ms - x.first_ms) / max(x.n - 1, 1) AS step_ms
  FROM process p
  CROSS JOIN (
    SELECT process_id, count(*) AS n, min(taken_ms) AS first_ms, max(taken_ms) AS last_ms
    FROM snapshot GROUP BY process_id
  ) x ON x.process_id = p.process_id
  WHERE :host IS NULL OR p.host_id = (SELECT host_id FROM host WHERE name = :host)
),
place AS (
  SELECT host_id, max(last_ms) AS newest_ms FROM life GROUP BY host_id
),
now AS (
  SELECT a.*, o.newest_ms, z.moment_ms, z.pss_kib, coalesce(z.rss_kib, z.tool_rss_kib) AS rss_kib,
    (SELECT p.ended_at FROM processes p WHERE p.process_id = a.process_id) IS NULL AS alive,
    coalesce(j.value, t.memory_max_kib) AS limit_kib, max(coalesce(z.rss_kib, z.tool_rss_kib),
      CASE WHEN j.value IS NULL THEN coalesce(g.cgroup_kib - g.cgroup_file_kib + g.cgroup_shmem_kib, 0)
        ELSE 0 END) AS used_kib, j.value IS NULL AS of_cgroup
  FROM life a
  JOIN place o ON o.host_id IS a.host_id
  CROSS JOIN snapshot z ON z.snapshot_id = (SELECT s.snapshot_id FROM snapshot s
    WHERE s.process_id = a.process_id AND s.taken_ms = a.last_ms
    ORDER BY s.preferred DESC LIMIT 1)
  LEFT JOIN live_reading g ON g.snapshot_id = z.snapshot_id
  LEFT JOIN live_process t ON t.live_process_id = g.live_process_id
  LEFT JOIN json_each(:limits) j ON j.key = (SELECT n.name FROM name n WHERE n.name_id = a.name_id)
),
span AS (
  SELECT 1 AS hours, 'grew 1h' AS part, '1h' AS word
  UNION ALL
  SELECT 24, 'grew 1d', '1d'
),
change AS (
  -- the growth of each living process in each span; old: the process is older than the span
  SELECT n.*, w.hours, w.part, w.word, n.first_ms <= n.newest_ms - w.hours * 3600000 AS old,
    n.rss_kib - (SELECT coalesce(s.rss_kib, s.tool_rss_kib) FROM snapshot s
      WHERE s.process_id = n.process_id AND coalesce(s.rss_kib, s.tool_rss_kib) IS NOT NULL
        AND s.taken_ms <= max(n.newest_ms - w.hours * 3600000, n.first_ms)
      ORDER BY s.taken_ms DESC LIMIT 1) AS delta_kib
  FROM now n CROSS JOIN span w
  WHERE n.alive AND n.last_ms > n.first_ms
    AND (w.hours = 1 OR n.first_ms <= n.newest_ms - 3600000)
),
machine AS (
  SELECT j.host_id, max(b.started_ms) AS ms, b.*
  FROM beat b CROSS JOIN schedule j ON j.schedule_id = b.schedule_id
  WHERE b.total_kib IS NOT NULL AND j.host_id IN (SELECT host_id FROM place)
  GROUP BY j.host_id
),
leak AS (
  SELECT *, row_number() OVER (PARTITION BY sure ORDER BY CASE WHEN sure THEN 0 ELSE -snapshots END, rate DESC) AS place
  FROM (
    SELECT json_extract(value, '$.process_id') AS process_id, json_extract(value, '$.verdict') = 'leak' AS sure,
      json_extract(value, '$.snapshots') AS snapshots, CAST(json_extract(value, '$.rate_per_h') AS INTEGER) AS rate,
      json_extract(value, '$.since') AS since, json_extract(value, '$.eta_h') AS eta_h,
      json_extract(value, '$.last') - json_extract(value, '$.first') AS grown
    FROM json_each(:leaks)
    WHERE json_extract(value, '$.key') = 'total' AND json_extract(value, '$.verdict') IN ('leak', 'suspect')
  )
  WHERE (sure OR grown >= 1024) AND process_id IN (SELECT process_id FROM life)
),
line AS (
  SELECT 0 AS nth, 'machine' AS part, host_id, NULL AS name_id, NULL AS pid, NULL AS processes,
    total_kib - available_kib AS kib, ms AS at_ms,
    'of ' || kib_text(total_kib) || coalesce(', page cache ' || kib_text(buffers_kib + cached_kib - shmem_kib)
      || ', tmpfs ' || kib_text(shmem_kib), '') || coalesce(', slab '
      || kib_text(slab_reclaimable_kib + slab_unreclaimable_kib), '')
      || CASE WHEN swap_total_kib > swap_free_kib THEN ', swapped ' || kib_text(swap_total_kib - swap_free_kib)
        ELSE '' END
      || CASE WHEN pressure_some >= 100 THEN printf(', pressure %.0f %%', pressure_some / 100.0) ELSE '' END
      AS detail, 'host' AS next, NULL AS process_id, 0 AS rank
  FROM machine
  UNION ALL
  SELECT 1, 'holds', n.host_id, n.name_id,
    CASE count(*) WHEN 1 THEN max(n.pid) END, count(*),
    CASE WHEN count(*) = count(n.pss_kib) THEN sum(n.pss_kib)
      WHEN count(*) = count(n.rss_kib) THEN sum(n.rss_kib) END, max(n.moment_ms),
    CASE WHEN count(*) = count(n.pss_kib) THEN 'Pss' ELSE 'Rss' END
      || CASE WHEN max(n.limit_kib) > 0 THEN ' of at most ' || kib_text(min(CASE WHEN n.limit_kib > 0 THEN n.limit_kib END)) ELSE '' END,
    'categories %', max(n.process_id), 0
  FROM now n WHERE n.alive GROUP BY n.host_id, n.name_id
  UNION ALL
  SELECT 1 + (hours > 1) + 1, part, host_id, name_id, pid, 1, delta_kib, moment_ms,
    'of ' || kib_text(rss_kib) || CASE WHEN old THEN '' ELSE ', since its first capture' END, 'diff % --from -' || word, process_id, 0
  FROM change WHERE delta_kib > 0
  UNION ALL
  SELECT 4, 'limit', host_id, name_id, pid, 1, used_kib, moment_ms,
    printf('%.0f %% of ', 100.0 * used_kib / limit_kib) || kib_text(limit_kib)
      || CASE of_cgroup WHEN 1 THEN ', the limit of its cgroup' ELSE ', its limit' END
      || coalesce((SELECT CASE WHEN n.used_kib < n.limit_kib THEN ', reached in '
        || span_text((n.limit_kib - n.used_kib) * (n.last_ms - max(n.newest_ms - 3600000, n.first_ms)) / c.delta_kib)
        || ' if it goes on' END FROM change c WHERE c.process_id = n.process_id AND c.hours = 1
        AND c.delta_kib > 0), ''), 'leaks %', process_id, 0
  FROM now n WHERE alive AND limit_kib > 0 AND used_kib >= 0.8 * limit_kib
  UNION ALL
  SELECT 5, 'ended', host_id, name_id, CASE count(*) WHEN 1 THEN max(pid) END, count(*),
    CASE WHEN count(*) = count(rss_kib) THEN max(rss_kib) END, max(moment_ms),
    CASE count(*) WHEN 1 THEN '' ELSE 'the largest; the last ' END
      || span_text(min(newest_ms - last_ms)) || ' before the newest capture', 'restarts %', max(process_id), 0
  FROM now WHERE NOT alive AND last_ms > newest_ms - 86400000 GROUP BY host_id, name_id
  UNION ALL
  SELECT 7, 'labels', host_id, NULL, NULL, NULL, NULL, newest_ms, said, 'host-labels', NULL, 0
  FROM (SELECT o.host_id, o.newest_ms, (SELECT group_concat(key || ' ' || value, ', ') FROM (
        SELECT key, value, max(at_ms) FROM host_label WHERE host_id = o.host_id AND at_ms <= o.newest_ms
        GROUP BY key HAVING value IS NOT NULL ORDER BY key)) AS said FROM place o)
  WHERE said IS NOT NULL
  UNION ALL
  SELECT CASE WHEN stopped THEN -1 ELSE 6 END, 'captured', c.host_id, NULL, NULL,
    (SELECT count(*) FROM now a WHERE a.host_id IS c.host_id AND a.alive), NULL, newest_ms,
    span_text(age_ms) || ' ago' || coalesce(', every ' || span_text(step_ms), '')
      || CASE WHEN stopped THEN ': captures have stopped' ELSE '' END, 'doctor', NULL, 0
  FROM (
    -- stopped: a live capture is late by three of its steps, and a minute at least
    SELECT *, age_ms > max(3 * step_ms, 60000) AND EXISTS (SELECT 1 FROM schedule j
      WHERE j.host_id = a.host_id) AS stopped
    FROM (
      SELECT o.host_id, o.newest_ms,
        max(CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) - o.newest_ms, 0) AS age_ms,
        (SELECT min(n.step_ms) FROM now n WHERE n.host_id IS o.host_id AND n.alive AND n.step_ms >= 500)
          AS step_ms
      FROM place o
    ) a
  ) c
  UNION ALL
  SELECT 8, 'leaks', p.host_id, p.name_id, p.pid, 1, l.rate, NULL,
    CASE WHEN sure THEN 'leaks ' ELSE 'may leak ' END || kib_text(l.rate) || '/h' || ifnull(' since ' || since, '')
      || CASE WHEN eta_h > 0 THEN ', reaches its limit in ' || span_text(eta_h * 3600000)
        WHEN eta_h IS NOT NULL THEN ', beyond its limit' ELSE '' END, 'leaks @' || l.process_id, l.process_id,
    place - 1000000 * sure
  FROM leak l JOIN process p ON p.process_id = l.process_id
  WHERE sure OR place <= 3
  UNION ALL
  SELECT 8, 'leaks', NULL, NULL, NULL, NULL, NULL, NULL,
    CASE WHEN EXISTS (SELECT 1 FROM json_each(:leaks) WHERE json_extract(value, '$.verdict') <> 'too-few')
      THEN 'no leak among the 12 that grew most in the last day'
      ELSE 'no verdict: too few snapshots of the 12 that grew most' END, 'leaks', NULL, 0
  WHERE :leaks IS NOT NULL AND EXISTS (SELECT 1 FROM life) AND NOT EXISTS (SELECT 1 FROM leak)
)
SELECT l.part, n.name, l.pid, l.processes, l.kib,
  strftime(CASE WHEN l.at_ms % 1000 THEN '%Y-%m-%dT%H:%M:%fZ' ELSE '%Y-%m-%dT%H:%M:%SZ' END,
    l.at_ms / 1000.0, 'unixepoch') AS taken_at,
  l.detail, 'pmapdb ' || replace(l.next, '%',
    -- what a shell would take for more than a word is called by its process_id
    CASE WHEN n.name GLOB '*[^A-Za-z0-9_.+-]*' OR n.name GLOB '-*' THEN '@' || l.process_id
      ELSE coalesce(n.name, '') END) AS next, h.name AS host
FROM (
  SELECT *, row_number() OVER (PARTITION BY nth, host_id ORDER BY rank, kib DESC, name_id) AS place FROM line
) l
LEFT JOIN name n ON n.name_id = l.name_id
LEFT JOIN host h ON h.host_id = l.host_id
WHERE l.place <= :top OR l.part = 'leaks'
ORDER BY l.nth = 8, CASE WHEN l.nth < 8 THEN h.name END, l.nth, l.rank, l.place;
