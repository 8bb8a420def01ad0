# merge: the stores of several hosts into one, repeatedly; files that cannot be merged; formats.

# HOST FIRST COUNT [NAME]: captures of a process that grows, one a minute, into HOST.db
captures() {
    mkdir -p in
    i=0
    while [ $i -lt "$3" ]; do
        pmap_x 4711 "${4:-web}" $((100 + 4 * ($2 + i))) >"in/$((1700000000 + 60 * ($2 + i)))-4711.x"
        i=$((i + 1))
    done
    pmapdb import -q --db "$1.db" --host "$1" in
    rm -r in
}

say "two hosts into a new store"
captures web1 0 5
captures web2 2 3
run pmapdb merge --db all.db web1.db web2.db
pmapdb snapshots --db all.db -f csv | cut -d , -f 2-5,10 | sort
say "the same stores again: nothing is new"
run pmapdb merge --db all.db web1.db web2.db
say "the next night"
captures web1 5 2
run pmapdb merge --db all.db web1.db web2.db
say "a dry run counts"
captures web2 5 1
run pmapdb merge --db all.db --dry-run web1.db web2.db
run pmapdb merge --db all.db --dry-run web1.db web2.db
say "a dry run without a store creates no store"
run pmapdb merge --db none.db --dry-run web1.db
ls none.db 2>/dev/null || echo "no none.db"

say "the answers equal those of one store with all captures"
pmapdb merge -q --db all.db web1.db web2.db -o /dev/null
captures web1 7 3
pmapdb merge -q --db all.db web1.db -o /dev/null
captures one 0 10
pmapdb leaks --db one.db -f csv | cut -d , -f 1,2,4- >one.csv
web1=$(pmapdb sql --db all.db "SELECT process_id FROM process JOIN host USING (host_id)
    WHERE host.name = 'web1'" -f csv | tail -n 1)
pmapdb leaks --db all.db --process "@$web1" -f csv | cut -d , -f 1,2,4- | cmp - one.csv && echo same

say "two stores of one host, which captured in turns"
for i in 0 2 4 6; do
    captures host $i 1
done
mv host.db odd.db
rm -f host.db-*
for i in 1 3 5 7; do
    captures host $i 1
done
run pmapdb merge --db turns.db odd.db host.db
captures host 0 8
pmapdb growth --db host.db -f csv | cut -d , -f 2- | sed 's/,[^,]*$//' >growth.one
pmapdb growth --db turns.db -f csv | cut -d , -f 2- | sed 's/,[^,]*$//' | cmp - growth.one && echo same

say "formats"
run pmapdb merge --db all.db web1.db -f csv
run pmapdb merge --db all.db web1.db -f json
run pmapdb merge --db all.db web1.db web2.db -f ndjson

say "a file that cannot be merged does not stop the others: status 2"
echo text >text.txt
pmapdb import -q --db young.db --host young samples/captures
run pmapdb merge --db all.db none.db text.txt . all.db young.db
pmapdb merge --db all.db none.db web1.db -f csv 2>/dev/null || echo "= exit $?"
run pmapdb merge
run pmapdb merge --db all.db --sweep soon web1.db
run pmapdb merge --db all.db --sweep 2h web1.db

say "stores without a host count as one host, with a warning; --host tells them apart"
pmap_x 1 db 100 >1700000000-1.x
pmapdb import -q --db x.db 1700000000-1.x
pmap_x 2 db 100 >1700000000-2.x
pmapdb import -q --db y.db 1700000000-2.x
run pmapdb merge --db melted.db x.db y.db
run pmapdb merge --db apart.db --host x x.db
run pmapdb merge --db apart.db --host y y.db
pmapdb snapshots --db apart.db -f csv | cut -d , -f 3-5
run pmapdb by-name --db apart.db

say "a new store gets its permissions"
pmapdb merge -q --db shared.db --mode 0640 web1.db -o /dev/null
stat -c %a shared.db

say "a better name: the same moments as if all captures were imported into one store"
name() { # STORE PID KIB TIME [OPTION...]
    store=$1 pid=$2 kib=$3 at=$4
    shift 4
    pmap_x "$pid" web "$kib" | pmapdb import -q --db "$store" --at "2026-11-21T$at" "$@" -
}
named() {
    pmapdb --db "$1" sql 'SELECT s.taken_ms - s.moment_ms AS after, n.name, p.pid, s.rss_kib
        FROM snapshot s JOIN process p USING (process_id) JOIN name n USING (name_id)
        ORDER BY s.taken_ms' -f csv
}
for store in here.db whole.db; do
    name "$store" 9 50 10:00:00.500Z --name better
    name "$store" 7 100 10:00:00Z
    name "$store" 7 110 10:01:00Z
    name "$store" 8 60 10:00:00.700Z
done
named here.db
name there.db 7 120 10:02:00Z --name better
name whole.db 7 120 10:02:00Z --name better
pmapdb merge -q --db here.db there.db -o /dev/null 2>/dev/null
named here.db | tee named.csv
named whole.db | cmp - named.csv && echo "the same"
