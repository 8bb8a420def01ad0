# mappings: of one snapshot: sizes, filters, hex, flags, unknown.
own fixtures

pmapdb import -q samples/captures
run pmapdb mappings --min-size 1M
run pmapdb mappings --min-size 2048 -f csv
run pmapdb mappings --category heap -f json
say "a category includes its refinements; a refinement selects itself alone"
run pmapdb mappings --category anonymous
run pmapdb mappings --category anonymous/thread-stack
run pmapdb mappings --category reserve
run pmapdb growth --from last --category anonymous
run pmapdb series --metric size --from last --category anonymous -f csv
run pmapdb series --metric size --from last --category anonymous/thread-stack -f csv
run pmapdb mappings --category anonymus/thread-stack
run pmapdb mappings --category no-such-category
say "a plain pmap knows no RSS: ? in a table, nothing in CSV, absent in JSON"
touch -d @1795229318 fixtures/parse/demo-default.txt
pmapdb --db plain.db import -q fixtures/parse/demo-default.txt
run pmapdb --db plain.db mappings --min-size 160
run pmapdb --db plain.db mappings --min-size 160 -f csv
run pmapdb --db plain.db mappings --min-size 160 -f ndjson
