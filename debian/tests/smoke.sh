#!/bin/sh
# The installed packages: a live capture, an answer, the library from C, the extension in sqlite3.
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
export PMAPDB="$place/t.db"
pmapdb -q capture $$
pmapdb categories -f csv | grep -q '^"heap",'
cat >"$place/version.c" <<'C'
#include <pmapdb.h>
#include <stdio.h>

int main(void)
{
    pmapdb_close(NULL);
    return puts(PMAPDB_VERSION) < 0;
}
C
# shellcheck disable=SC2046 # words of pkg-config
cc "$place/version.c" -o "$place/version" $(pkg-config --cflags --libs pmapdb)
[ "pmapdb $("$place/version")" = "$(pmapdb --version)" ]
extension=$(dpkg -L pmapdb | grep '/sqlite3/pmapdb.so$')
[ "$(sqlite3 :memory: ".load $extension" "SELECT vmflags_text('rd wr')")" = "readable, writable" ]
