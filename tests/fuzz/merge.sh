#!/bin/sh
# Makes the committed corpus anew from the current corpus, the inputs that run.sh kept and the first
# inputs of seed.py: for each entry, the fewest files that reach all code that these inputs reach.
#     sh tests/fuzz/merge.sh FOLDER [NAME...]        FOLDER: has the programs, build/fuzz/tests/fuzz
set -eu

built=${1:?usage: merge.sh FOLDER [NAME...]}
shift
here=$(cd "$(dirname "$0")" && pwd)
if [ $# -eq 0 ]; then
    # shellcheck disable=SC2046 # names without blanks
    set -- $(find "$here" -name "*_fuzz.c" | sort | sed "s,.*/,,; s/_fuzz.c\$//")
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
python3 "$here/seed.py" "$scratch/seeds"

for entry; do
    mkdir -p "$scratch/new/$entry" "$here/corpus/$entry" "$built/work/$entry" "$scratch/seeds/$entry"
    # -use_counters=0: code counts once, however often it runs; otherwise there are thousands of files
    "$built/fuzz_$entry" -set_cover_merge=1 -use_counters=0 -max_len=16384 "$scratch/new/$entry" \
        "$here/corpus/$entry" "$scratch/seeds/$entry" "$built/work/$entry" \
        >"$scratch/$entry.log" 2>&1
    # fixed findings have names, and are kept even if other inputs reach the same code
    rm -rf "$scratch/kept"
    mkdir "$scratch/kept"
    find "$here/corpus/$entry" -name 'mended-*' -exec cp {} "$scratch/kept" \;
    rm -rf "${here:?}/corpus/$entry"
    mkdir "$here/corpus/$entry"
    find "$scratch/new/$entry" "$scratch/kept" -type f -exec cp {} "$here/corpus/$entry" \;
    printf '%-10s %5s files %8s bytes\n' "$entry" "$(find "$here/corpus/$entry" -type f | wc -l)" \
        "$(find "$here/corpus/$entry" -type f -exec cat {} + | wc -c)"
done
