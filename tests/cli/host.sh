# host: what grew on a host of many names: diff without a process; and the names that people know.

# MINUTE PID NAME HEAP_KIB: imports a capture of this minute.
at() {
    pmap_x "$2" "$3" "$4" >now.x
    pmapdb import -q --at "2026-11-21T03:$1:00Z" now.x
}

at 00 71 web 1000
at 00 72 db 4000
at 00 73 old 500
for minute in 10 20; do
    at $minute 71 web $((1000 + minute * 100))
    at $minute 72 db $((4000 + minute))
done
# db restarts, and cache is captured for the first time: it may have been there before
at 30 71 web 4000
at 30 82 db 4700
at 30 90 cache 9000
at 35 90 cache 9300

say "the process with most growth first, then the diff of one process"
run pmapdb diff
pmapdb diff | sed -n 's/.*next: //p' >line
run sh -c "$(cat line)"
run pmapdb diff --from -15m -f csv
run pmapdb diff --since -1h --top 1 -f csv
run pmapdb diff --by process web -f csv
run pmapdb diff -q -f csv --threshold rss:2M --from 2026-11-21T03:10:00Z

say "a question about one process needs its name: the error names the largest"
run pmapdb diff --by lineage
run pmapdb categories
run pmapdb categories --snapshot @3 --top 1 -f csv
pmapdb diff --from now-10m 2>&1 | sed 's/[0-9]* min/N min/'
run pmapdb processes cac -f csv
run pmapdb processes ca

say "live: a link to a program has the name of the link, and a script its own"
wait_for() {
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        [ "$(cat "/proc/$1/comm" 2>&1)" = "$2" ] && return
        sleep 0.1
    done
    echo "$2 did not start"
}
start() {
    "$@" &
    started="$started $!"
    last=$!
}
sleep=$(command -v sleep)
sh=$(command -v sh)
ln -s "$sleep" alpha-server
ln -s "$sleep" beta
ln -s "$sleep" a-name-of-more-than-15-bytes
printf 'read -r line <>pipe\n' >job.sh # waits for ever
mkfifo pipe
started=
trap 'kill $started 2>/dev/null || true' EXIT
export PMAPDB=live.db
start ./alpha-server 300
start ./beta 300
wait_for $last beta
beta=$last
start ./alpha-server 301
wait_for $last alpha-server
twin=$last
start ./a-name-of-more-than-15-bytes 300
wait_for $last a-name-of-more-
start "$sh" job.sh
for _ in 1 2 3 4 5; do
    case $(tr '\0' ' ' <"/proc/$last/cmdline") in *job.sh*) break ;; esac
    sleep 0.1
done
pmapdb capture -q --match "ppid = $$ AND cmdline <> ''"
pmapdb sql 'SELECT name FROM processes ORDER BY name' -f csv | grep -v pmapdb
run pmapdb restarts
kill "$beta" "$twin"
wait "$beta" "$twin" 2>/dev/null || true
ln -s "$sleep" gamma
start ./gamma 300
wait_for $last gamma
pmapdb capture -q --match "ppid = $$ AND cmdline <> ''"
pmapdb sql "SELECT count(*) AS beats FROM beat" -f csv
pmapdb diff -f csv | cut -d , -f 1,5,29,30 | grep -v pmapdb | LC_ALL=C sort
pmapdb restarts -f csv | cut -d , -f 2,4,7,8,15

say "as text: what restarts, what ends, and what dies beside a namesake"
export PMAPDB=text.db
for minute in 00 05 10 15 20; do
    [ $minute -gt 10 ] || at $minute 71 web 1000
    [ $minute -lt 15 ] || at $minute 72 web 500
    [ $minute -gt 05 ] || at $minute 61 job 1000
    [ $minute -gt 05 ] || at $minute 82 worker 10
    at $minute 81 worker 20
done
at 25 81 worker 20
run pmapdb restarts -f csv
run pmapdb restarts worker/81
say "only large processes, and only those of a span"
pmapdb restarts -f csv --min-size 1M --columns name
pmapdb restarts -f csv --since 2026-11-21T03:06:00Z --columns name
pmapdb restarts -f csv --until 2026-11-21T03:06:00Z --min-size 1M --columns name
say "one process captured alone after several is not their restart"
export PMAPDB=alone.db
for pid in 1 2 3; do at 00 $pid nginx 100; done
at 50 4 nginx 100
run pmapdb restarts
for pid in 5 6; do at 55 $pid nginx 100; done
run pmapdb restarts -f csv
export PMAPDB=text.db
run pmapdb gaps
run pmapdb gaps -q -f csv
export PMAPDB=live.db

say "names given once, in a file"
cat >names <<'NAMES'
# the first true line counts

front  cmdline GLOB '*alpha-server 300*' AND env('ROLE') = 'front'
jobs   comm = 'sh' OR cmdline GLOB '*/web'
NAMES
ROLE=front
export ROLE PMAPDB=ruled.db
start ./alpha-server 300
wait_for $last alpha-server
unset ROLE
pmapdb capture -q --match "ppid = $$ AND cmdline <> ''" --names names
at 00 71 web 1000
pmap_x 71 web 1000 >now.x
pmapdb import -q --at 2026-11-21T05:00:00Z --names names --host other now.x
pmapdb import -q --at 2026-11-21T06:00:00Z --names names --name mine --host third now.x
pmapdb sql 'SELECT name FROM processes ORDER BY name' -f csv | grep -v pmapdb
echo "odd comm IS SOMETHING" >>names
run pmapdb capture 1 --names names
run pmapdb import now.x --names none
echo "old descendant_of(1)" >names
run pmapdb capture 1 --names names
export PMAPDB=live.db

say "processes by exe, comm and program"
for name in alpha-server a-name-of-more- ./beta; do
    pmapdb processes $name -f csv | cut -d , -f 4 | tail -n 1
done
pmapdb categories "$(basename "$(readlink -f "$sleep")")" 2>&1 | sed "s/ '.*//"
