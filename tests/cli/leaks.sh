# leaks: cards in a table, rows in the other formats; the exit status; many processes in few lines.
# shellcheck shell=sh source-path=SCRIPTDIR source=kit.sh
. "$PMAPDB_KIT"

# PID NAME SNAPSHOTS HEAP STEP [BEGIN]: a pmap -x every five minutes, whose heap grows by STEP KiB.
log() {
    i=0
    while [ $i -lt "$3" ]; do
        date -u -d "2026-11-21T00:00:00Z + $((${6:-0} + 5 * i)) minutes" '+%Y-%m-%dT%H:%M:%SZ'
        pmap_x "$1" "$2" $(($4 + $5 * i))
        i=$((i + 1))
    done
}

pmapdb import -q samples/captures
say "a program that leaks in two places, and fills a cache"
run pmapdb leaks
run pmapdb leaks --limit 64M
run pmapdb leaks --by lineage --top 1
run pmapdb leaks --metric size
pmapdb leaks -f csv | cut -d , -f 4-8,12,13
pmapdb leaks --by object -f ndjson | wc -l | tr -d ' '
pmapdb leaks -f json | grep -c '"verdict": *"leak"'
pmapdb leaks -f prometheus | grep -c '^pmapdb_leaks_category_rate_per_hour'
pmapdb leaks -f md | grep -c LEAK || true
pmapdb leaks --wide | awk 'NR <= 3 { print $1, $4 }'

say "--check: 1 where something leaks"
run pmapdb leaks --check -f csv -o /dev/null
run pmapdb leaks --check -o cards
cmp cards - <<END && echo same
$(pmapdb leaks)
END

say "two snapshots say nothing, and that they are too few; seven are, eight are not"
log 70 web 2 10000 100 >two.log
pmapdb --db few.db import -q two.log
run pmapdb --db few.db leaks --check
run pmapdb --db few.db leaks -f csv -o /dev/null
log 70 web 5 10200 100 10 >more.log
pmapdb --db few.db import -q more.log
run pmapdb --db few.db leaks
log 70 web 1 10700 100 35 >last.log
pmapdb --db few.db import -q last.log
run pmapdb --db few.db leaks --check

say "what leaks stands first, the healthy ones in a line, those with too few snapshots in another"
for pid in 100 101 102 103 104; do
    log $pid quiet 12 5000 0
done >many.log
log 200 young 3 5000 0 >>many.log
log 201 young2 2 5000 100 >>many.log
log 300 small 12 5000 50 >>many.log
log 301 large 12 5000 900 >>many.log
pmapdb --db many.db import -q many.log
run pmapdb --db many.db leaks
run pmapdb --db many.db leaks --top 1
say "few healthy ones get a line each; one alone"
run pmapdb --db many.db leaks quiet/100
run pmapdb --db many.db leaks --process large --since 2026-11-21T00:15:00Z --by object

say "a leak that is restarted"
log 400 again 12 5000 50 >again.log
log 401 again 12 5000 50 70 >>again.log
pmapdb --db again.db import -q again.log
run pmapdb --db again.db leaks

say "a name is never raw bytes, and what to type next is right"
log 500 "$(printf 'e\\033[31m vil; rm')" 12 5000 50 >evil.log
pmapdb --db evil.db import -q --name "$(printf 'e\033[31m;rm')" evil.log
run pmapdb --db evil.db leaks
for db in store.db many.db again.db evil.db; do
    pmapdb --db $db leaks | sed -n 's/^ *next: \(pmapdb [^;]*\);.*/\1/p' >next
    while read -r line; do
        PMAPDB=$db sh -c "$line" >out 2>&1 || echo "= $? $line"
        [ -s out ] || echo "= nothing: $line"
    done <next
    wc -l <next | tr -d ' '
done

say "no store, nothing in it, wrong words"
run pmapdb --db none.db leaks
run pmapdb leaks nginx
run pmapdb leaks --by name
run pmapdb leaks --sensitivity very
run pmapdb leaks --metric rs
run pmapdb leaks --limit lots
run pmapdb leaks --since 2027-01-01T00:00:00Z
