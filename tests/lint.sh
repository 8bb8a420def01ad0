#!/bin/sh
# Runs the linters: clang-format 14 on all C, clang-tidy 14 on src, include and, with --full,
# tests. Clean before a commit. The exit status is 1 if one of them complains.
#
#     sh tests/lint.sh [--full] [--built FOLDER] [WORD...]
#
# A WORD chooses the files whose paths have it: sh tests/lint.sh src/cli. All of src takes half an
# hour on one core, the tests as long again. FOLDER is where it was built with gcc or clang
# (build/dev).
set -eu
cd "$(dirname "$0")/.."
build=build/dev full=''
while [ $# -gt 0 ]; do
    case $1 in
    --full) full=1 ;;
    --built)
        build=$2
        shift
        ;;
    -*)
        sed -n '2,10s/^# \{0,1\}//p' "$0"
        exit 2
        ;;
    *) break ;;
    esac
    shift
done
words=$(printf '%s\n' "$@")

for tool in clang-tidy-14 clang-format-14; do
    command -v $tool >/dev/null 2>&1 || {
        echo "skipped: no $tool here"
        exit 77
    }
done
[ -f "$build/compile_commands.json" ] || {
    echo "no $build/compile_commands.json: cmake --preset dev"
    exit 2
}

failed=0
sh tests/format.sh . || failed=1
# One at a time: from its second file on, clang-tidy 14 does not know va_start again and calls every
# va_list uninitialized. Headers are read where they are included (.clang-tidy, HeaderFilterRegex).
for file in $(find src ${full:+tests} -name '*.c' | grep -F -e "$words" | sort); do
    # What CMake does not build here (tests/fixtures) has no command to read it by.
    grep -qF "/$file\"" "$build/compile_commands.json" || continue
    clang-tidy-14 -p "$build" --quiet "$file" 2>/dev/null || failed=1
done
[ $failed -ne 0 ] || echo "nothing to say"
exit $failed
