#!/bin/sh
# Installs what is missing, builds with sanitizers (preset dev), runs every test.
set -eu
cd "$(dirname "$0")/.."
. tests/packages.sh

packages_install build test
packages_install extra || echo "== Without it: the tests that need it are skipped"

# LeakSanitizer cannot work if a process may not be traced (some containers, under a debugger).
leaks=1
probe=$(mktemp -d)
trap 'rm -rf "$probe"' EXIT
printf 'int main(void) { return 0; }\n' >"$probe/leaks.c"
${CC:-cc} -fsanitize=address "$probe/leaks.c" -o "$probe/leaks"
ASAN_OPTIONS=detect_leaks=1 "$probe/leaks" >/dev/null 2>&1 || {
    leaks=0
    echo "== LeakSanitizer does not work here: leaks of memory go unnoticed"
}
rm -rf "$probe"
# Less freed memory is set aside, and stacks are shorter: both cost time in every process.
export ASAN_OPTIONS="detect_leaks=$leaks:quarantine_size_mb=8:malloc_context_size=8"

echo "== Configuring build/dev"
cmake --preset dev
echo "== Building"
cmake --build --preset dev
echo "== Testing" # three at a time on two cores: some tests wait for servers
exec ctest --preset dev --output-on-failure -j3
