#!/bin/sh
# The tests under valgrind: nothing is read before it is written or after it is freed, nothing leaks.
# Sees what sanitizers do not: values that were never set. Builds with -O1 -g and no sanitizers.
#
#     sh tests/valgrind.sh [--full] [--built FOLDER] [NAME...]
#
# A NAME is one of ctest's: store/put, cli/import; parse/ is all that begin so. Without --full and
# NAME a part of all, a quarter of an hour on one core; --full takes some hours. FOLDER is where it is
# built (build/valgrind). The exit status is 1 where valgrind finds something or a test fails; what
# it found is printed, and is in FOLDER/found.
set -eu
cd "$(dirname "$0")/.."
root=$(pwd)
build=build/valgrind full=''
quick='base/ parse/ classify/ render/ source/ store/statement store/import_log store/select store/lineage
    store/merge store/prune_known store/process store/space store/strip
    perf/replay stats/order stats/points stats/fit api/import api/intake_bounds api/merge
    api/rules cli/import cli/diff cli/check cli/merge cli/terminal'
while [ $# -gt 0 ]; do
    case $1 in
    --full) full=1 ;;
    --built)
        build=$2
        shift
        ;;
    -*)
        sed -n '2,12s/^# \{0,1\}//p' "$0"
        exit 2
        ;;
    *) break ;;
    esac
    shift
done
names="$*"
[ -n "$names" ] || names=${full:+base/ parse/ classify/ stats/ render/ source/ store/ api/ sqlite/ cli/}
names=${names:-$quick}

# Left out, and why.
left_out() {
    case $1 in
    source/proc | source/proc_*) ;; # children of theirs run /proc/self/exe, which is valgrind
    store/full_disk | api/resident) ;; # limits of memory and of files, which valgrind itself needs
    source/unpack | api/capture_watch | api/capture_every) ;; # within a time, which it has not
    stats/leaks_whole | stats/trend_shapes | stats/refine | stats/port) ;; # hours of arithmetic
    store/order | store/queries | classify/rules_random) ;; # hours; store/moment, cli/query are short
    cli/together | cli/capture* | cli/blind) ;; # what lives meanwhile has gone by then
    cli/examples | cli/complete* | cli/man-*) ;; # hundreds of runs of what others run too
    *) return 1 ;;
    esac
}

command -v valgrind >/dev/null 2>&1 || {
    echo "skipped: no valgrind here"
    exit 77
}
# Debug: not fortified, for valgrind takes the memmove of that for a memcpy.
cmake -G Ninja -S . -B "$build" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG="-O1 -g" \
    ${PMAPDB_SHARED:+"-DPMAPDB_SHARED=$PMAPDB_SHARED"} >/dev/null
cmake --build "$build"
build=$(cd "$build" && pwd)
rm -rf "$build/found"
mkdir "$build/found"
export TZ=UTC PMAPDB_SHARED="${PMAPDB_SHARED:-$root/../shared}" PMAPDB_EXTENSION="$build/pmapdb.so"
# A block that SQLite knows by its middle only is not lost: signals end some programs of the golden
# tests with an open store.
how="-q --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite"
how="$how --error-exitcode=99 --log-file=$build/found/%p.log"
# What the golden tests run: the same program, seen by valgrind, which says nothing on standard error.
cat >"$build/found/pmapdb" <<END
#!/bin/sh
PATH=$build:\$PATH exec valgrind $how pmapdb "\$@"
END
chmod +x "$build/found/pmapdb"

look() { # NAME
    case $1 in
    cli/*_test) program=$build/tests/$(echo "$1" | tr / _) ;;
    cli/*) program='' ;;
    *) program=$build/tests/$(echo "$1" | tr / _)_test ;;
    esac
    if [ -n "$program" ]; then
        # shellcheck disable=SC2086 # words
        valgrind $how "$program"
    else
        PMAPDB_PROGRAM=$build/found/pmapdb sh tests/cli/run.sh "${1#cli/}"
    fi
}

# As ctest calls them; those of a folder end in _test, and the golden ones in .out.
all=$(find tests/* -maxdepth 1 -name '*_test.c' -o -path 'tests/cli/*.out' |
    sed -n 's,^tests/\(cli\)/\([^/]*\)\.out$,\1/\2,p; s,^tests/\(cli\)/\([^/]*_test\)\.c$,\1/\2,p
        /^tests.cli/!s,^tests/\([^/]*\)/\([^/]*\)_test\.c$,\1/\2,p' | sort)
failed=0 n=0
for name in $all; do
    case $name in crash/*) continue ;; esac # tests/crash/tsan.sh
    wanted=''
    for word in $names; do
        case $word in
        */) [ "${name#"$word"}" = "$name" ] || wanted=1 ;;
        *) [ "$name" != "$word" ] || wanted=1 ;;
        esac
    done
    [ -n "$wanted" ] || continue
    ! left_out "$name" || continue
    n=$((n + 1)) status=0
    look "$name" >"$build/found/said" 2>&1 || status=$?
    found=$(find "$build/found" -maxdepth 1 -name '*.log' -size +0 -print)
    if [ -z "$found" ] && { [ $status -eq 0 ] || [ $status -eq 77 ]; }; then
        find "$build/found" -maxdepth 1 -name '*.log' -delete
        continue
    fi
    failed=$((failed + 1))
    echo "== $name"
    if [ -n "$found" ]; then
        # shellcheck disable=SC2086 # numbers and .log
        cat $found
        mkdir -p "$build/found/$name"
        # shellcheck disable=SC2086
        mv $found "$build/found/$name"
    else
        tail -n 20 "$build/found/said"
    fi
    find "$build/found" -maxdepth 1 -name '*.log' -delete
done
echo "$n tests under valgrind, $failed with something found"
[ $failed -eq 0 ]
