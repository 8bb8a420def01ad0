# kit: what the scripts of golden tests share. run.sh reads it before each of them.

# Programs and files without which a script makes no sense.
need() {
    for tool in "$@"; do
        command -v "$tool" >/dev/null 2>&1 || [ -r "$tool" ] || {
            echo "skipped: no $tool here"
            exit 77
        }
    done
}

# script, and a terminal that it can make: a chroot may have a /dev without pts.
need_terminal() {
    need script
    script -qec true /dev/null </dev/null >/dev/null 2>&1 || {
        echo "skipped: no pseudo-terminal here"
        exit 77
    }
}

# NAME PID...: until they have this name and sleep: before, each is a shell's child, or being loaded.
asleep() {
    asleep_name=$1
    shift
    for pid in "$@"; do
        until grep -qs "($asleep_name) S " "/proc/$pid/stat"; do :; done
    done
}

# Makes samples or fixtures, which are links into the source, a copy that the script may change.
own() {
    cp -R "$1/" copy
    rm "$1"
    mv copy "$1"
}

say() {
    printf '\n== %s\n' "$*"
}

# What is fed by a pipe says so in its last argument.
show() {
    printf '$'
    for word in "$@"; do
        case $word in
        '' | *[!A-Za-z0-9_./:=@+,-]*) printf " '%s'" "$word" ;;
        *) printf ' %s' "$word" ;;
        esac
    done
    echo
}

# Shows a command, its output, behind "! " what it says on standard error, and a status that is not 0.
run() {
    show "$@"
    status=0
    "$@" >"$PMAPDB_SCRATCH/stdout" 2>"$PMAPDB_SCRATCH/stderr" || status=$?
    cat "$PMAPDB_SCRATCH/stdout"
    sed "s|$PMAPDB_SCRATCH|SCRATCH|g; s/^/! /" "$PMAPDB_SCRATCH/stderr"
    [ $status -eq 0 ] || echo "= exit $status"
}

# A pmap -x of a small program: PID NAME HEAP_KIB [FILE_KIB], of which all is resident. With FILE_KIB
# it also maps /srv/data. Its sums are right.
pmap_x() {
    awk -v pid="$1" -v name="$2" -v heap="$3" -v file="${4:-0}" 'BEGIN {
        printf "%d:   /srv/%s\n", pid, name
        print "Address           Kbytes     RSS   Dirty Mode  Mapping"
        row("0000560000000000", 16, 16, 0, "r-x--", name)
        row("0000560000010000", 8, 8, 8, "rw---", name)
        row("0000560001000000", heap, heap, heap, "rw---", "  [ anon ]")
        if (file) row("00007f0000000000", file, file, 0, "r----", "data")
        row("00007f1000000000", 1000, 400, 0, "r-x--", "libc.so.6")
        row("00007ffc00000000", 132, 12, 12, "rw---", "  [ stack ]")
        print "---------------- ------- ------- ------- "
        printf "total kB         %7d %7d %7d\n", kib, rss, dirty
    }
    function row(at, k, r, d, mode, what) {
        printf "%s %7d %7d %7d %s %s\n", at, k, r, d, mode, what
        kib += k; rss += r; dirty += d
    }'
}

# PID NAME N HEAP_KIB STEP_KIB [MINUTES [FILE_KIB]]: N of these with their times, one in five minutes, from so many
# minutes of 2026-11-21 on. Heap and file grow by STEP_KIB and FILE_KIB.
log() {
    for i in $(seq 0 $(($3 - 1))); do
        date -u -d "2026-11-21T00:00:00Z + $((${6:-0} + 5 * i)) minutes" +%FT%TZ
        pmap_x "$1" "$2" $(($4 + $5 * i)) $((${7:-0} * i))
    done
}

# A smaps of rows START KIB PERMS RSS FLAGS [PATH]; "-" is no flags.
smaps() {
    while read -r start kib perms rss flags path; do
        printf '%s-%x %s 00000000 00:00 0 %s\n' "$start" $((0x$start + kib * 1024)) "$perms" "$path"
        printf 'Size: %d kB\nRss: %d kB\nPrivate_Clean: 0 kB\nPrivate_Dirty: %d kB\n' "$kib" "$rss" "$rss"
        [ "$flags" = - ] || printf 'VmFlags: %s\n' "$(echo "$flags" | tr , ' ')"
    done
}
