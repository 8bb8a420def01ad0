# terminal: the bytes of a name never control a terminal; a pipe gets the bytes unchanged.
need_terminal

printf '00400000-00401000 r--p 00000000 08:01 1 /srv/red\033[31m\302\233m\n' >1795220000-7.maps
pmapdb import -q --name x 1795220000-7.maps
# Removes the CRs, which the terminal adds.
on_terminal() {
    TERM=xterm NO_COLOR=1 script -qec "pmapdb $*" /dev/null </dev/null | tr -d '\r'
}
for format in table csv json ndjson md; do
    say "$format"
    on_terminal mappings --top 1 -f $format >seen
    LC_ALL=C grep -c "$(printf '\033')" seen || true
    LC_ALL=C grep -c "$(printf '\302\233')" seen || true
    LC_ALL=C grep -c red seen
done

say "a leak in a process with such a name"
for i in $(seq 0 8); do
    date -u -d "2026-11-21T00:00:00Z + $((5 * i)) minutes" +%FT%TZ
    pmap_x 8 red $((5000 + 100 * i)) 64
done | sed "s|data\$|$(printf 'red\033[31m\302\233m')|" >evil.log
pmapdb --db evil.db import -q --name "$(printf 'red\033]0;x\007\302\233m|y')" evil.log
pmapdb --db evil.db sql 'SELECT series_id, ts, kb FROM (SELECT (SELECT name FROM name) AS series_id,
    taken_at AS ts, rss_kib AS kb FROM snapshots)' -f csv >evil.csv
for format in table csv json ndjson md; do
    for by in category object lineage; do
        on_terminal --db evil.db leaks --by $by -f $format
    done >seen
    on_terminal leaks --series evil.csv -f $format >>seen
    echo "$format $(LC_ALL=C grep -c "$(printf '[\033\007]')" seen)" \
        "$(LC_ALL=C grep -c "$(printf '\302\233')" seen) $(LC_ALL=C grep -c red seen)"
done
on_terminal --db evil.db check --rate -w 1 --max-age 10000d >seen
cat seen

say "80 columns: columns without room are left out and named; --wide has all"
for i in 1 2 3; do
    date -u -d "2026-11-21T00:00:00Z + $i hours" '+%Y-%m-%dT%H:%M:%SZ'
    pmap_x 12345 postgres $((500000 + 100000 * i)) 6400
done | pmapdb --db narrow.db import -q -
for words in growth diff 'diff --by object' 'diff --by lineage' snapshots processes categories \
    mappings top-growers 'growth --wide'; do
    TERM=xterm NO_COLOR=1 script -qec "stty cols 80; pmapdb --db narrow.db $words" /dev/null \
        </dev/null | tr -d '\r' >seen
    echo "$words: at most $(awk 'length > most { most = length } END { print most }' seen)," \
        "$(grep 'no room' seen || echo all)"
done

say "a pager, only on a terminal"
paged() {
    PAGER='sed s/^/paged:/' on_terminal "$@" --db narrow.db categories --columns category
}
paged
paged --no-pager | head -n 1
paged -o cells.txt -q
TERM=dumb PAGER='sed s/^/paged:/' pmapdb --db narrow.db categories --columns category | head -n 1

say "a pipe"
pmapdb -q mappings -f csv | LC_ALL=C grep -c "$(printf 'red\033\\[31m\302\233m')"
