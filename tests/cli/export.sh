# export: an extract, redacted or unchanged; --keep; refused commands; the owner looks ids up.

mkdir in
# A row as the kernel prints it: ADDRESSES INODE NAME [PERMS]
row() {
    printf '%s %s 00000000 fe:01 %s                    %s\n' "$1" "${4:-rw-p}" "$2" "$3"
    printf '%s\n' 'Size:                 64 kB' 'Rss:                  64 kB' \
        'Pss:                  64 kB' 'Shared_Clean:          0 kB' 'Shared_Dirty:          0 kB' \
        'Private_Clean:         0 kB' 'Private_Dirty:        64 kB' 'Swap:                  0 kB'
}
for t in 1700000000 1700000060 1700000120; do
    {
        row 55d0c0000000-55d0c0010000 4711 /opt/bank/bin/payd r-xp
        row 55d0c1000000-55d0c1010000 0 '[heap]'
        row 7f0000000000-7f0000010000 4712 /opt/bank/lib/libpay.so.1.2
        row 7f0000010000-7f0000020000 4713 /usr/lib/x86_64-linux-gnu/libc.so.6
        row 7f0000020000-7f0000030000 0 '[anon:bank accounts]'
        row 7f0000030000-7f0000040000 4714 '/memfd:bank (deleted)'
        row 7ffe00000000-7ffe00010000 0 '[stack]'
    } >in/$t-4711.smaps
done
pmapdb import -q --host ledger.bank.example in

say "redacted: numbers and shapes stay, names and addresses do not"
run pmapdb export ticket.db --redact -f csv
run pmapdb processes --db ticket.db -f csv
run pmapdb sql --db ticket.db "SELECT m.lineage_id, m.path, m.category, m.rss_kib, m.inode,
    m.start % 67108864 AS rest FROM mappings m WHERE snapshot_id = 3 ORDER BY start" -f csv
say "the owner looks up the ids of the ticket"
pmapdb sql --db ticket.db "SELECT lineage_id FROM mappings WHERE path LIKE '/opt/d6/d7/%' LIMIT 1" -f csv |
    tail -n 1 >id
run pmapdb sql "SELECT path FROM mappings WHERE snapshot_id = 3 AND lineage_id = $(cat id)" -f csv
say "only the owner can read the file, and no other file is left"
find . -maxdepth 1 -name 'ticket*' -printf '%f %m\n' | sort
grep -c -a -e bank -e ledger -e payd ticket.db || :

say "--keep"
run pmapdb export kept.db --redact --keep '/opt/bank/.*' --keep 'ledger.*' -f csv
run pmapdb sql --db kept.db "SELECT DISTINCT path FROM object ORDER BY 1" -f csv
run pmapdb sql --db kept.db "SELECT name FROM host UNION SELECT name FROM name" -f csv

say "a part of the store, unchanged"
run pmapdb export part.db --process payd --from @2 --to last
run pmapdb snapshots --db part.db -f csv
run pmapdb doctor --deep --db part.db -f csv -o doctor.csv
grep -v -e ',"ok"' -e ',"note"' doctor.csv || :
say "the extract takes the next import, and a merge"
run pmapdb import -q --db part.db --host ledger.bank.example in -f csv -o news.csv
tail -n +2 news.csv | wc -l
run pmapdb merge --db all.db ticket.db

say "the extract has the categories of the owner's rules, but not the rules"
cat >own.csv <<END
rule,category,base,path
pay,bank/accounts,,/opt/bank/*
END
pmapdb rules --apply own.csv -q -o /dev/null
run pmapdb export own.db --redact
run pmapdb sql --db own.db "SELECT DISTINCT c.category, l.rule FROM lineage l
    JOIN category c USING (category_id) ORDER BY 1" -f csv
run pmapdb sql --db own.db "SELECT name FROM rule_set" -f csv

say "refused commands"
run pmapdb export ticket.db
run pmapdb export new.db --keep x
run pmapdb export new.db --redact --keep '('
run pmapdb export new.db other.db
run pmapdb export
run pmapdb export new.db --process nginx
run pmapdb export new.db --from last --to first
run pmapdb export nowhere/new.db
run pmapdb export --db none.db new.db
find . -maxdepth 1 -name 'new*'
