# mappings-words: permissions and VmFlags in words, largest first.
own fixtures

pmapdb import -q samples/captures
run pmapdb mappings --words --min-size 1M
run pmapdb mappings --words --min-size 8192 -f csv
run pmapdb mappings --words --category kernel -f json
say "the query itself says the same"
run pmapdb mappings-words --category kernel
say "without VmFlags there are no words for them"
touch -d @1795229318 fixtures/parse/demo-x.txt
pmapdb --db plain.db import -q fixtures/parse/demo-x.txt
run pmapdb --db plain.db mappings --words --min-size 480
run pmapdb --db plain.db mappings --words --min-size 480 -f ndjson
say "sums only"
pmapdb --db sums.db import -q --name leaky --pid 12766 samples/logs/leaky-totals.log
run pmapdb --db sums.db mappings --words
run pmapdb mappings --words --min-size lots
