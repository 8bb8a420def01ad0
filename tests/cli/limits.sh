# limits: the limits of live captures in leaks, check and map-count. sqlite3 adds the limits to imported
# captures, so that the numbers are the same on every machine.
need sqlite3

# MEMORY_MAX ADDRESS STACK MAP_COUNT: sets the limits of all snapshots; -1 means no limit.
limits() {
    sqlite3 store.db "DELETE FROM live_reading; DELETE FROM live_process; UPDATE process SET boot_id = 'b';
        INSERT INTO live_process (live_process_id, hash, memory_max_kib, address_limit_kib, stack_limit_kib,
            max_map_count) VALUES (1, 1, $1, $2, $3, $4), (2, 2, -1, -1, -1, 65530);
        INSERT INTO live_reading (snapshot_id, live_process_id, mono_ns, read_us, cpu_us, longest_us)
            SELECT snapshot_id, 1, 0, 500, 400, 90 FROM snapshots WHERE dialect = 'pmap-x'"
}

show_limits() {
    pmapdb leaks "$@" -f json | grep -oE '"key":"(total|heap|stack|anonymous)"|"(limit|eta_h|limit_by)":("[^"]*"|[0-9.]+)' |
        tr '\n' ' ' | sed 's/"key":/\n&/g'
    echo
}

pmapdb import -q samples/captures
say "the limit of the cgroup: in the card, and in check without --limit"
limits 65536 -1 8192 65530
run pmapdb leaks
run pmapdb check leaky --eta -w 1h -c 1m --max-age 10000d
show_limits

say "near the limit a leak stays a leak; --limit comes first"
limits 14000 -1 8192 65530
pmapdb leaks --top 1 | grep -E 'LEAK|SUSPECT|limit'
pmapdb leaks --top 1 --limit 64M | grep -E 'LEAK|SUSPECT|limit'
pmapdb leaks --top 1 --limit 14000K | grep -E 'LEAK|SUSPECT|limit'

say "address space ends first"
limits 65536 40000 8192 65530
pmapdb leaks | grep -E 'limit|altogether'
show_limits

say "a process that a later beat lacks has ended: no time to its limit"
sqlite3 store.db "INSERT INTO schedule (schedule_id, host_id, boot_id, selection)
        SELECT 1, host_id, 'b', '--all' FROM host LIMIT 1;
    INSERT INTO beat (capture_id, schedule_id, started_ms, mono_ns, missed, unreadable, vanished, degraded,
        unmoved, changed)
        SELECT capture_id, 1, max(taken_ms), 0, 0, 0, 0, 0, 0, 0 FROM snapshot
        UNION ALL SELECT max(capture_id) + 1, 1, max(taken_ms) + 60000, 0, 0, 0, 0, 0, 0, 0 FROM snapshot"
pmapdb leaks --top 1 | grep -E 'LEAK|SUSPECT|limit|ended'
sqlite3 store.db "UPDATE beat SET unmoved = 1"
pmapdb leaks --top 1 | grep -E 'LEAK|SUSPECT|limit|ended'

say "maps that change too quickly: one beat without the process is no end, three are"
sqlite3 store.db "UPDATE beat SET unmoved = 0, changed = 1"
pmapdb sql "SELECT pid, ended_at FROM processes WHERE pid = 12766" -f csv
sqlite3 store.db "INSERT INTO beat (capture_id, schedule_id, started_ms, mono_ns, missed, unreadable, vanished, degraded,
        unmoved, changed)
    SELECT 1000 + n, 1, max(started_ms) + n * 60000, 0, 0, 0, 0, 0, 0, 1 FROM beat
        CROSS JOIN (SELECT 1 AS n UNION SELECT 2) GROUP BY n"
pmapdb sql "SELECT pid, ended_at FROM processes WHERE pid = 12766" -f csv
sqlite3 store.db "UPDATE beat SET unmoved = 1"
pmapdb sql "SELECT pid, ended_at FROM processes WHERE pid = 12766" -f csv
sqlite3 store.db "DELETE FROM beat; DELETE FROM schedule"

say "the newest facts count; -1 means no limit"
sqlite3 store.db "UPDATE live_reading SET live_process_id = 2 WHERE snapshot_id = (SELECT g.snapshot_id
    FROM live_reading g JOIN snapshot s ON s.snapshot_id = g.snapshot_id ORDER BY s.taken_ms DESC LIMIT 1)"
show_limits

say "the limit of the number of mappings"
limits -1 -1 -1 40
run pmapdb map-count
run pmapdb map-count --limit 60
