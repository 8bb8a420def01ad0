# diff: by category, object and lineage; selectors; thresholds; unknown numbers.

pmapdb import -q samples/captures
run pmapdb diff
run pmapdb diff --by object
run pmapdb diff --by lineage -f csv
run pmapdb diff --dialect pmap-x --from prev --wide

say "thresholds"
for threshold in rss:10M rss:6M rss:6144 rss:6145 size_kib:6M swap:1 mappings:1 pss:0; do
    run pmapdb diff --threshold $threshold -f csv -o /dev/null
done

say "a metric that one side lacks"
run pmapdb diff --from 2026-11-21T02:49:08Z
run pmapdb diff --from @3 --to @4 --dialect pmap-x

say "different processes"
pmap_x 70 web 100 | pmapdb --db two.db import -q --at 2026-11-21T10:00:00Z -
pmap_x 71 web 300 | pmapdb --db two.db import -q --at 2026-11-21T11:00:00Z -
run pmapdb --db two.db diff

say "a diff with a partial snapshot says so"
pmap_x 80 web 100 >a
pmap_x 80 web 300 | sed '/libc/d' >b
pmapdb --db partial.db import -q --at 2026-11-21T10:00:00Z a
run pmapdb --db partial.db import -q --at 2026-11-21T11:00:00Z b
run pmapdb --db partial.db diff
