# threads: thread stacks by size, with the number of threads; the rule of pmap-dotnet.
need sqlite3

rw=rd,wr,mr,mw,me,ac
none=mr,mw,me
# Two stacks of 8 MiB, one of 1 MiB; also two mappings of 1 MiB that are not stacks: a buffer whose
# guard is far away, and a named mapping.
smaps >1795220000-71.smaps <<END
560000000000 16 r-xp 16 rd,ex,mr,mw,me /srv/web
7f0000000000 4 ---p 0 $none
7f0000001000 8192 rw-p 12 $rw
7f0001000000 4 ---p 0 $none
7f0001001000 8192 rw-p 20 $rw
7f0002000000 16 ---p 0 $none
7f0002004000 1024 rw-p 8 $rw
7f0002f00000 64 ---p 0 $none
7f0003000000 1024 rw-p 1024 $rw
7f0004000000 1024 rw-p 4 $rw [anon:pool]
7f0005000000 1024 rw-s 4 rd,wr,sh,mr,mw,me,ms /dev/zero (deleted)
7ffc00000000 132 rw-p 12 $rw [stack]
END
# The heap of a Go program.
smaps >1795220000-72.smaps <<END
000000400000 16 r-xp 16 rd,ex,mr,mw,me /srv/gopher
00c000000000 4096 rw-p 900 $rw
7ffc00000000 132 rw-p 12 $rw [stack]
END
pmapdb import -q --name web 1795220000-71.smaps
pmapdb import -q --name gopher 1795220000-72.smaps

say "by category"
run pmapdb threads web
run pmapdb threads web --wide
run pmapdb threads web -f csv
run pmapdb threads web -f ndjson
run pmapdb threads gopher

say "as pmap-dotnet: size, no name, rw?p, mr mw me"
run pmapdb threads web --stack-size 1M -f csv
run pmapdb threads web --stack-size 8M -f csv
run pmapdb threads web --stack-size 2M -f csv
run pmapdb threads web --stack-size much

say "without VmFlags the rule ignores them; maps has no resident memory"
sed '/VmFlags/d' 1795220000-71.smaps >1795220000-73.smaps
grep -E '^[0-9a-f]+-' 1795220000-71.smaps >1795220000-74.maps
pmapdb import -q --name noflags 1795220000-73.smaps
pmapdb import -q --name maps 1795220000-74.maps
run pmapdb threads noflags --stack-size 1M -f csv
run pmapdb threads maps -f csv

say "a missing flag; other permissions"
sed 's/ me ac/ ac/' 1795220000-71.smaps >1795220000-75.smaps
sed 's/ rw-p / r--p /' 1795220000-71.smaps >1795220000-76.smaps
sed 's/ rw-p / rwxp /' 1795220000-71.smaps >1795220000-77.smaps
sed 's/ mw me/ me/' 1795220000-71.smaps >1795220000-78.smaps
sed 's/ mr mw/ mw/' 1795220000-71.smaps >1795220000-79.smaps
for pid in 75 76 77 78 79; do
    pmapdb --db flags.db import -q --name "$pid" 1795220000-$pid.smaps
    pmapdb --db flags.db threads --process "$pid" --stack-size 1M -f csv | sed 1d
done

say "beside the number of threads"
# PROCESS THREADS: stores the number of threads as a live capture would.
count() {
    sqlite3 store.db "INSERT OR IGNORE INTO live_process (live_process_id, hash) VALUES (1, 0);
        INSERT OR REPLACE INTO live_reading (snapshot_id, live_process_id, mono_ns, read_us, cpu_us, longest_us, threads)
        SELECT snapshot_id, 1, 0, 0, 0, 0, $2 FROM snapshots s JOIN process p USING (process_id)
        JOIN name n ON n.name_id = p.name_id WHERE n.name = '$1'"
    pmapdb threads "$1" -f csv | sed 1d | cut -d , -f 1,9-12 | sort -u
}
count web 4
count web 5
count web 6
count web 3
count web 1
count gopher 9
count gopher 1
count maps 4
pmapdb threads web --stack-size 8M -f csv | sed 1d | cut -d , -f 9-12
count web 9 >/dev/null
pmapdb threads web --stack-size 8M -f csv | sed 1d | cut -d , -f 9-12

say "processes of one name at one moment; sums only"
sed 's/srv.web/srv.many/' 1795220000-71.smaps >1795220000-81.smaps
cp 1795220000-81.smaps 1795220000-82.smaps
pmapdb import -q --name many 1795220000-81.smaps 1795220000-82.smaps
run pmapdb threads many -f csv
printf '2026-11-21T02:00:00Z\n83:   /srv/sums\ntotal kB 1000 500 100\n' >sums.log
pmapdb import -q --name sums sums.log
run pmapdb threads sums
run pmapdb threads sums -f csv
run pmapdb threads nobody
