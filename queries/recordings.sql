-- name:   recordings
-- title:  The recordings of perf in the store
-- param:  recordings      text     ""    Only these: their numbers as a JSON list
-- column: path            text     As the file was named
-- column: pid             int      Of the process with most calls
-- column: name            text     Of that process in the store
-- column: threads         count    Threads of all its processes
-- column: calls           count    Calls with a begin and an end
-- column: failed          count    Of them, those that returned an error
-- column: unpaired        count    Calls whose begin or end is missing
-- column: lost            count    Events that perf lost; empty: it does not say
-- column: span_ms         duration From the first call to the last
-- column: live_kib        kib      Mapped during the recording and still mapped at its end
-- column: clock           text     How its time is known: clocks, given, events; empty: unknown
-- column: slack_ms        duration Largest error of the clock, either way
-- column: pid_source      text     How the pid is known: text, given, thread, assumed, unknown
-- column: processes       count    Processes that it recorded
-- column: linked          count    Of them, those that the store has captures of
-- column: homeless        count    Threads whose process is not known
-- column: bad             count    Events that could not be read
-- column: clock_offset_ns int      UTC minus perf's time
-- column: process_id      process  The process with most calls
-- column: recording_id    int      Number of the recording
-- table:  path pid name threads calls failed unpaired lost span_ms live_kib clock slack_ms
-- narrow: path pid name calls failed span_ms live_kib
--
-- One row for each recording that import-perf stored.
WITH traced AS (
  SELECT t.*,
    (SELECT count(*) FROM thread h WHERE h.traced_process_id = t.traced_process_id) AS threads,
    (SELECT sum(e.length) FROM extent e
     WHERE e.traced_process_id = t.traced_process_id AND e.died_ns IS NULL) AS live
  FROM traced_process t
),
sums AS (
  SELECT recording_id, sum(threads) AS threads, count(*) AS processes, count(process_id) AS linked,
    coalesce(sum(CASE WHEN pid IS NULL THEN threads END), 0) AS homeless,
    coalesce(sum(live), 0) / 1024 AS live_kib
  FROM traced GROUP BY recording_id
),
busiest AS (
  SELECT r.recording_id, (
    SELECT t.traced_process_id FROM traced_process t
    WHERE t.recording_id = r.recording_id
    ORDER BY (SELECT count(*) FROM thread h CROSS JOIN call c ON c.thread_id = h.thread_id
              WHERE h.traced_process_id = t.traced_process_id) DESC, t.traced_process_id
    LIMIT 1) AS traced_process_id
  FROM recording r
)
SELECT r.file AS path, t.pid, n.name, s.threads, r.calls, r.failed, r.unended + r.unbegun AS unpaired,
  r.lost, (r.last_ns - r.first_ns) / 1000000 AS span_ms, s.live_kib, t.offset_source AS clock,
  t.slack_ns / 1000000 AS slack_ms, t.pid_source, s.processes, s.linked, s.homeless, r.bad,
  t.offset_ns AS clock_offset_ns, t.process_id, r.recording_id
FROM recording r
CROSS JOIN sums s ON s.recording_id = r.recording_id
CROSS JOIN busiest b ON b.recording_id = r.recording_id
CROSS JOIN traced_process t ON t.traced_process_id = b.traced_process_id
LEFT JOIN process p ON p.process_id = t.process_id
LEFT JOIN name n ON n.name_id = p.name_id
WHERE :recordings IS NULL OR r.recording_id IN (SELECT value FROM json_each(:recordings))
ORDER BY r.recording_id;
