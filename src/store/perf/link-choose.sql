-- link-choose: chooses the process and the clock of each traced process from the pairs of
-- link-pairs.
--
--     given    --clock-offset gave the offset: only the times decide
--     events   from changes that both calls and captures show (link-align)
--     clocks   from the pair of clocks of a live capture: exact for perf record -k CLOCK_MONOTONIC;
--              perf's default clock drifts by some ms a day, so contradicting events win
--
-- Times overlap if a capture lies within 2 s of the recording: captures may have whole seconds. The
-- pair of clocks is exact to 2 ms.

DROP TABLE IF EXISTS temp.link_choice;
CREATE TEMP TABLE link_choice AS
WITH found (pair, offset_ns, slack_ns, source, votes) AS (
  SELECT pair, given_ns, given_slack_ns, NULL, 1 FROM link_pair
  WHERE given_ns IS NOT NULL
    AND first_ns + given_ns - given_slack_ns - 2000000000 <= last_ms * 1000000
    AND last_ns + given_ns + given_slack_ns + 2000000000 >= first_ms * 1000000
  UNION ALL
  SELECT pair, events_ns, events_slack_ns, 'events', votes FROM link_pair
  WHERE votes IS NOT NULL
    AND (clock_ns IS NULL OR abs(events_ns - clock_ns) > events_slack_ns + 2000000)
  UNION ALL
  SELECT pair, clock_ns, 2000000, 'clocks', coalesce(votes, 1) FROM link_pair
  WHERE lo_ns IS NOT NULL AND clock_ns IS NOT NULL
    AND (votes IS NULL OR abs(events_ns - clock_ns) <= events_slack_ns + 2000000)
    AND first_ns + clock_ns - 2002000000 <= last_ms * 1000000
    AND last_ns + clock_ns + 2002000000 >= first_ms * 1000000)
SELECT p.traced_process_id, p.process_id, f.offset_ns, f.slack_ns, f.source,
  row_number() OVER (PARTITION BY p.traced_process_id ORDER BY f.votes DESC, p.pair) AS place
FROM found f JOIN link_pair p ON p.pair = f.pair;

UPDATE traced_process SET (process_id, offset_ns, slack_ns, offset_source) = (
  SELECT c.process_id, c.offset_ns, c.slack_ns, coalesce(c.source, traced_process.offset_source)
  FROM link_choice c
  WHERE c.traced_process_id = traced_process.traced_process_id AND c.place = 1)
WHERE traced_process_id IN (SELECT traced_process_id FROM link_choice);

-- The clock is unknown, but there is only one candidate.
UPDATE traced_process SET process_id = (
  SELECT p.process_id FROM link_pair p
  WHERE p.traced_process_id = traced_process.traced_process_id)
WHERE traced_process_id IN (
  SELECT traced_process_id FROM link_pair GROUP BY 1 HAVING count(*) = 1 AND max(given_ns) IS NULL)
  AND traced_process_id NOT IN (SELECT traced_process_id FROM link_choice);
