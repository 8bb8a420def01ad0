# regions: the mappings in regions of the address space, their sums, and the addresses for a filter.
own fixtures

pmapdb import -q samples/captures
cat >r.csv <<'CSV'
7fc368c87000,7fc36a309000
0x00007fc3`6a532000,0x00007fc3`6a600fff
1000,2000
CSV
run pmapdb mappings --regions r.csv
run pmapdb mappings --regions r.csv -f csv
run pmapdb mappings --regions r.csv -f ndjson
run pmapdb mappings --regions r.csv -f md
{
    echo START,END
    cat r.csv
} | pmapdb mappings --regions - -f csv 2>/dev/null | wc -l
say "mappings that are left out are in no sum and no list"
run pmapdb mappings --regions r.csv --skip-flag nh --skip-flag ex
run pmapdb mappings --regions r.csv --category reserve
printf 'Start,End\n7fc36a50c000,7fc36a709000\n' |
    run pmapdb mappings --snapshot first --min-size 48 --regions -
say "the whole of the address space"
printf '0,ffffffffffffffff\n' >all.csv
run pmapdb mappings --regions all.csv --category kernel
pmapdb mappings --regions all.csv | sed -n '1,2p'
pmapdb sql 'SELECT mappings, size_kib, rss_kib, pss_kib FROM snapshots ORDER BY taken_ms DESC LIMIT 1' -f csv
say "a capture without VmFlags"
touch -d @1795229318 fixtures/parse/demo-x.txt
pmapdb --db plain.db import -q fixtures/parse/demo-x.txt
printf '400000,500000\n' >low.csv
run pmapdb --db plain.db mappings --regions low.csv --skip-flag dd
say "sums only"
pmapdb --db sums.db import -q --name leaky --pid 12766 samples/logs/leaky-totals.log
run pmapdb --db sums.db mappings --regions r.csv
run pmapdb --db sums.db mappings --regions r.csv -f ndjson
say "bad files"
printf '1000,2000\n3000,4g00\n' >bad.csv
run pmapdb mappings --regions bad.csv
printf '1000,2000\n4000,3000\n' >bad.csv
run pmapdb mappings --regions bad.csv
printf 'from,to\n1000,2000\n' >bad.csv
run pmapdb mappings --regions bad.csv
: >bad.csv
run pmapdb mappings --regions bad.csv
run pmapdb mappings --regions no-such.csv
say "bad options"
run pmapdb mappings --regions r.csv --words
run pmapdb mappings --skip-flag dd
run pmapdb mappings --regions r.csv --skip-flag DD
run pmapdb mappings --regions r.csv --skip-flag nodump
run pmapdb mappings-regions --regions '[[4096'
