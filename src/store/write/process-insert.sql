-- process-insert: a new process. Parameters: its columns in the order of the table, without process_id
-- and life; ?18 and ?19 are the first and last number of a life of this pid, or of this file.

INSERT INTO process
SELECT NULL, ?1, ?2, ?3, ?4, ?5, ?6, ?7, coalesce(max(life) + 1, ?18), ?8, ?9, ?10, ?11, ?12, ?13, ?14,
  ?15, ?16, ?17
FROM process
WHERE coalesce(pid, -1) = coalesce(?5, -1) AND coalesce(host_id, 0) = coalesce(?1, 0)
  AND life BETWEEN ?18 AND ?19;
