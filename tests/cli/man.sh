# man: every command has a page with all its options, every query has one with all its columns; the other
# pages contain every category and table. awk counts the expected numbers in the sources.

root=$(dirname "$PMAPDB_KIT")/../..
mkdir -p "$HOME/.config/pmapdb/queries" # does not change the pages
sed 's/^-- param:  process/-- param:  mine   /' "$root/queries/growth.sql" >"$HOME/.config/pmapdb/queries/growth.sql"
export SOURCE_DATE_EPOCH=1795229318
sh "$root/docs/man/page.sh" "$(command -v pmapdb)" man
rm -r "$HOME/.config"
sed -s -n '1,3p' man/pmapdb.1 man/pmapdb-growth.1

say "every command has a page with its options"
ls "$root/queries" | sed 's/\.sql$//' >queries
pmapdb --usage | sed -n 's/^  \([a-z][a-z-]*\)$/\1/p' | sort -u - queries >commands
ls man/pmapdb-*.1 | sed 's/.*pmapdb-//; s/\.1$//' | sort | diff commands - && echo same
while read -r command; do
    pmapdb "$command" --help | awk -v command="$command" '
        match($0, /--[a-z-]+/) && /^(      |  -., )--/ { print command, substr($0, RSTART, RLENGTH) }'
done <commands >want
while read -r command; do
    sed 's/\\-/-/g' "man/pmapdb-$command.1" | awk -v command="$command" '
        item && match($0, /--[a-z-]+/) { print command, substr($0, RSTART, RLENGTH) }
        { item = $0 == ".TP" }'
done <commands >have
diff want have && test "$(wc -l <want)" -gt 300 && echo "more than 300"

say "every query has its columns on its page"
sed -n 's/^-- column: *\([a-z_0-9]*\).*/\1/p' "$root"/queries/*.sql | wc -l | tr -d ' ' >want
sed 's/\\-/-/g' $(sed 's/.*/man\/pmapdb-&.1/' queries) | awk '/^\.nf$/ { on = 1 } /^\.fi$/ { on = 0 }
    on && /^  [a-z_0-9]+ +(text|int|count|real|kib|rate|time|duration|bool|address|snapshot|process|lineage|category|ratio|amount) / { n++ }
    END { print n }' | diff want - && echo same

say "pmapdb(1): the options of every command"
sed 's/\\-/-/g' man/pmapdb.1 | awk '/^\.SH / { part = $2 }
    part == "OPTIONS" && item && match($0, /--[a-z-]+/) { print substr($0, RSTART, RLENGTH) }
    { item = $0 == ".TP" }'
sed -n 's/^\.SH //p' man/pmapdb.1

say "pmapdb-categories(7): every page with its parts"
cat "$root"/categories/*.txt | sed -n 's/^category: //p' |
    sed 's/%p$/PATH/; s/%[nrw]/NAME/' | sort >want
sed -n 's/^\.SS //p' man/pmapdb-categories.7 | sed 's/\\-/-/g' | sort >have
diff want have && echo same
for part in Known Growth Next More; do
    printf '%s %s\n' "$part" "$(grep -c "^.fI$part:.fP" man/pmapdb-categories.7)"
done
cat "$root"/categories/*.txt | cut -d : -f 1 | grep -E '^(known|growth|more)$' | sort | uniq -c | awk '{ print $2, $1 }'

say "pmapdb-schema(7): the SQL"
sed 's/\\-/-/g' man/pmapdb-schema.7 | grep -c '^CREATE'
cat "$root"/schema/*.sql "$root"/src/store/push/push-tables.sql | grep -c '^CREATE'
