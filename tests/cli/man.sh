# man: the pages hold what the sources say: every command, option, query, parameter, category, table;
# counted here with awk, from the sources.
# shellcheck shell=sh source-path=SCRIPTDIR source=kit.sh
. "$PMAPDB_KIT"

root=$(dirname "$PMAPDB_KIT")/../..
mkdir -p "$HOME/.config/pmapdb/queries" # which are of no account
sed 's/^-- param:  process/-- param:  mine   /' "$root/queries/growth.sql" >"$HOME/.config/pmapdb/queries/growth.sql"
export SOURCE_DATE_EPOCH=1795229318
for page in pmapdb.1 pmapdb-queries.7 pmapdb-categories.7 pmapdb-schema.7 pmapdb-perf.7; do
    sh "$root/docs/man/page.sh" "$(command -v pmapdb)" $page >$page
    sed -n '1,3p' $page
done
rm -r "$HOME/.config"
# Bold words that begin an item, of one subsection: SECTION NAME of each.
items() {
    sed 's/\\-/-/g' "$1" | awk '
        /^\.SH / { part = $2 }
        /^\.SS / { part = $2 }
        item && match($0, /^\\fB[^\\]*/) { print part, substr($0, 4, RLENGTH - 3) }
        { item = $0 == ".TP" }'
}
# Long options of COMMANDS on standard input.
options() {
    while read -r command; do
        pmapdb "$command" --help | awk -v command="$command" '
            /^ Everywhere:$/ { exit }
            match($0, /--[a-z-]+/) && /^(      |  -., )--/ { print command, substr($0, RSTART, RLENGTH) }'
    done | sort
}

say "pmapdb(1): every command with its options"
ls "$root/queries" | sed 's/\.sql$//' >queries
pmapdb --help | awk '/^Commands:$/ { on = 1; next } on && !NF { exit } on { print $1 }' |
    grep -vxFf queries >commands
options <commands >want
items pmapdb.1 | sed 's/[=[].*//; s/^\([a-z-]*\) -., /\1 /' | grep -v '^[A-Z]' | sort >have
diff want have
wc -l <want | tr -d ' '
items pmapdb.1 | sed -n 's/^OPTIONS //p'
sed -n 's/^\.SH //p' pmapdb.1

say "pmapdb-queries(7): every query with its parameters and columns"
options <queries >want
items pmapdb-queries.7 | sed 's/=.*//' | sort >have
diff want have && echo same
sed -n 's/^\.SS //p' pmapdb-queries.7 | sed 's/\\-/-/g' | diff queries - && echo same
sed -n 's/^-- column: *\([a-z_0-9]*\).*/\1/p' "$root"/queries/*.sql | wc -l | tr -d ' ' >want
sed 's/\\-/-/g' pmapdb-queries.7 | awk '/^\.nf$/ { on = 1 } /^\.fi$/ { on = 0 }
    on && /^  [a-z_0-9]+ +(text|int|count|real|kib|rate|time|duration|bool|address|snapshot|process|lineage|category|ratio) / { n++ }
    END { print n }' | diff want - && echo same

say "pmapdb-categories(7): every page with its parts"
cat "$root"/categories/*.txt | sed -n 's/^category: //p' |
    sed 's/%p$/PATH/; s/%[nrw]/NAME/' | sort >want
sed -n 's/^\.SS //p' pmapdb-categories.7 | sed 's/\\-/-/g' | sort >have
diff want have && echo same
for part in Known Growth Next More; do
    printf '%s %s\n' "$part" "$(grep -c "^.fI$part:.fP" pmapdb-categories.7)"
done
cat "$root"/categories/*.txt | cut -d : -f 1 | grep -E '^(known|growth|more)$' | sort | uniq -c | awk '{ print $2, $1 }'
sed -n '/^\.SS reserve.*guard/,/^\.SS/p' pmapdb-categories.7

say "pmapdb-schema(7): the SQL"
sed 's/\\-/-/g' pmapdb-schema.7 | grep -c '^CREATE'
cat "$root"/schema/*.sql | grep -c '^CREATE'
