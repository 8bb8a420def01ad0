# complete: the words that completion offers are those of --usage: all commands, queries and options.

words() {
    pmapdb "$@" --usage | sed -n 's/^  \([A-Za-z0-9_.-]*\)\(=.*\)*$/\1/p'
}

say "commands and queries, also those of the user"
mkdir mine
cat >mine/my-own.sql <<'SQL'
-- name:   my-own
-- title:  Mine
-- param:  since snapshot first Since when
-- column: one   int      One
SELECT 1 AS one WHERE :since;
SQL
pmapdb --help | sed -n '/^Examples:/q; s/^  \([a-z][a-z-]*\) .*/\1/p' >all
printf 'completion\ndialects\nhelp\n' >>all
pmapdb query --list -f csv | awk -F '"' 'NR > 1 { print $2 }' | cat - all | sort -u >expected
words | grep -v ^- | sort | diff expected - && echo same
words --query-dir mine | grep my-
words my-own --query-dir mine | grep since

say "options are those of --help"
for command in import diff growth 'query growth' sql completion; do
    # shellcheck disable=SC2086 # two words
    { pmapdb $command --help && pmapdb help options; } | sed -n 's/^\(      \|  -., \)\(--[a-z-]*\).*/\2/p' |
        grep -vxe --help -e --usage -e --version | sort >all
    # shellcheck disable=SC2086
    words $command | sort | diff all - && echo "$command: same"
done
