# help: every command tells what it does, and exits with 0.
# shellcheck shell=sh source-path=SCRIPTDIR source=kit.sh
. "$PMAPDB_KIT"

run pmapdb --help
run pmapdb --version
for command in import capture dialects snapshots processes categories mappings diff growth leaks threads explain check query sql completion; do
    run pmapdb $command --help
done
run pmapdb diff --usage
