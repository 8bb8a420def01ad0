# import-formats: the news of an import as lines, CSV, JSON, NDJSON.

from=samples/captures/leaky-20261121
cp $from/1795229318-12766.x two.x
echo junk >junk.txt
touch -d @1795229318 two.x
for format in table csv json ndjson; do
    say $format
    run pmapdb --db $format.db import -v -f $format two.x $from/1795229318-12766.smaps junk.txt
    run pmapdb --db $format.db import -v -f $format two.x
done

say "warnings are in the JSON object"
head -n 40 $from/1795229318-12766.smaps >1795229318.smaps
run pmapdb --db warn.db import -f ndjson 1795229318.smaps
