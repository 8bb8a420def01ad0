# together: simultaneous imports neither lose nor double a row; a killed import leaves a sound store.
need sqlite3

rows() {
    sqlite3 "$1" 'SELECT s.taken_ms, s.dialect, m.start, m.size_kib, m.rss_kib, m.category
        FROM snapshots s JOIN mappings m ON m.snapshot_id = s.snapshot_id ORDER BY 1, 2, 3, 4, 5, 6'
}
whole() {
    sqlite3 "$1" 'PRAGMA integrity_check; PRAGMA foreign_key_check;
        SELECT count(*), count(DISTINCT taken_ms || dialect) FROM snapshots'
}

pmapdb --db alone.db import -q samples/captures
rows alone.db >alone
whole alone.db

say "four imports at once into a new store"
files=$(ls samples/captures/leaky-20261121/*)
part() { echo "$files" | awk -v part="$1" 'NR % 4 == part'; }
pids=
for n in 0 1 2 3; do
    # shellcheck disable=SC2046 # one word per file
    pmapdb --db four.db import -q $(part $n) &
    pids="$pids $!"
done
for pid in $pids; do
    wait "$pid" || echo "import ended with $?"
done
whole four.db
rows four.db >four
run cmp alone four

say "the same four once more, all at once: known"
pids=
for _ in 0 1 2 3; do
    pmapdb --db four.db import -q samples/captures &
    pids="$pids $!"
done
for pid in $pids; do
    wait "$pid" || echo "import ended with $?"
done
whole four.db

say "killed in the middle, ten times"
mkdir many
for round in $(seq 0 24); do
    for file in samples/captures/leaky-20261121/*.x; do
        time=${file##*/}
        time=${time%-*}
        cp "$file" many/$((time + round * 400))-12766.x
    done
done
pmapdb --db calm.db import -q many
rows calm.db >calm
whole calm.db
stored() { sqlite3 killed.db 'SELECT count(*) FROM snapshot' 2>/dev/null || echo 0; }
for target in 0 1 30 60 90 120 150 180 210 240; do
    pmapdb --db killed.db import -q many &
    pid=$!
    # The import may end by itself before it reaches the target.
    while [ "$(stored)" -lt $target ] && kill -0 $pid 2>/dev/null; do :; done
    kill -9 $pid 2>/dev/null || :
    wait $pid 2>/dev/null || :
done 2>/dev/null
run pmapdb --db killed.db import -q many
whole killed.db
rows killed.db >killed
run cmp calm killed
