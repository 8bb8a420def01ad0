#!/bin/sh
# Installs the build into a temporary folder: pkg-config and CMake find the library, a program that
# uses it runs, and the manual pages are in place.
#     BUILD=build/dev sh tests/tools/install.sh      CC: the compiler, with the sanitizers of the build
set -eu
build=${BUILD:?the build folder}
: "${CC:=cc}"
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
trap 'exit 1' HUP INT TERM

cmake --install "$build" --prefix "$place/prefix" >"$place/log" || { cat "$place/log"; exit 1; }
cd "$place"
cat >version.c <<'C'
#include <pmapdb.h>
#include <stdio.h>

int main(void)
{
    pmapdb_close(NULL);
    return puts(PMAPDB_VERSION) < 0;
}
C
cat >CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.21)
project(version LANGUAGES C)
find_package(pmapdb REQUIRED)
add_executable(version version.c)
target_link_libraries(version PRIVATE pmapdb::pmapdb)
CMAKE
PKG_CONFIG_PATH=$(dirname "$(find "$place/prefix" -name pmapdb.pc)")
LD_LIBRARY_PATH=$(dirname "$(find "$place/prefix" -name libpmapdb.so)")
export PKG_CONFIG_PATH LD_LIBRARY_PATH ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
version=$(prefix/bin/pmapdb --version | cut -d ' ' -f 2)

# shellcheck disable=SC2046 # words of a command line
$CC version.c -o by_pkg_config $(pkg-config --cflags --libs pmapdb)
[ "$(./by_pkg_config)" = "$version" ]
[ "$(pkg-config --modversion pmapdb)" = "$version" ]

flags=${CC#"${CC%% *}"}
if ! CC=${CC%% *} CFLAGS=$flags cmake -G Ninja -S . -B by_cmake -DCMAKE_PREFIX_PATH="$place/prefix" >log 2>&1 ||
    ! cmake --build by_cmake >>log 2>&1; then
    cat log
    exit 1
fi
[ "$(by_cmake/version)" = "$version" ]

for page in man1/pmapdb.1 man1/pmapdb-diff.1 man7/pmapdb-categories.7; do
    [ -s "prefix/share/man/$page" ] || { echo "$page is missing"; exit 1; }
done
echo "version $version by pkg-config and by CMake"
