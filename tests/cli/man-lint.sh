# man-lint: groff accepts every page without a warning, and finds a name for whatis in it.
# shellcheck shell=sh source-path=SCRIPTDIR source=kit.sh
. "$PMAPDB_KIT"
need groff

root=$(dirname "$PMAPDB_KIT")/../..
sh "$root/docs/man/page.sh" "$(command -v pmapdb)" man
for page in man/*; do
    groff -man -ww -z -Tutf8 "$page" 2>&1
    sed -n '/^\.SH NAME$/ { n; p; }' "$page" | grep -q '^pmapdb.* \\- [^ ]' || echo "$page has no name"
done
