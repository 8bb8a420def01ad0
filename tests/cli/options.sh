# options: rarely used options, and the errors for impossible options.

pmap_x 7 web 100 >1795220000-7.x
say "a new store's permissions and group"
run pmapdb import -q --db group.db --mode 0640 --group daemon 1795220000-7.x
stat -c '%a %G' group.db
run pmapdb import -q --db none.db --group no-such-group 1795220000-7.x
run pmapdb import -q --db none.db --mode 999 1795220000-7.x
run pmapdb merge -q --db merged.db --mode 0640 --group daemon group.db -o /dev/null
stat -c '%a %G' merged.db
run pmapdb merge -q --db none.db --group no-such-group group.db
run pmapdb import-perf -q --db perf.db --mode 0640 --group daemon --host h1 samples/perf/leaky.script.txt
ls

say "captures with invalid options"
run pmapdb capture 0
run pmapdb capture --count 0 --every 1s 1
run pmapdb capture --name '' 1
run pmapdb capture --host '' 1

say "invalid times"
run pmapdb import --every 2y 1795220000-7.x
run pmapdb import --at someday 1795220000-7.x

say "arguments that exclude each other"
pmapdb import -q samples/captures
run pmapdb completion
run pmapdb completion bash zsh
run pmapdb prune --pin last --compact
run pmapdb prune --pin last --unpin last
run pmapdb groups --by 'name
user'
run pmapdb query categories --sql -f csv

say "sums only cannot be compared row by row"
pmapdb --db sums.db import -q samples/logs/leaky-totals.log 2>/dev/null || true
run pmapdb --db sums.db diff --by object
run pmapdb --db sums.db diff --by lineage --from prev
run pmapdb --db sums.db diff -f csv
run pmapdb --db sums.db who
