-- The mappings of the snapshots of level 2, as stretches: a mapping with unchanged numbers from the
-- snapshot a to the snapshot z, which are places among those of level 2. At most :singles mappings
-- with :stretches stretches stay one by one, those that are largest and changed most; the others are
-- summed, for each category and part of the address space, of which there are about :parts.

-- A segment: snapshots of an epoch that follow each other without one of another epoch between them.
CREATE TEMP TABLE report_segment (segment INTEGER PRIMARY KEY, epoch_id INTEGER, first INTEGER, last INTEGER);
INSERT INTO report_segment (epoch_id, first, last)
SELECT epoch_id, min(off), max(off)
FROM (
  SELECT epoch_id, off, m - row_number() OVER (PARTITION BY epoch_id ORDER BY off) AS run
  FROM report_moment
  WHERE level = 2)
GROUP BY epoch_id, run;

-- For each off of a segment: the next snapshot of level 2, its off, and the one at or before the off.
CREATE TEMP TABLE report_place (place INTEGER PRIMARY KEY, a INTEGER, at INTEGER, z INTEGER);
INSERT INTO report_place
WITH RECURSIVE place (segment, epoch_id, off, last) AS (
  SELECT segment, epoch_id, first, last FROM report_segment
  UNION ALL
  SELECT segment, epoch_id, off + 1, last FROM place WHERE off < last
)
SELECT segment * 32768 + off,
  min(m) OVER ahead, min(CASE WHEN m IS NOT NULL THEN off END) OVER ahead,
  max(m) OVER (PARTITION BY segment ORDER BY off)
FROM (
  SELECT p.segment, p.off, s.m
  FROM place p
  LEFT JOIN (SELECT epoch_id, off, m FROM report_moment WHERE level = 2) s
    ON s.epoch_id = p.epoch_id AND s.off = p.off)
WINDOW ahead AS (PARTITION BY segment ORDER BY off DESC);

CREATE TEMP TABLE report_version AS
SELECT v.region_id, p.a, q.z, CASE WHEN known & 1 THEN ifnull(r.size_kib, r.length / 1024) END AS size_kib,
  v.rss_kib, v.pss_kib, v.private_kib, v.swap_kib
FROM report_segment g
CROSS JOIN mapping_versions v ON v.epoch_id = g.epoch_id
CROSS JOIN report_place p ON p.place = g.segment * 32768 + max(v.first, g.first)
CROSS JOIN report_place q ON q.place = g.segment * 32768 + min(ifnull(v.last, g.last), g.last)
CROSS JOIN region r ON r.region_id = v.region_id
WHERE v.first <= g.last AND ifnull(v.last, g.last) >= p.at;

-- A mapping while its address and size stay. The statements below read this table instead of the many
-- versions where they can.
CREATE TEMP TABLE report_region (region_id INTEGER PRIMARY KEY, lineage_id INTEGER, object_id INTEGER,
  page INTEGER, pages INTEGER, stretches INTEGER, most INTEGER, first INTEGER, last INTEGER);
INSERT INTO report_region
SELECT region_id, r.lineage_id, r.object_id, r.start >> 12 & 0xfffffffffffff AS page, r.length >> 12 AS pages,
  stretches, most, first, last
FROM (
  SELECT region_id, count(*) AS stretches, max(coalesce(rss_kib, size_kib)) AS most,
    sum(CASE WHEN a = 0 THEN coalesce(rss_kib, size_kib) ELSE 0 END) AS first,
    sum(CASE WHEN z = (SELECT max(m) FROM report_moment) THEN coalesce(rss_kib, size_kib) ELSE 0 END) AS last
  FROM report_version
  GROUP BY region_id)
JOIN region r USING (region_id);

-- The mappings, those first that are largest and changed most. shown: one by one.
CREATE TEMP TABLE report_lineage (lineage_id INTEGER PRIMARY KEY, category_id INTEGER,
  object_id INTEGER, place INTEGER, shown INTEGER);
INSERT INTO report_lineage
SELECT m.lineage_id, coalesce(r.category_id, o.category_id), r.object_id, place,
  place <= :singles AND sum(stretches) OVER (ORDER BY place) <= :stretches
FROM (
  SELECT lineage_id, min(region_id) AS region_id, sum(stretches) AS stretches,
    row_number() OVER (ORDER BY max(most) + 4 * abs(sum(last) - sum(first)) DESC, lineage_id) AS place
  FROM report_region
  GROUP BY lineage_id
  ) m
JOIN region r USING (region_id)
JOIN object o USING (object_id);

-- The mappings that are not shown one by one, by the part of the address space in which they lie: the
-- largest holes between these mappings divide the parts.
CREATE TEMP TABLE report_part (region_id INTEGER PRIMARY KEY, page INTEGER, pages INTEGER, part INTEGER,
  block INTEGER);
INSERT INTO report_part
SELECT region_id, page, pages, part, (part << 44) + (category_id << 24)
FROM (
  SELECT *, sum(hole_place <= :parts) OVER (ORDER BY page, pages, region_id) AS part
  FROM (
  SELECT *, row_number() OVER (ORDER BY page - reach DESC, page, region_id) AS hole_place
  FROM (
    SELECT x.*, l.category_id, coalesce(max(page + pages) OVER (ORDER BY page, pages, region_id
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS reach
    FROM report_region x
    JOIN report_lineage l USING (lineage_id)
    WHERE NOT l.shown)));

-- Their sums: first over the versions of equal spans, then over time: a span is added at its a, and
-- subtracted after its z. Grouped by one number, which sorts faster than several.
CREATE TEMP TABLE report_block AS
SELECT key >> 32 AS part, key >> 12 & 0xfffff AS category_id, key & 0xfff AS a,
  coalesce(lead(key & 0xfff) OVER w - 1, (SELECT max(m) FROM report_moment)) AS z,
  sum(mappings) OVER w AS mappings, sum(size_kib) OVER w AS size_kib, sum(rss_kib) OVER w AS rss_kib,
  sum(pss_kib) OVER w AS pss_kib, sum(private_kib) OVER w AS private_kib, sum(swap_kib) OVER w AS swap_kib
FROM (
  SELECT CASE sign WHEN 1 THEN span >> 12 ELSE (span >> 24 << 12) + (span & 0xfff) + 1 END AS key,
    sum(sign * mappings) AS mappings, sum(sign * size_kib) AS size_kib, sum(sign * rss_kib) AS rss_kib,
    sum(sign * pss_kib) AS pss_kib, sum(sign * private_kib) AS private_kib, sum(sign * swap_kib) AS swap_kib
  FROM (
    SELECT block + (a << 12) + z AS span, count(*) AS mappings, sum(size_kib) AS size_kib,
      sum(rss_kib) AS rss_kib, sum(pss_kib) AS pss_kib, sum(private_kib) AS private_kib, sum(swap_kib) AS swap_kib
    FROM report_version s
    CROSS JOIN report_part p USING (region_id)
    GROUP BY 1)
  CROSS JOIN (SELECT 1 AS sign UNION ALL SELECT -1)
  GROUP BY 1)
WINDOW w AS (PARTITION BY key >> 12 ORDER BY key);

-- A block of a part gets a share of the part's addresses, by the block's largest size.
CREATE TEMP TABLE report_share AS
SELECT 1000000 + row_number() OVER (ORDER BY part, category_id) AS line, part, category_id, mappings,
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

-- What the page draws: the stretches of a line in the order of time, the mappings first, then the
-- blocks. Equal stretches that follow each other are one.
CREATE TEMP TABLE report_row AS
SELECT place AS line, min(a) AS a, max(z) AS z, page, pages, size_kib, rss_kib, pss_kib, private_kib, swap_kib
FROM (
  SELECT *, sum(fresh) OVER (PARTITION BY region_id ORDER BY a) AS run
  FROM (
    SELECT s.*, l.place, x.page, x.pages, s.a IS NOT lag(s.z) OVER w + 1
      OR rss_kib IS NOT lag(rss_kib) OVER w OR pss_kib IS NOT lag(pss_kib) OVER w
      OR private_kib IS NOT lag(private_kib) OVER w OR swap_kib IS NOT lag(swap_kib) OVER w AS fresh
    FROM report_version s
    CROSS JOIN report_region x USING (region_id)
    CROSS JOIN report_lineage l ON l.lineage_id = x.lineage_id AND l.shown
    WINDOW w AS (PARTITION BY s.region_id ORDER BY s.a)))
GROUP BY region_id << 12 | run
UNION ALL
SELECT h.line, b.a, b.z, h.page, h.pages, b.size_kib,
  b.rss_kib, b.pss_kib, b.private_kib, b.swap_kib
FROM report_share h
JOIN report_block b ON b.part = h.part AND b.category_id = h.category_id AND b.mappings AND b.a <= b.z
ORDER BY 1, 2, 4;
CREATE TEMP TABLE report_line AS
SELECT x.line, x.stretches, l.lineage_id, l.category_id, l.object_id, 1 AS mappings
FROM (SELECT line, count(*) AS stretches FROM report_row GROUP BY line) x
JOIN (SELECT * FROM report_lineage WHERE shown) l ON l.place = x.line
UNION ALL
SELECT x.line, x.stretches, 0, h.category_id, NULL, h.mappings
FROM (SELECT line, count(*) AS stretches FROM report_row GROUP BY line) x
JOIN report_share h ON h.line = x.line;
CREATE TEMP TABLE report_path (path TEXT PRIMARY KEY, place INTEGER) WITHOUT ROWID;
INSERT INTO report_path
SELECT o.path, row_number() OVER (ORDER BY min(l.line))
FROM report_line l
JOIN object o USING (object_id)
GROUP BY o.path;
