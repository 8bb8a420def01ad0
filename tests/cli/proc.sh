# proc: capture --proc of copies of /proc, and the answers of host about the copied machine.

# UPTIME ANON_KIB KILLS: writes a copy of /proc of a machine with 1,000,000 KiB, booted at
# 2026-11-21T00:00:00Z. 200,000 KiB are free, and the lines below account for all but 40,000.
machine() {
    mkdir -p copy/sys/kernel/random copy/pressure
    echo "$1 1000.00" >copy/uptime
    printf 'cpu 1 2 3\nbtime 1795219200\n' >copy/stat
    echo web1 >copy/sys/kernel/hostname
    echo 11111111-2222-3333-4444-555555555555 >copy/sys/kernel/random/boot_id
    cat >copy/meminfo <<END
MemTotal:        1000000 kB
MemFree:          200000 kB
MemAvailable:     450000 kB
Buffers:           10000 kB
Cached:           $((640000 - $2)) kB
SwapCached:            0 kB
SwapTotal:        500000 kB
SwapFree:         400000 kB
Dirty:              2000 kB
AnonPages:        $2 kB
Mapped:            30000 kB
Shmem:             50000 kB
KReclaimable:      60000 kB
Slab:              90000 kB
SReclaimable:      60000 kB
SUnreclaim:        30000 kB
KernelStack:        4000 kB
PageTables:         9000 kB
Percpu:             1000 kB
Committed_AS:     800000 kB
VmallocUsed:       10000 kB
END
    printf 'nr_free_pages 1\nnr_zspages 0\npswpin 10\npswpout %s\noom_kill %s\n' "$3" "$3" >copy/vmstat
    printf 'some avg10=9.00 avg60=12.34 avg300=0.00 total=%s\n' "$(($3 * 60000000))" >copy/pressure/memory
    printf 'full avg10=0.00 avg60=1.00 avg300=0.00 total=%s\n' "$(($3 * 6000000))" >>copy/pressure/memory
}

# PID COMM RSS_KIB [NS_PID]: adds a process to the copy.
process() {
    mkdir -p "copy/$1"
    echo "$1 ($2) S 1 $1 $1 0 -1 4194304 0 0 0 0 0 0 0 0 20 0 1 0 777 0 0 0 0 0 140000 0 0 0 0 0" >"copy/$1/stat"
    printf 'Name:\t%s\nTgid:\t%s\nUid:\t1000\t1000\t1000\t1000\nNSpid:\t%s\t%s\n' "$2" "$1" "$1" "${4:-$1}" >"copy/$1/status"
    printf 'VmSize:\t%s kB\nVmRSS:\t%s kB\nThreads:\t1\n' "$3" "$3" >>"copy/$1/status"
    printf '%s\0' "$2" >"copy/$1/cmdline"
    echo "0::/system.slice/docker-0123456789abcdef.scope" >"copy/$1/cgroup"
    echo "$(($3 / 1000))" >"copy/$1/oom_score"
    end=$(printf %x $((0x7f0000000000 + $3 * 1024)))
    cat >"copy/$1/smaps" <<END
7f0000000000-$end rw-p 00000000 00:00 0
Size:           $3 kB
Rss:            $3 kB
Pss:            $3 kB
Shared_Clean:   0 kB
Shared_Dirty:   0 kB
Private_Clean:  0 kB
Private_Dirty:  $3 kB
Swap:           0 kB
VmFlags: rd wr
END
}

say "a copy has its own time, host and boot; uid has no name here"
machine 3600.25 300000 0
process 10 web 100000
process 11 db 150000 1
run pmapdb capture --all --proc copy
run pmapdb sql "SELECT pid, ns_pid, uid, user, cgroup, memory_max_kib, oom_score FROM live_process JOIN live_reading USING (live_process_id) JOIN snapshots USING (snapshot_id)"
run pmapdb capture --all --proc copy

say "captures of the same copy in two stores are the same captures"
pmapdb --db other.db capture -q --proc copy 10 11 # another selection, so another schedule
run pmapdb merge other.db

say "an hour later"
machine 7200.25 420000 3
process 10 web 220000
run pmapdb capture -q --all --proc copy
run pmapdb host --kib
run pmapdb host --to 2026-11-21T01:30:00Z -f csv
run pmapdb host-history -f csv

say "the parts add up to all memory, and used equals the number of free(1)"
pmapdb host -f csv | awk -F, '
    NR > 1 { gsub("\"", ""); kib[$1] = $2 }
    END {
        for (part in kib)
            if (part ~ /^(anonymous|page cache|tmpfs|slab|kernel|huge pages|compressed|unaccounted|free)$/)
                sum += kib[part]
        print sum, kib["used"], kib["processes"] + kib["not captured"]
    }'
awk '{ v[$1] = $2 } END { print v["MemTotal:"], v["MemTotal:"] - v["MemAvailable:"], v["AnonPages:"] + v["Mapped:"] }' copy/meminfo

say "merge and export keep the readings"
pmapdb host -f csv >here
pmapdb --db other.db merge -q "$PMAPDB" >merged
run sh -c 'pmapdb --db other.db host -f csv | cmp - here'
pmapdb export -q all.db >exported
run sh -c 'pmapdb --db all.db host -f csv | cmp - here'

say "numbers that a copy lacks are unknown"
machine 10800.00 420000 3
rm copy/vmstat copy/pressure/memory copy/sys/kernel/hostname copy/sys/kernel/random/boot_id
sed -i '/MemAvailable/d; /Percpu/d' copy/meminfo
: >copy/11/smaps
run pmapdb capture --all --proc copy
run pmapdb capture --all --proc copy --host web2
run pmapdb host --host web2 -f csv
rm copy/uptime
run pmapdb capture --all --proc copy --host web2
run pmapdb capture --all --proc nowhere

say "a copy of this machine, made without pmapdb"
sh samples/copy-proc.sh here.copy $$
pmapdb --db here.db capture -q --all --proc here.copy
run pmapdb --db here.db sql "SELECT count(*), count(rss_kib) FROM snapshots"
pmapdb --db here.db sql -f csv "SELECT rss_kib, pss_kib FROM snapshots" >found
awk '/^Rss:/ { rss += $2 } /^Pss:/ { pss += $2 } END { print "rss_kib,pss_kib"; print rss "," pss }' \
    here.copy/$$/smaps | cmp - found
pmapdb --db here.db sql -f csv "SELECT total_kib, free_kib, shmem_kib FROM beat" >found
awk '{ v[$1] = $2 } END { print "total_kib,free_kib,shmem_kib"; print v["MemTotal:"] "," v["MemFree:"] "," v["Shmem:"] }' \
    here.copy/meminfo | cmp - found

say "the machine itself: the current /proc"
pmapdb --db here.db capture -q --host here $$
pmapdb --db here.db sql -f csv "SELECT total_kib, swap_total_kib FROM beat ORDER BY capture_id DESC LIMIT 1" >found
awk '{ v[$1] = $2 } END { print "total_kib,swap_total_kib"; print v["MemTotal:"] "," v["SwapTotal:"] }' /proc/meminfo |
    cmp - found && echo same
