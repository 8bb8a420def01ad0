# output: -o is all or nothing, a pipe may close, CR LF, exact and wide tables.
# shellcheck shell=sh source-path=SCRIPTDIR source=kit.sh
. "$PMAPDB_KIT"

pmapdb import -q samples/captures
run pmapdb categories -f csv -o c.csv
run cat c.csv
run ls
say "an old file stays when the query fails"
run pmapdb categories --snapshot @99 -f csv -o c.csv
run wc -l c.csv
run pmapdb categories -o no/such/folder/c.csv

say "a reader that goes away is no error"
show pmapdb growth -f csv "(into head)"
{ pmapdb growth -f csv 2>"$PMAPDB_SCRATCH/pipe" || echo "= exit $?"; } | head -n 1
cat "$PMAPDB_SCRATCH/pipe"

say "a full disk is"
if [ -w /dev/full ]; then
    # shellcheck disable=SC2069 # what is said, not what is written
    pmapdb categories -f csv 2>&1 >/dev/full || echo "= exit $?"
fi

say "line ends"
show pmapdb categories -f csv --crlf "(od)"
pmapdb categories -f csv --crlf | head -n 1 | tail -c 4 | od -c
run pmapdb categories --kib
run pmapdb snapshots --wide --dialect smaps
