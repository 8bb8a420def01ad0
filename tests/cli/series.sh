# series: leaks --series: verdicts on series of a CSV file, in any order; bad rows.

# NAME SNAPSHOTS FIRST_KIB STEP_KIB [END]: prints a row a minute; from snapshot END on the series is flat.
series() {
    awk -v name="$1" -v n="$2" -v first="$3" -v step="$4" -v end="${5:-99999}" 'BEGIN {
        for (i = 0; i < n; i++)
            printf "%s,%d,%d,7\n", name, 1700000000 + 60 * i, first + step * (i < end ? i : end)
    }'
}

{
    echo series_id,ts,kb,pid
    series grows 60 10000 100
    series flat 60 10000 0
    series fills 60 10000 400 20
    series seven 7 10000 100
    series eight 8 10000 100
} >good.csv

say "verdicts"
run pmapdb leaks --series good.csv -f csv -o verdicts.csv
awk -F , '{ print $1, $2, $12 }' verdicts.csv
head -n 1 verdicts.csv
say "rate and start of growth of 100 KiB a minute"
awk -F , '$1 == "\"grows\"" { print $4, $8 }' verdicts.csv

say "the order of the rows does not matter: sorted backwards, from standard input, packed"
{
    head -n 1 good.csv
    tail -n +2 good.csv | sort -r
} >backwards.csv
pmapdb leaks --series - -f csv <backwards.csv | sort >a
sort verdicts.csv | cmp - a && echo same
gzip -c good.csv >good.csv.gz
pmapdb leaks --series good.csv.gz -f csv | cmp - verdicts.csv && echo same
say "other columns, CR LF, a byte order mark, quotes, ISO times; of equal times the last row counts"
awk -F , 'NR == 1 { printf "\357\273\277ts,pid,\"what, else\",kb,series_id\r\n"; next }
    { printf "%s.0,%s,\"a \"\"b\"\"\nc\",1,%s\r\n", $2, $4, $1
      printf "%s,%s,,%s,\"%s\"\r\n", $2, $4, $3, $1 }' good.csv >other.csv
pmapdb leaks --series other.csv -f csv | cmp - verdicts.csv && echo same

say "a table, and other formats"
run pmapdb leaks --series good.csv --wide -o table.txt
awk '{ print $1, $2 }' table.txt
pmapdb leaks --series good.csv -f ndjson | awk -F '[:,]' '{ print $2, $4 }'
pmapdb leaks --series good.csv -f prometheus | grep -c '^pmapdb_leaks_series_rate_per_hour{'

say "a bad row is skipped, a misplaced quote refuses the whole file: status 2"
{
    head -n 30 good.csv
    printf '%s\n' 'grows,yesterday,1,7' 'grows,1700000000000,1,7' 'grows,1700000001,-5,7' \
        'grows,1700000001,12 MiB,7' ',1700000001,5,7' 'grows,1'
    tail -n +31 good.csv
} >bad.csv
run pmapdb leaks --series bad.csv -f csv -o out.csv
cmp out.csv verdicts.csv && echo same
run pmapdb leaks --series bad.csv -f csv -o out.csv --check
printf '%s\n' 'series_id,ts,kb' 'gr"ows,1700000001,1' >quote.csv
run pmapdb leaks --series quote.csv
awk 'BEGIN { print "series_id,ts,kb"; for (i = 0; i < 25; i++) print "x,y,z" }' | run pmapdb leaks --series -

say "a leak that is restarted every half hour; without the pids a sawtooth whose floor is flat"
{
    echo series_id,ts,kb,pid
    awk 'BEGIN { for (life = 0; life < 4; life++) for (i = 0; i < 30; i++)
        printf "restarts,%d,%d,%d\n", 1700000000 + 60 * (30 * life + i), 9000 + 50 * i, 100 + life }'
} >restarts.csv
pmapdb leaks --series restarts.csv -f csv | awk -F , '{ print $1, $2, $13 }'
cut -d , -f 1-3 restarts.csv | pmapdb leaks --series - -f csv | awk -F , '{ print $1, $2, $13 }'

say "--limit: 4,500 KiB at 6,000 an hour"
pmapdb leaks --series good.csv --limit 20400 -f csv | awk -F , '$1 == "\"grows\"" { print $10, $11 }'

say "growth of 0.5 %: steady for memory, not for address space; 20 more mappings are growth, 20 KiB are not"
{
    echo series_id,ts,kb
    awk 'BEGIN { for (i = 0; i < 60; i++)
        printf "large,%d,%d\nsmall,%d,%d\n", 1700000000 + 3600 * i, 900000 + 80 * i, \
            1700000000 + 3600 * i, 900 + i / 3 }'
} >few.csv
for metric in rss size mappings; do
    pmapdb leaks --series few.csv --metric $metric -f csv | awk -F , 'NR > 1 { print $1, $2 }'
done

say "the least growth that a constant series shows in 6.5 hours: 1 % of memory, 0.3 % of address space"
{
    echo series_id,ts,kb
    awk 'BEGIN { for (i = 0; i < 40; i++) printf "constant,%d,1000000\n", 1700000000 + 600 * i }'
} >constant.csv
for metric in rss size; do
    pmapdb leaks --series constant.csv --metric $metric --columns metric,detectable_per_h -f csv | tail -n 1
done

say "exit status: 1 with --check if a series leaks, 3 if all are too short"
run pmapdb leaks --series good.csv --check -o /dev/null
grep -e series -e seven good.csv >short.csv
run pmapdb leaks --series short.csv --check -o /dev/null
grep -e series -e flat good.csv >quiet.csv
run pmapdb leaks --series quiet.csv --check -o /dev/null

say "--series needs no store, and takes no options of a store"
run pmapdb leaks --series quiet.csv --by object
run pmapdb leaks --series quiet.csv --process web
run pmapdb leaks --series quiet.csv --limit much
run pmapdb leaks --series nothing.csv
run pmapdb leaks --series .
echo series_id,kb >lacks.csv
run pmapdb leaks --series lacks.csv
echo series_id,ts,kb >empty.csv
run pmapdb leaks --series empty.csv
