-- recording-events: pairs the events of a recording (temp.traced_event) into calls. Results:
-- temp.traced_thread; temp.traced_call, with the places of the enter and the exit in the text, and
-- in the order of time (_at).
--
-- Order. Each processor has its own buffer, and perf may print the events of a buffer late. So events
-- are sorted by time; events with equal times keep the order of the text.
--
-- Pairs. A thread executes one call at a time: an exit belongs to the enter of the same kind right
-- before it in the same thread. All other events are calls with an enter or an exit alone. Calls are
-- ordered by their exits; a call without an exit, by the next event of its thread.

DROP TABLE IF EXISTS temp.traced_thread;
CREATE TEMP TABLE traced_thread (
  place INTEGER PRIMARY KEY, tid INTEGER, pid INTEGER, comm TEXT, source TEXT, thread_id INTEGER);
INSERT INTO traced_thread (place, tid, pid, comm)
SELECT row_number() OVER (ORDER BY f.place), f.tid, f.pid, l.comm
FROM (SELECT min(place) AS place, tid, pid FROM traced_event GROUP BY tid, pid) f
JOIN (SELECT max(place), tid, pid, comm FROM traced_event GROUP BY tid, pid) l ON l.tid = f.tid AND l.pid IS f.pid;
CREATE INDEX temp.traced_thread_tid ON traced_thread (tid, pid, place);

-- half: 2 * kind, 1 more for an exit. Rows are numbered as they are inserted: in the order of time,
-- and in the order of time within each thread.
CREATE TEMP TABLE traced_order (at INTEGER PRIMARY KEY, event, thread, half);
INSERT INTO traced_order (event, thread, half)
SELECT e.place, h.place, 2 * e.kind + e.exit
FROM traced_event e
CROSS JOIN traced_thread h ON h.tid = e.tid AND h.pid IS e.pid
ORDER BY e.time_ns, e.place;
CREATE TEMP TABLE traced_turn (turn INTEGER PRIMARY KEY, at, event, thread, half);
INSERT INTO traced_turn (at, event, thread, half)
SELECT at, event, thread, half FROM traced_order ORDER BY thread, at;

DROP TABLE IF EXISTS temp.traced_call;
CREATE TEMP TABLE traced_call (place INTEGER PRIMARY KEY, thread, enter_at, enter, exit_at, exit);
INSERT INTO traced_call (thread, enter_at, enter, exit_at, exit)
SELECT t.thread, e.at, e.event, CASE WHEN t.half & 1 THEN t.at END, CASE WHEN t.half & 1 THEN t.event END
FROM traced_turn t
LEFT JOIN traced_turn e ON e.turn = t.turn - (t.half & 1) AND e.thread = t.thread AND e.half = t.half - (t.half & 1)
LEFT JOIN traced_turn n ON n.turn = t.turn + 1 AND n.thread = t.thread
WHERE t.half & 1 OR n.half IS NOT t.half + 1
ORDER BY CASE WHEN t.half & 1 THEN t.at ELSE coalesce(n.at, 9e18) END, t.half & 1, t.thread;
DROP TABLE temp.traced_turn;
DROP TABLE temp.traced_order;
