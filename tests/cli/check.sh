# check: prints one line with performance data for Nagios; the exit status is 3 if the answer is unknown.

# The captures are old, so --max-age is large.
check() {
    run pmapdb check --max-age 10000d "$@" | sed 's/ --max-age 10000d//'
}

pmapdb import -q samples/captures
say "resident memory and number of mappings: each threshold is for the metric before it"
check --rss
check leaky --rss -w 1G -c 2G
check --rss -w 10M -c 1G --mappings -w 30000 -c 60000
check --rss -w 10M -c 12M --mappings -w 30
check --mappings --warning=29 --critical=31 --rss -c 13344

say "the rate of a leak, and the time to its limit"
check --rate -w 100M -c 1G
check --rate -w 10M -c 100M/h
check --rate -w 1M -c 10M --rss -w 10M
check --eta -w 48h -c 6h --limit 64M
check --eta -w 10m -c 5m --limit 64M --rate
check --eta -w 48h -c 6h
check --rate -w 1M --sensitivity low --metric mappings

say "the newest moment counts: a process that has ended leaks no more"
{
    log 10 leaks 12 5000 900
    log 20 'a|b' 12 5000 0 600
    log 21 worker 12 6000 100 600
    log 22 worker 12 6000 300 600
} >many.log
export PMAPDB=many.db
pmapdb import -q many.log
check --rate -w 1M --rss -w 1G
check worker --rate -w 1M -c 10M --rss -w 9M
check --process worker/21 --rate -w 100M
check leaks --rate -w 1M
check 'a|b' --rate -w 1 --rss -w 1

say "growth in a span, whatever the verdict: the rows of leaks grow by 900 KiB in 5 minutes"
check leaks -w 2M/h
check leaks --growth -w 2M/15m -c 2700K/15m
check leaks --growth -w 2M/15m -c 12M/1h
check worker --growth -w 1G/1d
check worker -w 2M/15m --since -1h

say "UNKNOWN: old, too few or partial captures, a missing store, wrong options"
pmap_x 60 old 100 | pmapdb --db old.db import -q --at 2020-01-01T10:00:00Z -
run pmapdb check --db old.db --rss -c 1 | sed 's/for [0-9][0-9a-z]*/for AGE/'
pmap_x 61 old 100 | pmapdb --db live.db import -q --at "$(date -u -d '-1 minute' +%FT%TZ)" -
run pmapdb check --db live.db --mappings | sed 's/20[0-9T:-]*Z/TIME/'
run pmapdb check --db old.db --rss -c 1 --max-age 1h | sed 's/for [0-9][0-9a-z]*/for AGE/'
run pmapdb check --db old.db --rss -c 1 --max-age 100000d
pmap_x 70 web 100 | pmapdb --db few.db import -q --at 2026-11-21T10:00:00Z -
check --db few.db --rate -w 1M
check --db few.db --rate -w 1M --rss -c 1M
for pid in 71 72; do
    for minute in 00 05 10 15 20; do
        echo "2026-11-21T$pid:$minute:00Z" | sed 's/T7/T1/'
        pmap_x $pid web "3$minute"
    done
done | pmapdb --db short.db import -q -
check --db short.db --rate -w 1M
# shellcheck disable=SC2069 # what is said, not what is written
pmapdb check --db short.db --rss 2>&1 >/dev/full || echo "= exit $?, said to nobody"
pmap_x 80 web 300 | sed '/libc/d' | pmapdb --db partial.db import -q --at 2026-11-21T10:00:00Z - 2>/dev/null || true
check --db partial.db --rss -w 1
check --db none.db --rss
check nginx --rss
check
check --rss -w lots
check --rss -w 3G -c 2G
check --eta -w 1h -c 2h
check -w 3
check --mappings -w 1.5
check --frob
check --rss -f json
check --rss --output=check.txt
check --rss --top 3
run pmapdb -f csv check --rss
run pmapdb check --rss --max-age soon
run pmapdb --frob check --rss
run pmapdb --db many.db -q check --rss --max-age 10000d
run pmapdb --frob growth check
