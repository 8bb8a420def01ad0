# capture: live processes that this script starts. Numbers that differ from run to run are masked.
need /proc/self/smaps

sleep 1000 &
one=$!
sleep 1000 &
two=$!
trap 'kill $one $two 2>/dev/null || :' EXIT

asleep sleep $one $two

mask() {
    sed -E "s/\<$one\>/ONE/g; s/\<$two\>/TWO/g; s/\<$$\>/SHELL/g; s/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z/TIME/g
        s/[0-9]+ mappings, rss [0-9.]+ [KM]iB/N mappings, SIZE/; s/ in [0-9.]+ ms/ in T ms/
        s/\"(mappings|size_kib|rss_kib|read_us)\":[0-9]+/\"\1\":N/g; s/,\"predicted_us\":[0-9]+//; s/\"complete\",\"status\",[0-9]+,[0-9]+,[0-9]+,(0|1),,[0-9]+,[0-9]*/\"complete\",\"status\",N,N,N,\1,,N,P/
        s/, [0-9]+ beats? missed//; /^(! )?pmapdb: TIME: [0-9]+ beats? w.* missed before it/d"
}
# A slow reading on a busy machine must not make capture read less: --max-stall is large.
live() {
    case "$* " in
    *' capture '*) run "$@" --max-stall 60s | sed 's/ --max-stall 60s$//' | mask ;;
    *) run "$@" | mask ;;
    esac
}

say "by pid"
live pmapdb capture $one
live pmapdb capture $one $two --name napper
live pmapdb capture $one -f ndjson
live pmapdb capture $one -f csv
live pmapdb capture $one -q
live pmapdb capture $one --measure maps
live pmapdb processes -f csv | cut -d, -f3-5

say "arguments that select no process"
live pmapdb capture 4194303
live pmapdb capture $one 4194303
live pmapdb capture no-such-name
live pmapdb capture --user no-such-user
live pmapdb capture --all --user no-such-user
live pmapdb capture

say "by name, also of a script; a name may be a glob"
printf 'sleep 1000 &\necho $! >child; wait\n' >"it's.sh"
sh "./it's.sh" &
script=$!
until [ -s child ]; do :; done
live pmapdb --db name.db capture "it's.sh" -q
live pmapdb --db name.db capture "it's*" --user "$(id -un)" --every 1 -n 1 -q | sed "s/ --user [^ ]*/ --user ME/"
live pmapdb --db name.db capture $one "it's.sh" --match 'uid = 4711' -q
run pmapdb --db name.db snapshots --columns name -f csv
kill $script "$(cat child)"

say "by expression; one moment"
live pmapdb --db match.db capture --match "comm = 'sleep' AND descendant_of($$)" --host here
run pmapdb --db match.db sql 'SELECT count(*) AS n, count(DISTINCT taken_ms) AS moments, count(DISTINCT capture_id) AS captures FROM snapshots' -f csv
live pmapdb --db match.db sql 'SELECT selection FROM schedule' -f csv
live pmapdb --db match.db capture --match "comm = 'nobody'"

say "at every beat"
live pmapdb --db every.db capture $one --every 100ms --count 3
live pmapdb --db every.db capture $one --every 100ms --count 2 -q
live pmapdb --db every.db capture $one --on-rss-above 1T
run pmapdb --db every.db sql 'SELECT count(*) AS snapshots, count(DISTINCT process_id) AS processes FROM snapshots' -f csv
run pmapdb --db every.db sql 'SELECT count(*) AS sweeps, sum(unmoved) AS unmoved FROM beat' -f csv

say "wrong options and expressions"
live pmapdb capture $one --every soon
live pmapdb capture $one --measure pmap
live pmapdb capture $one --keep-env A=B
live pmapdb capture $one --keep-env ,,
live pmapdb import --name '' samples
live pmapdb import --host '' samples
say "wrong options create no store"
live pmapdb capture --db none.db $one --every 50ms
live pmapdb capture --db none.db $one --count 3
live pmapdb capture --db none.db $one --all
live pmapdb capture --db none.db --all --name all
live pmapdb capture --db none.db --match 'comm ='
ls none.db* 2>/dev/null || echo "no none.db"

say "one run of a selection at a time; a signal ends it"
pmapdb --db beside.db capture -v $one $two --every 365d --max-stall 60s >first 2>&1 &
first=$!
until grep -qs '^stored' first; do sleep 0.05; done
live pmapdb --db beside.db capture $two $one
live pmapdb --db beside.db capture $two $one --lock-wait 200ms
live pmapdb --db beside.db capture $one
kill -TERM $first
wait $first && echo "= exit 0"
mask <first
live pmapdb --db beside.db capture $two $one -q

say "a run ends when all named processes have ended"
rm first
pmapdb --db ended.db capture -v $one $two --every 100ms --max-stall 60s >first 2>&1 &
first=$!
until grep -qs '^stored' first; do sleep 0.05; done
kill $one $two
wait $first && echo "= exit 0"
grep -v ^stored first | sed -E 's/[0-9]+ beats?, [0-9]+ snapshots?/N beats, N snapshots/; s/it ended while it was read/it has ended/' | mask | sort -u
