# selectors: every way to name a snapshot and a process, and what a wrong one is told.
# shellcheck shell=sh source-path=SCRIPTDIR source=kit.sh
. "$PMAPDB_KIT"

pmapdb import -q samples/captures/leaky-20261121/*.x
for to in last prev first @5 -2m -90s 2026-11-21T02:51:00Z '2026-11-21 02:51:20' now; do
    run pmapdb growth --category heap --from "$to" --to "$to" -f csv
done
say "times without a zone are local"
run pmapdb growth --category heap --tz Europe/Berlin --from 2026-11-21T03:54:30 -f csv

say "processes"
for process in leaky 12766 leaky/12766 @1; do
    run pmapdb growth --process $process --category heap --from last -f csv
done
run pmapdb growth leaky --category heap --from last -f csv

say "wrong ones"
for process in nobody 99 leaky/99 @99; do
    run pmapdb growth --process $process
done
for snapshot in yesterday @99 -9d 1999-01-01 ''; do
    run pmapdb categories --snapshot "$snapshot"
done
run pmapdb diff --from last --to first
run pmapdb diff --from last --to last
run pmapdb growth --from last --to first

say "a zone that nobody knows is not UTC"
run pmapdb snapshots --tz NOWHERE/LAND
run pmapdb snapshots --tz ''
pmapdb snapshots --tz CET-1CEST -q >/dev/null && echo known
