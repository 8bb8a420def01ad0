-- label-cover: what the ranges of temp table label_new, a JVM's names for its own memory, make of
-- the mappings of the captures of label_report (label-near.sql runs before): temp table label_row.
--
-- A mapping that ranges of one category cover to nine tenths gets this category: at most the last tenth
-- belongs to another owner. A mapping is other native memory (`vague`) if the rules call it memory of a
-- JVM, ranges cover less than half of it, and the report is complete. A mapping between these cases is
-- memory of several owners and keeps its category. So does a file or a shared segment, except where
-- label_purpose has a category for it.

CREATE TEMP TABLE IF NOT EXISTS label_word (word TEXT PRIMARY KEY, purpose TEXT NOT NULL);
INSERT OR IGNORE INTO label_word VALUES
  ('Java Heap', 'heap'), ('JAVAHEAP', 'heap'), ('Thread Stack', 'stack'), ('STACK', 'stack'),
  ('Code', 'code'), ('CODE', 'code'), ('Class', 'metaspace'), ('CLASS', 'metaspace'),
  ('Metaspace', 'metaspace'), ('META', 'metaspace'), ('GC', 'gc'), ('GCCardSet', 'gc'),
  ('CARDTBL', 'gc'), ('Shared class space', 'cds'), ('CDS', 'cds');

CREATE TEMP TABLE IF NOT EXISTS label_purpose (base TEXT, purpose TEXT, category TEXT NOT NULL,
  PRIMARY KEY (base, purpose));
INSERT OR IGNORE INTO label_purpose VALUES
  ('anonymous', 'heap', 'anonymous/jvm-heap'), ('anonymous', 'stack', 'anonymous/thread-stack'),
  ('anonymous', 'code', 'anonymous/jvm-code'),
  ('anonymous', 'metaspace', 'anonymous/jvm-metaspace'), ('anonymous', 'gc', 'anonymous/jvm-gc'),
  ('anonymous', 'cds', 'anonymous/jvm-cds'), ('anonymous', 'other', 'anonymous/jvm-native'),
  ('reserve', 'heap', 'reserve/jvm-heap'), ('reserve', 'stack', 'reserve/guard'),
  ('reserve', 'code', 'reserve/jvm-code'), ('reserve', 'metaspace', 'reserve/jvm'),
  ('reserve', 'gc', 'reserve/jvm'), ('reserve', 'cds', 'reserve/jvm'),
  ('reserve', 'other', 'reserve/jvm'), ('memfd', 'heap', 'memfd/jvm-heap'),
  ('shared-memory', 'heap', 'shared-memory/jvm-heap'), ('mapped-file', 'cds', 'mapped-file/jvm-cds');

CREATE TEMP TABLE IF NOT EXISTS label_jvm (category TEXT PRIMARY KEY);
INSERT OR IGNORE INTO label_jvm SELECT category FROM label_purpose
WHERE base = 'anonymous' AND purpose NOT IN ('stack', 'other');

DROP TABLE IF EXISTS temp.label_row;
CREATE TEMP TABLE label_row AS
WITH range AS (
  -- STACK-4712-main says whose stack it is; CODE,META is memory of several that the kernel merged
  SELECT n.taken_ms, n.source, n.start, n.start + n.length AS end,
    CASE WHEN n.label LIKE '%,%' THEN NULL WHEN n.label GLOB 'STACK[-:]*' THEN 'stack'
      ELSE coalesce(w.purpose, 'other') END AS purpose
  FROM label_new n LEFT JOIN label_word w ON w.word = n.label
  WHERE n.length > 0),
piece AS (
  SELECT t.taken_ms, t.source, t.knows_all, m.start, m.end - m.start AS bytes, m.lineage_id,
    m.category, p.category AS named, sum(min(r.end, m.end) - max(r.start, m.start)) AS covered
  FROM label_report t
  CROSS JOIN mappings m ON m.snapshot_id = t.snapshot_id
  LEFT JOIN range r ON r.taken_ms = t.taken_ms AND r.source = t.source AND r.end > m.start
    AND r.start < m.end
  LEFT JOIN label_purpose p ON p.base = m.base AND p.purpose = r.purpose
  GROUP BY t.taken_ms, t.source, m.start, m.lineage_id, p.category),
mapping AS (
  SELECT taken_ms, source, knows_all, start, bytes, lineage_id, category,
    coalesce(sum(covered), 0) AS covered,
    max(CASE WHEN covered >= bytes - bytes / 10 THEN named END) AS named
  FROM piece GROUP BY taken_ms, source, start, lineage_id)
SELECT taken_ms, source, start, bytes, lineage_id, named,
  covered > 0 AND covered >= bytes - bytes / 2 AS fits,
  knows_all AND covered < bytes - bytes / 2 AS vague,
  named IS NOT NULL OR (knows_all AND covered < bytes - bytes / 2
    AND category IN (SELECT category FROM label_jvm)) AS gets_name
FROM mapping;
