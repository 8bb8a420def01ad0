# sql: SQL that a user types, and all statements that pmapdb must refuse.

need sha256sum

mkdir store
pmapdb --db store/s.db import -q samples/captures
# Empties the -wal, so that a change by a statement would show in the files.
sqlite3 store/s.db 'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null
export PMAPDB=store/s.db
state() {
    ls store
    sha256sum store/s.db store/s.db-wal
}

say "answers"
run pmapdb sql 'SELECT category, mappings, rss_kib FROM categories WHERE snapshot_id = 1'
run pmapdb sql 'SELECT category, rss_kib FROM categories WHERE snapshot_id = 1 LIMIT 2' -f json
run pmapdb sql 'SELECT start, end, size_kib, start AS number FROM mappings LIMIT 1' -f csv
run pmapdb sql 'SELECT min(taken_at) AS first_at, NULL AS unknown, 1.5 AS r, x'"'00ff'"' AS b FROM snapshots' -f csv
printf 'SELECT count(*) AS n\nFROM snapshots -- all\n;\n' >count.sql
run pmapdb sql - -f csv <count.sql
run pmapdb sql - -f csv -o out.csv <count.sql
run cat out.csv
run pmapdb sql 'PRAGMA table_info(host)' -f csv
run pmapdb sql "SELECT name FROM pragma_table_info('host')" -f csv
pmapdb sql 'EXPLAIN QUERY PLAN SELECT 1 FROM process WHERE process_id = 1' -f csv | head -n 1
run pmapdb sql 'SELECT 1 AS a, 2 AS a' -f ndjson

say "parameters"
run pmapdb sql 'SELECT count(*) AS n FROM snapshots WHERE taken_at < :before AND state = @state' \
    --param before=2026-11-21T02:50 --param state=complete -f csv
run pmapdb sql 'SELECT typeof(:a) AS a, typeof(:b) AS b, typeof(:c) AS c, typeof(:d) AS d' \
    --param a=7 --param b=7.5 --param c= --param "d='7'" -f csv
run pmapdb sql 'SELECT :a'
run pmapdb sql 'SELECT :since' --param snice=1
run pmapdb sql 'SELECT ?'
run pmapdb sql 'SELECT :a' --param a

say "statements that are refused"
state >before
while read -r statement; do
    run pmapdb sql "$statement"
done <<'SQL'
INSERT INTO host VALUES (1, 'x')
INSERT INTO host VALUES (1, 'x') RETURNING 1
WITH x AS (SELECT 1) INSERT INTO host SELECT 1, 'x' FROM x
REPLACE INTO host VALUES (1, 'x')
UPDATE process SET pid = 1
UPDATE process SET pid = 1 RETURNING pid
DELETE FROM snapshot
UPDATE sqlite_master SET sql = ''
PRAGMA writable_schema=1
PRAGMA journal_mode=DELETE
PRAGMA query_only=0
PRAGMA user_version=2
PRAGMA wal_checkpoint
ATTACH 'store/new.db' AS x
ATTACH 'store/s.db' AS x
VACUUM INTO 'store/new.db'
VACUUM
CREATE TABLE x (a)
CREATE TEMP TABLE x (a)
CREATE TEMP VIEW x AS SELECT 1
DROP TABLE host
BEGIN IMMEDIATE
SAVEPOINT x
REINDEX
ANALYZE
SELECT load_extension('store/x')
SELECT load_extension('store/x', 'y')
SELECT fts3_tokenizer('simple')
SELECT 1; DELETE FROM snapshot
SELECT 1; SELECT 2
SQL
# These functions exist in the sqlite3 shell but not in the library.
for function in writefile readfile edit; do
    pmapdb sql "SELECT $function('store/new')" 2>stderr && echo "ran $function"
    sed 's/, did you mean.*//' stderr
done
state | diff before -

say "statements that must end"
endless='WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT'
run timeout 30 pmapdb sql "$endless count(*) AS n FROM c" --timeout 300ms
run timeout 30 pmapdb sql "$endless x FROM c" --timeout 300ms -f csv -o endless.csv
run ls
run timeout 30 pmapdb sql "$endless x FROM c" --max-rows 3
run timeout 30 pmapdb sql "$endless x FROM c" --max-rows 1 -q -f csv
run pmapdb sql 'VALUES (1), (2)' --max-rows 2 -f csv
timeout 30 pmapdb sql "$endless x FROM c" -f csv 2>stderr | head -n 2
run cat stderr
run pmapdb sql 'SELECT randomblob(1e9)'
state | diff before -

say "wrong statements"
run pmapdb sql
run pmapdb sql ''
run pmapdb sql '-- nothing'
run pmapdb sql 'SELECT 1' 'SELECT 2'
run pmapdb sql 'SELECT 1' --timeout soon
run pmapdb sql 'SELECT 1' --max-rows 0
run pmapdb sql 'SELEC 1'
run pmapdb sql 'SELECT abs(-9223372036854775808)'
printf 'SELECT 1,\n  rss_kb\nFROM mappings\n' >wrong.sql
run pmapdb sql - <wrong.sql
run pmapdb sql "$(cat wrong.sql)"
printf 'SELECT 1\0' >wrong.sql
run pmapdb sql - <wrong.sql
run pmapdb --db nothing.db sql 'SELECT 1'
