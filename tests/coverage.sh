#!/bin/sh
# How much of src the tests run: builds with --coverage and without optimisation, runs the tests once,
# prints lines and branches by folder. The exit status is 1 below 90 % of the lines
# (PMAPDB_COVERAGE_LEAST).
#
#     sh tests/coverage.sh [BUILD-FOLDER]
#
# Twenty minutes on one core; needs gcovr. BUILD-FOLDER/lines.html shows which lines are not run. Two
# tests fail here, for they see that the counts are written: hostile/packed, live/user. Not counted is
# what a process had run that was killed.
set -eu
cd "$(dirname "$0")/.."
root=$(pwd)
build=${1:-build/coverage}
least=${PMAPDB_COVERAGE_LEAST:-90}
# These look at what was built, or at the sources: this build is none that anybody runs. Those of the
# second line kill what they run, or let its writing and its memory fail, that of the counts as well:
# a torn file of counts begins again at 0.
left_out='^(hardened|no-shell|format|style|layers|header|sql-old|bench)'
left_out="$left_out|^(crash/|fault/|store/full_disk|cli/formats)"

command -v gcovr >/dev/null 2>&1 || {
    echo "skipped: no gcovr here"
    exit 77
}
cmake -G Ninja -S . -B "$build" -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS="--coverage -O0 -g" \
    ${PMAPDB_SHARED:+"-DPMAPDB_SHARED=$PMAPDB_SHARED"} >/dev/null
cmake --build "$build"
find "$build" -name '*.gcda' -delete
# Who may not write there says so on standard error, which tests compare.
GCOV_ERROR_FILE=/dev/null ctest --test-dir "$build" -E "$left_out" --timeout 900 --output-on-failure ||
    echo "== Tests failed; what they would have run behind that is missing below"

gcovr -r "$root" --object-directory "$build" --filter "$root/src/" --exclude-throw-branches \
    --exclude-directories '.*CompilerId.*' --csv "$build/lines.csv" \
    --html-details "$build/lines.html" "$build" >/dev/null
awk -F , -v least="$least" '
    NR == 1 {
        for (i = 1; i <= NF; i++) column[$i] = i
        next
    }
    {
        n = split($column["filename"], part, "/")
        folder = part[2]
        for (i = 3; i < n; i++) folder = folder "/" part[i]
        lines[folder] += $column["line_total"]; run[folder] += $column["line_covered"]
        ways[folder] += $column["branch_total"]; taken[folder] += $column["branch_covered"]
        all += $column["line_total"]; all_run += $column["line_covered"]
        all_ways += $column["branch_total"]; all_taken += $column["branch_covered"]
    }
    function row(name, l, r, w, t) {
        return sprintf("%-16s %7d %7d %6.1f %%  %8d %6.1f %%", name, l, l - r, 100 * r / l, w,
            w ? 100 * t / w : 100)
    }
    END {
        printf "%-16s %7s %7s %8s  %8s %8s\n", "folder", "lines", "not run", "run", "branches", "taken"
        for (folder in lines)
            print row(folder, lines[folder], run[folder], ways[folder], taken[folder]) | "sort"
        close("sort")
        print row("all", all, all_run, all_ways, all_taken)
        exit 100 * all_run < least * all
    }' "$build/lines.csv" || {
    echo "less than $least % of the lines"
    exit 1
}
