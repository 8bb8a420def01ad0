# examples: every line below "Examples:" of every --help runs, on a copy of a store made of samples/.
# Status 1 is an answer too: diff --threshold.
# shellcheck shell=sh source-path=SCRIPTDIR source=kit.sh
. "$PMAPDB_KIT"

pmapdb import -q samples/captures
# What the examples of query and sql name.
pmapdb import -q --db redis.db --name redis --every 1h samples/logs/leaky-untimed.log
cat >mine.sql <<'SQL'
-- name:   mine
-- title:  What is larger than a size
-- param:  limit kib  10M At least this
-- column: path  text What is mapped
SELECT DISTINCT path FROM mappings WHERE size_kib >= :limit ORDER BY 1;
SQL
echo 'SELECT count(*) AS n FROM snapshots' >report.sql

# A line that is indented more goes on where the one before ended.
lines_of() {
    pmapdb "$@" --help | awk '
        /^Examples:$/ { on = 1; next }
        on && /^    / { line = line "\n" substr($0, 3); next }
        line != "" { printf "%s%c", line, 0; line = "" }
        on && /^  pmapdb / { line = substr($0, 3); next }
        { on = 0 }
        END { if (line != "") printf "%s%c", line, 0 }'
}

try_all() {
    lines_of "$@" >lines
    count=0
    while [ -s lines ]; do
        line=$(tr '\0\n' '\n\001' <lines | head -n 1 | tr '\001' '\n')
        tr '\0\n' '\n\001' <lines | tail -n +2 | tr '\n\001' '\0\n' >rest
        mv rest lines
        rm -f trial.db*
        from=store.db
        case $line in *redis*) from=redis.db ;; esac
        for part in "$from"*; do
            cp "$part" "trial.db${part#"$from"}"
        done
        status=0
        PMAPDB=trial.db sh -c "$line" >out 2>err || status=$?
        printf '%s\n' "$line"
        [ $status -le 1 ] || {
            echo "= exit $status"
            cat err
        }
        count=$((count + 1))
    done
    [ $count -gt 1 ] || echo "= only $count examples: $*"
}

try_all
for command in $(pmapdb --usage | sed -n 's/^  \([a-z][a-z-]*\)$/\1/p'); do
    try_all "$command"
done
say "with other words before the name"
lines_of query gaps | tr '\0' '\n'
