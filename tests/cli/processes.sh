# processes: names, pids, hosts.

pmapdb import -q samples/captures samples/logs/leaky-cron.log
pmap_x 500 web 100 | pmapdb import -q --host alpha --at 2026-11-20T10:00:00Z -
pmap_x 500 web 100 | pmapdb import -q --host beta --at 2026-11-20T10:00:00Z -
run pmapdb processes
run pmapdb processes -f csv
run pmapdb processes leaky
run pmapdb processes 12767 -f ndjson
run pmapdb processes alpha:web
