# progress: what takes long says on a terminal how far it is, in one line that is gone at the end;
# nowhere else, and not with -q.
need_terminal

# Standard error is the terminal; what was said there, a line for each time the line was written.
on_terminal() {
    TERM=xterm script -qec "pmapdb $* >/dev/null" /dev/null </dev/null | tr '\r' '\n' |
        sed "s/^$(printf '\033')\[K/> /" >seen
}

# The first one, at once, and what stands there at the end, be it nothing; between them one comes
# every 0.2 s.
told() {
    show pmapdb "$@"
    on_terminal "$@"
    grep '^> ' seen | sed -n 's/[0-9][0-9.]*/N/g; 1p; $p'
}

told import samples/captures
told --db merged.db merge store.db
told prune --keep-last 3
say "not with -q, and not into a file"
rm -f store.db*
told -q import samples/captures
rm -f store.db*
pmapdb import samples/captures 2>&1 >/dev/null | grep -c "$(printf '\033')" || true
