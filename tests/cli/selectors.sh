# selectors: every way to name a snapshot and a process, and the errors for wrong names.

pmapdb import -q samples/captures/leaky-20261121/*.x
for to in last prev first @5 -2m -90s 2026-11-21T02:51:00Z '2026-11-21 02:51:20' now; do
    run pmapdb growth --category heap --from "$to" --to "$to" -f csv
done
say "times without a zone are local"
run pmapdb growth --category heap --tz Europe/Berlin --from 2026-11-21T03:54:30 -f csv

say "processes"
for process in leaky 12766 leaky/12766 @1; do
    run pmapdb growth --process $process --category heap --from last -f csv
done
run pmapdb growth leaky --category heap --from last -f csv

say "wrong selectors"
for process in nobody 99 leaky/99 @99; do
    run pmapdb growth --process $process
done
for snapshot in someday @99 ''; do
    run pmapdb categories --snapshot "$snapshot"
done
run pmapdb diff --from last --to first
run pmapdb diff --from last --to last
run pmapdb growth --from last --to first

say "a time before the first snapshot selects the first one, with a warning"
for from in -9d 1999-01-01; do
    run pmapdb growth --category heap --from $from --to first -f csv
done
run pmapdb diff --last 1w --top 1 -f csv
run pmapdb categories --snapshot -9d --top 1 -f csv -q

say "since, until and last are words for from and to"
for words in '--last 30s' '--since -30s --until last' '--since 2026-11-21T02:54:08Z'; do
    # shellcheck disable=SC2086
    run pmapdb growth --category heap $words -f csv
done

say "times in words count from now: every snapshot here is older"
for time in today yesterday 'yesterday 14:00' 02:00 '1 hour ago' 'now-1h'; do
    pmapdb growth --category heap --from "$time" -f csv >words.csv
    pmapdb growth --category heap --from last -f csv | cmp - words.csv && echo "$time"
done

say "an unknown zone is not UTC"
run pmapdb snapshots --tz NOWHERE/LAND
run pmapdb snapshots --tz ''
pmapdb snapshots --tz CET-1CEST -q >/dev/null && echo known

say "an unknown zone in TZ is an error if a local time is used"
typo() {
    TZ=Europe/Berln run "$@"
}
typo pmapdb growth --category heap --from 2026-11-21T02:54:30 -f csv
typo pmapdb growth --category heap --from 2026-11-21T02:54:30Z -f csv
typo pmapdb growth --category heap --from last -f csv
typo pmapdb growth --category heap --tz Europe/Berlin --from 2026-11-21T03:54:30 -f csv
{
    echo '2026-11-21 02:05:32'
    pmap_x 7 web 100
} >cron.log
typo pmapdb --db other.db import cron.log -f csv
typo pmapdb --db other.db export part.db --from 2026-11-21 -q
typo pmapdb --db other.db prune --keep-daily 7 -q
pmapdb sql 'SELECT 1 AS series_id, taken_at AS ts, rss_kib AS kb FROM snapshots' -f csv >series.csv
typo pmapdb leaks --series series.csv -f csv

say "times that nanoseconds cannot hold (2262), up to the last with four digits"
export PMAPDB=far.db
for year in 2261 2263 9999; do
    pmap_x 7 web "$year" | pmapdb import -q --at "$year-06-01T10:00:00Z" -
done
run pmapdb growth --category heap
run pmapdb diff --from 2263-06-01T10:00:00Z --threshold rss:1M
run pmapdb categories --snapshot -7000d --top 1 -f csv
run pmapdb prune --keep-yearly 2 --dry-run -q
for time in 10000-01-01 @9223372036854775; do
    run pmapdb import --at $time -
done
