# import-perf: a recording, imported again, packed, from standard input; the process of the threads;
# files that are not recordings; captures before and after the recording; a prune.

# TID SECONDS CALL ARGUMENTS RESULT: prints an enter and its exit, each with one frame.
call() {
    printf 'web %s [000] %s.000001: syscalls:sys_enter_%s: %s\n\t 10 %s+0x1 (/lib/libc.so.6)\n\n' \
        "$1" "$2" "$3" "$4" "$3"
    printf 'web %s [000] %s.000002: syscalls:sys_exit_%s: %s\n\t 10 %s+0x1 (/lib/libc.so.6)\n\n' \
        "$1" "$2" "$3" "$5" "$3"
}
mapped() {
    call "$1" "$2" mmap 'addr: 0x0, len: 0x1000, prot: 0x3, flags: 0x22, fd: 0xffffffff, off: 0x0' "$3"
}

say "a recording, and the same again: plain, packed, from standard input"
cp samples/perf/leaky.script.txt .
run pmapdb import-perf leaky.script.txt
run pmapdb import-perf leaky.script.txt -f csv
gzip -k leaky.script.txt
run pmapdb import-perf leaky.script.txt.gz
run pmapdb import-perf - -f ndjson <leaky.script.txt
run pmapdb sql "SELECT count(*) AS recordings FROM recording"

say "leaked memory is live at the end of the recording"
run pmapdb sql "WITH RECURSIVE up (call_id, stack_id, depth) AS (
      SELECT call_id, stack_id, 0 FROM call
      UNION ALL SELECT u.call_id, s.caller_id, depth + 1 FROM up u JOIN stack s USING (stack_id)
      WHERE s.stack_id <> 0),
    own AS (SELECT u.call_id, f.symbol, min(u.depth) FROM up u JOIN stack s USING (stack_id)
      JOIN frame f USING (frame_id) WHERE f.dso LIKE '%/leaky' GROUP BY 1)
    SELECT own.symbol, m.symbol AS call, sum(e.length) / 1024 AS live_kib, count(*) AS ranges
    FROM extent e JOIN own USING (call_id) JOIN call c USING (call_id) JOIN stack s USING (stack_id)
    JOIN frame m USING (frame_id) WHERE e.died_ns IS NULL GROUP BY 1, 2 ORDER BY 3 DESC"

say "only threads: their process is unknown"
{ mapped 7 10 0xa000; mapped 8 11 0xb000; } >threads.txt
run pmapdb import-perf --db t.db threads.txt
run pmapdb import-perf --db t.db --pid 7 threads.txt
run pmapdb import-perf --db t.db --pid 7 leaky.script.txt
run pmapdb import-perf --db t.db --pid 7.5 threads.txt

say "captures give the process; with the clock offset they give the time too"
pmap_x 7 web 100 >1700000010-7.x
pmap_x 7 web 200 >1700000020-7.x
pmapdb import -q --db c.db 17000000*-7.x
run pmapdb import-perf --db c.db threads.txt
run pmapdb import-perf --db c.db --clock-offset 1700000000.5 threads.txt
run pmapdb import-perf --db c.db --clock-offset 1h threads.txt

say "the captures may come later"
run pmapdb import-perf -q --db l.db --pid 7 --clock-offset 1700000000 threads.txt -f csv
pmapdb import -q --db l.db 17000000*-7.x
run pmapdb sql --db l.db "SELECT pid, process_id, offset_ns, offset_source FROM traced_process"

say "merge copies a recording"
pmapdb merge -q --db m.db l.db -o /dev/null
run pmapdb sql --db m.db "SELECT r.file, t.process_id, t.offset_source,
    (SELECT count(*) FROM extent e WHERE e.traced_process_id = t.traced_process_id) AS extents
    FROM traced_process t JOIN recording r USING (recording_id)"

say "prune removes a recording with its process"
pmap_x 8 web 100 >1700090000-8.x
pmapdb import -q --db l.db 1700090000-8.x
pmapdb prune -q --db l.db --keep-last 1
run pmapdb sql --db l.db "SELECT (SELECT count(*) FROM recording) AS recordings,
    (SELECT count(*) FROM call) AS calls, (SELECT count(*) FROM extent) AS extents,
    (SELECT count(*) FROM frame) AS frames, (SELECT count(*) FROM process) AS processes"

say "files that are not recordings: status 2, the others are stored"
: >empty
echo 'some text' >text.txt
printf 'a 1 [000] 1.000001: sched:sched_switch: x\n\n' >other.txt
printf 'PERFILE2\001\002' >perf.data
run pmapdb import-perf --db n.db none.txt empty text.txt other.txt perf.data . threads.txt
pmapdb import-perf --db n.db -f csv text.txt 2>/dev/null | cut -c 1-60
run pmapdb import-perf --db n.db
