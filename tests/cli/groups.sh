# groups: groups the processes of one moment by a common property, for captures from text and for
# live programs that this script starts.

need awk cut sed

say "from text: names are known, facts about the process are not"
{
    pmap_x 301 worker 100
    pmap_x 302 worker 200
    pmap_x 400 old 50
} | pmapdb import -q --at 2026-11-21T10:00:00Z -
{
    pmap_x 301 worker 150
    pmap_x 302 worker 200
    pmap_x 500 new 20
} | pmapdb import -q --at 2026-11-21T10:05:00Z -
run pmapdb groups
run pmapdb groups -f csv
run pmapdb groups --by user
run pmapdb groups worker --at first
run pmapdb groups --at -1m --by comm
run pmapdb groups --by env:HOME
run pmapdb query groups --within 10m --top 1

say "wrong options"
for by in usr env: 'com = 1' "comm = " 'comm) FROM process; SELECT (1' 'comm, user' '(SELECT name FROM sqlite_master)' 'comm = "sh"'; do
    run pmapdb groups --by "$by"
done
run pmapdb groups --by user --by name
run pmapdb groups --host nowhere
run pmapdb groups --from last --at first

say "live processes"
mkdir programs
for name in alpha beta; do
    cp "$(command -v sleep)" programs/$name
done
./programs/alpha 0 || { # sleep may be one file for all programs (busybox), which depends on its name
    echo "skipped: sleep does not work under another name"
    exit 77
}
pids=
trap 'for pid in $pids; do kill "$pid" 2>/dev/null || :; done' EXIT
start() { # VARIABLE PROGRAM
    env "SID=$1" "./programs/$2" 300 &
    last=$!
    pids="$pids $last"
    asleep "$2" "$last"
}
start one alpha
first=$last
start two alpha
second=$last
pmapdb --db live.db capture -q --keep-env SID "$first" "$second"
start one beta
pmapdb --db live.db capture -q --keep-env SID "$first" "$second" "$last"
user=$(id -un)

# Shows only the columns that are the same in every run, sorted: the group and its number of processes,
# now and before.
count() {
    {
        show pmapdb groups "$@"
        pmapdb --db live.db groups "$@" -f csv 2>err | cut -d , -f 1,2,7 >rows
        head -n 1 rows
        tail -n +2 rows | sort
        sed 's/^/! /' err
    } | sed "s/^\"$user\"/\"USER\"/; s/of($$)/of(SHELL)/; s/pid = $last/pid = LAST/"
}
count --within 0s
count --within 0s --at first
count --within 0s --by user
count --by env:SID
count --by env:NONE
count --by comm
count --by 'comm -- and a comment'
count --by "CASE WHEN comm GLOB 'be*' THEN 'b' WHEN env('SID') = 'one' THEN 'one' WHEN exe GLOB '*programs/alpha' THEN 3 END"
count --by "descendant_of($$)"
count --by 'ppid > 1 AND container IS NULL'
count --by "pid = $last"
count beta --by name
run pmapdb --db live.db query groups --by 'comm = '
