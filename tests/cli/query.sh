# query: the path of a new user: the list of queries, a query of the user, the errors for a wrong
# query, and its SQL.

pmapdb import -q samples/captures
mkdir mine
# Masks the list of existing queries, which grows.
missing() {
    show pmapdb query "$1"
    pmapdb query "$1" 2>stderr || sed 's/there are:.*/there are: .../' stderr
}

say "the list"
pmapdb query --list -f csv >list
for name in categories growth mappings snapshots; do
    run grep "^\"$name\"," list
done
run pmapdb query
run pmapdb query --list growth
run pmapdb query --list --sql -f csv

say "a built-in query, in three ways"
pmapdb categories --snapshot first -f csv >categories
pmapdb query categories --snapshot first -f csv | cmp - categories
pmapdb query categories leaky --snapshot first -f csv -o out.csv
cmp out.csv categories
pmapdb diff-category -f csv >diff
pmapdb diff -f csv | cmp - diff
run pmapdb query categories --snapshot frist

say "a query of the user"
cat >mine/bulky.sql <<'SQL'
-- name:   bulky
-- title:  What is larger than a size
-- param:  least   kib      10M  At least this
-- param:  process process  only Whose
-- column: path    text     What is mapped
-- column: rss_kib kib      Resident, at its most
--
-- The largest first.
SELECT m.path, max(m.rss_kib) AS rss_kib
FROM mappings m
JOIN snapshot s ON s.snapshot_id = m.snapshot_id
JOIN process p ON p.process_id = s.process_id
WHERE m.size_kib >= :least AND (p.process_id = :process OR p.name_id = :name_id)
GROUP BY m.path
ORDER BY 2 DESC, 1;
SQL
run pmapdb query mine/bulky.sql
run pmapdb query mine/bulky.sql --least 3M -f csv
run pmapdb --query-dir mine bulky leaky --least 3M -f csv
run pmapdb bulky --query-dir mine --least 3M -f csv
run pmapdb bulky --query-dir=mine --least 3M -f csv
run pmapdb query --query-dir mine bulky --least 3M -f csv
run pmapdb query bulky --least 3M --query-dir mine -f csv
missing bulky
mkdir -p "$HOME/.config/pmapdb/queries"
cp mine/bulky.sql "$HOME/.config/pmapdb/queries"
run pmapdb bulky --least 3M -f csv
pmapdb query --list -f csv | sed "s|$HOME|HOME|" | grep '^"bulky"'
rm -r "$HOME/.config"
run pmapdb query mine/bulky.sql --least much
run pmapdb query mine/bulky.sql --process redis
run pmapdb query mine/nothing.sql
missing mine

say "the SQL"
pmapdb query mine/bulky.sql --sql | cmp - mine/bulky.sql
pmapdb query --sql mine/bulky.sql --least 3M | cmp - mine/bulky.sql
run pmapdb query --sql mine/bulky.sql -f csv

say "wrong queries"
wrong() { # sed expression
    show sed "$1"
    sed "$1" mine/bulky.sql >mine/wrong.sql
    sed -i '/^-- name:/s/bulky/wrong/' mine/wrong.sql
    run pmapdb query mine/wrong.sql
}
wrong 's/kib      10M/kibs 10M/'
wrong 's/kib      10M/kib 10Q/'
wrong 's/kib      10M/kib/; s/At least this//'
wrong 's/column: rss_kib/column: rss/'
wrong 's/-- column: rss_kib/-- colum: rss_kib/'
wrong '/column: rss_kib/d'
wrong 's/m.path, max/m.path, 1 AS n, max/'
wrong 's/, max.*//'
wrong 's/:least/:lest/'
wrong 's/:least/?/'
wrong 's/:least/1/'
wrong '/param:  process/d'
wrong 's/least/db/'
wrong 's/FROM mappings/FROM mapings/'
wrong 's/m.size_kib/m.size_kb/'
wrong 's/GROUP BY/GROUPBY/'
wrong 's/DESC, 1;/DESC, 1; SELECT 2;/'
wrong 's/^SELECT m.*/DELETE FROM snapshot RETURNING 1, 2/; /^[FJWGO][A-Z]/d'
wrong "s/^SELECT m.*/VACUUM INTO 'new.db'/; /^[FJWGO][A-Z]/d"
wrong '/^SELECT/,$d'
wrong '1d'
run ls mine

say "the list works with wrong queries"
mkdir mine/folder.sql
printf '\377\376' >mine/bytes.sql
printf -- '-- name: broken\n-- title: Broken\n-- column: a kibs A\nSELECT 1 AS a' >mine/broken.sql
printf -- '-- name: other\n-- title: Broken\n-- column: a kib A\nSELECT 1 AS b' >mine/other.sql
printf -- '-- name: x\n-- title: Broken\n-- column: a kib A\nSELECT 1 AS a' >mine/named.sql
rm mine/wrong.sql
pmapdb --query-dir mine query --list -f csv >list
run grep -v built-in list
run pmapdb --query-dir mine categories --snapshot first -f csv -o out.csv
cmp out.csv categories
