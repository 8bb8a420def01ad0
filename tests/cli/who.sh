# who: stacks of what grew, of lineages, categories, addresses; what a recording does not cover; two
# recordings; calls; folded; what is wrong; the hints of diff and leaks.

# Converts lines START-END KIB NAME, a mapping each, to smaps.
smaps() {
    awk '{ printf "%s rw-p 00000000 00:00 0 %s\nSize: %d kB\nRss: %d kB\nPss: %d kB\n", $1, $3, $2, $2, $2
        print "Shared_Clean: 0 kB\nShared_Dirty: 0 kB\nPrivate_Clean: 0 kB"
        printf "Private_Dirty: %d kB\n", $2 }'
}
# TID SECONDS CALL ARGUMENTS RESULT FRAME...: prints an enter and its exit; a frame is SYMBOL+OFFSET (DSO).
call() {
    tid=$1 at=$2 name=$3 given=$4 ret=$5
    shift 5
    for half in enter exit; do
        if [ $half = enter ]; then body=$given us=1; else body=$ret us=2; fi
        printf 'web 7/%s [000] %s.00000%s: syscalls:sys_%s_%s: %s\n' "$tid" "$at" $us $half "$name" "$body"
        printf '\t 10 %s\n' "$@"
        echo
    done
}
mapped() { # TID SECONDS LENGTH RESULT FRAME...
    tid=$1 at=$2 length=$3 ret=$4
    shift 4
    call "$tid" "$at" mmap "addr: 0x0, len: $length, prot: 0x3, flags: 0x22, fd: 0xffffffff, off: 0x0" \
        "$ret" '__mmap+0x7 (/usr/lib/libc.so.6)' "$@"
}
web='(/srv/web)'

smaps >1700000010-7.smaps <<'MAPS'
560001000000-560001010000 64 [heap]
7f0000100000-7f0000110000 64
7f0000600000-7f0000610000 64
MAPS
smaps >1700000020-7.smaps <<'MAPS'
560001000000-560001030000 192 [heap]
7f0000200000-7f0000240000 256
7f0000400000-7f0000404000 16
7f0000600000-7f0000610000 64
7f0000700000-7f0000710000 64
7f0000900000-7f0000920000 128
MAPS
{
    call 7 5 brk 'brk: 0x0' 0x560001010000 'brk+0x7 (/usr/lib/libc.so.6)' "main+0x8 $web"
    mapped 7 6 0x10000 0x7f0000600000 "pool+0x10 $web" # unmapped at 16; no call shows what is mapped there later
    mapped 7 11 0x10000 0x7f0000700000 "session+0x10 $web" # until 26
    call 7 12 brk 'brk: 0x560001030000' 0x560001030000 '__brk+0x7 (inlined)' \
        'malloc+0x9 (/usr/lib/libc.so.6)' "session_alloc+0x10 $web" "serve(int, char)+0x20 $web" "main+0x30 $web" \
        '__libc_start_call_main+0x1 (/usr/lib/libc.so.6)' '__libc_start_main_impl+0x2 (inlined)' "_start+0x3 $web"
    mapped 8 13 0x20000 0x7f0000200000 "cache_fill+0x10 $web" "worker+0x40 $web"
    mapped 9 13 0x10000 0x7f0000800000 "grow_table+0x10 $web"
    call 9 14 mremap 'addr: 0x7f0000800000, old_len: 0x10000, new_len: 0x20000, flags: 0x1, new_addr: 0x0' \
        0x7f0000900000 '__mremap+0x7 (/usr/lib/libc.so.6)' "grow_table+0x20 $web"
    mapped 8 14 0x20000 0x7f0000220000 "cache_fill+0x20 $web" "worker+0x40 $web"
    mapped 7 15 0x10000 0x7f0000230000 "good_citizen+0x10 $web" "main+0x60 $web" # maps over
    call 7 16 munmap 'addr: 0x7f0000100000, len: 0x10000' 0x0 '__munmap+0x7 (/usr/lib/libc.so.6)' \
        "shutdown+0x10 $web"
    call 7 16 munmap 'addr: 0x7f0000600000, len: 0x10000' 0x0 '__munmap+0x7 (/usr/lib/libc.so.6)' "pool+0x20 $web"
    mapped 7 17 0x10000 0x7f0000300000 "good_citizen+0x10 $web" "main+0x60 $web"
    call 7 18 munmap 'addr: 0x7f0000300000, len: 0x10000' 0x0 '__munmap+0x7 (/usr/lib/libc.so.6)' \
        "good_citizen+0x20 $web" "main+0x60 $web"
    mapped 7 19 0x10000 0xfffffffffffffff4 "[unknown] (/srv/plugin.so)"
    mapped 7 25 0x10000 0x7f0000500000 "late+0x10 $web"
    call 7 26 munmap 'addr: 0x7f0000700000, len: 0x10000' 0x0 '__munmap+0x7 (/usr/lib/libc.so.6)' \
        "session+0x20 $web"
} >first.txt
pmapdb import -q --name web 17000000*-7.smaps

say "no recording yet"
run pmapdb who
pmapdb import-perf -q --clock-offset 1700000000 first.txt -o /dev/null

say "the whole growth: the rows add up to the growth"
run pmapdb who
run pmapdb who -f csv
run pmapdb who --by function --kib
run pmapdb who --from last --to last

say "a category, a lineage, an address"
run pmapdb who web --category heap
run pmapdb who --category anonymous -f ndjson
run pmapdb who web/7 --lineage 1 -f csv
run pmapdb who --address 0x7f0000201234 -f csv
run pmapdb who --address 7f0000201234 -f csv
run pmapdb who --address 7f0000100000 -f csv
run pmapdb who --category heap --address 7f0000100000 -f csv
run pmapdb who-mappings --category anonymous

say "folded"
run pmapdb who --folded
run pmapdb who --folded --category heap

say "--events: the calls"
run pmapdb who --events
run pmapdb who --events --category heap -f ndjson
run pmapdb who --events --category anonymous --since 2023-11-14T22:13:36Z --until 2023-11-14T22:13:38.5Z
run pmapdb who --events --address 7f0000900000 -f csv
run pmapdb who-recordings

say "wrong options"
run pmapdb who --category hepa
run pmapdb who --lineage 77
run pmapdb who --lineage L1
run pmapdb who --address 0x1000
run pmapdb who heap
run pmapdb who --folded --events
run pmapdb who --since -1h
run pmapdb who --by thread

say "a recording of a part of the time"
{
    sed -n '/ 13\.0/,$p' first.txt
} >late.txt
pmapdb import -q --db late.db --name web 17000000*-7.smaps
pmapdb import-perf -q --db late.db --clock-offset 1700000000 late.txt -o /dev/null
run pmapdb who --db late.db

say "by default the snapshots around the recording"
cp 1700000020-7.smaps 1700000030-7.smaps
cp 1700000020-7.smaps 1700000050-7.smaps
cp 1700000010-7.smaps 1700000000-7.smaps
cp 1700000010-7.smaps 1700000004-7.smaps
pmapdb import -q --db span.db --name web 17000000*-7.smaps
pmapdb import-perf -q --db span.db --clock-offset 1700000000 first.txt -o /dev/null
run pmapdb who --db span.db --category heap
cp 1700000010-7.smaps other.smaps
pmapdb import -q --db span.db --name other --pid 9 --at 2023-11-14T22:13:50Z other.smaps
pmapdb who --db span.db --category heap 2>/dev/null | sed -n 2p
rm 1700000030-7.smaps 1700000050-7.smaps 1700000000-7.smaps 1700000004-7.smaps other.smaps

say "a second recording continues: memory that it saw freed or replaced no longer belongs to the first"
smaps >1700000040-7.smaps <<'MAPS'
560001000000-560001030000 192 [heap]
7f0000200000-7f0000220000 128
7f0000238000-7f0000240000 32
7f0000400000-7f0000404000 16
7f0000500000-7f0000510000 64
MAPS
{
    call 7 32 munmap 'addr: 0x7f0000220000, len: 0x20000' 0x0 '__munmap+0x7 (/usr/lib/libc.so.6)' \
        "trim+0x10 $web"
    mapped 8 33 0x10000 0x7f0000210000 "reuse+0x10 $web"
    printf 'web 7/7 [000] 33.000003: PERF_RECORD_LOST lost 12\n\n'
} >second.txt
pmapdb import -q --name web 1700000040-7.smaps
pmapdb import-perf -q --clock-offset 1700000000 second.txt -o /dev/null
run pmapdb who --kib
run pmapdb who --from -20s -f csv

say "two recordings of the same calls count them once"
{
    cat first.txt
    mapped 7 28 0x1000 0x7f0000a00000 "later+0x10 $web"
} >twice.txt
pmapdb import -q --db twice.db --name web 1700000010-7.smaps 1700000020-7.smaps
pmapdb import-perf -q --db twice.db --clock-offset 1700000000 first.txt -o /dev/null
run pmapdb who --db twice.db -f csv -o once.csv
pmapdb import-perf -q --db twice.db --clock-offset 1700000000 twice.txt -o /dev/null
pmapdb who --db twice.db -f csv 2>/dev/null | cut -d , -f 1-6 >both.csv
cut -d , -f 1-6 once.csv | diff - both.csv && echo "as of one"

say "a process of the same name is another, whatever its addresses"
sed -e 's/^web 7\//web 70\//' first.txt >other.txt
for at in 1700000010 1700000020; do
    printf '7f0000b00000-7f0000b10000 64\n' | smaps >$at-70.smaps
done
pmapdb import -q --db two.db --name web 1700000010-7*.smaps 1700000020-7*.smaps
pmapdb import-perf -q --db two.db --clock-offset 1700000000 first.txt other.txt -o /dev/null
run pmapdb sql --db two.db "SELECT count(*) AS linked FROM traced_process WHERE process_id IS NOT NULL"
pmapdb who --db two.db -f csv 2>/dev/null | cut -d , -f 4-6 >named.csv
cut -d , -f 4-6 once.csv | diff - named.csv && echo "as of one"

say "hints of diff and leaks"
pmapdb diff | tail -n 1
