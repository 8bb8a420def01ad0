#!/bin/sh
# What the scenes of the fault series begin with: captures, and stores made of them, in FOLDER; and
# truth, a line "MS PID START SIZE RSS" for each mapping of each capture, from the numbers that the
# captures are written from.
#     PMAPDB_PROGRAM=build/dev/pmapdb sh tests/fault/make.sh FOLDER
set -eu

folder=${1:?usage: make.sh FOLDER}
program=${PMAPDB_PROGRAM:?the pmapdb to make stores with}
unset XDG_DATA_HOME XDG_CONFIG_HOME || :
export TZ=UTC LC_ALL=C HOME="$folder"

mkdir -p "$folder"
cd "$folder"
mkdir new late other there java long

# SECONDS PID STEP: a smaps of a heap that grows by the step, and beside it one mapping that
# comes and goes, one that moves, a library.
smaps() {
    awk -v step="$3" 'BEGIN {
        row("55d000000000", 16, "r-xp", 16, 8, "/srv/app")
        row("55d000010000", 8, "rw-p", 8, 8, "/srv/app")
        row("55d001000000", 400 + 64 * step, "rw-p", 300 + 48 * step, 0, "[heap]")
        if (step % 2) row("7f1000000000", 1024, "rw-p", 512, 0, "")
        row("7f200000" step "000", 64, "rw-s", 4 * step, 0, "/dev/shm/ring")
        row("7f3000000000", 1000, "r-xp", 400, 300, "/usr/lib/libc.so.6")
        row("7ffc00000000", 132, "rw-p", 12, 0, "[stack]")
    }
    function row(start, kib, perms, rss, shared, path) {
        printf "%s %d %s %d %d %s\n", start, kib, perms, rss, shared, path
    }' | while read -r start kib perms rss shared path; do
        printf '%s-%x %s 00000000 00:00 0 %s\n' "$start" $((0x$start + kib * 1024)) "$perms" "$path"
        printf 'Size: %d kB\nRss: %d kB\nPss: %d kB\nShared_Clean: %d kB\nShared_Dirty: 0 kB\n' \
            "$kib" "$rss" "$((rss - shared / 2))" "$shared"
        printf 'Private_Clean: 0 kB\nPrivate_Dirty: %d kB\nSwap: 0 kB\n' "$((rss - shared))"
        echo "${1}000 $2 $start $kib $rss" >>truth
    done
}

# SECONDS PID STEP FOLDER
capture() {
    smaps "$1" "$2" "$3" >"$4/$1-$2.smaps"
}

into() {
    db=$1
    shift
    "$program" import -q --db "$db" --name app "$@" >/dev/null
}

capture 1795220000 71 1 new
capture 1795220060 71 2 new
capture 1795220060 72 1 new

capture 1795220000 71 1 other
capture 1795220060 71 2 other
capture 1795220120 71 3 other
capture 1795220180 71 4 other
capture 1795220060 72 1 other
capture 1795220180 72 3 other
into history.db other
capture 1795220060 71 2 there
capture 1795220240 73 4 there
capture 1795220300 73 5 there
into there.db there

for step in 1 2 3 4 5 6 7 8 9; do # enough for a verdict
    capture $((1795220000 + 60 * step)) 74 $step long
done
into long.db long

capture 1795220090 71 5 late
capture 1795220240 72 4 late

printf 'rule,category,base,path,perms\nring,shared-memory/ring,shared-memory,*/ring,\nother,anonymous/other,anonymous,,rw?p\n' >rules.csv

cat >java/1795220240-nmt.txt <<END
72:

Native Memory Tracking:

Total: reserved=2048KB, committed=1024KB

Virtual memory map:
 
[0x00007f1000000000 - 0x00007f1000100000] reserved and committed 1024KB for Java Heap from

Details:

END
cp history.db labelled.db
"$program" import -q --db labelled.db --name app java >/dev/null
capture 1795220230 72 5 java

# Four calls of process 71 before and between its captures.
call() {
    printf 'app 71/71 [000] %s.000001: syscalls:sys_enter_%s: %s\n\t 10 %s+0x1 (/lib/libc.so.6)\n\t 20 work+0x5 (/srv/app)\n\n' \
        "$1" "$2" "$3" "$2"
    printf 'app 71/71 [000] %s.000002: syscalls:sys_exit_%s: %s\n\t 10 %s+0x1 (/lib/libc.so.6)\n\n' \
        "$1" "$2" "$4" "$2"
}
{
    call 10 mmap 'addr: 0x0, len: 0x100000, prot: 0x3, flags: 0x22, fd: 0xffffffff, off: 0x0' 0x7f1000000000
    call 70 brk 'brk: 0x55d001074000' 0x55d001074000
    call 100 munmap 'addr: 0x7f1000000000, len: 0x100000' 0x0
    call 130 mmap 'addr: 0x0, len: 0x100000, prot: 0x3, flags: 0x22, fd: 0xffffffff, off: 0x0' 0x7f1000000000
} >perf.txt
gzip -k -n perf.txt
cp history.db traced.db
"$program" import-perf -q --db traced.db --clock-offset 1795219990 perf.txt >/dev/null
tar cf new.tar new
gzip -n new.tar
sort -o truth truth
rm -f ./*-shm ./*-wal ./*-capture
