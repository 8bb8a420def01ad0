# newest: a program that fills and stops; smaps while it fills, then maps with VmRSS or a rollup. The
# last captures decide, and every answer says up to which time its numbers reach.

# DIALECT BEAT HEAP_KIB RSS_KIB: writes a capture with its status or rollup; beats are five seconds apart.
beat() {
    mkdir -p "in/$2/9"
    touch "in/$2/9/$1"
    row() {
        printf '%x-%x rw-p 00000000 00:00 0 %s\n' "$2" $(($2 + $3 * 1024)) "$1" >>"in/$6/9/$5"
        [ "$5" = maps ] || printf 'Size: %d kB\nRss: %d kB\nPss: %d kB\nShared_Clean: 0 kB\nShared_Dirty: 0 kB\nPrivate_Clean: 0 kB\nPrivate_Dirty: %d kB\nSwap: 0 kB\n' \
            "$3" "$4" "$4" "$4" >>"in/$6/9/$5"
    }
    row '[heap]' $((0x560001000000)) "$3" $(($4 - 12)) "$1" "$2"
    row '[stack]' $((0x7ffc00000000)) 132 12 "$1" "$2"
    if [ "$1" = maps ] && [ $(($2 % 2)) -eq 1 ]; then
        printf '%s ---p 00000000 00:00 0 [rollup]\nRss: %d kB\n' 560001000000-7ffc00021000 "$4" \
            >"in/$2/9/smaps_rollup"
        touch -d "@$((1795219200 + 5 * $2))" "in/$2/9/smaps_rollup"
    else
        printf 'Name:\tfill\nVmRSS:\t%d kB\n' "$4" >"in/$2/9/status"
    fi
    echo fill >"in/$2/9/comm"
    touch -d "@$((1795219200 + 5 * $2))" "in/$2/9/$1"
}

# FIRST LAST DIALECT STEP: beats whose heap grows by STEP KiB.
beats() {
    for i in $(seq "$1" "$2"); do
        kib=$((kib + $4))
        beat "$3" "$i" $((kib + 400)) "$kib"
    done
    pmapdb import -q in
    rm -r in
}

judge() {
    pmapdb leaks -f csv | sed 's/, / /g' | cut -d , -f 4,7,9,12-14,22,26,27,29 | sed -n '1,3p'
    run pmapdb check --rate -w 1M -c 10M --max-age 10000d
}

kib=1000
say "the program fills"
beats 0 30 smaps 800
judge

say "the program stopped: seven snapshots do not show this, twenty do"
beats 31 37 maps 0
judge
beats 38 50 maps 0
judge
run pmapdb leaks

say "the numbers of the process go on; those of its categories end"
pmapdb series -f csv | sed -n '2p;32,33p;$p'
pmapdb growth --category total -f csv | cut -d , -f 2,5-8,15 | sed -n '2,3p;32,33p;$p'
run pmapdb peak
run pmapdb map-count
run pmapdb categories
run pmapdb by-process
run pmapdb largest --snapshot first --top 1
run pmapdb -q unknown-rss

say "the program grows again, and the captures do not show which part"
beats 51 80 maps 800
judge

say "the captures show the parts again"
beats 81 90 smaps 800
judge
