# leaks: cards in a table, rows in the other formats; the exit status; many processes in few lines.

pmapdb import -q samples/captures
say "a program that leaks in two places, and fills a cache"
run pmapdb leaks
run pmapdb leaks --limit 64M
run pmapdb leaks --by lineage --top 1
run pmapdb leaks --metric size
pmapdb leaks -f csv | cut -d , -f 4-8,12,13
pmapdb leaks --by object -f ndjson | wc -l | tr -d ' '
pmapdb leaks -f json | grep -c '"verdict": *"leak"'
pmapdb leaks -f prometheus | grep -c '^pmapdb_leaks_rate_per_hour'
pmapdb leaks -f md | grep -c LEAK || true
pmapdb leaks --wide | awk 'NR <= 3 { print $1, $4 }'

say "the worst rows, in every format"
pmapdb import -q --db worst.db samples/captures
log 9 quick 12 1000 9000 >quick.log
pmapdb import -q --db worst.db quick.log
pmapdb --db worst.db leaks -f csv --top 4 | cut -d , -f 1,4,7,14
pmapdb --db worst.db leaks -f ndjson --top 1 | cut -d , -f 1-4
run pmapdb --db worst.db leaks -f md --top 3
pmapdb --db worst.db leaks -f md --metric mappings --top 1 | tail -n 1
run pmapdb --db worst.db leaks -f csv --top 0

say "--check: exit status 1 if something leaks"
run pmapdb leaks --check -f csv -o /dev/null
run pmapdb leaks --check -o cards
cmp cards - <<END && echo same
$(pmapdb leaks)
END

say "two and seven snapshots are too few, eight are enough"
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

say "leaks first, then a line of healthy processes, and a line of those with too few snapshots"
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
say "few healthy processes get a line each; one healthy process"
run pmapdb --db many.db leaks quiet/100
run pmapdb --db many.db leaks --process large --since 2026-11-21T00:15:00Z --by object

say "a leak that is restarted"
log 400 again 12 5000 50 >again.log
log 401 again 12 5000 50 70 >>again.log
pmapdb --db again.db import -q again.log
run pmapdb --db again.db leaks

say "lives too short for a verdict; captures without the metric, or without mappings"
for life in 0 1 2 3 4; do
    log $((410 + life)) short 5 5000 100 $((30 * life))
done >short.log
pmapdb --db short.db import -q short.log
run pmapdb --db short.db leaks
run pmapdb --db many.db leaks small --metric pss
for i in $(seq 0 11); do
    date -u -d "2026-11-21T00:00:00Z + $((5 * i)) minutes" '+%Y-%m-%dT%H:%M:%SZ'
    echo "PID 420"
    pmap_x 420 sums $((5000 + 50 * i)) | tail -n 1
done >sums.log
pmapdb --db sums.db import -q --name sums sums.log
run pmapdb --db sums.db leaks

say "growth that is spread over many lineages is not reported for one lineage"
for i in $(seq 0 11); do
    for j in $(seq 0 "$i"); do
        printf '1%07x-1%07x rw-p 00000000 00:00 0 \n' $((131072 * j)) $((131072 * j + 65536))
    done >$((1795220000 + 300 * i))-7.maps
done
pmapdb --db spread.db import -q --name spread 1795*.maps
run pmapdb --db spread.db leaks --by lineage

say "a name is never printed as raw bytes, and the next command is quoted"
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
for db in sums.db spread.db; do
    by=$([ $db = sums.db ] && echo category || echo lineage)
    what=$(pmapdb --db $db leaks --by "$by" | sed -n 's/^ *next: //p')
    PMAPDB=$db sh -c "$what" >out && [ -s out ] && echo "works: $what"
done

say "the newest process of the name is too young to be judged: an earlier one grew"
for life in "901 00 17 0" "902 18 20 900" "902 21 25 900"; do
    # shellcheck disable=SC2086 # pid, minutes, start
    set -- $life
    for minute in $(seq -w "$2" "$3"); do
        echo "2026-11-21T10:$minute:00Z"
        pmap_x "$1" two-lives $((1000 + 300 * (1$minute - 100) - $4 * 6))
    done | pmapdb --db lives.db import -q -
    pmapdb --db lives.db leaks --top 1 -f csv | grep -oE 'seen in an earlier process of the name' || echo "no word of an earlier process"
done

say "no store, an empty store, wrong options"
run pmapdb --db none.db leaks
run pmapdb leaks nginx
run pmapdb leaks --by name
run pmapdb leaks --sensitivity very
run pmapdb leaks --metric rs
run pmapdb leaks --limit lots
run pmapdb leaks --since 2027-01-01T00:00:00Z
