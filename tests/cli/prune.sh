# prune: which moments stay and why, pins, what imports know afterwards, the largest size.

# PID NAME FROM STEP N: prints N outputs of pmap -x, STEP seconds apart.
log() {
    for i in $(seq 0 $(($5 - 1))); do
        date -u -d "@$(($(date -u -d "$3" +%s) + i * $4))" +%FT%TZ
        pmap_x "$1" "$2" $((5000 + 4 * i))
    done
}

# Sizes of files depend on SQLite.
sizes() {
    sed 's/[0-9.]* [KM]iB/SIZE/g' "$1"
}

say "a rule is required; options that need another one"
run pmapdb prune --keep-last -3
run pmapdb prune --pin last
say "a missing store is not created; an unset variable does not mean all"
run pmapdb prune --keep-last 1
run pmapdb prune --compact
run pmapdb prune --pin last --reason why
: >empty.db
run pmapdb prune --db empty.db --keep-last 1
wc -c <empty.db | tr -d ' '
ls
run pmapdb prune --process '' --drop --force
run pmapdb prune --host '' --keep-last 1
run pmapdb prune --unpin ''
run pmapdb merge --host '' other.db

log 10 web 2026-11-16T22:00:00Z 7200 60 >web.log
log 20 db 2026-11-20T00:00:00Z 3600 5 >db.log
pmapdb import -q web.log db.log
run pmapdb prune
run pmapdb prune --drop
say "what each rule keeps"
run pmapdb prune --keep-last 2 --keep-daily 3 --keep-weekly 5 --keep-within 6h --dry-run -q |
    awk 'NR == 1 || $5 == "keep" || $2 == "db" { print }'
pmapdb prune --keep-last 2 --dry-run -f csv -q | head -n 4
say "weeks and days are local"
pmapdb prune --keep-daily 2 --process web --dry-run -q --tz Asia/Tokyo | grep daily
pmapdb prune --keep-daily 2 --process web --dry-run -q | grep daily

say "pins"
run pmapdb prune --pin 2026-11-17T10:00:00Z --process web --reason "before the update"
run pmapdb prune --pin @999 --reason nothing
pmapdb pins -f csv | cut -d , -f 1-7,9
say "series by series"
pmapdb prune --keep-last 2 --keep-daily 3 --keep-weekly 5 2>said
sizes said
pmapdb snapshots -f csv | cut -d , -f 1,2,4
pmapdb prune --keep-last 2 --keep-daily 3 --keep-weekly 5 -f csv -q | cut -d , -f 1-7
pmapdb prune --keep-last 2 --keep-daily 3 --keep-weekly 5 -f json -q | head -n 3 | cut -d : -f 1,2 |
    cut -c 1-60
sqlite3 store.db 'PRAGMA integrity_check; PRAGMA foreign_key_check; PRAGMA auto_vacuum'

say "an import does not bring removed snapshots back, and stores new ones"
run pmapdb import web.log | sed -n '1p;$p'
log 10 web 2026-11-16T22:00:00Z 7200 61 >web.log
run pmapdb import -q web.log
pmapdb snapshots web -f csv | wc -l | tr -d ' '

say "a log without times is known by its sequence"
for i in 1 2 3 4; do pmap_x 30 job $((100 + 4 * i)); done >job.log
run pmapdb import -q --first 2026-11-01T00:00:00Z --every 5m job.log
pmapdb prune --process job --keep-last 1 -q -o /dev/null
for i in 5 6; do pmap_x 30 job $((100 + 4 * i)); done >>job.log
run pmapdb import --first 2026-11-01T00:00:00Z --every 5m job.log

say "without pins and without rules"
run pmapdb prune --unpin 2026-11-17T10:00:00Z --process web
run pmapdb prune --unpin 2026-11-17T10:00:00Z --process web
run pmapdb pins
say "one name, one host"
run pmapdb prune --process web/10 --drop
run pmapdb prune --process web --drop
run pmapdb prune --host nowhere --keep-last 1
pmapdb prune --process web --drop --force -q
pmapdb processes -f csv | cut -d , -f 4,8
say "--max-size: only the newest is left, also of snapshots that were not pushed"
sqlite3 store.db "INSERT INTO push (target, done_id, seq, gen, shown_gen, lost, tried_ms, failures)
    VALUES ('http://x', 0, 0, 0, 0, 0, 1000 * strftime('%s', 'now'), 0)"
run pmapdb prune --max-size 1K -q
pmapdb processes -f csv | cut -d , -f 4,8
say "compact"
pmapdb prune --compact 2>said
sizes said
pmapdb prune --compact --vacuum 2>said
sizes said
run pmapdb prune --vacuum --keep-last 1
