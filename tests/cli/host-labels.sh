# host-labels: labels of a host from --label, a file and a program, with history.

# MINUTE OPTION...
import() {
    pmap_x 71 web 1000 >now.x
    minute=$1
    shift
    run pmapdb import -q --at "2026-11-21T03:$minute:00Z" "$@" now.x
}

say "history: an unchanged label is stored once; a label counts from the first capture on"
import 10 --host web3 --label build=2.3.0 --label role=frontend
import 20 --host web3 --label build=2.3.1 --label role=frontend
import 30 --host db1 --label 'note=a=b, "c"'
run pmapdb host-labels
run pmapdb host-labels --host web3 -f csv
run pmapdb sql "SELECT host, key, value, at FROM host_labels WHERE key = 'build'"
pmapdb status --host web3 --columns part,detail -f csv | grep labels

say "wrong labels"
import 40 --label build=1
import 40 --host web3 --label build
import 40 --host web3 --label =1

say "labels of the configuration; an error for a file and a program without a label"
echo 7.1 >build
cat >config <<'END'
label.role = cache
label.build = < build
label.version = ! printf '%s\n' 'v 3' more
label.region = ! false
label.zone = < none
END
export PMAPDB_CONFIG=config
pmapdb capture --db own.db --label role=proxy $$ 2>&1 >capture.out | grep label
run pmapdb sql --db own.db "SELECT key, value FROM host_labels ORDER BY key"
pmapdb run -q --db run.db -- sh -c 'echo "a command inherits PMAPDB_LABEL: ${PMAPDB_LABEL-no}"' 2>/dev/null

say "a merge brings the labels, a redacted export hides them"
run pmapdb merge -q --db all.db store.db own.db
run pmapdb sql --db all.db "SELECT key, value FROM host_labels ORDER BY key, at_ms"
run pmapdb export -q --redact --process @1 hidden.db -o export.out
run pmapdb sql --db hidden.db "SELECT key, value FROM host_labels ORDER BY at_ms, key"
