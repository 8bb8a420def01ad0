# man-lint: groff has nothing to say against the pages.
# shellcheck shell=sh source-path=SCRIPTDIR source=kit.sh
. "$PMAPDB_KIT"
need groff

root=$(dirname "$PMAPDB_KIT")/../..
for page in pmapdb.1 pmapdb-queries.7 pmapdb-categories.7 pmapdb-schema.7 pmapdb-perf.7; do
    sh "$root/docs/man/page.sh" "$(command -v pmapdb)" $page >$page
    run groff -man -ww -z -Tutf8 $page
done
