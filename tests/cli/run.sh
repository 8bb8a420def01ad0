#!/bin/sh
# One golden test of the command line: runs kit.sh, then NAME.sh, in a new folder and compares the
# output with NAME.out. PMAPDB_UPDATE=1 writes NAME.out instead; read it before you keep it.
#     PMAPDB_PROGRAM=build/dev/pmapdb sh tests/cli/run.sh NAME
set -eu

name=${1:?usage: run.sh NAME}
here=$(cd "$(dirname "$0")" && pwd)
program=${PMAPDB_PROGRAM:?the pmapdb to test}
program=$(cd "$(dirname "$program")" && pwd)/$(basename "$program")
export PMAPDB_PROGRAM="$program"

scratch=$(mktemp -d)
serving=
end() {
    [ -z "$serving" ] || kill -KILL "$serving" # another signal is lost if it comes before exec
    wait || :
    rm -rf "$scratch"
}
trap end EXIT
trap 'exit 1' HUP INT TERM
mkdir "$scratch/bin" "$scratch/home" "$scratch/work"
# Commands are forks of one served program, except if a test uses background jobs, ulimit or descriptors, or the served
# program was built before the program.
served=$(dirname "${PMAPDB_CALL:-}")/pmapdb_served
if [ -x "${PMAPDB_CALL:-}" ] && [ ! "$served" -ot "$program" ] &&
    ! grep -qE 'pmapdb .*&$|ulimit|>&-' "$here/$name.sh"; then
    ASAN_OPTIONS=detect_leaks=0 "$served" "$scratch/served" </dev/null &
    serving=$!
    program=$PMAPDB_CALL
fi
ln -s "$program" "$scratch/bin/pmapdb"
ln -s "$here/../../samples" "$here/../fixtures" "$scratch/work/"

# The user's settings must not change the test.
unset XDG_DATA_HOME XDG_CONFIG_HOME COLUMNS NO_COLOR ARGP_HELP_FMT || :
export PMAPDB_CONFIG="" PATH="$scratch/bin:$PATH" HOME="$scratch/home" TZ=UTC
export LC_ALL=C TERM=dumb PAGER=cat
export PMAPDB=store.db PMAPDB_KIT="$here/kit.sh" PMAPDB_SCRATCH="$scratch"

status=0
# shellcheck disable=SC2016 # the inner shell's own words
(cd "$scratch/work" && sh -euc '. "$PMAPDB_KIT"; . "$0"' "$here/$name.sh") >"$scratch/out" 2>"$scratch/err" </dev/null ||
    status=$?
if [ $status -eq 77 ] || [ $status -ne 0 ] || [ -s "$scratch/err" ]; then
    cat "$scratch/out" "$scratch/err"
    echo "$name.sh ended with exit status $status"
    [ $status -ne 0 ] || status=1
    exit $status
fi
if [ -n "${PMAPDB_UPDATE:-}" ]; then
    cp "$scratch/out" "$here/$name.out"
else
    diff -u "$here/$name.out" "$scratch/out"
fi
