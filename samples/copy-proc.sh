#!/bin/sh
# Copies what pmapdb reads of /proc into a new folder, on a machine without pmapdb, as root:
#     sh copy-proc.sh FOLDER [PID...]
#     tar cz FOLDER
# and where pmapdb is: pmapdb capture --all --proc FOLDER
set -eu

to=${1:?usage: copy-proc.sh FOLDER [PID...]}
shift
mkdir "$to"
to=$(cd "$to" && pwd)
cd /proc

copy() {
    mkdir -p "$to/$(dirname "$1")"
    cat "$1" >"$to/$1" 2>/dev/null || : # a process may end, or belong to another user
}

for file in uptime stat meminfo vmstat pressure/memory sys/kernel/hostname sys/kernel/random/boot_id \
    sys/vm/max_map_count; do
    copy "$file"
done
for pid in "${@:-[0-9]*}"; do
    for dir in $pid; do
        for file in stat status cmdline cgroup limits oom_score smaps; do
            copy "$dir/$file"
        done
    done
done
