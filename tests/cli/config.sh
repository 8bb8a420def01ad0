# config: the configuration files: which settings hold, and errors that name file and line.
export XDG_CONFIG_HOME="$PWD/user"
mkdir -p user/pmapdb other
mine=user/pmapdb/config

import() {
    for minute in 10 20 30 40 50; do
        pmap_x 71 web $((minute * 100)) >now.x
        pmapdb import -q --at "2026-11-21T03:$minute:00Z" now.x
    done
}

say "without a file, and with a file that replaces all others"
run pmapdb config
cat >other/config <<END
# of the machine
db = other.db
crlf = yes
growth.category = heap
as.worst = --top 1 -f csv

[web]
limit = 6M
alias = site, front
growth.category = anonymous
check = --rss -w 3M -c 5M --max-age 36500d
END
export PMAPDB_CONFIG=other/config
run pmapdb config
PMAPDB=
export PMAPDB
run pmapdb config -f csv --db here.db
run pmapdb config

say "each setting is taken, and the command line wins"
import
run test -e other.db
run pmapdb growth -f csv --columns category,rss_kib --top 1
run pmapdb growth web -f csv --columns category,rss_kib --top 1
run pmapdb growth --process=site/71 -f csv --columns category,rss_kib --top 1
run pmapdb growth front --category heap -f csv --columns category,rss_kib --top 1
run pmapdb categories --as worst --columns category
run pmapdb check site
run pmapdb check site --rss -w 7M -c 8M
run pmapdb leaks -f csv --columns name,key,limit,limit_by --top 1
run pmapdb leaks --limit 9M -f csv --columns name,key,limit,limit_by --top 1

say "the user's file wins over that of the machine, a later line over an earlier one"
unset PMAPDB_CONFIG
printf 'db = ~/first.db\n db=~/second.db\n' >$mine
run pmapdb config -q -f csv | sed "s|$HOME|HOME|; s|$PWD|HERE|g"

say "a wrong line names file, number and what to do"
wrong() {
    printf '# a comment\n%s\n' "$1" >other/wrong
    PMAPDB_CONFIG=other/wrong run pmapdb "${2:-processes}"
}
wrong 'no equals sign'
wrong 'db ='
wrong '[web'
wrong 'colour = never'
wrong 'growht.category = heap'
wrong 'color = sometimes'
wrong 'crlf = 1'
wrong 'processes.catgory = heap'
wrong 'processes = --user'
wrong 'processes = heap'
wrong "processes = --user 'me"
printf '[web]\nlimit = much\n' >other/wrong
PMAPDB_CONFIG=other/wrong run pmapdb check web --rss -w 1M
PMAPDB_CONFIG=other/config run pmapdb status --as nobody
PMAPDB_CONFIG=other/config run pmapdb --as worst status
PMAPDB_CONFIG=other/nowhere run pmapdb status

say "the file samples/config"
PMAPDB_CONFIG=samples/config run pmapdb --db own.db config
sleep 60 &
PMAPDB_CONFIG=samples/config run pmapdb --db own.db capture -q --as service --every 100ms --count 1 --on-rss-above 0K
kill $!
run pmapdb --db own.db sql "SELECT count(*) > 0, min(every_ms) FROM snapshots, schedule"
