# formats: Markdown, Prometheus, the first rows, spreadsheets; malicious names.

pmapdb import -q samples/captures
run pmapdb categories -f md
run pmapdb diff -f md --kib --top 2

say "Prometheus: the process that was asked for is a label"
show pmapdb categories leaky -f prometheus --top 2 "(without the age, which changes)"
pmapdb categories leaky -f prometheus --top 2 2>&1 | sed '/^pmapdb_categories_age_seconds{/s/ .*/ AGE/'
show pmapdb growth --category heap -f prometheus "(without the ages, which change)"
pmapdb growth --category heap --from last -f prometheus | grep -v '^pmapdb_growth_age_seconds{'
# shellcheck disable=SC2016 # awk's own $2
pmapdb growth --category heap --from last -f prometheus | awk '/^pmapdb_growth_age_seconds\{/ { print ($2 > 0) " age" }'

say "the first rows"
run pmapdb categories --top 3
run pmapdb growth --top 2
run pmapdb diff --top 3 --threshold rss:10M
run pmapdb categories --top 2 -f csv
run pmapdb categories -q --top 2 -f csv
run pmapdb categories --top 8 -f csv
run pmapdb categories --top 0

say "malicious names"
pmap_x 99 x 100 | awk '
    /libc/ {
        print
        for (i = 1; i <= 7; i++)
            printf "00007f20000%d0000 %7d %7d %7d r---- %s\n", i, 8, 4, 0, name[i]
        next
    }
    /^total/ { $3 += 56; $4 += 28; $0 = sprintf("total kB         %7d %7d %7d", $3, $4, $5) }
    { print }
    BEGIN {
        name[1] = "=1+1"; name[2] = "esc\033[31m"; name[3] = "c1\302\23331m"
        name[4] = "bidi\342\200\256txt"; name[5] = "bad\377"; name[6] = "a|b,\"c\""
        name[7] = "re\342\200\213dis\357\273\277"
    }' >evil.txt
export PMAPDB=evil.db
pmapdb import -q --at 2026-11-21 --name "$(printf 'new\nline\033[2J\302\233')" evil.txt
run pmapdb processes
run pmapdb mappings --category mapped-file
run pmapdb mappings --category mapped-file -f md
run pmapdb mappings --category mapped-file -f csv --spreadsheet-safe --top 1
show pmapdb mappings --category mapped-file -f csv --top 1 "(without it)"
pmapdb mappings --category mapped-file -f csv --top 1 -q | tail -n 1
show pmapdb categories "(no such process, in red)"
pmapdb categories "$(printf 'no\033[31m such \302\23331m')" 2>&1 || echo "= exit $?"

say "a full disk leaves the old file"
pmapdb dialects -f csv -o out.csv
cksum <out.csv >before
show pmapdb dialects -f json -o out.csv "(files of at most 512 bytes)"
status=0
(
    ulimit -f 1
    exec pmapdb dialects -f json -o out.csv 2>said
) || status=$?
sed "s|$PMAPDB_SCRATCH|SCRATCH|g" said
echo "= exit $status"
cksum <out.csv | cmp - before
ls out.csv*
