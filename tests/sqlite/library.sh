#!/bin/sh
# Checks the file pmapdb.so: it exports two names and neither links nor imports anything of SQLite.
#     PMAPDB_EXTENSION=build/dev/pmapdb.so sh tests/sqlite/library.sh
set -eu

file=${PMAPDB_EXTENSION:?the extension to test}
for tool in readelf nm; do
    command -v $tool >/dev/null 2>&1 || {
        echo "skipped: no $tool here"
        exit 77
    }
done

failed=0
complain() {
    echo "$*"
    failed=1
}

names=$(nm -D --defined-only "$file" | awk '{ print $NF }' | grep -v '^__\(start\|stop\)_' | sort | tr '\n' ' ')
[ "$names" = "sqlite3_extension_init sqlite3_pmapdb_init " ] || complain "it exports: $names"

needs=$(readelf -d "$file" | sed -n 's/.*NEEDED.*\[\(.*\)\].*/\1/p')
echo "$needs" | grep -q libpcre2 || complain "readelf says nothing of what it needs: $needs"
echo "$needs" | grep -q sqlite && complain "it links $(echo "$needs" | grep sqlite)"

asks=$(nm -D --undefined-only "$file" | awk '{ print $NF }' | grep sqlite3 || :)
[ -z "$asks" ] || complain "it wants from the program:" $asks

[ $failed -eq 0 ] && echo "pmapdb.so keeps to itself"
exit $failed
