# import: files, directories, standard input, compressed files, archives; everything twice.
need xz zstd bzip2 gzip tar

from=samples/captures/leaky-20261121

say "one file, twice"
run pmapdb import -v $from/1795229318-12766.x
run pmapdb import -v $from/1795229318-12766.x

say "a directory that contains the file"
run pmapdb import -v samples/captures
run pmapdb import -q samples/captures

say "the same file moved, compressed and packed is known"
mkdir moved
cp $from/1795229318-12766.x $from/1795229348-12766.x $from/1795229378-12766.x $from/1795229408-12766.x moved
gzip moved/1795229318-12766.x
xz moved/1795229348-12766.x
zstd -q --rm moved/1795229378-12766.x
bzip2 moved/1795229408-12766.x
run pmapdb import -v moved
tar cf all.tar -C samples/captures leaky-20261121
gzip -k all.tar
run pmapdb import -q all.tar
run pmapdb import -q all.tar.gz
run pmapdb import -v --format csv moved/1795229378-12766.x.zst

say "an archive into a new store: the same rows"
run pmapdb --db tar.db import -q all.tar.gz
pmapdb snapshots -f csv >first.csv
pmapdb --db tar.db snapshots -f csv >second.csv
cut -d, -f2-15 first.csv >first.cut
cut -d, -f2-15 second.csv >second.cut
run cmp first.cut second.cut

say "standard input"
run pmapdb --db stdin.db import -v --at 2026-11-21T02:48:38Z - <$from/1795229318-12766.x
run pmapdb --db stdin.db import -v --at 2026-11-21T02:48:38Z - <$from/1795229318-12766.x

say "without a time, standard input is always new"
pmapdb --db stdin.db import -q - <$from/1795229318-12766.x
sleep 0.01
pmapdb --db stdin.db import -q - <$from/1795229318-12766.x
run sqlite3 stdin.db 'SELECT count(*), count(DISTINCT taken_ms) FROM snapshot'

say "wrong options create no store"
run pmapdb import -v --db none.db --first 2026-01-01 samples
run pmapdb import -v --db none.db --time-from ctime samples
run pmapdb import -v --db none.db --dialect top samples
run pmapdb import -v --db none.db --sweep 2h samples
ls none.db* 2>/dev/null || echo "no none.db"
