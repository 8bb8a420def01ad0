# progress: a long command shows its progress on a terminal, in one line that is erased at the end;
# not in a file, and not with -q.
need_terminal

# Runs a command with a terminal as standard error; `seen` gets a line for each write of the progress line.
on_terminal() {
    TERM=xterm script -qec "pmapdb $* >/dev/null" /dev/null </dev/null | tr '\r' '\n' |
        sed "s/^$(printf '\033')\[K/> /" >seen
}

# Shows the first progress line, which comes at once, and the last one, which may be empty; further
# ones come every 0.2 s.
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
