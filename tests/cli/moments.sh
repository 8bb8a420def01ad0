# moments: several processes of one name at once are summed; one alone by its pid.

beat() { # TIME HEAP...
    pid=300
    time=$1
    shift
    for heap in "$@"; do
        pid=$((pid + 1))
        pmap_x $pid worker "$heap"
    done | pmapdb import -q --at "2026-11-21T$time" -
}
beat 10:00:00Z 100 200
beat 10:05:00Z 150 250 40
beat 10:10:00Z 150 250 40
run pmapdb processes
run pmapdb categories
run pmapdb diff
run pmapdb diff -f csv
run pmapdb growth --category heap --wide
run pmapdb growth worker/302 --category heap
run pmapdb categories --process 303

say "captured one after the other, further apart than the sweep"
mkdir slow
for time in 1795229400 1795229460 1795229520; do
    for pid in 401 402 403; do
        pmap_x $pid slow 100 >slow/$time-$pid.x
        time=$((time + 2))
    done
done
run pmapdb --db slow.db import -o import.txt slow
run pmapdb --db slow.db categories
run pmapdb --db wide.db import -q --sweep 10s slow
run pmapdb --db wide.db categories
