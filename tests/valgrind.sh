#!/bin/sh
# Runs the tests under valgrind, which finds reads of unset or freed memory, and leaks.
# Unlike sanitizers, valgrind sees values that were never set. Builds with -O1 -g and no sanitizers.
#
#     sh tests/valgrind.sh [--full | NAME...]
#
# A NAME is one of ctest's: store/put, cli/import. Without one a part of all, a quarter of an hour on
# one core; --full takes some hours. PMAPDB_VALGRIND is the folder to build in (build/valgrind). The
# exit status is 1 if valgrind finds something or a test fails; what it found is in FOLDER/found.
set -eu
cd "$(dirname "$0")/.."
build=${PMAPDB_VALGRIND:-build/valgrind}
names='base/ parse/ classify/ render/ source/ store/(import_log|select|lineage|merge|prune_known|process|space)$
    perf/replay stats/(order|points|fit)$ api/(import|intake_bounds|merge|rules)$'
golden='import diff check merge terminal'
if [ "${1:-}" = --full ]; then
    names='base/ parse/ classify/ stats/ render/ source/ store/ api/ sqlite/ perf/'
    golden=$(find tests/cli -name '*.out' | sed 's,.*/,,; s,\.out$,,' | sort)
elif [ $# -gt 0 ]; then
    names='' golden=''
    for name in "$@"; do
        case $name in
        cli/*) golden="$golden ${name#cli/}" ;;
        *) names="$names $name\$" ;;
        esac
    done
fi
# Children of theirs run /proc/self/exe, which is valgrind; limits of memory and of files, which
# valgrind needs itself; what must end within a time; hours of arithmetic; what lives meanwhile has
# gone by then.
left_out='^(source/(proc|unpack)|store/full_disk|api/(resident|capture_watch|capture_every)'
left_out="$left_out|stats/(leaks_whole|trend_shapes|refine|port)|store/(order|queries)|classify/rules_random)"
golden_left_out=' together capture capture-lost blind examples '

command -v valgrind >/dev/null 2>&1 || {
    echo "skipped: no valgrind here"
    exit 77
}
mkdir -p "$build"
build=$(cd "$build" && pwd)
rm -rf "$build/found"
mkdir "$build/found"
# A block that SQLite knows by its middle only is not lost: signals end some programs of the golden
# tests with an open store.
how="valgrind -q --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite"
how="$how --error-exitcode=99 --log-file=$build/found/%p.log"
# Debug: not fortified, for valgrind takes the memmove of that for a memcpy. ctest runs what was built
# by the "emulator".
cmake -G Ninja -S . -B "$build" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG="-O1 -g" \
    -DCMAKE_CROSSCOMPILING_EMULATOR="$(echo "$how" | tr ' ' ';')" \
    ${PMAPDB_SHARED:+"-DPMAPDB_SHARED=$PMAPDB_SHARED"} >/dev/null
cmake --build "$build"
failed=0
if [ -n "$names" ]; then
    ctest --test-dir "$build" --output-on-failure --timeout 3600 -E "$left_out" \
        -R "^($(echo $names | tr ' ' '|'))" || failed=1
fi
# What the golden tests run: the same program, seen by valgrind, which says nothing on standard error.
printf '#!/bin/sh\nPATH=%s:$PATH exec %s pmapdb "$@"\n' "$build" "$how" >"$build/found/pmapdb"
chmod +x "$build/found/pmapdb"
for name in $golden; do
    case $golden_left_out in *" $name "*) continue ;; esac
    PMAPDB_PROGRAM=$build/found/pmapdb sh tests/cli/run.sh "$name" || failed=1
done
find "$build/found" -name '*.log' -size 0 -delete
for log in "$build"/found/*.log; do
    [ ! -f "$log" ] || { cat "$log"; failed=1; }
done
exit $failed
