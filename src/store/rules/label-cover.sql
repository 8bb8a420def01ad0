-- label-cover: what the ranges of temp table label_new, a JVM's names for its own memory, make of
-- the mappings of one capture: temp table label_row.
--
-- A mapping that ranges of one category cover to nine tenths gets this category: the rest may be of
-- another owner, and what is resident in it. One that rules take for memory of a JVM, and of which
-- less than half is covered at all, is other native memory, where the report knows all of the JVM's
-- memory: System.map never does, it names a row by what lies anywhere in it. What lies between is
-- memory of several owners: it keeps its category. So does a file or a segment, but for what only
-- the JVM knows.
--
-- Parameters: :snapshot_id, :knows_all (1: NMT, and the report is whole).

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

DROP TABLE IF EXISTS temp.label_row;
CREATE TEMP TABLE label_row AS
WITH range AS (
  -- STACK-4712-main says whose stack it is; CODE,META is memory of several that the kernel merged
  SELECT n.start, n.start + n.length AS end, CASE WHEN n.label LIKE '%,%' THEN NULL
    WHEN n.label GLOB 'STACK[-:]*' THEN 'stack' ELSE coalesce(w.purpose, 'other') END AS purpose
  FROM label_new n LEFT JOIN label_word w ON w.word = n.label
  WHERE n.length > 0),
piece AS (
  SELECT m.start, m.end - m.start AS bytes, m.lineage_id, m.category, p.category AS named,
    sum(min(r.end, m.end) - max(r.start, m.start)) AS covered
  FROM mappings m
  LEFT JOIN range r ON r.end > m.start AND r.start < m.end
  LEFT JOIN label_purpose p ON p.base = m.base AND p.purpose = r.purpose
  WHERE m.snapshot_id = :snapshot_id
  GROUP BY m.start, m.lineage_id, p.category),
mapping AS (
  SELECT start, bytes, lineage_id, category, coalesce(sum(covered), 0) AS covered,
    max(CASE WHEN covered >= bytes - bytes / 10 THEN named END) AS named
  FROM piece GROUP BY start, lineage_id)
SELECT start, bytes, lineage_id, covered > 0 AND covered >= bytes - bytes / 2 AS fits,
  coalesce(named, CASE WHEN :knows_all AND covered < bytes - bytes / 2 AND category IN (
    'anonymous/jvm-heap', 'anonymous/jvm-code', 'anonymous/jvm-metaspace', 'anonymous/jvm-gc',
    'anonymous/jvm-cds') THEN 'anonymous/jvm-native' END) AS category
FROM mapping;
