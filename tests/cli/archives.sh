# archives: imports archives of other tools, packed and unpacked: pids, names, times, starts; no capture is stored twice.
need sqlite3 tar gzip xz

from=fixtures/archives
sos=sosreport-example-2026-11-21-tvhmmlm

# Prints the captures of a store, without those of smaps_rollup, which another test covers.
kept() {
    sqlite3 "$1" "SELECT taken_at, coalesce(p.pid, '?') || '/' || n.name, coalesce(start_time, '?'),
            dialect, checked, s.mappings, rss_kib, tool_rss_kib, folder || coalesce(replace(file, '*', number), file)
        FROM snapshot s JOIN process p USING (process_id) JOIN name n USING (name_id)
            JOIN capture USING (capture_id) JOIN origin USING (origin_id)
        WHERE dialect <> 'smaps_rollup'
        ORDER BY taken_ms, p.pid, dialect DESC, rss_kib"
}
# Shows a command and its output without the lines about smaps_rollup, which another test covers.
quietly() {
    show pmapdb "$@"
    pmapdb "$@" >stdout 2>stderr || :
    sed '/smaps_rollup/d; /captures stored/d' stdout stderr
}

say "smemcap: folders of pids at the top"
run pmapdb --db smemcap.db import -v $from/smemcap.tar.gz
kept smemcap.db
run pmapdb --db smemcap.db import -q $from/smemcap.tar.gz

say "snap.py: page maps of 274 GB each, a process that is in it by its pid and as self"
run pmapdb --db snap.db import -v $from/snap.tar.gz
kept snap.db
mkdir snap
tar xzf $from/snap.tar.gz -C snap --exclude=pagemap
mkdir -p snap/snap/proc/3/task/3 snap/snap/proc/3/fd
cp snap/snap/proc/3/smaps snap/snap/proc/3/task/3
ln -s ../../4/smaps snap/snap/proc/3/fd/5
run pmapdb --db snap.db import -v snap

say "sosreport"
run pmapdb --db sos.db import -v $from/$sos.tar.xz
kept sos.db
tar xJf $from/$sos.tar.xz
run pmapdb --db sos.db import -v $sos

say "folders: of an incident, of a loop over pids, of a copied process"
quietly --db folders.db import -q $from/folders.tar.gz
kept folders.db
tar xzf $from/folders.tar.gz
quietly --db loose.db import -q incident loop copy
kept loose.db | sed 's|[^|]*$||' >loose
kept folders.db | sed 's|[^|]*$||' >folders
run cmp folders loose
for pid in 3 4; do
    awk '/^Rss:/ { rss += $2 } END { print "awk: Rss", rss }' loop/$pid.smaps
    grep ^Rss: loop/$pid.smaps_rollup
done
say "one file of the folder gives the same snapshot"
quietly --db one.db import -q loop/4.smaps
kept one.db
say "each file compressed by itself"
mkdir packed
cp -p loop/* packed
gzip packed/*
quietly --db packed.db import -q packed
kept packed.db

say "an archive without times: the captures get the time of the archive"
tar cf timeless.tar --mtime=@0 loop/3.smaps loop/3.status
touch -d @1795229318 timeless.tar
run pmapdb --db timeless.db import -v timeless.tar
