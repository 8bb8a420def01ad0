# plot: a process as a picture, on a terminal of 80 columns with and without UTF-8 and colour.

# A heap that grows by 400 KiB a minute; three minutes are missing; one peak.
for minute in $(seq 0 8) $(seq 12 19); do
    date -u -d "2026-11-21T02:00:00Z + $minute minutes" +%FT%TZ
    pmap_x 7 web $((2000 + 400 * minute + (minute == 15) * 3000)) 3000
done | pmapdb import -q -
run pmapdb plot
LC_ALL=C.UTF-8 run pmapdb plot web --limit 16M
LC_ALL=C.UTF-8 run pmapdb plot --metric size --since 2026-11-21T02:12:00Z --color=always

say "all processes"
for pid in 8 9; do
    for minute in 0 5 10; do
        date -u -d "2026-11-21T02:00:00Z + $minute minutes" '+%Y-%m-%dT%H:%M:%SZ'
        pmap_x $pid worker $((1000 * pid)) 64
    done
done | pmapdb import -q -
run pmapdb plot --what fleet
LC_ALL=C.UTF-8 run pmapdb plot worker --what fleet --metric mappings

say "one snapshot; sums only"
pmap_x 7 web 100 64 | pmapdb --db one.db import -q --at 2026-11-21T02:00:00Z -
run pmapdb --db one.db plot
for i in $(seq 0 8); do
    date -u -d "2026-11-21T00:00:00Z + $i minutes" '+%Y-%m-%dT%H:%M:%SZ'
    printf 'mapped: %dK    writeable/private: %dK    shared: 0K\n' $((90000 + 5000 * i)) $((4000 + 5000 * i))
done | pmapdb --db sums.db import -q --pid 7 --name sums -
run pmapdb --db sums.db plot

say "output to files"
run pmapdb plot -o web.svg
grep -c '<path' web.svg
run pmapdb plot -o web.gif
run pmapdb plot -o web.svg --size 10x10
run pmapdb plot nobody -o web.svg
