-- The mappings of the snapshots of level 2, as stretches: a mapping with unchanged numbers from the
-- snapshot a to the snapshot z, which are places among those of level 2. At most :singles mappings
-- with :stretches stretches stay one by one, those that are largest and changed most; the others are
-- summed, for each category and part of the address space, of which there are about :parts.

-- A segment: snapshots of an epoch that follow each other without one of another epoch between them.
CREATE TEMP TABLE report_place (epoch_id INTEGER, segment INTEGER, off INTEGER, m INTEGER,
  PRIMARY KEY (epoch_id, segment, off)) WITHOUT ROWID;
INSERT INTO report_place
SELECT epoch_id, m - row_number() OVER (PARTITION BY epoch_id ORDER BY off), off, m
FROM report_moment
WHERE level = 2;

CREATE TEMP TABLE report_version AS
SELECT r.lineage_id, v.region_id, g.process_id,
  (SELECT p.m FROM report_place p WHERE p.epoch_id = g.epoch_id AND p.segment = g.segment
    AND p.off >= v.first ORDER BY p.off LIMIT 1) AS a,
  CASE WHEN v.last IS NULL OR v.last >= g.last THEN g.z ELSE (SELECT p.m FROM report_place p
    WHERE p.epoch_id = g.epoch_id AND p.segment = g.segment AND p.off <= v.last
    ORDER BY p.off DESC LIMIT 1) END AS z,
  r.start >> 12 & 0xfffffffffffff AS page, r.length >> 12 AS pages,
  CASE WHEN known & 1 THEN ifnull(r.size_kib, r.length / 1024) END AS size_kib,
  v.rss_kib, v.pss_kib, v.private_kib, v.swap_kib
FROM (
  SELECT p.epoch_id, p.segment, min(p.off) AS first, max(p.off) AS last, max(p.m) AS z,
    max(s.process_id) AS process_id
  FROM report_place p
  JOIN report_moment s ON s.epoch_id = p.epoch_id AND s.off = p.off
  GROUP BY p.epoch_id, p.segment
) g
CROSS JOIN mapping_versions v ON v.epoch_id = g.epoch_id
CROSS JOIN region r ON r.region_id = v.region_id
WHERE v.first <= g.last AND (v.last IS NULL OR v.last >= g.first) AND a <= z;

-- Equal stretches that follow each other are one.
CREATE TEMP TABLE report_stretch AS
SELECT lineage_id, region_id, min(a) AS a, max(z) AS z, page, pages, size_kib, rss_kib, pss_kib, private_kib, swap_kib
FROM (
  SELECT *, sum(fresh) OVER (PARTITION BY region_id ORDER BY a) AS run
  FROM (
    SELECT *, a IS NOT lag(z) OVER w + 1 OR rss_kib IS NOT lag(rss_kib) OVER w
      OR pss_kib IS NOT lag(pss_kib) OVER w OR private_kib IS NOT lag(private_kib) OVER w
      OR swap_kib IS NOT lag(swap_kib) OVER w AS fresh
    FROM report_version
    WINDOW w AS (PARTITION BY region_id ORDER BY a))
)
GROUP BY region_id, run;
DROP TABLE report_version;

-- The mappings, those first that are largest and changed most. shown: one by one.
CREATE TEMP TABLE report_lineage (lineage_id INTEGER PRIMARY KEY, category_id INTEGER,
  object_id INTEGER, stretches INTEGER, place INTEGER, shown INTEGER);
INSERT INTO report_lineage
SELECT m.lineage_id, coalesce(r.category_id, o.category_id), r.object_id, stretches, place,
  place <= :singles AND sum(stretches) OVER (ORDER BY place) <= :stretches
FROM (
  SELECT lineage_id, region_id, stretches, row_number() OVER (
    ORDER BY most + 4 * abs(last - first) DESC, lineage_id) AS place
  FROM (
    SELECT DISTINCT lineage_id, min(region_id) OVER w AS region_id, count(*) OVER w AS stretches,
      max(coalesce(rss_kib, size_kib)) OVER w AS most,
      CASE min(a) OVER w WHEN 0 THEN first_value(coalesce(rss_kib, size_kib)) OVER f ELSE 0 END AS first,
      CASE max(z) OVER w WHEN (SELECT max(m) FROM report_place)
        THEN last_value(coalesce(rss_kib, size_kib)) OVER f ELSE 0 END AS last
    FROM report_stretch
    WINDOW w AS (PARTITION BY lineage_id), f AS (PARTITION BY lineage_id ORDER BY a, page
      ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING))) m
JOIN region r USING (region_id)
JOIN object o USING (object_id);

-- What is not shown one by one lies in parts of the address space: the largest holes between such
-- mappings divide them.
CREATE TEMP TABLE report_part AS
SELECT page, pages, sum(hole_place <= :parts) OVER (ORDER BY page, pages) AS part
FROM (
  SELECT *, row_number() OVER (ORDER BY page - reach DESC, page) AS hole_place
  FROM (
    SELECT *, coalesce(max(page + pages) OVER (ORDER BY page, pages
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS reach
    FROM (SELECT DISTINCT page, pages FROM report_stretch
      WHERE lineage_id IN (SELECT lineage_id FROM report_lineage WHERE NOT shown))));

-- Their sums: what comes at a, and goes after z.
CREATE TEMP TABLE report_block AS
SELECT part, category_id, m AS a,
  coalesce(lead(m) OVER w - 1, (SELECT max(m) FROM report_place)) AS z,
  sum(mappings) OVER w AS mappings, sum(size_kib) OVER w AS size_kib, sum(rss_kib) OVER w AS rss_kib,
  sum(pss_kib) OVER w AS pss_kib, sum(private_kib) OVER w AS private_kib, sum(swap_kib) OVER w AS swap_kib
FROM (
  SELECT p.part, l.category_id, CASE d.sign WHEN 1 THEN s.a ELSE s.z + 1 END AS m,
    sum(d.sign) AS mappings, sum(d.sign * s.size_kib) AS size_kib,
    sum(d.sign * s.rss_kib) AS rss_kib, sum(d.sign * s.pss_kib) AS pss_kib,
    sum(d.sign * s.private_kib) AS private_kib, sum(d.sign * s.swap_kib) AS swap_kib
  FROM report_stretch s
  JOIN report_lineage l ON l.lineage_id = s.lineage_id AND NOT l.shown
  JOIN report_part p ON p.page = s.page AND p.pages = s.pages
  CROSS JOIN (SELECT 1 AS sign UNION ALL SELECT -1) d
  GROUP BY 1, 2, 3)
WINDOW w AS (PARTITION BY part, category_id ORDER BY m);

-- A block of a part gets a share of its addresses, by its largest size.
CREATE TEMP TABLE report_share AS
SELECT part, category_id, mappings,
  low + CAST((high - low) * 1.0 * (sum(most) OVER w - most) / sum(most) OVER p AS INTEGER) AS page,
  max(CAST((high - low) * 1.0 * most / sum(most) OVER p AS INTEGER), 1) AS pages
FROM (
  SELECT b.part, b.category_id, max(b.mappings) AS mappings, max(b.size_kib, 4) AS most, e.low, e.high
  FROM (SELECT part, category_id, max(mappings) AS mappings, max(size_kib) AS size_kib
    FROM report_block GROUP BY part, category_id) b
  JOIN (SELECT part, min(page) AS low, max(page + pages) AS high FROM report_part GROUP BY part) e
    ON e.part = b.part
  GROUP BY b.part, b.category_id)
WINDOW p AS (PARTITION BY part), w AS (PARTITION BY part ORDER BY category_id);

-- What the page draws: rows of lines, the mappings first, those of a line in the order of time.
CREATE TEMP TABLE report_line AS
SELECT place AS line, lineage_id, category_id, object_id, 1 AS mappings, stretches
FROM report_lineage
WHERE shown
UNION ALL
SELECT 1000000 + row_number() OVER (ORDER BY h.part, h.category_id), 0, h.category_id, NULL, h.mappings,
  count(*)
FROM report_share h
JOIN report_block b ON b.part = h.part AND b.category_id = h.category_id AND b.mappings AND b.a <= b.z
GROUP BY h.part, h.category_id;
CREATE TEMP TABLE report_row AS
SELECT l.place AS line, s.a, s.z, s.page, s.pages, s.size_kib, s.rss_kib, s.pss_kib, s.private_kib,
  s.swap_kib
FROM report_lineage l
JOIN report_stretch s ON s.lineage_id = l.lineage_id
WHERE l.shown
UNION ALL
SELECT 1000000 + dense_rank() OVER (ORDER BY h.part, h.category_id), b.a, b.z, h.page, h.pages, b.size_kib,
  b.rss_kib, b.pss_kib, b.private_kib, b.swap_kib
FROM report_share h
JOIN report_block b ON b.part = h.part AND b.category_id = h.category_id AND b.mappings AND b.a <= b.z
ORDER BY 1, 2, 4;
CREATE TEMP TABLE report_path (path TEXT PRIMARY KEY, place INTEGER) WITHOUT ROWID;
INSERT INTO report_path
SELECT o.path, row_number() OVER (ORDER BY min(l.line))
FROM report_line l
JOIN object o USING (object_id)
GROUP BY o.path;
