# kit: functions that the scripts of the golden tests share. run.sh reads this file before each script.

# Skips the test if one of these programs or files is missing.
need() {
    for tool in "$@"; do
        command -v "$tool" >/dev/null 2>&1 || [ -r "$tool" ] || {
            echo "skipped: no $tool here"
            exit 77
        }
    done
}

# Skips the test without script(1) or a pseudo-terminal: a chroot may have a /dev without pts.
need_terminal() {
    need script
    script -qec true /dev/null </dev/null >/dev/null 2>&1 || {
        echo "skipped: no pseudo-terminal here"
        exit 77
    }
}

# NAME PID...: waits until each process has this name and sleeps; before, it is still the shell or loading.
asleep() {
    asleep_name=$1
    shift
    for pid in "$@"; do
        until grep -qs "($asleep_name) S " "/proc/$pid/stat"; do :; done
    done
}

# Replaces samples or fixtures, a link into the source, by a copy that the script may change.
own() {
    cp -R "$1/" copy
    rm "$1"
    mv copy "$1"
}

say() {
    printf '\n== %s\n' "$*"
}

# Prints a command as a user would type it. A caller that uses a pipe adds a remark as last argument.
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

# Shows a command, its output, its standard error with "! " before each line, and a status other than 0.
run() {
    show "$@"
    status=0
    "$@" >"$PMAPDB_SCRATCH/stdout" 2>"$PMAPDB_SCRATCH/stderr" || status=$?
    cat "$PMAPDB_SCRATCH/stdout"
    sed "s|$PMAPDB_SCRATCH|SCRATCH|g; s/^/! /" "$PMAPDB_SCRATCH/stderr"
    [ $status -eq 0 ] || echo "= exit $status"
}

# A pmap -x of a small program: PID NAME HEAP_KIB [FILE_KIB], all of the heap resident. With FILE_KIB
# the program also maps /srv/data. The sums are right.
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

# PID NAME N HEAP_KIB STEP_KIB [MINUTES [FILE_KIB]]: N outputs of pmap_x with times, every five minutes, starting
# MINUTES after 2026-11-21T00:00Z. Each time the heap grows by STEP_KIB, the file by FILE_KIB.
log() {
    for i in $(seq 0 $(($3 - 1))); do
        date -u -d "2026-11-21T00:00:00Z + $((${6:-0} + 5 * i)) minutes" +%FT%TZ
        pmap_x "$1" "$2" $(($4 + $5 * i)) $((${7:-0} * i))
    done
}

# A smaps of rows START KIB PERMS RSS FLAGS [PATH]; "-" means without flags.
smaps() {
    while read -r start kib perms rss flags path; do
        printf '%s-%x %s 00000000 00:00 0 %s\n' "$start" $((0x$start + kib * 1024)) "$perms" "$path"
        printf 'Size: %d kB\nRss: %d kB\nPrivate_Clean: 0 kB\nPrivate_Dirty: %d kB\n' "$kib" "$rss" "$rss"
        [ "$flags" = - ] || printf 'VmFlags: %s\n' "$(echo "$flags" | tr , ' ')"
    done
}
