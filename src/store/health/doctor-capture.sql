-- doctor-capture: whether live captures still arrive, and what they could not read, in seven days.
--
-- A run of at least a day was meant to go on. A run of some minutes ended as it should, a silence
-- of a week is no news, and captures of other hosts arrive when they are merged.
WITH job AS (SELECT w.*, w.rowid AS place, round((julianday(first_at) - 2440587.5) * 86400000) AS first_ms,
    round((julianday(last_at) - 2440587.5) * 86400000) AS last_ms FROM temp.sweeps w),
  newest AS (SELECT j.*, d.now_ms - j.last_ms AS age, d.here FROM job j CROSS JOIN temp.doctor d
    WHERE NOT EXISTS (SELECT 1 FROM job k WHERE k.host IS j.host AND k.place < j.place)),
  judged AS (SELECT *, CASE WHEN step IS NULL OR age <= max(3 * step, 60000) THEN 0
      WHEN last_ms - first_ms >= 86400000 AND age < 604800000 AND host = here THEN 2 ELSE 1 END AS late FROM newest),
  worst AS (SELECT * FROM judged ORDER BY late DESC, age DESC, place LIMIT 1),
  whole AS (SELECT count(*) AS jobs, sum(expected) AS expected, sum(kept) AS kept, sum(missed) AS missed,
    sum(absent) AS absent, sum(vanished) AS vanished, sum(changed) AS changed, max(took_max) AS took_max FROM job)
SELECT 'capture' AS "check", 0 AS level, NULL AS number, '' AS unit, 'none' AS value,
  'no live captures in the last 7 days of the store' AS detail FROM whole WHERE jobs = 0
UNION ALL
SELECT 'capture', late, age, 'ms', NULL, printf('since the last beat of %s on %s%s%s', substr(selection, 1, 120),
    substr(host, 1, 64), coalesce(', which has a step of ' || span_text(step), ''),
    CASE late WHEN 0 THEN '' ELSE ': has it ended?' END) FROM worst
UNION ALL
SELECT 'beats', missed + absent > 0, kept, 'beats', NULL,
  printf('of %d in 7 days; %d missed, %d while no capture ran; the slowest took %s', expected, missed, absent,
    coalesce(span_text(took_max), '?')) FROM whole WHERE jobs > 0
UNION ALL
SELECT 'unreadable', unreadable > 0, unreadable, 'processes', NULL,
  CASE WHEN unreadable > 0 THEN 'in the last beat, for the user of that capture; root or CAP_SYS_PTRACE can read them' ELSE 'in the last beat' END
FROM job WHERE place = (SELECT min(place) FROM job)
UNION ALL
SELECT 'vanished', 0, vanished, 'processes', NULL, 'in 7 days ended while they were read' FROM whole WHERE jobs > 0
UNION ALL
SELECT 'changed', changed > 0, changed, 'processes', NULL, 'in 7 days changed their map too quickly to be read'
FROM whole WHERE jobs > 0;
