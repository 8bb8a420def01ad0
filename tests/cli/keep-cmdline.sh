# keep-cmdline: which part of command lines is stored.
need sqlite3

# PID COMMAND [HEAP_KIB]: a capture of PID with COMMAND in its header.
capture_of() {
    pmap_x "$1" app "${3:-500}" | sed "1s|.*|$1:   $2|"
}
commands() { run sqlite3 store.db 'SELECT pid, command FROM process ORDER BY pid'; }
# Searches the bytes of the store, its -wal and its -shm for the secret.
leaked() {
    if cat store.db* | grep -aq hunter2; then echo "hunter2 is in the store"; else echo "no secret is stored"; fi
}

mkdir maps
capture_of 11 '/srv/app --db-password=hunter2 --token-ttl 30 postgres://joe:hunter2@db/x' >maps/1795229300-11.x
capture_of 12 'mysql -uroot -phunter2 -h db' >maps/1795229300-12.x
capture_of 13 'app --customer=hunter2 --port 1' >maps/1795229300-13.x
# A refused file, and a damaged capture.
{ capture_of 14 'app --secret hunter2'; capture_of 14 'app --secret hunter2' 600; } >maps/14.log
capture_of 15 'app --secret hunter2' | sed '/^total/s/[0-9][0-9]*/1/' >maps/1795229300-15.x

say "only the program is stored"
run pmapdb import maps -f ndjson
commands
leaked
run pmapdb processes -f csv
run sqlite3 store.db 'SELECT reason FROM refused'
say "the same captures are known with another --keep-cmdline"
run pmapdb import -v --keep-cmdline '.*' maps
leaked
say "names and lives do not depend on --keep-cmdline"
capture_of 11 '/srv/app --db-password=other' 600 >later
run pmapdb import -v --at 2026-11-21T03:00:00Z later
run sqlite3 store.db 'SELECT pid, life, identity FROM process WHERE pid = 11'

say "a part of the command line"
rm -f store.db*
run pmapdb import -q --keep-cmdline '--port [0-9]+' --keep-cmdline 'user?=?([a-z]+) ' --keep-cmdline '--token-ttl [0-9]+' maps
commands
leaked
rm -f store.db*
run pmapdb import -q --keep-cmdline '.*' maps
commands

say "a merge keeps the stored part"
rm -f store.db*
run pmapdb import -q maps
run pmapdb merge -q --db both.db store.db
run sqlite3 both.db 'SELECT command FROM process WHERE pid = 11'

say "wrong patterns"
rm -f store.db*
run pmapdb import -v --keep-cmdline '(' maps
run pmapdb import -v --keep-cmdline '' maps
run pmapdb capture --keep-cmdline '[z-a]' --all
run ls
