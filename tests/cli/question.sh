# question: a question that takes longer than a second says so on a terminal, and Ctrl-C ends it.
need_terminal

pmapdb import -q samples/captures
cat >endless.sql <<'SQL'
-- name:   endless
-- title:  Numbers without an end
-- column: n int A number
WITH RECURSIVE x (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM x) SELECT sum(n) AS n FROM x;
SQL

# The first Ctrl-C stops the statement.
script -qec 'echo $$ >pid; exec pmapdb query endless.sql' /dev/null </dev/null >said 2>&1 &
until grep -qs 'Ctrl-C stops' said; do kill -0 $!; done
kill -INT "$(cat pid)"
wait $! || echo "= exit $?"
tr '\r' '\n' <said | sed -n 's/.*\(searching for [^;]*; Ctrl-C stops\).*/\1/p' | sed 's/[0-9][0-9.]*s/SPAN/' | head -n 1
tr '\r' '\n' <said | sed -n 's/.*pmapdb: /pmapdb: /p'

say "nothing without a terminal, and nothing for a quick question"
run pmapdb by-name --columns name
