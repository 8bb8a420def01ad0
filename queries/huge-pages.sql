-- name:   huge-pages
-- title:  Huge pages of each category in one snapshot
-- param:  process  process  only NAME, PID, NAME/PID or @ID; may be left out where there is one name
-- param:  snapshot snapshot last Which one: first, last, prev, @ID, a time, -2h
-- param:  dialect  text     ""   Only captures of this dialect; else, for each moment, the one with most fields
-- param:  depth    text     2    One of 1, 2: by the first word (anonymous), or as rules refine it (anonymous/thread-stack)
-- column: category      category Category
-- column: size_kib      kib      Address space
-- column: eligible_kib  kib      Of it, where the kernel would give transparent huge pages (THPeligible)
-- column: rss_kib       kib      Resident
-- column: anon_huge_kib kib      Of it, in transparent huge pages (AnonHugePages)
-- column: shmem_pmd_kib kib      Of it, shared memory in huge pages (ShmemPmdMapped)
-- column: file_pmd_kib  kib      Of it, files in huge pages (FilePmdMapped)
-- column: share         ratio    These three as a part of rss
-- column: hugetlb_kib   kib      Shared_Hugetlb + Private_Hugetlb: reserved huge pages, not part of rss
-- empty:  no mappings
--
-- A number is unknown if the captures do not tell it: only smaps and pmap -XX tell all of them.
-- Given a name, the sum over its processes of that moment; memory that they share counts once for
-- each. A snapshot with sums only has none.
WITH moment AS (
  -- the snapshots of the moment of :snapshot; a sweep takes less than an hour
  SELECT s.snapshot_id, s.process_id
  FROM snapshot m
  CROSS JOIN process p ON p.process_id = :process OR (:process IS NULL AND p.name_id = :name_id)
  CROSS JOIN snapshot s ON s.process_id = p.process_id
    AND s.taken_ms BETWEEN m.moment_ms AND m.moment_ms + 3600000
  WHERE m.snapshot_id = :snapshot AND s.moment_ms = m.moment_ms
    AND CASE WHEN s.process_id = m.process_id THEN s.snapshot_id = m.snapshot_id
      WHEN :dialect IS NULL THEN s.preferred ELSE s.dialect = :dialect END
)
SELECT category, size_kib, eligible_kib, rss_kib, anon_huge_kib, shmem_pmd_kib, file_pmd_kib,
  1.0 * (anon_huge_kib + shmem_pmd_kib + file_pmd_kib) / nullif(rss_kib, 0) AS share, hugetlb_kib
FROM (
  SELECT CASE :depth WHEN '1' THEN m.parent ELSE m.category END AS category,
    CASE WHEN count(*) = count(m.size_kib) THEN sum(m.size_kib) END AS size_kib,
    CASE WHEN count(*) = count(m.rss_kib) THEN sum(m.rss_kib) END AS rss_kib,
    CASE WHEN count(*) = count(m.anon_huge_kib) THEN sum(m.anon_huge_kib) END AS anon_huge_kib,
    CASE WHEN count(*) = count(m.shmem_pmd_kib) THEN sum(m.shmem_pmd_kib) END AS shmem_pmd_kib,
    CASE WHEN count(*) = count(m.file_pmd_kib) THEN sum(m.file_pmd_kib) END AS file_pmd_kib,
    CASE WHEN count(*) = count(m.thp_eligible)
      THEN sum(CASE WHEN m.thp_eligible THEN m.size_kib ELSE 0 END) END AS eligible_kib,
    CASE WHEN count(*) = count(m.shared_hugetlb_kib + m.private_hugetlb_kib)
      THEN sum(m.shared_hugetlb_kib + m.private_hugetlb_kib) END AS hugetlb_kib
  FROM moment
  CROSS JOIN mappings m ON m.snapshot_id = moment.snapshot_id
  GROUP BY 1
)
ORDER BY rss_kib DESC, size_kib DESC, category;
