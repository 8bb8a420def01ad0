#!/bin/sh
# Runs the fuzz entries (tests/fuzz/NAME_fuzz.c) with libFuzzer, one after the other, and prints a
# table of what was run and found. Needs clang.
#     sh tests/fuzz/run.sh [--full] [--built FOLDER] [NAME...]
# By default each entry runs for 20 seconds (PMAPDB_FUZZ_SECONDS), or PMAPDB_FUZZ_RUNS times. --full:
# 2,000,000 executions each, 300,000 of the entries that use SQLite: three hours on one core.
# --built: runs the programs of that folder, and builds nothing.
# Inputs that reach new code are kept beside the programs, in work/NAME, and the next run starts with
# them; tests/fuzz/merge.sh puts them into the corpus. Inputs that break something are in
# findings/NAME; the exit status is then 1, and `fuzz_NAME FILE` shows what is wrong.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
here=$root/tests/fuzz
full='' built=''
while [ $# -gt 0 ]; do
    case $1 in
    --full) full=1 ;;
    --built)
        built=$2
        shift
        ;;
    -*)
        sed -n '2,12s/^# //p' "$0"
        exit 2
        ;;
    *) break ;;
    esac
    shift
done

if [ -z "$built" ]; then
    (cd "$root" && cmake --preset fuzz >/dev/null && cmake --build --preset fuzz)
    built=$root/build/fuzz/tests/fuzz
fi
if [ $# -eq 0 ]; then
    # shellcheck disable=SC2046 # names without blanks
    set -- $(find "$here" -name "*_fuzz.c" | sort | sed "s,.*/,,; s/_fuzz.c\$//")
fi

# Entries that read captures share a dictionary; inputs may be longer where long ones reach more
# code.
dictionary_of() {
    case $1 in
    reader | smaps | pmap | wide | live_map | map | classify) name=rows ;;
    *) name=$1 ;;
    esac
    [ ! -f "$here/$name.dict" ] || echo "-dict=$here/$name.dict"
}

length_of() {
    case $1 in
    unpack) echo 16384 ;;
    reader | smaps | pmap | wide | live_map | classify) echo 1500 ;;
    map | render | words | clock | select) echo 512 ;;
    *) echo 4096 ;;
    esac
}

limit_of() {
    if [ -n "${PMAPDB_FUZZ_RUNS:-}" ]; then
        echo "-runs=$PMAPDB_FUZZ_RUNS"
    elif [ -z "$full" ]; then
        echo "-max_total_time=${PMAPDB_FUZZ_SECONDS:-20}"
    else
        case $1 in
        sql | functions) echo -runs=300000 ;;
        *) echo -runs=2000000 ;;
        esac
    fi
}

# Stacks of allocations and a long quarantine are slow; a finding can be run again with the
# defaults.
run_one() {
    # shellcheck disable=SC2046 # none or one word
    ASAN_OPTIONS=quarantine_size_mb=8:malloc_context_size=1 "$built/fuzz_$1" \
        "$(limit_of "$1")" -max_len="$(length_of "$1")" -entropic=0 -timeout=20 -rss_limit_mb=3000 \
        -print_final_stats=1 -artifact_prefix="$built/findings/$1/" $(dictionary_of "$1") \
        "$built/work/$1" "$here/corpus/$1" >"$built/work/$1.log" 2>&1
}

statistic() {
    sed -n "s/^stat::$2: *//p" "$built/work/$1.log"
}

found=0
printf '%-10s %12s %10s %8s %9s\n' entry executions per-second coverage findings
for entry; do
    mkdir -p "$built/work/$entry" "$built/findings/$entry" "$here/corpus/$entry"
    run_one "$entry" || :
    findings=$(find "$built/findings/$entry" -type f | wc -l)
    found=$((found + findings))
    printf '%-10s %12s %10s %8s %9s\n' "$entry" "$(statistic "$entry" number_of_executed_units)" \
        "$(statistic "$entry" average_exec_per_sec)" \
        "$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$built/work/$entry.log" | tail -n 1)" "$findings"
done
[ $found -eq 0 ] || echo "$found findings in $built/findings"
[ $found -eq 0 ]
