#!/bin/sh
# The extension in the stock sqlite3: prints shell.out, and its sums are those of awk over the same
# text. PMAPDB_UPDATE=1 writes shell.out instead; read it before you keep it.
#     PMAPDB_EXTENSION=build/dev/pmapdb.so sh tests/sqlite/shell.sh
set -eu

here=$(cd "$(dirname "$0")" && pwd)
extension=${PMAPDB_EXTENSION:?the extension to test}
scratch=$(mktemp -d)
child=
trap 'kill -9 $child 2>/dev/null || :; rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM

command -v sqlite3 >/dev/null 2>&1 || {
    echo "skipped: no sqlite3 here"
    exit 77
}
# Built with sanitizers it needs their library before all others. LeakSanitizer would report sqlite3.
preload=$(ldd "$extension" 2>/dev/null | awk '/lib(a|ub)san/ { print $3 }' | tr '\n' ' ')
cp "$extension" "$scratch/pmapdb.so"
ln -s "$here/../../samples" "$here/../fixtures" "$scratch"
cd "$scratch"

sql() {
    printf '.load ./pmapdb\n%s\n' "$*" | env LD_PRELOAD="$preload" ASAN_OPTIONS=detect_leaks=0 \
        HOME="$scratch" TZ=UTC sqlite3 -batch :memory: 2>&1
}

sql 'SELECT 1;' >loaded || :
if grep -q 'undefined symbol: __\(a\|ub\)san' loaded; then
    echo "skipped: the sanitizers are in no library of their own"
    exit 77
fi

# ---- golden: what README.md shows, and what misuse says ----

show() {
    printf 'sqlite> %s\n' "$*"
    # older shells say "Error: near line 2:", newer ones "Runtime error near line 2:"
    sql "$*" | sed -e 's/^[A-Za-z]* *[Ee]rror.* near line [0-9]*: */error: /' \
        -e 's/^Error: /error: /' -e 's/ ([0-9]*)$//'
    echo
}

mkfifo fifo
: >empty
echo "total rubbish" >rubbish
{
    show "SELECT category, sum(rss_kib), kib_text(sum(private_kib)) FROM pmap_file('samples/captures/leaky-20261121/1795229318-12766.smaps') GROUP BY 1;"
    show "SELECT block, pid, command, count(*), sum(size_kib) FROM pmap_file('fixtures/tools/procps-4.0.2-multi-x.txt') GROUP BY 1;"
    show "SELECT category, size_kib, rss_kib, start IS NULL, path IS NULL FROM pmap_file('fixtures/tools/kernel-smaps_rollup.txt');"
    show "SELECT source, count(*) FROM pmap_file('fixtures/archives/smemcap.tar.gz') GROUP BY 1;"
    show "SELECT count(*) FROM pmap_file('samples/captures/leaky-20261121/1795229318-12766.x', 'smaps');"
    show "SELECT path, perms_text(perms), vmflags_text(flags) FROM pmap_file('samples/captures/leaky-20261121/1795229318-12766.smaps') WHERE path = '[vdso]';"
    # the rules come from the open store
    rules="CREATE TABLE rule_set(text, name, application); INSERT INTO rule_set VALUES ('rule,category,base,with' || char(10) ||"
    show "$rules 'mine,anonymous/mine,anonymous,path=libc.so*', 'mine', ''); SELECT category, parent, count(*) FROM pmap_file('samples/captures/leaky-20261121/1795229318-12766.smaps') WHERE base = 'anonymous' GROUP BY 1;"
    show "$rules 'mine,anonymous/mine,heap,', 'mine', ''); SELECT category FROM pmap_file('samples/captures/leaky-20261121/1795229318-12766.smaps');"
    for call in 'smaps' 'smaps()' 'smaps(NULL)' 'smaps(0)' 'smaps(-1)' 'smaps(1.5)' "smaps('me')" "smaps('1 ')" \
        'smaps(4194304)' 'maps(9223372036854775807)' 'smaps(1, 2)' 'pmap_file' 'pmap_file(NULL)' \
        "pmap_file('')" "pmap_file('missing')" "pmap_file('fifo')" "pmap_file('-')" "pmap_file('empty')" \
        "pmap_file('rubbish')" "pmap_file('/dev/zero')" "pmap_file('rubbish', 'pmapx')" \
        "pmap_file('fixtures/tools/procps-4.0.2-kthread.txt')" \
        "pmap_file(x'6100')"; do
        show "SELECT count(*) FROM $call;"
    done
    show 'CREATE VIEW v AS SELECT * FROM smaps(1); SELECT * FROM v;'
    show 'CREATE TABLE t(x); CREATE TRIGGER r AFTER INSERT ON t BEGIN DELETE FROM t WHERE x IN (SELECT rss_kib FROM maps(1)); END; INSERT INTO t VALUES (1);'
    show 'CREATE VIRTUAL TABLE v USING smaps(1);'
} >out
if [ -n "${PMAPDB_UPDATE:-}" ]; then
    cp out "$here/shell.out"
else
    diff -u "$here/shell.out" out
fi

# ---- truth: awk over the same text ----

# Sums of a smaps text: mappings Size Rss Pss Private_Dirty Swap VmFlags-words
truth() {
    awk '/^[0-9a-f]+-[0-9a-f]+ / { n++ }
        /^(Size|Rss|Pss|Private_Dirty|Swap):/ { sum[$1] += $2 }
        /^VmFlags:/ { words += NF - 1 }
        END { printf "%d|%d|%d|%d|%d|%d|%d\n", n, sum["Size:"], sum["Rss:"], sum["Pss:"],
              sum["Private_Dirty:"], sum["Swap:"], words }' "$1"
}
columns="count(*), sum(size_kib), sum(rss_kib), sum(pss_kib), sum(private_dirty_kib), sum(swap_kib),
    sum((length(flags) + 1) / 3)"

same() {
    [ "$1" = "$2" ] || {
        echo "$3: awk says $1, SQL $2"
        exit 1
    }
}

for file in fixtures/parse/demo-smaps.txt fixtures/tools/kernel-smaps.txt samples/captures/*/*.smaps; do
    same "$(truth "$file")" "$(sql "SELECT $columns FROM pmap_file('$file');")" "$file"
done

sh -c 'kill -STOP $$; :' &
child=$!
until grep -q '^State:.*T' "/proc/$child/status"; do sleep 0.05; done
if cat "/proc/$child/smaps" >live 2>/dev/null; then
    # its share of a page (Pss) changes with every process that comes and goes
    same "$(truth live | cut -d'|' -f1-3,5-)" \
        "$(sql "SELECT $columns FROM smaps($child);" | cut -d'|' -f1-3,5-)" "live smaps"
    same "$(wc -l <"/proc/$child/maps")" "$(sql "SELECT count(*) FROM maps('$child');")" "live maps"
    same "$(awk '/^[0-9a-f]+-[0-9a-f]+ / { print $1 " " $2 " " $6 }' live)" \
        "$(sql "SELECT printf('%08x-%08x %s %s', start, end, perms, path) FROM smaps($child);")" "live rows"
    same "$child|1" "$(sql "CREATE TABLE p(pid); INSERT INTO p VALUES ($child);
        SELECT p.pid, sum(rss_kib) > 0 FROM p, smaps(p.pid) GROUP BY 1;")" "a join"
fi
echo "as expected"
