# log: many captures in one file, with dates and without.
own samples
need gzip

say "with dates"
run pmapdb --db cron.db import -v samples/logs/leaky-cron.log
run pmapdb --db cron.db import -q samples/logs/leaky-cron.log

say "without dates: refused, and the error names the options; known the second time"
touch -d 2026-11-21T02:52:08Z samples/logs/leaky-untimed.log
run pmapdb import -v samples/logs/leaky-untimed.log
run pmapdb import -v samples/logs/leaky-untimed.log

say "times counted back from the file's time"
run pmapdb import -v --every 30s samples/logs/leaky-untimed.log
run pmapdb import -q --every 30s samples/logs/leaky-untimed.log
run pmapdb growth --category heap -f csv

say "appended: only the new one is stored; then renamed and packed: known"
pmap_x 12767 leaky 10000 >>samples/logs/leaky-untimed.log
touch -d 2026-11-21T02:52:38Z samples/logs/leaky-untimed.log
run pmapdb import -v --every 30s samples/logs/leaky-untimed.log
mv samples/logs/leaky-untimed.log old.log
touch -d 2026-11-21T02:52:38Z old.log
gzip old.log
run pmapdb import -q --every 30s old.log.gz

say "times from a first time"
gunzip old.log.gz
run pmapdb --db first.db import -q --first 2026-11-21T02:48:38Z --every 1m old.log
run pmapdb --db first.db snapshots
