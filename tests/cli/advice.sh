# advice: the page of a category is found, and says what to do about one process. The pages here are made up:
# tests/tools/pages.py tests the real ones.

pmap_x 7 web 2000 >7.x
pmapdb import -q 7.x
pages='[{"category":"pile","what":"A pile","ask":"top-lineages","next":"kill PID or ls /proc/PID/fd","count":"count them: PID"},
{"category":"pile/deep","next":"dig","ask":"diff --by lineage"},{"category":"pile/%w","next":"ask NAME"},
{"category":"[%r]","next":"kernel"},{"category":"all","ask":"diff --by category"},
{"category":"own","ask":"top-lineages","next":"look; who allocates it: trace PID"},
{"category":"%p","ask":"diff --by object","next":"a file"}]'
page() {
    pmapdb query advice --pages "$pages" "$@" -q -f csv --columns category | tail -n +2
}
next() {
    printf '%s:\n    ' "$*"
    pmapdb query advice --pages "$pages" --any 1 "$@" -f csv --columns next | tail -n +2
}

say "the names of all pages"
page

say "the most specific page; of a category without one, that of a file only for a hint"
for category in pile pile/deep pile/deeper pile/ '[vvar]' '[]' all/of/it deep /usr/lib/x.so x.so PATH NAME pil pile/NAME \
    '[NAME]' Pile; do
    printf '%s: %s %s\n' "$category" "$(page --category "$category")" "$(page --category "$category" --any 1)"
done

say "the words are about one process"
of="--name redis --pid 71 --process_id 3"
# shellcheck disable=SC2086
{
    next --category pile $of
    next --category pile $of --from @1 --to @2 --like maps
    next --category pile $of --lives 1
    next --category pile --name redis --process_id 3
    next --category pile --name 'a b;rm' --process_id 3
    next --category pile --name 'a b;rm'
    next --category pile --name -rf --process_id 3
    next --category all $of
    next --category libx.so $of
    next $of
}

say "advice does not repeat the question that was asked, nor ask for a recording that exists"
# shellcheck disable=SC2086
{
    next --category pile/deep $of
    next --category pile/deep $of --asked 'diff --by lineage'
    next --category pile/deep $of --asked 'diff --by lineage' --lineage 9
    next --category own $of
    next --category own $of --recorded 1
    next --category own $of --recorded 1 --lineage 9
}

say "a number that grows has its own words"
# shellcheck disable=SC2086
{
    next --category pile/deep $of --count 1
    next --category all $of --count 1
}
