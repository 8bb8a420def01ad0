-- Chooses at most :most snapshots of level :level - 1, each of them real: the first and the last, both
-- sides of each gap and each restart; in each of some equal buckets the first, and where each curve is
-- least and most; then others, evenly, until there are :most.

CREATE TEMP TABLE report_choice AS
SELECT n, row_number() OVER (ORDER BY n) - 1 AS place, count(*) OVER () AS of, 0 AS kept
FROM report_moment
WHERE level = :level - 1 AND (:level < 2 OR state <> 'totals');

UPDATE report_choice SET kept = 1
WHERE of <= :most OR place IN (0, of - 1);

-- of many gaps and restarts only the first ones, a quarter of what may be kept
UPDATE report_choice SET kept = 1
WHERE place IN (
  SELECT c.place - d.back
  FROM report_choice c
  JOIN report_moment s ON s.n = c.n
  CROSS JOIN (SELECT 0 AS back UNION ALL SELECT 1) d
  WHERE s.life OR s.missed
  ORDER BY c.place, d.back
  LIMIT :most / 4);

CREATE TEMP TABLE report_bucket AS
SELECT c.n, v.curve, v.kib, c.place * (
  (:most - (SELECT sum(kept) FROM report_choice))
  / (1 + 2 * (SELECT count(DISTINCT curve) FROM report_curve))) / c.of AS bucket
FROM report_choice c
JOIN report_curve v ON v.n = c.n
WHERE c.of > :most AND v.kib IS NOT NULL;
UPDATE report_choice SET kept = 1
WHERE n IN (
  SELECT min(n) FROM report_bucket GROUP BY bucket
  UNION
  SELECT n FROM (SELECT n, min(kib) FROM report_bucket GROUP BY curve, bucket)
  UNION
  SELECT n FROM (SELECT n, max(kib) FROM report_bucket GROUP BY curve, bucket));
DROP TABLE report_bucket;

UPDATE report_choice SET kept = 1
WHERE n IN (
  SELECT n
  FROM (
    SELECT n, row_number() OVER (ORDER BY n) * room / count(*) OVER ()
      > (row_number() OVER (ORDER BY n) - 1) * room / count(*) OVER () AS chosen
    FROM report_choice
    CROSS JOIN (SELECT :most - sum(kept) AS room FROM report_choice) r
    WHERE NOT kept)
  WHERE chosen);

UPDATE report_moment SET level = :level WHERE n IN (SELECT n FROM report_choice WHERE kept);
DROP TABLE report_choice;
UPDATE report_moment SET k = p.place
FROM (SELECT n, row_number() OVER (ORDER BY n) - 1 AS place FROM report_moment WHERE level > 0) p
WHERE :level = 1 AND p.n = report_moment.n;
UPDATE report_moment SET m = p.place
FROM (SELECT n, row_number() OVER (ORDER BY n) - 1 AS place FROM report_moment WHERE level > 1) p
WHERE :level = 2 AND p.n = report_moment.n;
