# complete: what pmapdb __complete offers for the last word: commands, queries, options, and what the
# store holds. It changes nothing, and never says anything else.
# shellcheck shell=sh source-path=SCRIPTDIR source=kit.sh
. "$PMAPDB_KIT"

pmapdb import -q samples/captures
pmap_x 4711 'my app' 64 >app.txt
pmapdb import -q --name 'my app' --at 2026-11-21T03:00:00Z app.txt
# Only the words: what stands behind the tab is for eyes.
words() {
    show pmapdb __complete "$@"
    pmapdb __complete "$@" | cut -f 1 | tr '\n' ' '
    echo
}

say "commands and queries, the user's own too"
mkdir mine
cat >mine/my-own.sql <<'SQL'
-- name:   my-own
-- title:  Mine
-- param:  since snapshot first Since when
-- column: one   int      One
SELECT 1 AS one WHERE :since;
SQL
pmapdb __complete '' | cut -f 1 | sort >offered
pmapdb --help | awk '/^Commands:$/ { on = 1; next } on && !NF { exit } on && $1 !~ /^_/ { print $1 }' >all
pmapdb query --list -f csv | awk -F '"' 'NR > 1 { print $2 }' | cat - all | sort -u | diff - offered
run pmapdb __complete gr
run pmapdb __complete --query-dir mine my
run pmapdb __complete query --query-dir mine my-
run pmapdb __complete my-own --query-dir mine --si
words --query-dir mine my-own --since l
words nonsense ''
words nonsense --

say "options are those of --help"
for command in '' import diff growth 'query growth' sql completion; do
    # shellcheck disable=SC2086 # two words
    pmapdb $command --help | sed -n 's/^\(      \|  -., \)\(--[a-z-]*\).*/\2/p' | sort >all
    # shellcheck disable=SC2086
    pmapdb __complete $command -- | cut -f 1 | sort | diff all -
done
words growth --s
words growth -- --s

say "values"
run pmapdb __complete growth --process ''
run pmapdb __complete growth --process le
run pmapdb __complete growth ''
run pmapdb __complete growth 'my'
words growth leaky ''
run pmapdb __complete categories --snapshot @1
run pmapdb __complete categories --snapshot=@19
run pmapdb __complete growth --process 'my app' --from ''
run pmapdb __complete growth 'my app/4711' --to @
run pmapdb __complete growth 4711 --to @
words growth --from pr
run pmapdb __complete growth --category st
words growth --dialect pmap-
words snapshots --state ''
words growth -f ''
words growth --format=n
words diff --by ''
words series --metric p
words import --time-from ''
words completion ''
words who ''
words who heap an
words query ''
words import ''
words growth -o ''
words growth --output=
words growth --query-dir ''
words sql ''
words sql --timeout ''
words growth --kib=
words
words rules ''
words rules pm
words rules --apply d
words rules --diff=p
words rules --application-folder ''
words rules --explain --snapshot pr

say "pages of categories need no store"
PMAPDB=nowhere.db run pmapdb __complete explain anonymous/jvm-
words explain k
words explain JI
words explain '['
words explain heap ''

say "the store named on the line comes first"
cp store.db other.db
PMAPDB=nowhere.db words growth --category hea
PMAPDB=nowhere.db words --db store.db growth --category hea
PMAPDB=nowhere.db words growth --db=store.db --category hea
words --db nowhere.db growth --category hea
words --db app.txt growth --category hea
words --db . growth --category hea

say "names that a terminal would obey are not offered"
pmap_x 4712 "$(printf 'bad\033[31m')" 64 >bad.txt
pmapdb import -q --at 2026-11-21T04:00:00Z bad.txt
pmapdb processes -f csv | grep -c bad
pmap_x 4713 quoted 64 >quoted.txt
pmapdb import -q --name "it's" --at 2026-11-21T05:00:00Z quoted.txt
words growth b
words growth "it's" --from @
words growth "it'"

say "nothing is written"
state() {
    ls
    cksum store.db store.db-wal
}
touch before
state >before
pmapdb __complete growth --from '' >/dev/null
pmapdb __complete query '' >/dev/null
pmapdb __complete growth -o new.csv --process '' >/dev/null
pmapdb __complete import --mode 0640 app.txt '' >/dev/null
state | diff before - && echo same
pmapdb --db no/such.db __complete growth --from ''
ls -d no no/such.db 2>/dev/null || echo "not there"

say "the newest 200 of many"
awk 'BEGIN { for (i = 1000; i < 1300; i++) {
    printf "2026-11-22T%02d:%02d:00Z\n%d:   /srv/many\n", i / 60 - 16, i % 60, i
    print "total kB 1000 500 100" } }' >many.log
pmapdb import -q many.log
pmapdb __complete growth --from @ | wc -l | tr -d ' '
pmapdb __complete growth --from @ | sed -n '1p;$p'
pmapdb __complete growth --from @3 | sed -n '1p;$p'
