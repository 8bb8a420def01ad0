#!/bin/sh
# Soaks a server a few times and judges it against a baseline that lies in the repository.
#     sh soak.sh BASELINE.csv RUNS SECONDS -- COMMAND [ARGUMENT]...
# Starts COMMAND, captures it every half second for SECONDS, ends it with SIGTERM; RUNS times. Then
# writes compare.md (table and picture, for a comment), compare.xml (JUnit) and memory.png, and exits as
# `pmapdb compare` does: 0 same or better, 1 worse, 3 cannot tell. Without BASELINE.csv, or with UPDATE=1, it
# adds the runs to BASELINE.csv instead. From the environment:
#     LOAD     a shell command that puts load on the server; it runs while the server does ($server: a pid)
#     WORK     a shell command that prints how much work the server has done: requests so far
#     FAIL_ON  gates, as --fail-on takes them, with blanks between: "rss:+5% growth:1M/h"
#     WARM_UP  what only the peak covers (2s)
set -u
baseline=${1:?usage: soak.sh BASELINE.csv RUNS SECONDS -- COMMAND...}
runs=$2 seconds=$3
shift 4
export PMAPDB="${SOAK_STORE:-soak.db}"
work=${WORK:+work.csv}
[ -z "$work" ] || echo time,count >"$work"

for _ in $(seq "$runs"); do
    pmapdb -q run --every 500ms --name soak -- "$@" &
    server=$!
    export server
    [ -z "$work" ] || echo "$(date +%s),0" >>"$work"
    helpers=
    if [ -n "${LOAD:-}" ]; then
        setsid sh -c "$LOAD" & # a process group of its own, which ends together
        helpers=-$!
    fi
    if [ -n "$work" ]; then
        while sleep 1; do
            count=$(sh -c "$WORK") && [ -n "$count" ] && echo "$(date +%s),$count"
        done >>"$work" 2>/dev/null &
        helpers="$helpers $!"
    fi
    sleep "$seconds"
    # shellcheck disable=SC2086 # several pids
    [ -z "$helpers" ] || kill -- $helpers 2>/dev/null
    kill "$server" # pmapdb run ends the server
    wait
done

set -- --warm-up "${WARM_UP:-2s}" ${work:+--work "$work"}
if [ -n "${UPDATE:-}" ] || [ ! -f "$baseline" ]; then
    exec pmapdb baseline soak "$@" --update "$baseline"
fi
for gate in ${FAIL_ON:-}; do
    set -- "$@" --fail-on "$gate"
done
pmapdb compare "$baseline" --with soak "$@" -f md -o compare.md --junit compare.xml
status=$?
{
    printf '\n```\n'
    COLUMNS=100 pmapdb plot soak --what growth
    printf '```\n'
} >>compare.md
pmapdb plot soak --what growth -o memory.png
exit $status
