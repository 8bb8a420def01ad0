-- link-align: finds the offset between the clocks of pair :pair from changes that both calls and
-- captures show.
--
-- A recording has, on perf's clock, the times at which an address began or ceased to be the edge of
-- a mapping. Captures have, in UTC, the two captures between which the same happened. Each such
-- change votes once for the offsets that explain it. At the true offset all changes agree; at any
-- other, few agree, by chance. An offset counts if it has at least 3 votes, and at least twice as
-- many votes as any other offset.

-- At most 400 captures. Times in whole seconds are usually rounded down, so the change may have
-- come up to a second later. The time of a live capture is the start of its beat: the map was read
-- later, on a busy machine much later, so the change may have come any time until the end of the
-- reading.
DROP TABLE IF EXISTS temp.link_shot;
CREATE TEMP TABLE link_shot AS
SELECT row_number() OVER (ORDER BY k) AS k, epoch_id, off, taken_ms AS ms,
  taken_ms + CASE WHEN fine THEN 1 ELSE 1000 END + read_ms AS end_ms
FROM (SELECT s.epoch_id, s.off, s.taken_ms,
    coalesce((r.mono_ns - b.mono_ns) / 1000000 + r.read_us / 1000 + 1, 0) AS read_ms,
    row_number() OVER (ORDER BY s.taken_ms, s.ordinal) - 1 AS k, count(*) OVER () AS n,
    max(s.taken_ms % 1000 <> 0) OVER () AS fine
  FROM link_pair l
  JOIN snapshot s ON s.process_id = l.process_id
    AND s.taken_ms BETWEEN (l.first_ns + l.lo_ns) / 1000000 AND (l.last_ns + l.hi_ns) / 1000000
  LEFT JOIN live_reading r ON r.snapshot_id = s.snapshot_id
  LEFT JOIN beat b ON b.capture_id = s.capture_id
  WHERE l.pair = :pair AND s.preferred = 1 AND s.state = 'complete')
WHERE n <= 400 OR k = 0 OR k * 399 / (n - 1) <> (k - 1) * 399 / (n - 1);
CREATE UNIQUE INDEX temp.link_shot_k ON link_shot (k);

-- The edges in each capture. The end of a mapping that touches the next one is not an edge: the
-- kernel may have joined the two.
DROP TABLE IF EXISTS temp.link_edge;
CREATE TEMP TABLE link_edge (address, k, PRIMARY KEY (address, k)) WITHOUT ROWID;
INSERT INTO link_edge
WITH row (k, start, length) AS (
  SELECT s.k, r.start, r.length FROM link_shot s
  CROSS JOIN mapping_version v
    ON v.epoch_id = s.epoch_id AND v.first <= s.off AND (v.last IS NULL OR v.last >= s.off)
  CROSS JOIN region r ON r.region_id = v.region_id)
SELECT address, k
FROM (SELECT k, start AS address FROM row UNION ALL SELECT k, start + length FROM row)
GROUP BY address, k HAVING count(*) % 2 = 1;

-- An edge that appears after the previous capture, or disappears before the next one.
DROP TABLE IF EXISTS temp.link_step;
CREATE TEMP TABLE link_step AS
SELECT e.address, 1 AS appears, p.ms * 1000000 AS from_ns, s.end_ms * 1000000 AS to_ns
FROM link_edge e JOIN link_shot s ON s.k = e.k JOIN link_shot p ON p.k = e.k - 1
WHERE NOT EXISTS (SELECT 1 FROM link_edge x WHERE x.address = e.address AND x.k = e.k - 1)
UNION ALL
SELECT e.address, 0, s.ms * 1000000, n.end_ms * 1000000
FROM link_edge e JOIN link_shot s ON s.k = e.k JOIN link_shot n ON n.k = e.k + 1
WHERE NOT EXISTS (SELECT 1 FROM link_edge x WHERE x.address = e.address AND x.k = e.k + 1);

-- The times at which the calls made these addresses edges: an edge has exactly one mapped side.
DROP TABLE IF EXISTS temp.link_call;
CREATE TEMP TABLE link_call (address, appears, ns, PRIMARY KEY (address, appears, ns)) WITHOUT ROWID;
INSERT INTO link_call
WITH traced AS (
  SELECT e.start, e.start + e.length AS end, e.born_ns, e.died_ns
  FROM link_pair l JOIN extent e ON e.traced_process_id = l.traced_process_id
  WHERE l.pair = :pair AND e.born_ns IS NOT NULL),
change (address, ns, below, above) AS (
  SELECT start, born_ns, 0, 1 FROM traced
  UNION ALL SELECT start, died_ns, 0, -1 FROM traced WHERE died_ns IS NOT NULL
  UNION ALL SELECT end, born_ns, 1, 0 FROM traced
  UNION ALL SELECT end, died_ns, -1, 0 FROM traced WHERE died_ns IS NOT NULL),
moment AS (
  SELECT address, ns, sum(below) AS below, sum(above) AS above FROM change
  WHERE address IN (SELECT address FROM link_step) GROUP BY address, ns),
side AS (
  SELECT address, ns, sum(below) OVER w > 0 AS below, sum(above) OVER w > 0 AS above FROM moment
  WINDOW w AS (PARTITION BY address ORDER BY ns)),
edge AS (
  SELECT address, ns, below <> above AS is_edge,
    lag(below <> above, 1, 0) OVER (PARTITION BY address ORDER BY ns) AS was_edge
  FROM side)
SELECT address, is_edge, ns FROM edge WHERE is_edge <> was_edge;

-- The offsets at which the number of votes changes. The offsets of one step form spans of equal
-- length; overlapping spans are one vote. An address that changes more than 16 times is reused all
-- the time and is ignored.
DROP TABLE IF EXISTS temp.link_turn;
CREATE TEMP TABLE link_turn AS
WITH span (step, a, b) AS (
  SELECT s.rowid, s.from_ns - c.ns, s.to_ns - c.ns
  FROM link_pair l
  JOIN link_step s
  JOIN link_call c ON c.address = s.address AND c.appears = s.appears
  WHERE l.pair = :pair AND s.to_ns - c.ns >= l.lo_ns AND s.from_ns - c.ns <= l.hi_ns
    AND (SELECT count(*) FROM link_call x
         WHERE x.address = s.address AND x.appears = s.appears) <= 16),
neighbour AS (
  SELECT a, b, lag(b) OVER w AS before, lead(a) OVER w AS after FROM span
  WINDOW w AS (PARTITION BY step ORDER BY a))
SELECT a AS ns, 1 AS change FROM neighbour WHERE before IS NULL OR before < a
UNION ALL SELECT b, -1 FROM neighbour WHERE after IS NULL OR after > b;

DROP TABLE IF EXISTS temp.link_votes;
CREATE TEMP TABLE link_votes AS
SELECT ns, change, sum(change) OVER (ORDER BY ns, change DESC ROWS UNBOUNDED PRECEDING) AS votes
FROM link_turn;

-- The lowest offset with most votes. Rivals are farther away than a step is long.
UPDATE link_pair SET (events_ns, events_slack_ns, votes) = (
  SELECT a + (b - a) / 2, (b - a + 1) / 2, votes
  FROM (SELECT ns AS a, votes,
      coalesce((SELECT min(t.ns) FROM link_turn t WHERE t.change < 0 AND t.ns >= v.ns), ns) AS b,
      (SELECT max(to_ns - from_ns) FROM link_step) AS width
    FROM link_votes v WHERE change > 0 ORDER BY votes DESC, ns LIMIT 1)
  WHERE votes >= 3 AND votes >= 2 * (
    SELECT coalesce(max(r.votes), 0) FROM link_votes r
    WHERE r.change > 0 AND (r.ns < a - width OR r.ns > b + width)))
WHERE pair = :pair;
