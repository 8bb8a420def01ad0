# doctor: an intact store, damaged stores, and files that are not stores. N replaces what depends on
# the machine and on SQLite: sizes, the disk, the description of damage. The growth of the store is
# masked too, because it depends on the day.
need dd

mask() {
    sed -E "s|$PMAPDB_SCRATCH|SCRATCH|g
        s/ +/ /g
        /^\"?(size|free|disk)/s/[0-9][0-9.]*( [KMGT]iB)?/N/g
        s/^(\"?growth\"?.\"?ok).*/\1 .../
        s/^integrity trouble .*/integrity trouble N .../"
}

doctor() {
    show pmapdb doctor "$@"
    status=0
    pmapdb doctor "$@" >out 2>err || status=$?
    mask <out
    sed 's/^/! /' err
    [ $status -eq 0 ] || echo "= exit $status"
}

# Copies the store to damaged.db and overwrites page N, counted from 1, with text.
damage() {
    size=$(pmapdb sql 'SELECT page_size FROM pragma_page_size' -f csv | tail -n 1)
    cp store.db damaged.db
    dd if=samples/logs/leaky-cron.log of=damaged.db bs="$size" seek=$(($1 - 1)) count=1 conv=notrunc \
        2>/dev/null
}

root_of() {
    pmapdb sql "SELECT rootpage FROM sqlite_master WHERE name = '$1'" -f csv | tail -n 1
}

say "no store yet"
run pmapdb doctor

pmapdb import -q samples/captures
# The last writer has closed the store, so everything is in the file itself.
rm -f store.db-wal store.db-shm
say "an intact store"
doctor
doctor --deep -f csv
doctor --max-size 1K --top 13
pmapdb doctor -f prometheus | grep -E '(integrity|snapshots|partial|dialects)"'
pmapdb doctor -f ndjson | grep '"snapshots",'

say "a partial and a refused capture are found"
sed '10,12d' samples/captures/leaky-20261121/1795229348-12766.x >1795229360-12766.x
pmapdb import -q 1795229360-12766.x 2>/dev/null || echo "= exit $?"
rm -f store.db-wal store.db-shm
pmapdb doctor | grep -E '^(partial|refused)' | mask

say "the mappings of every snapshot are lost"
damage "$(root_of mapping_version)"
doctor --db damaged.db
say "the sums of categories are lost"
damage "$(root_of category_version)"
doctor --db damaged.db | grep -vE '^(size|free|disk|write|journal)'
say "the list of snapshots is lost"
damage "$(root_of snapshot)"
doctor --db damaged.db | grep -E '^(integrity|readable|snapshots|=)'
say "only an index is lost: all rows remain"
damage "$(root_of snapshot_process)"
doctor --db damaged.db | grep -E '^(integrity|readable|sums|snapshots|=)'

say "the first page; the end; another file; nothing"
damage 1
doctor --db damaged.db
size=$(wc -c <store.db)
dd if=store.db of=cut.db bs=1024 count=$((size / 2048)) 2>/dev/null
doctor --db cut.db | grep -vE '^(next|else)' | sed -E '/^header/s/[0-9]+/N/g'
cp samples/logs/leaky-cron.log other.db
doctor --db other.db | grep -vE '^(next|else)'
: >empty.db
doctor --db empty.db
say "a FIFO is refused without waiting"
mkfifo pipe.db
doctor --db pipe.db
run pmapdb processes --db pipe.db
run pmapdb import --db pipe.db samples/captures
run pmapdb merge pipe.db

say "usage"
run pmapdb doctor --max-size much
run pmapdb doctor leaky
