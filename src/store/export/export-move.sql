-- export-move: moves the addresses of a redacted export: export_address -> export_cluster. The
-- relative positions stay, the absolute ones do not.
--
-- The addresses of one process fall into clusters, separated by gaps of at least 1 TiB (2^40): the
-- program and its heap, the libraries and the stack, mappings at fixed places. Each cluster moves
-- in full by a multiple of 64 MiB (2^26) that draw(), a function of the export, takes from
-- getrandom(2). This keeps the order of all addresses, the neighbours, the distances inside a
-- cluster, and the alignment that rules need (pages, 2 MiB, the arenas of glibc). Nothing else is
-- kept; the lowest 26 bits of an address remain visible.

INSERT INTO export_drawn
WITH noted AS (
  SELECT space, start, max(last) AS last FROM export_address GROUP BY 1, 2),
after AS (
  SELECT *, max(last) OVER (PARTITION BY space ORDER BY start
    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before FROM noted),
numbered AS (
  SELECT *, sum(before IS NULL OR start - before >= 1099511627776)
    OVER (PARTITION BY space ORDER BY start ROWS UNBOUNDED PRECEDING) AS cluster FROM after)
SELECT space, min(start), max(last), min(start) / 67108864, max(last) / 67108864 - min(start) / 67108864 + 1,
  draw()
FROM numbered GROUP BY space, cluster;

-- The clusters of one space keep their order and stay 1 TiB (16384 units) apart; the rest of the
-- usual room of 47 bits is divided at random. With five-level paging, or with hardly any room left,
-- the room is larger.
INSERT INTO export_cluster
WITH need AS (SELECT space, 1 + 16384 * (count(*) - 1) + sum(units) AS units FROM export_drawn GROUP BY space),
room AS (SELECT space, CASE WHEN units + 1 < 2097152 THEN 2097152 - units ELSE 2097152 END AS left FROM need),
shared AS (SELECT d.space, d.draw % r.left AS rest,
    row_number() OVER (PARTITION BY d.space ORDER BY d.draw % r.left) AS place
  FROM export_drawn d JOIN room r ON r.space = d.space),
placed AS (SELECT *, row_number() OVER (PARTITION BY space ORDER BY start) AS place,
    1 + coalesce(sum(units + 16384) OVER (PARTITION BY space ORDER BY start
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS at
  FROM export_drawn)
SELECT p.space, p.start, p.last, (p.at + h.rest - p.unit) * 67108864
FROM placed p JOIN shared h ON h.space = p.space AND h.place = p.place;
