# near: the hint "did you mean" for a command, a query, a word of an option, a name, a column.

pmapdb import -q samples/captures

run pmapdb grwoth
run pmapdb snapshot
run pmapdb Mappings
run pmapdb diff-categories
run pmapdb nothing-like-it
# The list of queries grows, so only the near names are shown.
pmapdb query catgories 2>stderr || sed 's/? there are:.*/?/' stderr
pmapdb query nothing-like-it 2>stderr || sed 's/; there are:.*/;/' stderr
run pmapdb mappings --category haep
run pmapdb mappings --category nothing
run pmapdb mappings --dialect smap
run pmapdb categories --dialect PMAP-XX
run pmapdb snapshots --dialect nothing
run pmapdb snapshots --state partail
run pmapdb growth laeky
run pmapdb growth laeky/12766
run pmapdb growth nothing
run pmapdb sql 'SELECT rss_kb FROM mappings'
run pmapdb sql 'SELECT m.pth FROM mappings m'
run pmapdb sql 'SELECT rss FROM snapshots s JOIN process USING (process_id)'
run pmapdb sql 'SELECT 1 FROM maping'
run pmapdb sql 'SELECT coutn(*) FROM mappings'
run pmapdb sql 'SELECT 1 FROM process WHERE command = "redis"'

say "a value that the header does not list"
run pmapdb series --metric rs

say "processes without a name are not merged into one"
date -u -d @1795229318 >one.log
printf 'total kB  232 88 8\n' >>one.log
date -u -d @1795229319 >two.log
printf 'total kB  1232 888 8\n' >>two.log
run pmapdb --db unnamed.db import -q one.log two.log
run pmapdb --db unnamed.db growth
run pmapdb --db unnamed.db growth --process @1 -f csv

say "a snapshot says which process it is of"
run pmapdb --db unnamed.db categories --snapshot @2 -f csv
run pmapdb --db unnamed.db categories --snapshot @9
