#!/bin/sh
# Records the samples anew: runs `leaky` (built from leaky.c, on PATH) twice, side by side, and
# captures both in the middle of every beat.
#
#     cc -O1 -pthread -o /usr/local/bin/leaky samples/leaky.c && sh samples/record.sh OUTDIR [SECONDS]
#
# OUTDIR/captures/leaky-DATE/TIME-PID.x   every beat; .smaps and .XX with the first, 7th and last
# OUTDIR/logs/leaky-cron.log              what cron's `(date; pmap -x PID) >> log` leaves
# OUTDIR/logs/leaky-untimed.log           what `pmap -x PID >> log` leaves
# OUTDIR/logs/leaky-totals.log            a loop that keeps only the line of sums
set -eu

out=${1:?usage: record.sh OUTDIR [SECONDS]}
seconds=${2:-30}
beats=13
logged=8
export LC_ALL=C TZ=UTC

files=$out/captures/leaky-$(date +%Y%m%d)
logs=$out/logs
mkdir -p "$files" "$logs"

leaky "$beats" "$seconds" &
pid=$!
leaky "$logged" "$seconds" &
logged_pid=$!

sleep $((seconds / 2))
beat=1
while [ "$beat" -le "$beats" ]; do
    now=$(date +%s)
    pmap -x "$pid" >"$files/$now-$pid.x"
    case $beat in
    1 | 7 | "$beats")
        cat "/proc/$pid/smaps" >"$files/$now-$pid.smaps"
        pmap -XX -p "$pid" >"$files/$now-$pid.XX"
        ;;
    esac
    if [ "$beat" -le "$logged" ]; then
        { date && pmap -x "$logged_pid"; } >>"$logs/leaky-cron.log"
        pmap -x "$logged_pid" >>"$logs/leaky-untimed.log"
        { echo "$(date): PID $logged_pid" && pmap -x "$logged_pid" | tail -n 1; } >>"$logs/leaky-totals.log"
    fi
    beat=$((beat + 1))
    sleep "$seconds"
done
wait
