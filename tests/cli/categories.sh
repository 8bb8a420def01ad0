# categories: of one snapshot; the sums are those of its text.

pmapdb import -q samples/captures
run pmapdb categories
run pmapdb categories --snapshot first
run pmapdb categories --snapshot @4
run pmapdb categories --dialect pmap-x -f csv
run pmapdb categories -f json --snapshot 2026-11-21T02:52:00Z

say "the same sums by awk"
run awk '$NF == "leaky" { k += $2; r += $3 } END { print "program", k, r }' \
    samples/captures/leaky-20261121/1795229348-12766.x
run awk '/lib|ld-linux/ { k += $2; r += $3 } END { print "shared-library", k, r }' \
    samples/captures/leaky-20261121/1795229348-12766.x
