#!/bin/sh
# Soaks a server a few times and judges it against a baseline that lies in the repository.
#     sh soak.sh BASELINE.csv RUNS SECONDS -- COMMAND [ARGUMENT]...
# Starts COMMAND, captures it every half second for SECONDS, ends it with SIGTERM; RUNS times. Then
# writes compare.md (for a comment), compare.xml (JUnit) and this.csv (the new baseline, if you want it),
# and exits as `pmapdb compare` does: 0 same or better, 1 worse, 3 cannot tell. Without BASELINE.csv it
# only writes this.csv. Set LOAD to a shell command that puts load on the server; $server is its pid.
set -u
baseline=${1:?usage: soak.sh BASELINE.csv RUNS SECONDS -- COMMAND...}
runs=$2 seconds=$3
shift 4
export PMAPDB="${SOAK_STORE:-soak.db}"

for _ in $(seq "$runs"); do
    pmapdb -q run --every 500ms --name soak -- sh -c '
        "$@" & server=$!
        export server
        trap "kill $server" TERM
        if [ -n "${LOAD:-}" ]; then sh -c "$LOAD" & fi
        sleep "$0"
        kill $server
        wait $server' "$seconds" "$@"
done
pmapdb baseline soak --warm-up "${WARM_UP:-2s}" -f csv -o this.csv
[ -f "$baseline" ] || exit 0
pmapdb compare "$baseline" --with this.csv -f md -o compare.md --junit compare.xml ${FAIL_ON:+--fail-on "$FAIL_ON"}
