# examples: every --help is at most 40 lines of at most 80 columns, and every line below its "Examples:" runs, on a
# copy of a store made of samples/. Status 1 is an answer too: diff --threshold.

pmapdb import -q samples/captures
# The files that the examples of query and sql name.
pmapdb import -q --db redis.db --name redis --every 1h samples/logs/leaky-untimed.log
cat >mine.sql <<'SQL'
-- name:   mine
-- title:  What is larger than a size
-- param:  limit kib  10M At least this
-- column: path  text What is mapped
SELECT DISTINCT path FROM mappings WHERE size_kib >= :limit ORDER BY 1;
SQL
echo 'SELECT count(*) AS n FROM snapshots' >report.sql

# Writes the examples of a help to line-001 and so on. A line with a deeper indent continues the previous line.
lines_of() {
    rm -f line-*
    pmapdb "$@" --help | awk -v words="$*" '
        length > 80 { wide++ }
        /^Examples:$/ { on = 1; next }
        on && /^    / { print substr($0, 3) >line; next }
        on && /^  pmapdb / { line = sprintf("line-%03d", ++n); print substr($0, 3) >line; next }
        { on = 0 }
        END { if (words && (NR > 40 || NR < 5 || wide)) print "=", words, NR " lines,", wide + 0, "wide" }'
}

try_all() {
    lines_of "$@"
    count=0
    for line in line-*; do
        from=store.db
        ! grep -q redis "$line" || from=redis.db
        rm -rf trial
        mkdir trial
        cp $from* trial
        status=0
        PMAPDB=trial/$from sh "./$line" >out 2>err || status=$?
        cat "$line"
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
lines_of query gaps
cat line-*
