#!/bin/sh
# A fleet in three minutes: starts ClickHouse on this machine (two shards, loopback, without root),
# makes 50 hosts of which one build leaks, pushes their stores, and asks which.
#     sh samples/fleet/demo.sh [PMAPDB]      needs clickhouse-server, python3; nothing stays behind
set -eu
here=$(cd "$(dirname "$0")" && pwd)
pmapdb=${1:-pmapdb}
folder=$(mktemp -d)
stop() {
    python3 "$here/clickhouse.py" stop "$folder/servers" 2>/dev/null || :
    rm -rf "$folder"
}
trap stop EXIT
trap 'exit 1' HUP INT TERM

say() {
    printf '\n# %s\n' "$*"
}
ask() {
    printf '\n$ pmapdb fleet %s --url %s\n' "$*" "$url"
    "$pmapdb" fleet "$@" --url "$url"
}

say "two servers of ClickHouse"
mkdir "$folder/servers"
python3 "$here/clickhouse.py" start "$folder/servers" --shards 2 >"$folder/urls"
cat "$folder/urls"
url=$(head -n 1 "$folder/urls")

say "the tables: pmapdb fleet schema --cluster fleet, on each of them"
"$pmapdb" fleet schema --cluster fleet >"$folder/schema.sql"
while read -r server; do
    python3 "$here/clickhouse.py" run "$server" <"$folder/schema.sql"
done <"$folder/urls"

say "50 hosts, a day of pmap -x every 20 minutes; import and push of each"
python3 "$here/simulate.py" "$pmapdb" "$folder/hosts" --push "$url"

ask hosts --top 5
ask leaks-by-build
ask growth-by-role --name api --step 8h --from -24h
ask worst-hosts --name api --most 5
host=$("$pmapdb" fleet worst-hosts --name api --most 1 --columns host -f csv --url "$url" | tail -n 1 | tr -d '"')
ask host-diff --host "$host" --name api --from -8h
say "the same of the host's own store: pmapdb diff"
"$pmapdb" --db "$folder/hosts/$host.db" diff -p api --from -8h
