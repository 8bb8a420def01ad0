-- recording-events: pairs the events of a recording into calls. temp.traced_event has the events in
-- the order of the text (place, time_ns, pid, tid, comm, kind, exit, a0 ..., chain; a0 of an exit is
-- the returned value). Results: temp.traced_thread; temp.traced_call: the places of the
-- enter and the exit, in the text and in time (_at).
--
-- Order. Each processor has its own buffer, and perf may print the events of a buffer late. So events
-- are sorted by time; events with equal times keep the order of the text.
--
-- Pairs. A thread executes one call at a time: an exit belongs to the enter of the same kind right
-- before it in the same thread. All other halves stay without the other half. A call is as old as
-- its exit; one without an exit is as old as the next event of its thread.

DROP TABLE IF EXISTS temp.traced_thread;
CREATE TEMP TABLE traced_thread (
  place INTEGER PRIMARY KEY, tid INTEGER, pid INTEGER, comm TEXT, source TEXT, thread_id INTEGER);
INSERT INTO traced_thread (place, tid, pid, comm)
SELECT row_number() OVER (ORDER BY f.place), f.tid, f.pid, l.comm
FROM (SELECT min(place) AS place, tid, pid FROM traced_event GROUP BY tid, pid) f
JOIN (SELECT max(place), tid, pid, comm FROM traced_event GROUP BY tid, pid) l ON l.tid = f.tid AND l.pid IS f.pid;
CREATE INDEX temp.traced_thread_tid ON traced_thread (tid, pid, place);

DROP TABLE IF EXISTS temp.traced_call;
CREATE TEMP TABLE traced_call AS
WITH beside AS (
  SELECT at, event, thread, half,
    lag(half) OVER t AS half_before, lag(event) OVER t AS event_before, lag(at) OVER t AS at_before,
    lead(half) OVER t AS half_after, lead(at) OVER t AS at_after
  FROM (
    SELECT row_number() OVER (ORDER BY e.time_ns, e.place) AS at, e.place AS event, h.place AS thread,
      2 * e.kind + e.exit AS half
    FROM traced_event e
    CROSS JOIN traced_thread h ON h.tid = e.tid AND h.pid IS e.pid)
  WINDOW t AS (PARTITION BY thread ORDER BY at)
)
SELECT row_number() OVER (ORDER BY made_at IS NULL, made_at, exit IS NOT NULL, thread) AS place,
  thread, enter_at, enter, exit_at, exit
FROM (
  SELECT at AS made_at, thread, at AS exit_at, event AS exit,
    CASE half_before WHEN half - 1 THEN at_before END AS enter_at,
    CASE half_before WHEN half - 1 THEN event_before END AS enter
  FROM beside WHERE half & 1
  UNION ALL
  SELECT at_after, thread, NULL, NULL, at, event
  FROM beside WHERE NOT half & 1 AND half_after IS NOT half + 1
);
