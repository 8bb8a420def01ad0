-- link-pairs: pairs every traced process whose process or clock is unknown with every stored
-- process that may be the same: the pid is equal, and the hosts are equal or unknown.
--
-- lo_ns and hi_ns bound the offsets (UTC minus perf's time) that link-align tries; NULL: link-align skips
-- the pair. A live capture stored a pair of clocks, and perf's own clock may differ from it by 120 s (some
-- months at 10 ppm). Without a pair of clocks, every offset counts at which the times overlap.

DROP TABLE IF EXISTS temp.link_pair;
CREATE TEMP TABLE link_pair (
  pair INTEGER PRIMARY KEY, traced_process_id, process_id,
  first_ns, last_ns,            -- times of the recording, on its clock
  first_ms, last_ms,            -- times of the captures, UTC
  given_ns, given_slack_ns,     -- the offset from --clock-offset
  clock_ns,                     -- the offset from the pair of clocks
  lo_ns, hi_ns,
  events_ns, events_slack_ns, votes -- from link-align
);

INSERT INTO link_pair (traced_process_id, process_id, first_ns, last_ns, first_ms, last_ms,
  given_ns, given_slack_ns, clock_ns)
SELECT t.traced_process_id, p.process_id, r.first_ns, r.last_ns,
  (SELECT min(s.taken_ms) FROM snapshot s WHERE s.process_id = p.process_id),
  (SELECT max(s.taken_ms) FROM snapshot s WHERE s.process_id = p.process_id),
  t.offset_ns, t.slack_ns, p.clock_utc_ms * 1000000 - p.clock_mono_ns
FROM traced_process t
JOIN recording r ON r.recording_id = t.recording_id
JOIN process p ON coalesce(p.pid, -1) = t.pid
  AND (r.host_id IS NULL OR p.host_id IS NULL OR p.host_id = r.host_id)
WHERE t.pid IS NOT NULL AND t.pruned = 0 AND (t.process_id IS NULL OR t.offset_ns IS NULL)
ORDER BY t.traced_process_id, p.process_id;

UPDATE link_pair SET lo_ns = clock_ns - 120000000000, hi_ns = clock_ns + 120000000000
WHERE given_ns IS NULL AND clock_ns IS NOT NULL
  AND first_ns + clock_ns - 122000000000 <= last_ms * 1000000
  AND last_ns + clock_ns + 122000000000 >= first_ms * 1000000;

UPDATE link_pair SET lo_ns = first_ms * 1000000 - last_ns, hi_ns = last_ms * 1000000 - first_ns
WHERE given_ns IS NULL AND clock_ns IS NULL;
