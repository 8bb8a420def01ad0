-- name:   advice
-- title:  What a category is, what growth in it means, what to do next
-- param:  pages      text ""  The files of categories/ as JSON, as pmapdb explain gives them
-- param:  category   text ""  Only the page of this category
-- param:  any        bool 0   The page of a file where the category has none; without a category, that of a process
-- param:  name       text ""  The name of the process that grows
-- param:  pid        int  ""  Its process id
-- param:  process_id int  ""  The process in the store
-- param:  lives      bool 0   The pid is only the newest of several
-- param:  count      bool 0   The number of mappings grows, not their size
-- param:  lineage    int  ""  Only this mapping through time grows
-- param:  from       text ""  --from of the next commands
-- param:  to         text ""  --to of the next commands
-- param:  like       text ""  --dialect of the next commands
-- param:  asked      text ""  The command that has just been run
-- param:  recorded   bool 0   perf recorded who allocated it
-- column: category category The category; NAME and PATH stand for any
-- column: what     text     What it is
-- column: known    text     How it is recognized
-- column: growth   text     What growth usually means
-- column: next     text     ask, advice and who in one line
-- column: more     text     Further commands and settings
-- column: ask      text     The command of pmapdb that says more
-- column: advice   text     What else to do
-- column: who      text     The command that says who allocated it
-- table:  category what
-- empty:  no page of this category
WITH page AS (
  SELECT key AS nth, value, json_extract(value, '$.category') AS template, instr(json_extract(value, '$.category'), '%') AS mark
  FROM json_each(:pages)
),
fit AS (
  -- the page of the category itself comes first, then that of the template that gives it (%p is a path), of its first word,
  -- of its last part
  SELECT *, CASE WHEN template = :category THEN 0
    WHEN mark AND length(:category) > length(template) - 2
      AND substr(:category, 1, mark - 1) = substr(template, 1, mark - 1)
      AND substr(:category, length(:category) - length(template) + mark + 2) = substr(template, mark + 2)
      AND (mark > 1 OR template LIKE '_p%' AND :category LIKE '/%'
        OR :category = CASE WHEN template LIKE '_p%' THEN 'PATH' ELSE 'NAME' END) THEN 1
    WHEN template = substr(:category, 1, instr(:category || '/', '/') - 1) THEN 2
    WHEN substr(template, -length(:category) - 1) = '/' || :category THEN 3
    WHEN :any AND template = '%p' THEN 4 END AS place
  FROM page
),
chosen AS (
  SELECT * FROM page WHERE :category IS NULL AND NOT :any
  UNION ALL
  SELECT * FROM (SELECT nth, value, template, mark FROM fit WHERE :category IS NOT NULL AND place IS NOT NULL
    ORDER BY place, nth LIMIT 1)
),
known AS (
  SELECT nth, CASE WHEN mark THEN substr(template, 1, mark - 1)
      || CASE substr(template, mark + 1, 1) WHEN 'p' THEN 'PATH' ELSE 'NAME' END || substr(template, mark + 2)
    ELSE template END AS category, json_extract(value, '$.what') AS what, json_extract(value, '$.known') AS known,
    json_extract(value, '$.growth') AS growth, json_extract(value, '$.more') AS more, json_extract(value, '$.ask') AS ask,
    json_extract(value, '$.next') AS next,
    -- of a number that grows, the advice of the category, else of its first word
    CASE WHEN :count THEN coalesce(json_extract(value, '$.count'), (SELECT json_extract(f.value, '$.count') FROM page f
      WHERE f.template = substr(c.template, 1, instr(c.template || '/', '/') - 1))) END AS count
  FROM chosen c
  UNION ALL
  SELECT 0, NULL, NULL, NULL, NULL, NULL, 'diff', NULL, NULL WHERE :category IS NULL AND :any
),
step AS (
  SELECT *, CASE WHEN :lineage IS NULL THEN CASE WHEN count IS NULL THEN ask ELSE 'diff --by lineage' END
      ELSE 'lineage-history --lineage ' || :lineage END AS asks,
    -- what a shell would take for more than a word is called by its process_id
    CASE WHEN :name GLOB '*[^A-Za-z0-9._+:-]*' OR :name GLOB '-*' OR length(:name) > 64 OR :name IS NULL
        THEN coalesce(' --process @' || :process_id, '')
      ELSE ' --process ' || :name || CASE WHEN :lives OR :pid IS NULL THEN '' ELSE '/' || :pid END END
      || coalesce(' --from ' || :from, '') || coalesce(' --to ' || :to, '') || coalesce(' --dialect ' || :like, '') AS options,
    replace(coalesce(count, next), 'PID', ifnull(:pid, 'PID')) AS advises
  FROM known
),
said AS (
  SELECT *, CASE WHEN asks <> ifnull(:asked, '') THEN 'pmapdb ' || asks
      || CASE WHEN :lineage IS NULL THEN options ELSE '' END END AS ask_words,
    -- the store knows who allocates it
    CASE WHEN :recorded AND instr(advises, 'who allocates it:')
      THEN nullif(rtrim(substr(advises, 1, instr(advises, 'who allocates it:') - 1), '; '), '') ELSE advises END AS advice,
    CASE WHEN :recorded AND category IS NOT NULL THEN 'pmapdb who '
      || coalesce('--lineage ' || :lineage, '--category ' || :category) || options END AS who
  FROM step
)
SELECT category, what, known, growth,
  nullif(substr(coalesce('; ' || ask_words, '') || coalesce('; ' || advice, '') || coalesce('; ' || who, ''), 3), '') AS next,
  more, ask_words AS ask, advice, who
FROM said ORDER BY nth;
