# output: -o is all or nothing, a pipe may close, CR LF, exact and wide tables.

pmapdb import -q samples/captures
run pmapdb categories -f csv -o c.csv
run cat c.csv
run ls
say "an old file stays when the query fails"
run pmapdb categories --snapshot @99 -f csv -o c.csv
run wc -l c.csv
run pmapdb categories -o no/such/folder/c.csv

say "a reader that closes the pipe is no error"
show pmapdb growth -f csv "(into head)"
{ pmapdb growth -f csv 2>"$PMAPDB_SCRATCH/pipe" || echo "= exit $?"; } | head -n 1
cat "$PMAPDB_SCRATCH/pipe"

say "a full disk is an error"
if [ -w /dev/full ]; then
    # shellcheck disable=SC2069 # what is said, not what is written
    pmapdb categories -f csv 2>&1 >/dev/full || echo "= exit $?"
    for words in --help 'leaks --help' 'growth --usage' --version 'check --help'; do
        # shellcheck disable=SC2069,SC2086 # words are words
        pmapdb $words 2>&1 >/dev/full || echo "= exit $? of $words"
    done
fi
{ pmapdb leaks --help 2>"$PMAPDB_SCRATCH/pipe" || echo "= exit $?"; } | head -n 1
cat "$PMAPDB_SCRATCH/pipe"

say "line endings"
show pmapdb categories -f csv --crlf "(od)"
pmapdb categories -f csv --crlf | head -n 1 | tail -c 4 | od -c
run pmapdb categories --kib
run pmapdb snapshots --wide --dialect smaps

say "-o refuses a file that the command reads or creates"
cp samples/logs/leaky-cron.log in.log
pmapdb --db other.db import -q samples/logs/leaky-cron.log
pmapdb sql 'SELECT 1 AS one' -f csv >series.csv
run pmapdb import in.log -o in.log
run pmapdb import-perf in.log -o ./in.log
run pmapdb merge other.db -f csv -o other.db
run pmapdb export part.db -o part.db
run pmapdb leaks --series series.csv -o series.csv
run pmapdb rules series.csv -o series.csv
run pmapdb categories --db ./new.db -o new.db-wal
run pmapdb import -q --db new.db in.log -o new.db-wal
pmapdb --db other.db snapshots -f csv | wc -l
ls

say "a signal leaves no temporary file"
for signal in HUP INT TERM; do
    # The caller of the suite may ignore HUP, and a shell ignores INT in background jobs: a program inherits both.
    env --default-signal=$signal pmapdb sql -f csv 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n' -o endless 2>/dev/null &
    until [ -s "$(echo endless.*)" ] || ! kill -0 $! 2>/dev/null; do sleep 0.05; done
    kill -$signal $!
    wait $! 2>/dev/null && echo "it ended by itself"
    ls endless* 2>/dev/null || echo "none after $signal"
done
