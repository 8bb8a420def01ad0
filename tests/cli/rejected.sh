# rejected: the error and the exit status for every refused input.
own samples
need sqlite3 gzip

from=samples/captures/leaky-20261121
good=$from/1795229318-12766
# Runs one case in a new store: its name, then the command.
try() {
    say "$1"
    shift
    rm -f try.db*
    run pmapdb --db try.db "$@"
}
stored() { sqlite3 try.db 'SELECT count(*) FROM snapshot'; }

try "a file that is not there" import no-such-file.x $good.x
try "a directory that is not there" import no-such-directory/
mkdir empty-directory other
try "a directory without captures" import empty-directory
echo "Dear diary" >other/diary.txt
try "a directory with other files only" import other
try "the other file, named" import other/diary.txt
: >empty.x
try "an empty file" import empty.x
mkdir some
cp empty.x $good.x some
try "an empty file in a directory" import some
printf '2:   [kthreadd]\ntotal kB               0       0       0\n' >kthread.x
try "a kernel thread" import kthread.x
printf '1:   /sbin/init\nAddress           Kbytes     RSS   Dirty Mode  Mapping\n---------------- ------- ------- ------- \ntotal kB               0       0       0\n' >denied.x
try "a process that may not be read" import denied.x
mkdir sun
printf '9:   init\nAddress  Kbytes     RSS    Anon  Locked Mode   Mapped File\n08046000       8       8       8       - rw---    [ stack ]\n' >sun/9.x
try "another system's tool, in a directory" import sun
run pmapdb --db try.db import sun
printf 'COMMAND  PID USER   FD   TYPE DEVICE SIZE/OFF NODE NAME\ninit       1 root  cwd    DIR  254,0     4096    2 /\n' >lsof.txt
try "another tool's output" import lsof.txt
mkdir deep
tar -C samples -czf deep/inner.tar.gz logs
tar -cf outer.tar deep/inner.tar.gz
try "an archive in an archive" import outer.tar
run pmapdb --db try.db import outer.tar
printf '\377\3760\0000\0004\000' >windows.txt
try "text in UTF-16" import windows.txt
printf 'PK\003\004\024\000' >x.zip
try "a zip archive" import x.zip
gzip -c $good.x | head -c 400 >cut.x.gz
try "a gzip file that is cut" import cut.x.gz
head -n 300 $good.smaps | head -c 8000 >1795229318-12766.smaps
try "smaps that are cut" import 1795229318-12766.smaps
say "the same captures again: known"
run pmapdb --db try.db import 1795229318-12766.smaps
sed '/libc.so.6/d' $good.x >1795229318-70.x
try "rows that do not add up to the footer" import 1795229318-70.x
head -c 4096 "$(command -v pmapdb)" >junk.bin
try "binary junk" import junk.bin
printf 'x\0\377\n%.0s' 1 2 3 4 >binary.txt
try "binary lines" import -f ndjson binary.txt
touch -d @1795229318 samples/logs/leaky-untimed.log
try "two captures without a time" import samples/logs/leaky-untimed.log
cp $good.smaps 1795229318.smaps
try "no pid" import 1795229318.smaps
try "no pid, strict" import --strict 1795229318.smaps
cp $good.x noname.x
try "no time in the name" import --time-from name noname.x
try "junk does not keep the rest from being stored" import -q junk.bin $good.x empty.x $good.smaps
stored

say "options"
for option in --at=noon --at= --every=never --every=0s --first=2026-11-21 --first=soon --pid=none --pid=-1 \
    --dialect=pmap-Q --time-from=stars --format=xml --mode=rwx --mode=0 --sweep=2h --sweep=x --nonsense; do
    run pmapdb --db try.db import $option $good.x
done
run pmapdb --db try.db import
run pmapdb --db try.db diff --by colour
for threshold in rss speed:1M rss:much mappings:x rss: :1 rss:-1; do
    run pmapdb --db try.db diff --threshold $threshold
done
run pmapdb --db try.db categories --format xml
run pmapdb --db try.db mappings --min-size big
run pmapdb --db try.db categories one two
run pmapdb --db try.db categories --category heap
run pmapdb map 12 13
run pmapdb map 12 --by user

say "commands"
run pmapdb
run pmapdb growt
run pmapdb ''

say "stores"
run pmapdb --db none.db snapshots
run ls none.db
run pmapdb --db no/such/folder/x.db import $good.x
run pmapdb --db /dev/null/x.db import $good.x
echo "this is no SQLite file, but it is long enough to look like one: $(head -c 4000 /dev/zero | tr '\0' x)" >text.db
run pmapdb --db text.db snapshots
run pmapdb --db text.db import $good.x
sqlite3 foreign.db 'CREATE TABLE song (title TEXT); INSERT INTO song VALUES (1)'
run pmapdb --db foreign.db snapshots
run pmapdb --db foreign.db import $good.x
run sqlite3 foreign.db .tables
run sqlite3 foreign.db 'PRAGMA journal_mode'
run pmapdb --db try.db snapshots -o try.db
run pmapdb --db try.db snapshots -o try.db-wal
cp try.db newer.db
sqlite3 newer.db 'PRAGMA user_version = 99'
run pmapdb --db newer.db snapshots
run pmapdb --db newer.db import $good.x
: >zero.db
run pmapdb --db zero.db snapshots
run pmapdb --db new.db import -q empty.x
run pmapdb --db new.db categories

say "selectors"
run pmapdb --db try.db diff --from last --to first
run pmapdb --db try.db categories --snapshot @77
run pmapdb --db try.db categories --process ''
pmap_x 9 one 100 | pmapdb --db two.db import -q --at 2026-11-21T10:00:00Z -
pmap_x 10 two 100 | pmapdb --db two.db import -q --at 2026-11-21T10:00:00Z -
run pmapdb --db two.db categories
run pmapdb --db two.db categories --process @1 --snapshot @2
pmap_x 9 two 300 | sed 's/00007f1/00007e1/' | pmapdb --db two.db import -q --at 2026-11-21T11:00:00Z -
run pmapdb --db two.db processes
run pmapdb --db two.db categories --process 9

say "oddities that are stored: a second life without a pid, an address of 2^63"
odd() {
    printf '00400000-00401000 r-xp 00000000 08:01 9 /bin/a\n%s rw-p 00000000 00:00 0 [stack]\n' "$1"
}
odd 7ffd00000000-7ffd00001000 >1767225600.maps
run pmapdb --db odd.db import -q 1767225600.maps
odd 7ffe00000000-7ffe00001000 | tee 1767225600.maps >/dev/null
printf '8000000000000000-8000000000001000 rw-p 00000000 00:00 0\n' >1767400000-8.maps
run pmapdb --db odd.db import --time-from mtime -q 1767225600.maps
run pmapdb --db odd.db import -q 1767400000-8.maps
run sqlite3 odd.db 'SELECT count(*) FROM process'
run pmapdb --db odd.db mappings --process 8
