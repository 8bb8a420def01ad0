# import-notes: a corrected fault is reported once a run, in NDJSON with every capture; sums only.

# The same process at three moments, each row printed twice; in the third one row less.
mkdir logs
for at in 1795229318 1795229348; do
    cp fixtures/tools/procps-3.3.10-x.txt logs/$at-16098.x
done
grep -v '^ffffffffff600000' fixtures/tools/procps-3.3.10-x.txt |
    awk '/^total kB/ { $3 -= 4; $0 = sprintf("total kB         %d    %d    %d", $3, $4, $5) } { print }' \
        >logs/1795229378-16098.x
cp fixtures/tools/busybox-1.37-x.txt logs/1795229408-16098.x

say "each note once, whatever its number; the exit status is 0"
run pmapdb import -v logs
run pmapdb import -v logs

say "NDJSON: with every new capture; not with known captures"
run pmapdb --db objects.db import -q -f ndjson logs
run pmapdb --db objects.db import -q -f ndjson logs

say "-q"
run pmapdb --db quiet.db import -q logs

say "a log of sums: other numbers are unknown"
printf 'Sat Nov 21 02:48:38 UTC 2026\n4711:   x\ntotal kB            2168     752     748\n' >sums.log
run pmapdb --db sums.db import -v sums.log
run pmapdb --db sums.db import -f csv sums.log
