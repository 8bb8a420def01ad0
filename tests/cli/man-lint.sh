# man-lint: groff accepts every page that the build made without a warning, and finds a name for whatis in it.
need groff

cd "$(dirname "$PMAPDB_PROGRAM")/said/man"
for page in *; do
    groff -man -ww -z -Tutf8 "$page" 2>&1
    sed -n '/^\.SH NAME$/ { n; p; }' "$page" | grep -q '^pmapdb.* \\- [^ ]' || echo "$page has no name"
done
