# capture-lost: what a run reports when the store refuses a beat or loses its files; a run waits for
# a busy store when it starts.
need sqlite3 /proc/self/smaps

sleep 1000 &
one=$!
trap 'kill $one 2>/dev/null || :' EXIT
asleep sleep $one

mask() {
    sed -E "s/\<$one\>/ONE/g; s/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z/TIME/g; s/, [0-9]+ beats? missed//
        s/[0-9]+ mappings, rss [0-9.]+ [KM]iB/N mappings, SIZE/; s/ in [0-9.]+ ms/ in T ms/
        /^! pmapdb: TIME: [0-9]+ beats? w.* missed before it/d"
}
live() {
    run "$@" | mask
}

say "the last beat is lost: trouble"
live pmapdb capture $one -q
# an index that the user added refuses a second row
sqlite3 store.db 'CREATE UNIQUE INDEX fail ON beat ((1))'
live pmapdb capture $one -q --every 100ms --count 2
sqlite3 store.db 'DROP INDEX fail'

say "a beat in between is lost: no trouble"
sqlite3 store.db 'CREATE UNIQUE INDEX fail ON beat ((1)) WHERE missed = 0'
live pmapdb capture $one -q --every 100ms --count 2
sqlite3 store.db 'DROP INDEX fail'

say "a run brings a store back to WAL mode: no file beside it is lost"
sqlite3 store.db 'PRAGMA journal_mode = DELETE'
live pmapdb capture $one -q --every 100ms --count 2
sqlite3 store.db 'PRAGMA journal_mode'

say "another writer has the store to itself when a run begins: longer than a beat"
(
    printf '%s\n' 'PRAGMA busy_timeout = 5000;' 'PRAGMA locking_mode = EXCLUSIVE;' 'BEGIN EXCLUSIVE;' '.shell : >held'
    sleep 3
    echo 'ROLLBACK;'
) | sqlite3 store.db >/dev/null &
holder=$!
until [ -e held ] || ! kill -0 $holder 2>/dev/null; do sleep 0.05; done
live pmapdb capture $one --every 1s --count 1
wait $holder

# Shows the last messages of the run, and checks that the store has all snapshots that the run reported.
ends() {
    status=0
    wait $run || status=$?
    mask <said | grep -v -e ^stored -e 'missed before it'
    echo "= exit $status"
    stored=$(grep -c ^stored said)
    [ "$(pmapdb sql 'SELECT count(*) AS n FROM snapshots' -f csv | tail -n 1)" = "$stored" ] && echo "all are there"
}
begin() {
    rm -f store.db* said
    pmapdb capture -v $one --every 100ms "$@" >said 2>&1 &
    run=$!
    until [ -e said ] && [ "$(grep -c ^stored said)" -ge 3 ]; do sleep 0.05; done
}

say "the -wal is removed: readers see no snapshots of the run until the run ends"
begin
rm store.db-wal
ends

say "the -wal is removed, and a reader creates another one"
begin
rm store.db-wal
pmapdb snapshots >/dev/null 2>&1 || :
ends

say "both files beside the store are removed"
begin
rm store.db-wal store.db-shm
ends

say "a backup replaces the store: the run does not change the backup"
pmapdb --db backup.db import -q samples/captures
sqlite3 backup.db 'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null
begin
mv backup.db store.db
wait $run || echo "= exit $?"
# if the backup comes while a beat is written, that beat is reported as lost before
mask <said | grep -v -e ^stored -e 'missed before it' -e 'a beat is lost'
run pmapdb sql 'SELECT count(*) AS n FROM snapshots' -f csv
sqlite3 store.db 'PRAGMA integrity_check'

say "the store is moved away: it contains all captures"
begin
mv store.db moved.db
wait $run || echo "= exit $?"
stored=$(grep -c ^stored said)
[ "$(pmapdb --db moved.db sql 'SELECT count(*) AS n FROM snapshots' -f csv | tail -n 1)" = "$stored" ] && echo "all are there"

say "the reader of the output of the run ends"
rm -f store.db*
{ pmapdb capture -v $one --every 100ms 2>said || echo "= exit $?" >>said; } | head -n 1 >/dev/null
grep -e 'went away' -e exit said

say "readers, writers, checkpoints and prunes during a run lose no snapshot"
begin --count 40
while kill -0 $run 2>/dev/null; do
    pmapdb snapshots -q >/dev/null
    sqlite3 store.db "PRAGMA busy_timeout = 9999; PRAGMA wal_checkpoint(TRUNCATE); SELECT count(*) FROM mappings" >/dev/null
    sqlite3 store.db "PRAGMA journal_mode = DELETE" >/dev/null 2>&1 || :
    pmapdb prune -q --compact --vacuum
    pmapdb import -q --at 2026-01-01 samples >/dev/null 2>&1 || :
done
wait $run && echo "= exit 0"
grep 'was removed' said || :
