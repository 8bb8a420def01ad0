-- recording-calls: stores the calls of temp.traced_call, and counts them in recording :recording_id.
-- The threads and stacks of the calls are already stored. A failed brk returns the end of the heap,
-- not an error.

INSERT INTO call (call_id, thread_id, kind, begin_ns, end_ns, a0, a1, a2, a3, a4, a5, ret, stack_id)
SELECT c.place + (SELECT coalesce(max(call_id), 0) FROM call), h.thread_id, coalesce(e.kind, x.kind),
  e.time_ns, x.time_ns, e.a0, e.a1, e.a2, e.a3, e.a4, e.a5, x.a0, coalesce(s.stack_id, 0)
FROM traced_call c
CROSS JOIN traced_thread h ON h.place = c.thread
LEFT JOIN traced_event e ON e.place = c.enter
LEFT JOIN traced_event x ON x.place = c.exit
LEFT JOIN traced_stack s ON s.chain = coalesce(nullif(e.chain, 0), x.chain)
ORDER BY c.place;

UPDATE recording SET (calls, failed, unended, unbegun) = (
  SELECT count(c.begin_ns + c.end_ns),
    total(c.begin_ns IS NOT NULL
      AND CASE c.kind WHEN 2 THEN c.a0 <> 0 AND c.a0 <> c.ret ELSE c.ret BETWEEN -4095 AND -1 END),
    count(*) - count(c.end_ns), count(*) - count(c.begin_ns)
  FROM call c
  WHERE c.call_id > (SELECT max(call_id) FROM call) - (SELECT count(*) FROM traced_call))
WHERE recording_id = :recording_id;

-- The halves of the calls in the order of time; calls of an unknown process make no extents.
DROP TABLE IF EXISTS temp.traced_half;
CREATE TEMP TABLE traced_half (at INTEGER PRIMARY KEY, exit, traced_process_id, call_id);
INSERT INTO traced_half
SELECT h.at, h.exit, t.traced_process_id,
  h.place + (SELECT max(call_id) FROM call) - (SELECT count(*) FROM traced_call)
FROM (
  SELECT enter_at AS at, 0 AS exit, place, thread FROM traced_call WHERE enter IS NOT NULL
  UNION ALL
  SELECT exit_at, 1, place, thread FROM traced_call WHERE exit IS NOT NULL) h
CROSS JOIN traced_thread d ON d.place = h.thread
CROSS JOIN thread t ON t.thread_id = d.thread_id
CROSS JOIN traced_process p ON p.traced_process_id = t.traced_process_id AND p.pid IS NOT NULL;
DROP TABLE temp.traced_event;
