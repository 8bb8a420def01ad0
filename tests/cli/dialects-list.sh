# dialects-list: what import reads and what it refuses by name.

run pmapdb dialects

say "as rows, without the refused ones"
run pmapdb dialects -f csv
run pmapdb dialects -f json
run pmapdb dialects -f ndjson -o rows.ndjson
run wc -l rows.ndjson
run pmapdb dialects maps

say "each name is a value of --dialect; the error for another name has the list"
sed 's/.*"dialect":"\([^"]*\)".*/\1/' rows.ndjson | uniq >names
run wc -l names
while read -r name; do
    pmapdb import --explain --dialect "$name" fixtures/parse/demo-x.txt 2>&1 | grep 'no dialect' || :
done <names
run pmapdb import --dialect pmap-Q fixtures/parse/demo-x.txt
