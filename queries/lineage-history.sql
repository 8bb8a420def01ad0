-- name:   lineage-history
-- title:  One mapping through time
-- param:  lineage lineage -  The lineage_id that mappings, largest or top-lineages show
-- param:  dialect text    "" Only captures of this dialect
-- param:  depth   text    2  One of 1, 2: by the first word (anonymous), or as rules refine it (anonymous/thread-stack)
-- column: first_at          time     First snapshot of this stretch, UTC
-- column: last_at           time     Last snapshot of this stretch, UTC
-- column: dialect           text     The tool that printed it
-- column: state             text     complete, partial (rows are missing)
-- column: start             address  First address
-- column: end               address  First address after it
-- column: size_kib          kib      Address space
-- column: rss_kib           kib      Resident
-- column: pss_kib           kib      Proportional share of the resident
-- column: private_kib       kib      Private_Clean + Private_Dirty
-- column: private_dirty_kib kib      Private_Dirty
-- column: swap_kib          kib      Swapped out
-- column: perms             text     rwx and p (private) or s (shared)
-- column: offset            address  Offset in the file
-- column: category          category Category
-- column: path              text     What is mapped; empty for anonymous memory
-- column: reason            text     Why it is of this lineage: same, same-start, same-end, overlap, file-offset, new
-- column: process_id        process  The process: one life of the pid
-- table:  first_at last_at start size_kib rss_kib pss_kib private_kib swap_kib perms reason
-- order:  time
-- empty:  no such lineage
--
-- One row per stretch of snapshots in which nothing about the lineage changed, in order of time;
-- several rows at one time are the pieces of a split. If captures of several dialects were taken
-- together, each dialect has its own stretches: --dialect chooses one.
SELECT strftime(CASE WHEN first_ms % 1000 THEN '%Y-%m-%dT%H:%M:%fZ'
    ELSE '%Y-%m-%dT%H:%M:%SZ' END, first_ms / 1000.0, 'unixepoch') AS first_at,
  strftime(CASE WHEN last_ms % 1000 THEN '%Y-%m-%dT%H:%M:%fZ'
    ELSE '%Y-%m-%dT%H:%M:%SZ' END, last_ms / 1000.0, 'unixepoch') AS last_at,
  dialect, state, start, end, size_kib, rss_kib, pss_kib, private_kib, private_dirty_kib, swap_kib,
  perms, offset, CASE :depth WHEN '1' THEN parent ELSE category END AS category, path, reason, process_id
FROM lineage_history
WHERE lineage_id = :lineage AND (:dialect IS NULL OR dialect = :dialect)
ORDER BY first_ms, last_ms, dialect, start < 0, start;
