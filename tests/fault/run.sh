#!/bin/sh
# The fault series: every command with the n-th allocation, read, write, sync ... failing; after each
# the store is whole, the error is told, and the command run again ends where it should. The short
# form takes some runs of each command.
#     PMAPDB_PROGRAM=build/dev/pmapdb PMAPDB_FAULTS=build/dev/tests/fault/faults \
#         sh tests/fault/run.sh [--full | --places] [--part N] [--scene NAME] [--kind NAME]
#                               [--show once|onwards N]
# --full runs every n of every series: 1.4 million runs, three hours of a release build (where the
# libraries' allocations fail as well), a day with sanitizers; one --scene or --kind at a time is
# minutes. --places runs one n for each place that calls come from, known by its callers: a sixth of
# that, with nearly all that there is to find. Without these each command gets $PMAPDB_FAULT_RUNS
# runs, the same every time. --part: of four. --show prints what one run said.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
faults=$(readlink -f "${PMAPDB_FAULTS:?the built tests/fault/faults}")
program=$(readlink -f "${PMAPDB_PROGRAM:?the pmapdb to make stores with}")
most=${PMAPDB_FAULT_RUNS:-4} # of each command
case " $* " in
*" --full "* | *" --places "* | *" --show "*) most=0 ;;
esac
[ "${1:-}" != --full ] || shift
folder=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d) # nothing waits for a disk
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' HUP INT TERM
PMAPDB_PROGRAM=$program sh "$here/make.sh" "$folder/made"
"$faults" "$folder/made" --most "$most" "$@"
