# terminal: what a name holds never drives a terminal; a pipe gets its bytes.
# shellcheck shell=sh source-path=SCRIPTDIR source=kit.sh
. "$PMAPDB_KIT"
need script

printf '00400000-00401000 r--p 00000000 08:01 1 /srv/red\033[31m\302\233m\n' >1795220000-7.maps
pmapdb import -q --name x 1795220000-7.maps
# The line discipline's own CR is no part of what the program wrote.
on_terminal() {
    TERM=xterm NO_COLOR=1 script -qec "pmapdb $*" /dev/null </dev/null | tr -d '\r'
}
for format in table csv json ndjson md; do
    say "$format"
    on_terminal mappings --top 1 -f $format >seen
    LC_ALL=C grep -c "$(printf '\033')" seen || true
    LC_ALL=C grep -c "$(printf '\302\233')" seen || true
    LC_ALL=C grep -c red seen
done

say "a pipe"
pmapdb mappings -f csv | LC_ALL=C grep -c "$(printf 'red\033\\[31m\302\233m')"
