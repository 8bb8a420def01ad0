# growth: the long series: from, to, category, unknown steps, a restart, a category that disappears.

pmapdb import -q samples/captures
run pmapdb growth --category heap
run pmapdb growth --category heap --dialect pmap-x -f csv
run pmapdb growth --dialect smaps
run pmapdb growth --dialect pmap-x --from -1m
run pmapdb growth --dialect pmap-x --from first --to 2026-11-21T02:49:10Z -f json --category shared-memory

say "a category that disappears has one row of zeroes, and unknown stays unknown"
at() { pmapdb --db gone.db import -q --at 2026-11-21T"$1"Z -; }
pmap_x 90 web 100 64 | at 10:00:00
pmap_x 90 web 120 | at 10:05:00
pmap_x 90 web 140 | at 10:10:00
pmap_x 90 web 140 32 | at 10:15:00
run pmapdb --db gone.db growth -f csv

say "a restart is no growth"
pmap_x 91 web 5000 | sed 's/^00005600/00005700/; s/^00007f/00007e/; s/^00007ffc/00007ffa/' | at 10:20:00
run pmapdb --db gone.db growth --from -10m

say "nothing is computed from or to a partial capture"
mkdir cut
pmap_x 50 half 100 >cut/1795229400-50.x
pmap_x 50 half 200 | grep -v libc >cut/1795229460-50.x
pmap_x 50 half 300 >cut/1795229520-50.x
pmap_x 50 half 400 >cut/1795229580-50.x
run pmapdb --db cut.db import cut
run pmapdb --db cut.db growth --category heap
