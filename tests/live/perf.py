"""perf records a program that pmapdb captures: the store has the clock offset, and `who` names the functions
and sizes that the program prints. Needs perf, and the right to use its tracepoints."""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "shared"))
import kit

SOURCE = kit.ROOT / "tests" / "fixtures" / "perf" / "threads.c"
SECONDS = 20 if kit.full else 5
EVENTS = ",".join("syscalls:sys_*_" + name for name in ("mmap", "munmap", "brk", "mremap", "mprotect"))
RECORD = ["perf", "record", "-q", "-m", "8M", "-k", "CLOCK_MONOTONIC", "--call-graph", "dwarf", "-e", EVENTS]
FIELDS = "+pid,+ip,+sym,+symoff,+dso"
COVERED = 0.95
SIZES = """SELECT sum(m.size_kib) FROM mappings m JOIN snapshot s USING (snapshot_id)
  WHERE taken_ms >= (SELECT taken_ms FROM snapshot WHERE snapshot_id = ?)
  GROUP BY s.snapshot_id ORDER BY s.taken_ms"""
# The second snapshot that shows all threads: their stacks and arenas are no longer growth.
BEGUN = "SELECT snapshot_id FROM live_reading WHERE threads = 10 ORDER BY mono_ns LIMIT 2"


def usable(place):
    """Skips the test unless perf can record a trivial program here with DWARF call graphs."""
    if not shutil.which("perf"):
        kit.skip("perf is not installed")
    trial = place / "trial.data"
    done = subprocess.run(RECORD + ["-o", str(trial), "true"], capture_output=True, text=True, check=False)
    if done.returncode:
        kit.skip("perf may not record here: " + (done.stderr.strip().splitlines() or ["?"])[0])


def recorded(place):
    """Runs the program under perf and captures it. Returns the store, the program's sizes, the text of perf script."""
    program, data, db = place / "threads", place / "perf.data", place / "t.db"
    subprocess.run([os.environ.get("CC", "cc"), "-O1", "-g", "-pthread", "-o", str(program), str(SOURCE)],
                   check=True)
    perf = subprocess.Popen(RECORD + ["-o", str(data), str(program), str(SECONDS)],
                            stdout=subprocess.PIPE, text=True)
    capture = None
    try:
        capture = subprocess.Popen([kit.PROGRAM, "capture", "-q", "--db", str(db), "--match", "exe = '%s'" % program,
                                    "--every", "500ms"], env=kit.ENVIRONMENT, stdout=subprocess.DEVNULL)
        truth = {name: int(n) for name, n in (perf.stdout.readline().split() for _ in range(9))}
        time.sleep(1)
    finally:
        if capture:
            capture.send_signal(signal.SIGTERM)
            capture.wait()
        perf.send_signal(signal.SIGINT)
        perf.wait()
    text = subprocess.run(["perf", "script", "-F", FIELDS, "--show-lost-events", "-i", str(data)],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout
    return db, truth, text


def utc_minus_monotonic():
    """In ns: the reading that took the least time, of a thousand."""
    readings = []
    for _ in range(1000):
        before, utc, after = time.monotonic_ns(), time.time_ns(), time.monotonic_ns()
        readings.append((after - before, utc - before))
    return min(readings)[1]


def who(db, begun):
    """KiB that grew since snapshot `begun`, and KiB live at the end, by function of the program; and the total
    growth."""
    grew, live, total = {}, {}, 0
    for row in kit.rows("who", "--from", "@%d" % begun, db=db):
        total += int(row["growth_kib"])
        for name in set(re.findall(r"\bleak_\w+", row["stack"] or "")) - {"leak_twice"}:
            grew[name] = grew.get(name, 0) + int(row["growth_kib"])
            live[name] = live.get(name, 0) + int(row["live_kib"])
    return grew, live, total


def a_recording(check, place):
    usable(place)
    db, truth, text = recorded(place)
    done = kit.run("import-perf", "-", "-f", "csv", db=db, stdin=text)
    row, = kit.table(done.stdout)
    check.equal("process", (row["pid_source"], row["linked"]), ("text", "1"))
    offset, slack = kit.plain(db).execute("SELECT offset_ns, slack_ns FROM traced_process").fetchone()
    check.true("the offset is within its slack", abs(offset - utc_minus_monotonic()) <= slack, (offset, slack, row))
    if b"LOST" in text:
        print("perf lost events: sizes are not compared")
    else:
        begun = kit.plain(db).execute(BEGUN).fetchall()[-1][0]
        grew, live, total = who(db, begun)
        for name, want in truth.items():
            check.equal("who says of %s" % name, live.get(name, 0) * 1024, want)
        sizes = [size for size, in kit.plain(db).execute(SIZES, (begun,))]
        check.equal("rows add up", total, sizes[-1] - sizes[0])
        leaks = sum(grew.values())
        check.true("the growth has function names", leaks >= COVERED * total, (leaks, total, grew))


kit.main(a_recording, shown=20)
