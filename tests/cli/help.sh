# help: every command says in one screen what it does; help says everything about one word.

run pmapdb --help
run pmapdb --version
run pmapdb help options
run pmapdb diff -h
run pmapdb diff --usage
run pmapdb help growth
run pmapdb help reserve/guard
run pmapdb help nothing-of-the-kind
