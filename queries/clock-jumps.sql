-- name:   clock-jumps
-- title:  When the clock of a host was set, and its reboots, as live captures saw them
-- param:  least duration 1s Leave out smaller jumps
-- param:  since time     "" Only from then on: a time, -7d before the newest snapshot, now-7d
-- column: host      text     Where
-- column: what      text     forward or backward: the clock jumped; reboot
-- column: from_at   time     The beat before, by the clock at that time, UTC
-- column: to_at     time     The beat after, UTC
-- column: jump      duration How far the clock jumped; unknown for a reboot
-- column: passed    duration The time that really passed between the two; unknown for a reboot
-- column: up_at     time     When the machine came up, by the clock of the beat after
-- column: boot_id   text     The boot that the beat after was in
-- order:  time
--
-- Each beat has two clocks: UTC, which may be set, and CLOCK_MONOTONIC, which may not. The
-- monotonic clock stands still while a machine sleeps: what looks like a jump forward by hours is a
-- sleep. A clock that is only slewed moves by at most half a thousandth of the time passed: that
-- much does not count as a jump. Across a reboot, nothing can be said about the clock.
WITH tick AS (
  SELECT j.host_id, j.boot_id, w.started_ms, w.mono_ns / 1000000 AS mono_ms
  FROM beat w
  CROSS JOIN schedule j ON j.schedule_id = w.schedule_id
),
step AS (
  SELECT host_id, boot_id, started_ms AS to_ms, started_ms - mono_ms AS up_ms,
    lag(started_ms) OVER w AS from_ms, mono_ms - lag(mono_ms) OVER w AS passed
  FROM tick
  WINDOW w AS (PARTITION BY host_id, boot_id ORDER BY mono_ms)
),
boot AS (
  -- the first and last beat of each boot; from_ms: the last beat of the previous boot
  SELECT host_id, boot_id, up_ms, to_ms, last_ms,
    lag(last_ms) OVER (PARTITION BY host_id ORDER BY up_ms, boot_id) AS from_ms
  FROM (
    SELECT host_id, boot_id, min(up_ms) AS up_ms, min(to_ms) AS to_ms, max(to_ms) AS last_ms
    FROM step
    GROUP BY host_id, boot_id
  )
),
event AS (
  SELECT host_id, boot_id, CASE WHEN to_ms - from_ms > passed THEN 'forward' ELSE 'backward' END
      AS what, from_ms, to_ms, to_ms - from_ms - passed AS jump, passed, up_ms
  FROM step
  WHERE abs(to_ms - from_ms - passed) >= :least + passed / 2000
  UNION ALL
  SELECT host_id, boot_id, 'reboot', from_ms, to_ms, NULL, NULL, up_ms
  FROM boot
  WHERE from_ms IS NOT NULL
)
SELECT h.name AS host, e.what,
  strftime(CASE WHEN e.from_ms % 1000 THEN '%Y-%m-%dT%H:%M:%fZ'
    ELSE '%Y-%m-%dT%H:%M:%SZ' END, e.from_ms / 1000.0, 'unixepoch') AS from_at,
  strftime(CASE WHEN e.to_ms % 1000 THEN '%Y-%m-%dT%H:%M:%fZ'
    ELSE '%Y-%m-%dT%H:%M:%SZ' END, e.to_ms / 1000.0, 'unixepoch') AS to_at,
  e.jump, e.passed,
  strftime('%Y-%m-%dT%H:%M:%SZ', e.up_ms / 1000.0, 'unixepoch') AS up_at,
  e.boot_id
FROM event e
JOIN host h ON h.host_id = e.host_id
WHERE e.to_ms >= coalesce(:since, -9e15)
ORDER BY e.to_ms, host, e.jump IS NOT NULL;
