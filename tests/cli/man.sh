# man: the pages hold what the sources say: every command, option, query, parameter, column, table;
# counted here with awk, from the sources.
# shellcheck shell=sh source-path=SCRIPTDIR source=kit.sh
. "$PMAPDB_KIT"
need sqlite3

root=$(dirname "$PMAPDB_KIT")/../..
mkdir -p "$HOME/.config/pmapdb/queries" # which are of no account
sed 's/^-- param:  process/-- param:  mine   /' "$root/queries/growth.sql" >"$HOME/.config/pmapdb/queries/growth.sql"
export SOURCE_DATE_EPOCH=1795229318
for page in pmapdb.1 pmapdb-queries.7 pmapdb-categories.7 pmapdb-schema.7 pmapdb-perf.7; do
    pmapdb -o $page __man $page
    pmapdb __man $page | cmp - $page
    sed -n '1,3p' $page
done
# Bold words that begin an item, of one subsection: SECTION NAME of each.
items() {
    sed 's/\\-/-/g' "$1" | awk '
        /^\.SH / { part = $2 }
        /^\.SS / { part = $2 }
        item && match($0, /^\\fB[^\\]*/) { print part, substr($0, 4, RLENGTH - 3) }
        { item = $0 == ".TP" }'
}

rm -r "$HOME/.config"

say "pmapdb(1): every command with its options"
pmapdb --help | awk '/^Commands:$/ { on = 1; next } on && !NF { exit } on && $1 !~ /^_/ { print $1 }' >commands
while read -r command; do
    pmapdb "$command" --help | awk -v command="$command" '
        /^ Everywhere:$/ { exit }
        match($0, /--[a-z-]+/) && /^(      |  -., )--/ { print command, substr($0, RSTART, RLENGTH) }'
done <commands | sort >want
items pmapdb.1 | sed 's/[=[].*//; s/^\([a-z-]*\) -., /\1 /' | grep -v '^[A-Z]' | sort >have
diff want have
wc -l <want | tr -d ' '
items pmapdb.1 | sed -n 's/^OPTIONS //p'
sed -n 's/^\.SH //p' pmapdb.1

say "pmapdb-queries(7): every query with its parameters and columns"
for file in "$root"/queries/*.sql; do
    awk '/^-- name:/ { name = $3; print "query", name }
         /^-- param:/ { print name, "--" $3 "=" $4 }
         /^-- column:/ { print name, $3 }' "$file"
done | sort >want
{
    sed -n 's/^\.SS /query /p' pmapdb-queries.7 | sed 's/\\-/-/g'
    items pmapdb-queries.7
} | sort >have
diff want have && echo same

say "pmapdb-categories(7): every page with its parts"
cat "$root"/categories/*.txt | sed -n 's/^category: //p' |
    sed 's/%p$/PATH/; s/%[nrw]/NAME/' | sort >want
sed -n 's/^\.SS //p' pmapdb-categories.7 | sed 's/\\-/-/g' | sort >have
diff want have && echo same
for part in Known.by Growth Next More; do
    printf '%s %s\n' "$part" "$(grep -c "^.fI$part:.fP" pmapdb-categories.7)"
done
cat "$root"/categories/*.txt | cut -d : -f 1 | grep -E '^(known|growth|more)$' | sort | uniq -c | awk '{ print $2, $1 }'
sed -n '/^\.SS reserve.*guard/,/^\.SS/p' pmapdb-categories.7

say "pmapdb-schema(7): every table and view with its columns"
for file in "$root"/schema/*.sql; do
    cat "$file"
done | sqlite3 schema.db
sqlite3 schema.db "SELECT m.name || ' ' || x.name FROM sqlite_master m, pragma_table_xinfo(m.name) x
    WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%'" | sort >want
items pmapdb-schema.7 | sort | diff want - && echo same
sqlite3 schema.db "SELECT m.name || ' ' || x.name FROM sqlite_master m, pragma_table_xinfo(m.name) x
    WHERE m.type = 'view'" | sort >want
sed 's/\\-/-/g' pmapdb-schema.7 | awk '/^\.SS / { part = $2 }
    match($0, /^\\fB[a-z_]+\\fP[,.]$/) { print part, substr($0, 4, RLENGTH - 7) }' | sort >have
diff want have && echo same
sed -n '/^\.SS refused/,/^\.SS/p' pmapdb-schema.7

say "no such page"
run pmapdb __man pmapdb.9
run pmapdb __man
