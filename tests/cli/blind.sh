# blind: leaks and check on snapshots of maps, which do not contain resident memory. sqlite3 adds a
# VmRSS to imported maps, so that the numbers are the same on every machine.
need sqlite3

# PID FIRST LAST: writes a maps every five minutes: the mappings of pmap_x in kit.sh, with a heap of 5000 KiB.
maps() {
    for i in $(seq "$2" "$3"); do
        cat >$((1795219200 + 300 * i))-"$1".maps <<END
560000000000-560000004000 r-xp 00000000 08:01 11 /srv/bin/$1
560000010000-560000012000 rw-p 00010000 08:01 11 /srv/bin/$1
560001000000-5600014e2000 rw-p 00000000 00:00 0 
7f1000000000-7f10000fa000 r-xp 00000000 08:01 12 /lib/libc.so.6
7ffc00000000-7ffc00021000 rw-p 00000000 00:00 0 [stack]
END
    done
}

# STORE FROM STEP: sets the VmRSS of the maps in the store: FROM KiB, then STEP KiB more each time.
vm_rss() {
    sqlite3 "$1" "UPDATE snapshot SET tool_rss_kib = $2 + $3 * ((taken_ms / 1000 - 1795219200) / 300)
        WHERE dialect = 'maps'"
}

judge() {
    run pmapdb --db "$1" leaks
    run pmapdb --db "$1" check --rate -w 100K -c 10M --max-age 10000d
    pmapdb --db "$1" leaks -f csv | cut -d , -f 4-9,12-14,22,26,29 | sed -n 2p
}

say "only maps: resident memory is unknown"
maps 7 0 11
pmapdb --db maps.db import -q --name seven 1795*-7.maps
judge maps.db
run pmapdb --db maps.db check --rate -w 100K --rss -w 1M --max-age 10000d
run pmapdb --db maps.db check --rate -w 100K --metric size --max-age 10000d
run pmapdb --db maps.db leaks --metric rss

say "VmRSS is known in seven snapshots, in eight, in all"
vm_rss maps.db 5436 50
sqlite3 maps.db "UPDATE snapshot SET tool_rss_kib = NULL WHERE snapshot_id > 7"
judge maps.db
sqlite3 maps.db "UPDATE snapshot SET tool_rss_kib = 5786 WHERE snapshot_id = 8"
pmapdb --db maps.db leaks -f csv | cut -d , -f 4-9,12-14,22,29 | sed -n 2p
vm_rss maps.db 5436 50
judge maps.db
run pmapdb --db maps.db leaks --check --metric rss -f csv -o /dev/null
run pmapdb --db maps.db check --eta -w 48h --limit 10M --max-age 10000d
run pmapdb --db maps.db leaks --by lineage
vm_rss maps.db 5436 0
judge maps.db

say "pmap -x first, then maps: the last captures count"
log 8 8 12 5000 0 >eight.log
maps 8 12 22
pmapdb --db both.db import -q --name eight eight.log
pmapdb --db both.db import -q --name eight 1795*-8.maps
sqlite3 both.db "SELECT count(DISTINCT process_id), count(*) FROM snapshot"
run pmapdb --db both.db check --rate -w 100K --max-age 10000d
vm_rss both.db 5436 0
judge both.db
sqlite3 both.db "UPDATE snapshot SET tool_rss_kib = tool_rss_kib + 500 * ((taken_ms / 1000 - 1795222500) / 300)
    WHERE dialect = 'maps'"
judge both.db
run pmapdb --db both.db leaks --dialect pmap-x

say "mostly maps, sometimes pmap -x"
maps 8 23 40
pmapdb --db both.db import -q --name eight 1795*-8.maps
vm_rss both.db 5436 0
judge both.db
vm_rss both.db 4886 50
judge both.db
