# lacks: an answer reports which data the snapshots lack for the question.

mkdir in
from=$(find samples/captures -name "*.smaps" | sort | head -n 1)
pmap_x 12767 leaky 1000 >in/1795220000-12767.x
pmap_x 12767 leaky 2000 >in/1795220060-12767.x
cp "$from" in/1795220120-12767.smaps
printf 'total kB  20000 9000 8000\n' >in/1795220180-12767.log
pmapdb import -q --name leaky in

say "dialects that name mappings differently"
run pmapdb top-growers --to @3 --top 3
run pmapdb new-and-gone --from @1 --to @2

say "sums only"
run pmapdb largest
run pmapdb files --snapshot @4
run pmapdb categories --snapshot @4
run pmapdb largest --snapshot @3 --top 2

say "a query of the user with a snapshot and without a process"
mkdir own
cat >own/rows.sql <<'SQL'
-- name:   rows
-- title:  How many mappings a snapshot has
-- param:  snapshot snapshot last Which one
-- column: mappings count Number of mappings
SELECT count(*) AS mappings FROM mappings WHERE snapshot_id = :snapshot;
SQL
run pmapdb --query-dir own rows --snapshot first
run pmapdb --query-dir own rows --snapshot @3

say "a query of the user in place of one that has notes"
cat >own/categories.sql <<'SQL'
-- name:   categories
-- title:  The categories of the whole store
-- column: n count Number of categories
SELECT count(*) > 0 AS n FROM category;
SQL
{
    pmap_x 401 one 100
    pmap_x 402 two 100
} | pmapdb --db two.db import -q --at 2026-11-21T10:00Z -
run pmapdb --db two.db --query-dir own categories

say "one moment of two processes, one of them partial"
{
    pmap_x 301 worker 100 | grep -v libc
    pmap_x 302 worker 200
} | run pmapdb --db cut.db import --at 2026-11-21T10:00Z -
run pmapdb --db cut.db categories
run pmapdb --db cut.db largest worker/301
run pmapdb --db cut.db files worker/302
run pmapdb --db cut.db by-name
