# words: what people try first: --sort, --columns, the newest rows of a series, other words for an
# option, and errors that name the right one.

now=1795220000
pmap_x 7 web 2000 >$((now - 60))-7.x
pmap_x 7 web 1000 >$now-7.x
pmap_x 8 db 500 >$now-8.x
pmapdb import -q ./*.x

say "the order of rows: the largest numbers first"
run pmapdb snapshots --columns name,rss,taken --sort rss
run pmapdb snapshots --columns name,rss --sort +rss -n 2 -f csv
run pmapdb by-process --columns name --sort -name --json
run pmapdb leaks --columns name,snapshots --sort +snapshots -n 1

say "the newest rows of a series"
run pmapdb snapshots -n 1 --columns name,taken_at,rss_kib
run pmapdb growth web -n 1 --columns taken,category,rss
run pmapdb snapshots --since -1m --until -30s --columns taken

run pmapdb growth web --pivot -f csv
run pmapdb growth web --pivot --metric mappings -n 1 --json
run pmapdb growth --columns name,pid,rss_delta
run pmapdb growth web --lines 4 --columns taken,category,rss,rss_delta
if script -qec true /dev/null </dev/null >/dev/null 2>&1; then
    on_screen() {
        TERM=xterm script -qec "stty cols 100 rows 10; pmapdb $*" /dev/null </dev/null | grep -c '^20'
    }
    [ "$(on_screen growth web) $(on_screen growth web --all)" = "2 8" ] || on_screen growth web
fi

say "other words for an option"
run pmapdb categories -p web --at -1m -n 1 --columns category,rss
run pmapdb categories --pid 8 --until now -n 1 --columns category,rss
run pmapdb explain malloc -f csv --columns category
run pmapdb explain partition-alloc | sed -n 2p
run pmapdb processes --user root

say "errors that name the right word"
run pmapdb snapshots --sort rrs
run pmapdb snapshots --columns name,rrs
run pmapdb snapshots -o csv
run pmapdb snapshots -o name,rss
run pmapdb growth -o web
run pmapdb categories web --since 1h
run pmapdb growth web --by category
run pmapdb growth web --at now
run pmapdb snapshots --limit 5
run pmapdb sql 'SELECT 1' --sort 1

say "SQL that users guess"
run pmapdb sql "SELECT name, pid, taken_at, rss_kib FROM snapshots WHERE name = 'web'"
run pmapdb sql 'SELECT name, rss_kib, snapshots, last_at FROM processes ORDER BY rss_kib DESC'
run pmapdb sql "SELECT taken_at, rss_kib FROM categories WHERE name = 'web' AND category = 'heap'"
