# labels: imports a JVM's own report of its memory beside its smaps.
need sqlite3

# PID: a report as HotSpot of JDK 17 prints it: heap, one thread, and 64 KiB of metaspace that the
# kernel merged with a block of malloc.
nmt() {
    printf '%s:\n\nNative Memory Tracking:\n\n' "$1"
    printf 'Total: reserved=66624KB, committed=33920KB\n\nVirtual memory map:\n \n'
    printf '[0x00000000f0000000 - 0x00000000f4000000] reserved 65536KB for Java Heap from\n'
    printf '    [0x00007f1000000100] ReservedSpace::reserve(unsigned long)+0x291\n\n'
    printf '\t[0x00000000f0000000 - 0x00000000f2000000] committed 32768KB from\n'
    printf '            [0x00007f1000000200] G1PageBasedVirtualSpace::commit()+0xb7\n\n'
    printf '[0x00007f2000000000 - 0x00007f2000100000] reserved 1024KB for Thread Stack from\n\n'
    printf '\t[0x00007f20000fb000 - 0x00007f2000100000] committed 20KB \n\n'
    printf '[0x00007f3000000000 - 0x00007f3000010000] reserved and committed 64KB for Metaspace from\n'
    printf 'Details:\n\n'
}
# A report as HotSpot of JDK 24 prints it, after its source memMapPrinter_linux.cpp.
system_map() {
    printf 'Memory mappings:\nfrom, to, vsize: address range and size\n\n'
    printf 'from                 to                      vsize prot        rss    hugetlb pgsz notes            info\n'
    printf '0x%016x - 0x%016x %10d %s %10d          0 4K   %-16s %s\n' \
        $((0x0000f0000000)) $((0x0000f2000000)) 33554432 rw-p 20480000 com JAVAHEAP \
        $((0x0000f2000000)) $((0x0000f4000000)) 33554432 ---p 0 nores JAVAHEAP \
        $((0x7f2000000000)) $((0x7f2000004000)) 16384 ---p 0 com STACK-72-GC-Thread-0 \
        $((0x7f2000004000)) $((0x7f2000100000)) 1032192 rw-p 20480 com,nothp STACK-72-GC-Thread-0 \
        $((0x7f3000000000)) $((0x7f3000100000)) 1048576 rw-p 921600 com META,CLASS \
        $((0x7ffc00000000)) $((0x7ffc00021000)) 135168 rw-p 12288 - '[stack]'
    printf '\nNumber of mappings: 6\n'
}
mkdir incident
smaps >incident/1795220000-71.smaps <<END
000000400000 16 r-xp 16 - /srv/java
0000f0000000 32768 rw-p 20000 -
0000f2000000 32768 ---p 0 -
7f2000000000 16 ---p 0 -
7f2000004000 1008 rw-p 20 -
7f3000000000 1024 rw-p 900 -
7ffc00000000 132 rw-p 12 - [stack]
END
nmt 71 >incident/1795220001-nmt.txt

say "a report in one folder with its captures"
run pmapdb import -v incident
run pmapdb import -v incident
run pmapdb labels
run pmapdb labels -f csv
run pmapdb categories --kib
run pmapdb mappings --category anonymous/jvm-heap -f csv

say "a later capture: named mappings keep their names"
smaps >1795220060-71.smaps <<END
000000400000 16 r-xp 16 - /srv/java
0000f0000000 49152 rw-p 40000 -
0000f3000000 16384 ---p 0 -
7f2000000000 16 ---p 0 -
7f2000004000 1008 rw-p 20 -
7f3000000000 1024 rw-p 900 -
7ffc00000000 132 rw-p 12 - [stack]
END
run pmapdb import -v 1795220060-71.smaps
run pmapdb diff --by category --kib

say "a later report names mappings anew, also at the same moment; rules can be applied again"
sed 's/Java Heap/GC/; s/reserved 1024KB for Thread Stack/reserved 1024KB for Code/' \
    incident/1795220001-nmt.txt >1795220030-71.nmt
cp store.db later.db
run pmapdb import -v --db later.db 1795220030-71.nmt
run pmapdb categories --db later.db
# A wrong report at the moment of the right one.
run pmapdb import -v --db later.db --at 2026-11-21T00:13:50Z incident/1795220001-nmt.txt
run pmapdb categories --db later.db
run pmapdb rules --db later.db --diff default
run pmapdb rules --db later.db --diff default --forget-labels
run pmapdb labels --db later.db -f csv --top 1
run pmapdb rules --db later.db --apply default --forget-labels
run pmapdb rules --db later.db --apply default --forget-labels
run pmapdb labels --db later.db -f csv
pmapdb rules --db later.db --apply pmap-dotnet -q -o /dev/null
pmapdb import -q --db later.db 1795220030-71.nmt
run pmapdb rules --db later.db --apply default --forget-labels -f csv
run pmapdb rules --forget-labels
sqlite3 later.db "SELECT count(*) FROM lineage WHERE rule = 'label'"

say "System.map, from a pipe: the pid is not in it, it names threads"
cp incident/1795220000-71.smaps 1795220000-72.smaps
pmapdb import -q --db 2.db 1795220000-72.smaps
system_map >1795220000-vm_memory_map_72.txt
show pmapdb import --db 2.db --pid 72 --at 2026-11-21T00:53:20Z -f ndjson - '< system.map'
pmapdb import --db 2.db --pid 72 --at 2026-11-21T00:53:20Z -f ndjson - <1795220000-vm_memory_map_72.txt 2>/dev/null
run pmapdb labels --db 2.db
run pmapdb import -v --db 2.db 1795220000-vm_memory_map_72.txt

say "the process of a report must be known"
nmt 99 >1795220000-99.nmt
run pmapdb import -v 1795220000-99.nmt
run pmapdb import -v --host elsewhere incident/1795220001-nmt.txt
pmapdb import -q --host a --db 3.db incident/1795220000-71.smaps
pmapdb import -q --host b --db 3.db incident/1795220000-71.smaps
run pmapdb import -v --db 3.db incident/1795220001-nmt.txt
run pmapdb import -v --db 3.db --host b incident/1795220001-nmt.txt
nmt 1 >1795220000-container.nmt
run pmapdb import -v --db 3.db --host a --pid 71 1795220000-container.nmt
sed 1d 1795220000-99.nmt >1795220000.nmt
run pmapdb import -v 1795220000.nmt

say "in a container a JVM is pid 1, which is another process here"
mkdir -p hostp/1 hostp/11488
smaps >hostp/1/smaps <<END
000000500000 16 r-xp 16 - /lib/systemd/systemd
7f5000000000 64 rw-p 20 -
END
cp incident/1795220000-71.smaps hostp/11488/smaps
printf 'Name:\tsystemd\nPid:\t1\n' >hostp/1/status
printf 'Name:\tjava\nPid:\t11488\n' >hostp/11488/status
nmt 1 >hostp/11488/11488.nmt
nmt 1 >hostp/11488/nmt
nmt 1 >cont.nmt
touch -d 2026-11-21T00:13:20Z hostp/*/* cont.nmt
run pmapdb import -v --db 5.db hostp
run pmapdb labels --db 5.db java -f csv --top 1
run pmapdb import -v --db 5.db cont.nmt
run pmapdb import -v --db 5.db cont.nmt --pid 11488
run pmapdb import -v --db 5.db cont.nmt --pid 1
say "reports of two JVMs in one file: the name of the file gives at most one pid"
cp incident/1795220000-71.smaps 1795220000-73.smaps
pmapdb import -q --db 6.db incident/1795220000-71.smaps 1795220000-73.smaps
{
    nmt 71
    nmt 73
} >1795220000-71.nmt
run pmapdb import -v --db 6.db 1795220000-71.nmt

say "reports without names, and damaged reports"
nmt 71 | sed '/^Virtual/,$d' >1795220002-summary.txt
run pmapdb import -v 1795220002-summary.txt
printf 'Memory mappings:\nNMT is disabled. VM info not available.\n\nNumber of mappings: 0\n' >1795220003-71.map
run pmapdb import -v 1795220003-71.map
printf '\357\273\277' >1795220002-71.nmt
nmt 71 | sed '/^Virtual/q' >>1795220002-71.nmt
{
    printf '[0x0000000000001000 - 0x0fffffffffff0000] reserved 1125899906842556KB for Java Heap\n'
    printf '[0x00007f2000000000 - 0x00007f2000100000] reserved 1024KB for Thread Stack from\n\nDetails:\n'
} >>1795220002-71.nmt
run pmapdb import -v 1795220002-71.nmt
nmt 71 | sed 's/65536KB/65537KB/; /^Details/,$d' >1795220004-torn.nmt
run pmapdb import -v 1795220004-torn.nmt
run pmapdb import -v 1795220004-torn.nmt

say "a report long after the captures; several reports in one file; a report and a capture in one file"
nmt 71 >1795230000-71.nmt
run pmapdb import -v 1795230000-71.nmt
{
    nmt 71
    nmt 71
    cat incident/1795220000-71.smaps
} >1795220070-71.log
run pmapdb import -v 1795220070-71.log

say "into another store"
run pmapdb merge --db 4.db "$PMAPDB"
run pmapdb labels --db 4.db --snapshot first -f csv
