# rules: shows, exports, applies and compares rules; explains the category of a mapping; reports
# errors in a file or a command line.
need sqlite3

# Masks the time at which the rules were applied.
applied() {
    run "$@" | sed 's/applied to the store at [-0-9T:.]*Z/applied to the store at TIME/'
}

cat >my.csv <<'CSV'
rule,category,base,name,perms,flags,size,below,above,with,note
# the heap of a program that is small when it starts
heap-large,heap/large,heap,,,,3M..,,,,large in its first capture
stack,anonymous/thread-stack,anonymous,,rw-p,nh,,base=reserve size=..1M,,,
library,shared-library/%b,shared-library,,,,,,,path=libc.so.6,
pool,anonymous/pool,anonymous,,rw-p,,,-,,,"nothing below it, ""really"""
kernel,kernel/%r,kernel,vvar*,,,,,,,
disk,program/disk,program,,,,,,,,
guard,reserve/guard,reserve,,,,,,base=anonymous flags=nh,,
heap-small,heap/small,heap,,,,,,,,
CSV

say "without a store: the rules of a new store"
pmapdb rules | sed -n '1s/[0-9]* rules/N rules/p; 2s/  */ /gp'
run pmapdb rules --export -o default.csv
pmapdb rules -f csv | sed 1d | cut -d , -f 2 | tr -d '"' >listed
sed 1d default.csv | cut -d , -f 1 | diff - listed && echo "the file has the same rules"
[ ! -e store.db ] || echo "made a store"

say "another rule set, with the positions of its rules"
run pmapdb rules my.csv
run pmapdb rules my.csv -f csv --top 2
run pmapdb rules --rules my.csv -f ndjson -o rows.json
cat rows.json
pmapdb rules - -f csv <my.csv | sed -n 2p
run pmapdb rules --rules my.csv -f md
pmapdb rules pmap-dotnet -f csv | grep '^17,'

say "the rules of a store: how many lineages each rule decided"
pmapdb import -q samples/captures
pmapdb rules | sed -n '1s/[0-9]* rules/N rules/p'
pmapdb rules -f csv | grep -E '^[0-9]+,"(stack|guard-stack|shared-anonymous)",' | cut -d , -f 2,3
pmapdb sql "SELECT rule, count(*) AS n FROM lineage WHERE rule IS NOT NULL GROUP BY rule" \
    -f csv | sed 1d | tr -d '"' | sort >decided
pmapdb rules -f json | tr '}' '\n' | sed -n \
    's/.*"rule":"\([^"]*\)".*"lineages":\([1-9][0-9]*\).*/\1,\2/p' | sort | diff decided - &&
    echo "as table lineage says"
run pmapdb rules my.csv --top 1

say "rulings: which rule decided"
pmapdb rulings leaky -f csv | awk -F , 'NR == 1 { print $1 "," $9 "," $10 "," $11 } NR > 1 {
    print $1 "," $9 "," $10 "," $11 }' | grep -E 'start|stack|anonymous'

say "--diff: what another set would change, without changing it"
pmapdb categories leaky -f csv >before
run pmapdb rules --diff my.csv
pmapdb categories leaky -f csv | diff before - && echo "as before"
run pmapdb rules --diff my.csv -f csv -q
say "the same set, applied"
run pmapdb rules --apply my.csv
run pmapdb categories leaky
applied pmapdb rules
run pmapdb rules --apply my.csv
run pmapdb rules --apply my.csv -q
run pmapdb diff --from first --to last leaky --top 3

say "--explain"
heap=$(pmapdb mappings leaky --category heap -f csv | sed -n '2s/,.*//p')
stack=$(pmapdb mappings leaky --category anonymous/thread-stack -f csv | sed -n '2s/,.*//p')
run pmapdb rules --explain "$stack"
run pmapdb rules --explain "0x$stack" --process leaky --snapshot first -f csv
run pmapdb rules --explain "$heap"
run pmapdb rules --explain "$heap" -q -f json
run pmapdb rules --explain "$stack" --rules pmap-dotnet -f md --top 2
run pmapdb rules --explain ffffffffff600000
for what in shared-library/libc.so.6 program/disk reserve/guard; do
    address=$(pmapdb mappings leaky --category $what -f csv | sed -n '2s/,.*//p')
    run pmapdb rules --explain "${address%???}fff" -f csv
done
say "a mapping that the process has named"
sqlite3 store.db "UPDATE lineage SET rule = 'label' WHERE rule = 'heap-small'"
run pmapdb rules --explain "$heap" --top 1
sqlite3 store.db "UPDATE lineage SET rule = 'heap-small' WHERE rule = 'label'"
say "of several processes, one with neighbours"
for pid in 1 2; do
    pmap_x $pid web $((100 * pid)) >$pid.txt
    pmapdb import -q --db web.db --at 2026-11-21T04:00:00Z $pid.txt
done
run pmapdb rules --explain 560001000000 --db web.db
run pmapdb rules --explain 560001000000 --db web.db --process 2 --rules my.csv

say "back to the first rules"
run pmapdb rules --apply default -q -o changes.txt
head -n 1 changes.txt
pmapdb categories leaky -f csv | diff before - && echo "as before"
run pmapdb sql "UPDATE rule_set SET text = 'x'"

say "the rules of another version"
run pmapdb rules --apply my.csv -q -o /dev/null
sqlite3 store.db "UPDATE rule_set SET name = 'default'"
pmapdb rules 2>&1 | sed -n 's/this pmapdb [0-9.]*/this pmapdb V/; s/ at 2.*Z/ at TIME/; 1,2p'
pmapdb rules --apply default -q -o /dev/null

say "an export can be applied"
run pmapdb rules --export pmap-dotnet -o dotnet.csv
run pmapdb rules --apply dotnet.csv -q -o /dev/null
pmapdb rules --export | diff dotnet.csv - && echo "the same bytes"
run pmapdb rules --apply pmap-dotnet
pmapdb rules | sed -n '1s/ at 2.*/ at TIME/p'

say "a mistake in a rule set changes nothing"
cat >bad.csv <<'CSV'
rule,category,base,perms,size
one,anonymous/one,anonymous,rw,1..2
two,anonymous/two,heap,rw-p,
one,anonymous/three,anonymous,rw-p,9..1
four,anonymous/four,anonymous,,..1G
CSV
run pmapdb rules bad.csv
run pmapdb rules --apply bad.csv
run pmapdb rules --diff bad.csv
pmapdb rules | sed -n '1s/ at 2.*/ at TIME/p'
run pmapdb rules --export bad.csv -o copy.csv
cmp bad.csv copy.csv
printf 'rule,category,path\nall,%%b,~x\n' >odd.csv
run pmapdb rules odd.csv -q
run pmapdb rules odd.csv

say "impossible options"
run pmapdb rules nosuch
run pmapdb rules pmapdotnet
run pmapdb rules --apply samples
run pmapdb rules --apply my.csv --db none.db
run pmapdb rules --explain 12345000
run pmapdb rules --explain 12345zzz
run pmapdb rules --explain 12345000 --process nobody
run pmapdb rules --explain 12345000 --db none.db
for words in '--apply default --diff default' '--apply default my.csv' '--explain 1000 --export' \
    '--rules default my.csv' '--process leaky' 'default my.csv'; do
    # shellcheck disable=SC2086 # words
    run pmapdb rules $words 2>&1 | grep -v '^! Try'
done

say "more names than a store has room for"
awk 'BEGIN { for (i = 0; i < 2100; i++) printf "%x-%x rw-p 00000000 00:00 0    [anon:%s]\n",
    1073741824 + i * 8192, 1073741824 + i * 8192 + 4096,
    sprintf("%c%c%c", 97 + i % 26, 97 + int(i / 26) % 26, 97 + int(i / 676)) }' >4711.maps
touch -d 2026-11-21T03:00:00Z 4711.maps
run pmapdb --db full.db import 4711.maps
pmapdb --db full.db sql "SELECT base, category = base AS plain, count(*) FROM mappings GROUP BY 1, 2" -f csv
pmapdb --db full.db sql "SELECT mappings = (SELECT sum(mappings) FROM categories) AS same FROM snapshots" -f csv
pmapdb --db full.db doctor -f csv | grep -e '^"rules"' -e '^"names"'
run pmapdb --db full.db import -q samples/captures
printf 'rule,category,base\nall,Memory,\n' >one.csv
run pmapdb --db full.db rules --apply one.csv -q --top 3
pmapdb --db full.db doctor -f csv | grep '^"names"'

say "a regex that takes too long"
printf 'rule,category,base,path\nslow,Slow,mapped-file,~^/(a+)+$\n' >slow.csv
pmapdb --db slow.db import -q samples/captures
run pmapdb --db slow.db rules --apply slow.csv -q
awk 'BEGIN { s = sprintf("%60s", ""); gsub(/ /, "a", s)
    printf "40000000-40001000 r--p 00000000 08:01 7    /%sx\n", s }' >4712.maps
touch -d 2026-11-21T03:00:00Z 4712.maps
run pmapdb --db slow.db import 4712.maps

say "rules that cannot be read"
sqlite3 slow.db "UPDATE rule_set SET text = 'garbage'"
run pmapdb --db slow.db doctor -f csv | grep -e '^"rules"' -e exit
run pmapdb --db slow.db rules
run pmapdb --db slow.db rules --apply default -q
