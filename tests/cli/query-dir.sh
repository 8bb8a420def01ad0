# query-dir: the user's queries replace built-in ones; the errors for wrong headers.

pmapdb import -q samples/captures
mkdir mine
query() { cat >"mine/$1.sql"; }
query snapshots <<'SQL'
-- name:   snapshots
-- title:  Only how many
-- column: snapshots count How many there are
--
SELECT count(*) AS snapshots FROM snapshots;
SQL
run pmapdb --query-dir mine snapshots
run pmapdb --query-dir mine snapshots -f csv
run pmapdb --query-dir mine snapshots --help
run pmapdb --query-dir mine categories --snapshot first -f csv
run pmapdb --query-dir nowhere categories --snapshot first -f csv

say "the folder of the user's settings"
mkdir -p "$HOME/.config/pmapdb/queries"
cp mine/snapshots.sql "$HOME/.config/pmapdb/queries"
run pmapdb snapshots
rm -r "$HOME/.config"

say "wrong queries"
wrong() {
    query processes
    run pmapdb --query-dir mine processes
}
wrong <<'SQL'
SELECT 1;
SQL
wrong <<'SQL'
-- name:   other
-- title:  Wrong name
-- column: n int One
--
SELECT 1 AS n;
SQL
wrong <<'SQL'
-- name:   processes
-- title:  Wrong column
-- column: n int One
--
SELECT 1 AS m;
SQL
wrong <<'SQL'
-- name:   processes
-- title:  Wrong type
-- column: n furlong One
--
SELECT 1 AS n;
SQL
wrong <<'SQL'
-- name:   processes
-- title:  Two columns, one declared
-- column: n int One
--
SELECT 1 AS n, 2 AS m;
SQL
wrong <<'SQL'
-- name:   processes
-- title:  Not SQL
-- column: n int One
--
SELEC 1 AS n;
SQL
wrong <<'SQL'
-- name:   processes
-- title:  It writes
-- column: n int One
--
DELETE FROM snapshot RETURNING 1 AS n;
SQL
wrong <<'SQL'
-- name:   processes
-- title:  Two statements
-- column: n int One
--
SELECT 1 AS n; SELECT 2 AS n;
SQL
run sqlite3 store.db 'SELECT count(*) FROM snapshot'

say "types of parameters"
query typed <<'SQL'
-- name:   typed
-- title:  Every type of parameter
-- param:  size  kib      ""  A size
-- param:  span  duration ""  A span
-- param:  at    address  ""  An address
-- param:  share ratio    ""  A share
-- param:  real  real     ""  A number
-- column: size  int  KiB
-- column: span  int  Milliseconds
-- column: at    int  As SQLite has it
-- column: share real A share
-- column: real  real A number
--
SELECT :size AS size, :span AS span, :at AS at, :share AS share, :real AS real;
SQL
typed() {
    run pmapdb --query-dir mine typed -f csv "$@"
}
run pmapdb typed --query-di=mine -f csv
typed --size 1.5M --span 2h --at 7f00deadb000 --share 0.25 --real=-1e3
typed --at ffffffffffffffff --size 0 --span 1s
for wrong in --size=lots --span=soon --at=xyz --at=7f00deadb000z --at=10000000000000000 --share=half \
    --real=1x --real=''; do
    typed "$wrong"
done
