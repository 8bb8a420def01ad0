# dialects: smaps, -XX and -x of one moment: all stored, the one with most fields answers.

pmapdb import -q samples/captures
for dialect in smaps pmap-XX pmap-x; do
    run pmapdb categories --snapshot first --dialect $dialect
done
run pmapdb categories --snapshot first
run pmapdb categories --snapshot first --dialect maps

say "@ID selects the snapshot with this id, also if its moment has others"
run pmapdb categories --snapshot @2 --wide
run pmapdb diff --from @3 --to @4

say "every dialect of one process: the footers and the sums agree"
for dialect in default d x X XX XXpq maps smaps; do
    mkdir -p one
    cp fixtures/parse/demo-$dialect.txt one/1795229318-30639.$dialect
done
run pmapdb --db one.db import -v one
run pmapdb --db one.db snapshots
run pmapdb --db one.db categories
