# status: one screen, its numbers counted by hand. The resident memory of pmap_x is its heap + 436.

now=1795220000
pmap_x 7 web 100 >$((now - 90000))-7.x
pmap_x 7 web 1000 >$((now - 7200))-7.x
pmap_x 7 web 2000 >$((now - 3600))-7.x
pmap_x 7 web 5000 >$now-7.x # + 3000 in an hour, + 4900 in a day
pmap_x 8 db 50000 >$((now - 7200))-8.x
pmap_x 8 db 50000 >$((now - 1))-8.x
pmap_x 9 batch 300 >$((now - 40000))-9.x
pmap_x 9 batch 300 >$((now - 39000))-9.x # ended 10 h 50 min before
pmap_x 14 batch 400 >$((now - 41000))-14.x
pmap_x 14 batch 400 >$((now - 39900))-14.x # of two ended processes of a name the larger one: 836
pmap_x 10 young 700 >$((now - 1200))-10.x
pmap_x 10 young 900 >$((now - 2))-10.x # + 200 since it began
pmap_x 11 worker 10 >$((now - 5))-11.x
pmap_x 12 worker 20 >$((now - 5))-12.x # two processes of a name: 902
pmapdb import -q ./*.x
pmap_x 13 shell 60000 >$now-13.txt
pmapdb import -q --name 'a; rm -rf b' $now-13.txt # is called by its process_id

say "without a command; how long ago the newest capture was depends on the clock"
run pmapdb -n 10 | sed 's/[0-9a-z]* ago\(.*s\)  */SPAN ago\1  /; s/ *$//'
run pmapdb status -n 1 --human | sed 's/[0-9a-z]* ago\(.*s\)  */SPAN ago\1  /; s/ *$//'
run pmapdb status -n 5 --json | grep worker
run pmapdb status --host other

say "leaks, as in the command leaks, and a name near the limit of its configuration"
pmapdb --db leaky.db import -q samples/captures
printf '[leaky]\nlimit = 9M\n' >limits
PMAPDB_CONFIG=limits run pmapdb --db leaky.db status -f csv --columns part,name,pid,kib,detail,next | grep -v captured
run pmapdb --db leaky.db leaks -f csv --columns name,key,verdict,rate_per_h,since --top 1
run pmapdb leaks --grown 1 -f csv --columns name,key

say "without a store"
run pmapdb --db none.db

say "nothing leaks; a partial capture is not judged"
log 5 calm 10 100 0 | pmapdb --db calm.db import -q -
run pmapdb --db calm.db status -f csv --columns part,detail | grep leaks
pmap_x 15 cut 100 | grep -v libc | run pmapdb --db cut.db import --at 2026-11-21T10:00Z -
run pmapdb --db cut.db status -f csv --columns part,detail | grep leaks
