#!/bin/sh
# What a connection to PostgreSQL really costs, by pages: starts a server of the distribution in a new
# folder, opens more and more connections that read one table, and fits a line through the groups.
#     sh samples/postgresql-connections.sh [COUNT...]        (10 50 100)
# PMAPDB, PG_BIN: the programs; SHARED_BUFFERS, TABLE_MB: the server's memory, and what is read (128MB, 64).
# Root is needed only to become the user postgres, or to see page frames. Nothing is left behind.
set -eu

pmapdb=${PMAPDB:-pmapdb}
bin=${PG_BIN:-$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -n 1)}
[ -x "$bin/postgres" ] || { echo "no PostgreSQL here: apt install postgresql" >&2; exit 77; }
[ $# -gt 0 ] || set -- 10 50 100
most=0
for n; do [ "$n" -gt $most ] && most=$n; done

dir=$(mktemp -d)
as=
if [ "$(id -u)" = 0 ]; then
    as="setpriv --reuid=postgres --regid=postgres --clear-groups"
    chown postgres: "$dir"
fi
stop() {
    $as "$bin/pg_ctl" -D "$dir/data" -m immediate -w stop >/dev/null 2>&1 || :
    rm -rf "$dir"
}
trap stop EXIT
trap 'exit 1' HUP INT TERM
cd "$dir"
$as "$bin/initdb" -A trust -U postgres -D "$dir/data" >"$dir/log"
$as "$bin/pg_ctl" -D "$dir/data" -l "$dir/data/log" -w start -o "-c listen_addresses='' -k $dir \
    -c shared_buffers=${SHARED_BUFFERS:-128MB} -c max_connections=$((most + 20)) -c jit=off \
    -c max_parallel_workers_per_gather=0" >>"$dir/log"
psql() { "$bin/psql" -X -q -h "$dir" -U postgres "$@"; }
psql -c "CREATE EXTENSION pg_prewarm" -c "CREATE TABLE t AS SELECT g, repeat('x', 900) AS filler \
    FROM generate_series(1, ${TABLE_MB:-64} * 1100) g" -c "VACUUM t" -c "SELECT pg_prewarm('t')" >/dev/null

server=$(head -n 1 "$dir/data/postmaster.pid")
open=0
echo connections,rss_kib,uss_kib,anon_kib,page_tables_kib,rss_sum_kib >"$dir/measured"
for n; do
    while [ $open -lt "$n" ]; do
        psql -At -c "SELECT count(*) FROM t" -c "SELECT pg_sleep(3600)" >>"$dir/counted" 2>/dev/null &
        open=$((open + 1))
    done
    # A backend that sleeps has read the table.
    until [ "$(psql -At -c "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'")" = "$n" ]; do
        sleep 0.2
    done
    "$pmapdb" groups --exact --match "pid = $server OR descendant_of($server)" --by "'server'" -q -f csv |
        awk -F, -v n="$n" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
            NR == 2 { print n "," $at["rss_kib"] "," $at["uss_kib"] "," $at["anon_kib"] "," \
                      $at["page_tables_kib"] "," $at["rss_sum_kib"] }' >>"$dir/measured"
done
cat "$dir/measured"
# Least squares over the number of connections, with the standard error of the slope.
awk -F, 'NR == 1 { for (i = 2; i <= NF; i++) name[i] = $i; next }
    { n++; x[n] = $1; for (i = 2; i <= NF; i++) y[i, n] = $i }
    END {
        if (n < 3) { print "per connection: needs three different counts" > "/dev/stderr"; exit }
        for (k = 1; k <= n; k++) mx += x[k] / n
        for (k = 1; k <= n; k++) sxx += (x[k] - mx) ^ 2
        for (i = 2; i in name; i++) {
            my = sxy = rest = 0
            for (k = 1; k <= n; k++) my += y[i, k] / n
            for (k = 1; k <= n; k++) sxy += (x[k] - mx) * (y[i, k] - my)
            for (k = 1; k <= n; k++) rest += (y[i, k] - my - sxy / sxx * (x[k] - mx)) ^ 2
            printf "per connection: %-16s %10.0f KiB +- %.0f\n", name[i], sxy / sxx, sqrt(rest / (n - 2) / sxx)
        }
    }' "$dir/measured"
