# pages: pmapdb explain: the pages of categories. The advice of leaks and diff comes from these
# pages.

say "one page, as text and as rows"
run pmapdb explain anonymous/glibc-arena
run pmapdb explain reserve
run pmapdb explain total
run pmapdb explain heap -f csv
run pmapdb explain heap -f ndjson
run pmapdb explain heap -f md
run pmapdb explain 'JIT Code'

say "all pages"
run pmapdb explain --top 3
pmapdb explain -f csv | head -n 1
pmapdb explain -f csv -o pages.csv
tail -n +2 pages.csv | wc -l | tr -d ' '
tail -n +2 pages.csv | grep -c '%' || true

say "a category that a rule makes; a part without a page"
run pmapdb explain anonymous/something
pmapdb explain reserve/gard | head -n 1
pmapdb explain anonymous/pool 2>&1 | head -n 1
run pmapdb explain anonymous/NAME
run pmapdb explain /usr/lib/libc.so.6
run pmapdb explain '[vvar_vclock]'
pmapdb explain heap/else | head -n 1

say "an unknown category"
run pmapdb explain anonymus
run pmapdb explain libc.so.6
run pmapdb explain heap stack
run pmapdb explain ''

next() {
    sed -n 's/^.*next: //p'
}

say "diff: a hint for the largest growth, and no hint if the growth is only noise"
log 71 web 3 1000 100 >web.log
log 72 idle 3 1000 8 >idle.log
log 73 reads 3 1000 0 0 500 >reads.log
for name in web idle reads; do
    pmapdb import -q --name $name $name.log
done
run pmapdb diff web --top 1
pmapdb diff idle | next
for by in category object lineage; do
    pmapdb diff -q reads --by $by --top 1 | tail -n 1
done
log 77 both 3 1000 100 0 60 >both.log
pmapdb import -q --name both both.log
pmapdb diff both | tail -n 1
# The address space grows more, but resident growth comes first.
for i in 0 1; do
    printf '560000000000-560000004000 r-xp 00000000 08:01 7 /srv/first\nSize: 16 kB\nRss: 16 kB\n'
    printf '560001000000-560001100000 rw-p 00000000 00:00 0 [heap]\nSize: 1024 kB\nRss: %d kB\n' $((100 + 100 * i))
    printf '7f0000000000-7f000%d000000 rw-p 00000000 00:00 0 \nSize: %d kB\nRss: 4 kB\n' $((1 + i)) $((16384 + 16384 * i))
done >lines
head -n 9 lines >1795220000-78.smaps
tail -n 9 lines >1795220300-78.smaps
pmapdb import -q --name first 1795220000-78.smaps 1795220300-78.smaps
pmapdb diff first | tail -n 1
pmapdb diff -q web -f md --top 1 | tail -n 1
pmapdb diff web -f csv | grep -c next || true
pmapdb diff web --from -5m --dialect pmap-x | next

say "address space if nothing else is known; several processes; a name that needs quotes"
for t in 1795220000 1795220300; do
    echo "560000000000-560000004000 r-xp 00000000 08:01 7 /srv/space"
    printf '7f0000000000-%x rw-p 00000000 00:00 0 \n' $((0x7f0000000000 + (t - 1795210000) * 4096))
done >lines
head -n 2 lines >1795220000-74.maps
tail -n 2 lines >1795220300-74.maps
pmapdb import -q --name space 1795220000-74.maps 1795220300-74.maps
pmapdb diff space | tail -n 1
{
    log 75 many 3 1000 100
    log 76 many 3 1000 100
} >many.log
pmapdb import -q --name many many.log
pmapdb diff many | tail -n 1
pmapdb import -q --name 'x; rm' --host other web.log
pmapdb diff 'x; rm' | tail -n 1

say "each proposed command runs"
for name in web reads space many; do
    for by in category object lineage; do
        pmapdb diff $name --by $by | next | cut -d ';' -f 1 >line
        grep -q '^pmapdb ' line || continue
        sh -c "$(cat line)" >out 2>&1 && [ -s out ] || echo "= fails: $(cat line)"
    done
done
