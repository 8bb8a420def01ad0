#!/bin/sh
# The whole way once: installs what building needs, builds the release preset, imports the captures
# beside this file into a fresh store and asks it what grew, then captures a live process of its own,
# which needs no privilege. Leaves build/demo/growth.csv and report.html.
#
#     sh samples/demo.sh
set -eu
cd "$(dirname "$0")/.."
. tests/packages.sh

say() {
    printf '\n== %s\n' "$*"
}

# Shows the command as a user would type it, then runs the one just built.
run() {
    printf '$ pmapdb %s\n' "$*"
    build/release/pmapdb "$@"
}

say "Installing what the build needs"
packages_install build

say "Building (preset release, into build/release)"
cmake --preset release
cmake --build --preset release --target pmapdb

store=$(mktemp -d)
leaky=
trap '[ -z "$leaky" ] || kill "$leaky" 2>/dev/null || :; rm -rf "$store"' EXIT
trap 'exit 1' HUP INT TERM
export PMAPDB="$store/demo.db"
mkdir -p build/demo

say "Importing six minutes of a leaking program into a fresh store"
run import samples/captures

say "What is in the store"
run snapshots

say "Every category in every snapshot: here the heap, about 252 KiB more at each step"
run growth --category heap

say "What grew between the first snapshot and the last, by category"
run diff --from first --to last --by category

say "Is it a leak? The heap and the anonymous memory are; the cache in shared memory filled up"
run leaks --limit 64M

say "All of it as one page for a browser: build/demo/report.html"
run report --limit 64M -o build/demo/report.html

say "A log that kept only pmap's last line: resident memory slows down once the cache is full"
head -n 2 samples/logs/leaky-totals.log
(
    export PMAPDB="$store/totals.db"
    run import -q --name leaky samples/logs/leaky-totals.log
    run growth
)

say "The same as CSV, for a spreadsheet or a plot: build/demo/growth.csv"
run growth -f csv -o build/demo/growth.csv
head -n 5 build/demo/growth.csv
echo "($(wc -l <build/demo/growth.csv) lines)"

say "The same program live: started here, captured five times in two seconds"
cc -O1 -pthread -o "$store/leaky" samples/leaky.c
"$store/leaky" 60 1 &
leaky=$!
# Waits for the exec: at first the child is still a shell.
sleep 1
(
    export PMAPDB="$store/live.db"
    run capture "$leaky" --every 500ms --count 5
    run snapshots
    say "What belongs together, and what it grew by: of each user, name, cgroup, or what an expression says"
    run groups --by user
    say "Is the store well, do captures arrive, did looking hurt?"
    # Status 2 is a warning, for example about a disk that is nearly full.
    run doctor || [ $? -eq 2 ]
)
