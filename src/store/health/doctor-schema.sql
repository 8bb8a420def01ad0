-- doctor-schema: the schema of the file, its size, and the disk. Opening the file has checked that
-- the schema is pmapdb's and not newer. Checkpoints limit the -wal to some MiB. A write goes to the
-- -wal first, which takes some MiB, too; a large store is that of a large host, whose captures are
-- large. doctor-growth estimates how long the rest of the disk lasts.
WITH file AS (SELECT d.*, (SELECT page_count FROM pragma_page_count) AS pages, (SELECT page_size FROM pragma_page_size) AS page,
    (SELECT freelist_count FROM pragma_freelist_count) AS unused, (SELECT journal_mode FROM pragma_journal_mode) AS mode,
    (SELECT user_version FROM pragma_user_version) AS version, free_kib < min(max(size_kib / 8, 4096), 65536) AS is_little
  FROM temp.doctor d)
SELECT 'schema' AS "check", 0 AS level, version AS number, 'version' AS unit, NULL AS value, CASE WHEN immutable
    THEN 'read as a file that does not change (no permission for its -shm)' ELSE 'the newest schema that this pmapdb knows' END AS detail
FROM file
UNION ALL
SELECT 'size', wal_kib > 65536, file_kib, 'KiB', NULL, printf('%d pages of %d bytes; -wal %s%s', pages, page, kib_text(wal_kib),
    CASE WHEN wal_kib > 65536 THEN ': a reader that stays open keeps SQLite from copying the -wal into the store' ELSE '' END) FROM file
UNION ALL
SELECT 'free', 4 * unused > pages, unused * page / 1024.0, 'KiB', NULL, 'of the file is unused'
    || CASE WHEN 4 * unused > pages THEN ': pmapdb prune --compact gives it back' ELSE '' END FROM file
UNION ALL
SELECT 'journal', mode <> 'wal' AND NOT immutable, NULL, '', mode, CASE WHEN mode = 'wal' THEN 'readers and a writer do not wait'
    WHEN immutable THEN 'not known for a file that is read as one that does not change'
    ELSE 'not wal: readers and writers wait for each other; the next import sets it' END FROM file
UNION ALL
SELECT 'disk', CASE WHEN is_little THEN 2 ELSE free_kib < size_kib END, free_kib, 'KiB', NULL, printf('free of %s%s',
    kib_text(disk_kib), CASE WHEN is_little THEN ': the next captures may be lost: pmapdb prune'
    WHEN free_kib < size_kib THEN ': less than the store, which a VACUUM needs' ELSE '' END) FROM file WHERE disk_kib > 0;
