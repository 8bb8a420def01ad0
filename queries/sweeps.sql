-- name:   sweeps
-- title:  The beats of each capture job: kept, missed, and what could not be read
-- param:  since time "" Only beats from then on: a time, -7d before the newest snapshot, now-7d
-- column: job_id      int      Number of the job: one selection, one step, one boot of a host
-- column: host        text     Where
-- column: selection   text     What it captures, as it was asked for
-- column: every       duration The step it was asked for; empty: run anew for each beat, as cron does
-- column: step        duration That, or the median of its steps
-- column: first_at    time     Its first beat, UTC
-- column: last_at     time     Its last beat, UTC
-- column: expected    count    Beats that fit in from the first to the last
-- column: kept        count    Beats that were kept
-- column: missed      count    Beats that the job noted as missed: too slow, or the store was held
-- column: absent      count    The other beats: the job was not running
-- column: took        duration From the beginning to the end of a beat: the median
-- column: took_max    duration The slowest
-- column: unreadable  count    Processes that its user may not read, in its last beat
-- column: vanished    count    Processes that ended while they were read, in all beats
-- column: degraded    count    Maps instead of smaps, in all beats
-- column: unmoved     count    Left out by --on-rss-above, in all beats
-- column: changed     count    Left out because the map changed too quickly while it was read, in all beats
-- table:  host selection every last_at expected kept missed absent took took_max unreadable vanished degraded
-- narrow: selection every last_at expected kept missed took degraded
-- empty:  no live captures
--
-- The newest job comes first. A reboot begins a new job, so that expected does not count the time
-- when a machine was off. Up to the newest sweep that a prune removed, expected counts only the
-- sweeps that are left. A median is the lower of the two middle values. gaps says the same about
-- single processes.
WITH tick AS (
  SELECT w.schedule_id, w.started_ms, w.ended_ms - w.started_ms AS took, w.missed, w.unreadable,
    w.vanished, w.degraded, w.unmoved, w.changed,
    CASE WHEN w.started_ms > coalesce(j.pruned_ms, -9e15) THEN w.started_ms END AS whole_ms,
    CASE WHEN lag(w.started_ms) OVER (PARTITION BY w.schedule_id ORDER BY w.started_ms)
      > coalesce(j.pruned_ms, -9e15)
      THEN w.started_ms - lag(w.started_ms) OVER (PARTITION BY w.schedule_id ORDER BY w.started_ms)
      END AS step,
    row_number() OVER (PARTITION BY w.schedule_id ORDER BY w.started_ms DESC, w.capture_id DESC) AS back
  FROM beat w
  CROSS JOIN schedule j ON j.schedule_id = w.schedule_id
  WHERE w.started_ms >= coalesce(:since, -9e15)
),
ranked AS (
  SELECT *, count(step) OVER w AS n_steps, count(took) OVER w AS n_took,
    row_number() OVER (PARTITION BY schedule_id ORDER BY step IS NULL, step) AS step_k,
    row_number() OVER (PARTITION BY schedule_id ORDER BY took IS NULL, took) AS took_k
  FROM tick
  WINDOW w AS (PARTITION BY schedule_id)
),
summed AS (
  SELECT schedule_id, min(started_ms) AS first_ms, max(started_ms) AS last_ms, count(*) AS kept,
    min(whole_ms) AS whole_ms, count(*) - count(whole_ms) AS thinned,
    sum(CASE WHEN step IS NOT NULL THEN missed END) AS missed, sum(vanished) AS vanished,
    sum(degraded) AS degraded, sum(unmoved) AS unmoved, sum(changed) AS changed, max(took) AS took_max,
    max(CASE WHEN back = 1 THEN unreadable END) AS unreadable,
    max(CASE WHEN n_steps >= 3 AND step_k = (n_steps + 1) / 2 THEN step END) AS median,
    max(CASE WHEN took_k = (n_took + 1) / 2 THEN took END) AS took
  FROM ranked
  GROUP BY schedule_id
),
counted AS (
  SELECT r.*, j.host_id, j.selection, j.every_ms, coalesce(j.every_ms, r.median) AS step,
    r.thinned + coalesce((r.last_ms - r.whole_ms + coalesce(j.every_ms, r.median) / 2)
      / nullif(coalesce(j.every_ms, r.median), 0), 0) + (r.whole_ms IS NOT NULL) AS expected
  FROM summed r
  CROSS JOIN schedule j ON j.schedule_id = r.schedule_id
)
SELECT c.schedule_id AS job_id, h.name AS host, c.selection, c.every_ms AS every, c.step,
  strftime(CASE WHEN c.first_ms % 1000 THEN '%Y-%m-%dT%H:%M:%fZ'
    ELSE '%Y-%m-%dT%H:%M:%SZ' END, c.first_ms / 1000.0, 'unixepoch') AS first_at,
  strftime(CASE WHEN c.last_ms % 1000 THEN '%Y-%m-%dT%H:%M:%fZ'
    ELSE '%Y-%m-%dT%H:%M:%SZ' END, c.last_ms / 1000.0, 'unixepoch') AS last_at,
  max(c.expected, c.kept) AS expected, c.kept, coalesce(c.missed, 0) AS missed,
  max(c.expected - c.kept - coalesce(c.missed, 0), 0) AS absent, c.took, c.took_max, c.unreadable,
  c.vanished, c.degraded, c.unmoved, c.changed
FROM counted c
JOIN host h ON h.host_id = c.host_id
ORDER BY c.last_ms DESC, c.schedule_id DESC;
