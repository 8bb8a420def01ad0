# snapshots: what is in the store, filtered.

pmapdb import -q samples/captures
run pmapdb snapshots
run pmapdb snapshots --dialect smaps
run pmapdb snapshots --state partial
run pmapdb snapshots --dialect smaps -f csv
run pmapdb snapshots --dialect smaps -f json
run pmapdb snapshots --dialect pmap-XX -f ndjson leaky/12766
