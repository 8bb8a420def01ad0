# misused: stores with names that SQLite treats specially; stores that are replaced during a write;
# options that are given twice; captures with a time in the future; a store with a row missing.
need sqlite3

pmap_x 4711 app 64 >app.txt
for name in :memory: 'file:x.db?mode=memory' file::memory: '?'; do
    run pmapdb import -q --db "$name" --at 2026-11-21T03:00:00Z app.txt
    run pmapdb sql --db "$name" 'SELECT count(*) AS n FROM snapshots' -f csv
done
run pmapdb merge --db all.db :memory: 'file:x.db?mode=memory' -f csv
find . -maxdepth 1 -name '*memory*' ! -name '*-wal' ! -name '*-shm' | sort

say "another file is put in its place while an import waits for its input"
pmapdb import -q samples/captures
pmapdb --db backup.db import -q --at 2026-11-21T03:00:00Z app.txt
sqlite3 backup.db 'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null
mkfifo in
pmapdb import - --at 2026-11-22T03:00:00Z <in >said 2>&1 &
exec 3>in
until find /proc/$!/fd -lname '*/store.db' 2>/dev/null | grep -q .; do sleep 0.05; done
mv store.db moved.db
mv backup.db store.db
cat app.txt >&3
exec 3>&-
wait $! || echo "= exit $?"
cat said
run pmapdb sql 'SELECT count(*) AS n FROM snapshots' -f csv
run pmapdb sql --db moved.db 'SELECT count(*) AS n FROM snapshots' -f csv
sqlite3 store.db 'PRAGMA integrity_check'
sqlite3 moved.db 'PRAGMA integrity_check'

say "an option that is given twice"
run pmapdb diff --threshold rss:1M --threshold size:99G -q --db moved.db --by category -f csv -o diff.csv
run pmapdb diff --threshold rss:1M --threshold rss:2M --db moved.db
run pmapdb growth --db moved.db --category heap --category stack
run pmapdb capture --match 'pid = 1' --match 'pid = 2'
run pmapdb prune --db moved.db --drop --process a --process b

say "a capture with a time in the future does not answer a question about now"
run pmapdb import -q --db ahead.db --at 2999-01-01 app.txt
run pmapdb check app --db ahead.db --rss -w 1G --max-age 1h

say "a process whose name is missing"
pmapdb --db nameless.db import -q samples/captures
sqlite3 nameless.db 'UPDATE process SET name_id = -5'
run pmapdb --db nameless.db diff --by lineage
