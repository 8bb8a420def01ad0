-- clearing-predict: the lower median of ?4 and of the durations of the two newest clearings of a
-- process by clear_refs, each with the cost of the memory that has been added since.
--
-- Parameters: ?1 process_id, ?2 its KiB in small pages now, ?3 us per GiB, ?4 one vote in us.

WITH own AS (
  SELECT clear_us + (max(?2 - small_kib, 0) * ?3 >> 20) AS us FROM clearing
  WHERE process_id = ?1 AND clear_us IS NOT NULL AND NOT page_idle
  ORDER BY mono_ns DESC LIMIT 2)
SELECT us FROM (SELECT us FROM own UNION ALL SELECT ?4) ORDER BY us
LIMIT 1 OFFSET (SELECT count(*) / 2 FROM own);
