# help: every command says in one screen what it does; help says everything about one word.
# shellcheck shell=sh source-path=SCRIPTDIR source=kit.sh
. "$PMAPDB_KIT"

run pmapdb --help
run pmapdb --version
run pmapdb help options
run pmapdb diff -h
run pmapdb diff --usage
run pmapdb help growth
run pmapdb help reserve/guard
run pmapdb help nothing-of-the-kind

say "each --help is at most 40 lines of at most 80 columns"
for word in $(pmapdb --usage | sed -n 's/^  \([a-z][a-z-]*\)$/\1/p'); do
    pmapdb "$word" --help | awk -v word="$word" 'length > 80 { wide++ }
        END { if (NR > 40 || NR < 5 || wide) print word, NR " lines,", wide + 0, "wide" }'
done
