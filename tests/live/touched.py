"""capture --touched stores what the kernel says was touched; a leak and a cache in use with the same curve
get different verdicts; nothing unknown is stored. The programs grow and read their memory when they are told
to, and the test sets the clock, so that nothing depends on the speed of the machine."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "shared"))
import kit

BEATS, MINUTES = 20, 5
PYTHON = """
import sys
held = []
while sys.stdin.buffer.read(1):
    held.append(bytearray(b"x") * (2 << 20))
    if sys.argv[1] == "cache":
        for h in held:
            h[::4096]
    sys.stdout.buffer.write(b"+")
    sys.stdout.flush()
"""


def clock(place):
    """Builds the library that sets both clocks and imitates a kernel. Returns LD_PRELOAD, with the sanitizer first."""
    library = place / "clock.so"
    subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-O1", "-o", library, HERE / "clock.c", HERE / "kernel.c"], check=True)
    words = subprocess.run(["ldd", kit.PROGRAM], capture_output=True, text=True, check=False).stdout.split()
    return " ".join([*[w for w in words if w.startswith("/") and "libasan" in w], str(library)])


class Program:
    def __init__(self, *words):
        self.run = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        self.pid = self.run.pid
        self.step()

    def step(self, order=b"+"):
        self.run.stdin.write(order)
        if order == b"+":
            self.run.stdout.read(1)

    def end(self):
        self.run.stdin.close()
        self.run.wait()
        self.run.stdout.close()


def capture(db, preload, beat, *words, user=(), kernel=()):
    """Captures without page idle tracking, unless `kernel` has it."""
    add = {"CLOCK_REALTIME_ADD": str(int(60 * MINUTES * beat)), "CLOCK_MONOTONIC_ADD": str(60 * MINUTES * beat), "NONE_NAME": "page_idle/bitmap"}
    done = subprocess.run([*user, kit.PROGRAM, "--db", str(db), "capture", *map(str, words)], capture_output=True, text=True,
                          env=kit.ENVIRONMENT | add | {"LD_PRELOAD": preload} | dict(kernel), check=False)
    if "runtime error" in done.stderr or done.returncode not in (0, 2):
        sys.exit(done.stderr)
    return done.stderr


def referenced(pid):
    """The sum of Referenced of all private mappings without a file, from smaps."""
    text = pathlib.Path("/proc/%d/smaps" % pid).read_text(encoding="ascii")
    blocks = re.split(r"(?m)^(?=[0-9a-f]+-[0-9a-f]+ )", text)[1:]
    return sum(int(re.search(r"Referenced: +(\d+)", b)[1]) for b in blocks
               if re.match(r"\S+ rw-p \S+ 00:00 0 +(\[heap\])?\n", b))


def grow(check, place, db, preload, programs, kernel=()):
    """Each beat begins a window and ends the one before. The test reads smaps just before the capture, which must
    store nearly the same, unless `kernel` has page idle tracking."""
    for beat in range(BEATS):
        truth = {}
        for program in programs.values():
            program.step()
            truth[program.pid] = referenced(program.pid)
        capture(db, preload, beat, "--touched", "5m", "--max-stall", "1h", *truth, kernel=kernel)
        if kernel:
            continue
        with kit.plain(db) as store:
            got = dict(store.execute(
                "SELECT pid, sum(referenced_kib) FROM mappings JOIN snapshots s USING (snapshot_id) WHERE perms = 'rw-p' "
                "AND (path = '' OR path = '[heap]') AND s.taken_ms = (SELECT max(taken_ms) FROM snapshot) GROUP BY pid"))
        for pid, kib in truth.items():
            check.true("referenced is the kernel's", abs(got[pid] - kib) <= 256, (beat, got[pid], kib))


def evidence(check, db, name, program, used):
    pid = str(program.pid)
    row = max((r for r in kit.rows("query", "touched", "--process", "%s/%s" % (name, pid), db=db)
               if r["category"].split("/")[0] in ("heap", "anonymous")), key=lambda r: int(r["rss_kib"]))
    grown, untouched = int(row["grown_kib"]), int(row["untouched_grown_kib"])
    check.equal("windows " + name, int(row["windows"]), BEATS - 1)
    check.true("growth " + name, grown >= 2048 * (BEATS - 3), row)
    check.true("untouched growth " + name, untouched <= grown / 10 if used else untouched >= grown * .9, row)
    worst = kit.rows("leaks", "--process", "%s/%s" % (name, pid), db=db, expect=(0, 1, 3))
    worst = max(worst, key=lambda r: (r["touched"] is not None, r["verdict"] == "leak"))
    check.equal("verdict " + name, worst["verdict"], "suspect" if used else "leak")
    check.equal("reason " + name, (worst["reason"] or "").startswith("a cache in use?"), used)
    check.true("words " + name, "MiB that grew in" in (worst["touched"] or ""), worst)
    return worst


def played_marks(check, place, preload, program):
    """Page idle tracking with a file as the bitmap: if the file keeps its bits, no old memory is touched; if the
    file is emptied, all memory is."""
    db, bitmap = place / "marks.db", place / "bitmap"
    if os.getuid() != 0 or not os.access("/proc/kpageflags", os.R_OK):
        print("page idle tracking is not tested without root")
        return
    played = {"NONE_NAME": "", "FILE_NAME": "page_idle/bitmap", "FILE_IS": str(bitmap)}

    def beat(n, touch, **other):
        if touch:
            bitmap.write_bytes(b"")
        os.truncate(bitmap, 1 << 25)
        program.step()
        said = capture(db, preload, n, "--touched", "5m", "--max-stall", "0s", "--measure", "smaps", program.pid, kernel=played | other)
        row = [r for r in kit.rows("query", "touched", db=db) if r["category"] == "heap"]
        return said, row and (row[0]["source"], int(row[0]["windows"]), int(row[0]["rss_kib"]), int(row[0]["untouched_kib"]))

    said, row = beat(0, True)
    check.true("marked", "1 marked idle" in said and not row, (said, row))
    for n in (1, 2):
        said, row = beat(n, False)
        check.true("only new memory is touched", row[:2] == ("page_idle", n) and row[2] - 3072 <= row[3] <= row[2] - 2048, row)
    said, row = beat(2.5, True)
    check.true("no clearing before the time", "marked" not in said and row[1] == 2, (said, row))
    said, row = beat(3.5, True)
    check.true("all is touched", row[1] == 3 and row[3] == 0, row)
    said, row = beat(5, False, FILE_IS="/dev/full")
    check.true("the kernel takes no marks", said.count("bitmap of page idle tracking") == 1 and "marked" not in said, said)
    said, row = beat(7, False, FILE_IS="13")
    check.true("without the right to mark, they are cleared", "more than --max-stall" in said, said)
    with kit.plain(db) as store:
        check.equal("stored", store.execute("SELECT page_idle, clear_us IS NULL, count(*) FROM clearing GROUP BY 1, 2 ORDER BY 2").fetchall(),
                    [(1, 0, 4), (1, 1, 1)])
        check.equal("snapshots", [r[0] for r in store.execute("SELECT page_idle FROM activity ORDER BY snapshot_id")], [0, 1, 1, 0, 1, 1, 0])


def kernel_marks(check, place, preload, programs):
    """The kernel's own page idle tracking gives the same verdicts."""
    db = place / "idle.db"
    if not os.access("/sys/kernel/mm/page_idle/bitmap", os.W_OK):
        print("page idle tracking is not tested: this kernel has none, or this user may not use it")
        return
    grow(check, place, db, preload, programs, {"NONE_NAME": ""})
    for (name, mode), program in programs.items():
        evidence(check, db, name, program, mode == "cache")
    check.equal("source", {r["source"] for r in kit.rows("query", "touched", db=db)}, {"page_idle"})


def same_elsewhere(check, place, db):
    """Merge, export and prune keep the known numbers, and add nothing."""
    wanted = kit.run("query", "touched", "--top", "50", "-f", "csv", db=db).stdout
    merged, shown = place / "merged.db", place / "shown.db"
    kit.run("merge", db, db=merged)
    kit.run("merge", db, db=merged)
    check.equal("merged", re.sub(rb",\d+\n", b"\n", kit.run("query", "touched", "--top", "50", "-f", "csv", db=merged).stdout),
                re.sub(rb",\d+\n", b"\n", wanted))
    kit.run("export", "--redact", shown, db=db)
    numbers = [sorted([r[k] or "" for k in r if k.endswith("_kib") or k == "windows"] for r in kit.rows("query", "touched", "--top", "50", db=d))
               for d in (shown, db)]
    check.equal("exported", numbers[0], numbers[1])
    kit.run("prune", "--keep-last", "1", db=merged)
    left = {r["process_id"]: int(r["windows"]) for r in kit.rows("query", "touched", "--top", "50", db=merged)}
    check.equal("pruned", sum(left.values()), 2 * 2)
    with kit.plain(merged) as store:
        check.equal("no rows of pruned snapshots", store.execute(
            "SELECT count(*) FROM activity WHERE snapshot_id NOT IN (SELECT snapshot_id FROM snapshot)").fetchone()[0], 0)


def nothing_unknown(check, place, preload, program):
    """Nothing is cleared without the option, without the right, or beyond the budget; after an exec all is new."""
    db = place / "unknown.db"

    def cleared():
        with kit.plain(db) as store:
            return store.execute("SELECT count(*) FROM clearing").fetchone()[0]

    capture(db, preload, 0, program.pid)
    with kit.plain(db) as store:
        check.equal("without the option", store.execute("SELECT count(*) FROM activity").fetchone()[0], 0)
    said = capture(db, preload, 1, "--touched", "5m", "--max-stall", "0s", program.pid)
    check.true("smaps is beyond the budget", "not cleared: reading smaps" in said, said)
    said = capture(db, preload, 2, "--touched", "5m", "--max-stall", "0s", "--measure", "smaps", program.pid)
    check.true("beyond the budget", "more than --max-stall 0 ms" in said, said)
    check.equal("beyond the budget", cleared(), 0)
    if os.getuid() == 0 and shutil.which("setpriv"):
        user = ["setpriv", "--reuid", "65534", "--clear-groups", "--inh-caps", "+sys_ptrace", "--ambient-caps", "+sys_ptrace"]
        other = place / "other"
        other.mkdir(mode=0o777)
        place.chmod(0o755)
        other.chmod(0o777)
        said = capture(other / "o.db", "", 2, "--touched", "5m", "--max-stall", "1h", program.pid, user=user)
        check.true("without the right", "only its owner and root may write clear_refs" in said or "Permission denied" in said, said)
    else:
        print("a user who may not write clear_refs is not tested without root and setpriv")
    capture(db, preload, 3, "--touched", "5m", "--max-stall", "1h", program.pid)
    capture(db, preload, 3.5, "--touched", "10m", "--max-stall", "1h", program.pid)
    check.equal("no clearing before the time", cleared(), 1)
    program.step(b"x")
    program.step()
    capture(db, preload, 6, "--touched", "5m", "--max-stall", "1h", program.pid)
    rows = kit.rows("query", "touched", db=db)
    check.true("after an exec all is new", all(int(r["untouched_kib"]) <= 256 for r in rows), rows)
    said = capture(db, preload, 7, "--touched", "5m", "--measure", "maps", program.pid)
    check.true("maps", "--touched needs smaps" in said, said)


def refusals(check, place, preload, program):
    """Memory is short, the kernel refuses, the process executes another program or ends just before the clearing:
    at most one line is printed, and no clearing is stored that did not happen."""
    db = place / "refused.db"

    def cleared():
        with kit.plain(db) as store:
            return store.execute("SELECT count(*) FROM clearing").fetchone()[0]

    def expect(what, words, **kernel):
        said = capture(db, preload, 0, "--touched", "0s", "--max-stall", "1h", program.pid, kernel=kernel)
        lines = [line for line in said.splitlines() if "accessed bits" in line or "error" in line]
        check.equal(what, [words in line for line in lines], [True] * (words != ""))
        check.equal(what + ": stored", cleared(), 0)

    short = place / "short"
    for text, words in (("some avg10=0.00 avg60=0.01 avg300=0.00 total=1\n", "while tasks wait for memory"), ("", "does not tell")):
        short.write_text(text, encoding="ascii")
        expect("memory is short", words, FILE_NAME="pressure/memory", FILE_IS=str(short))
    for number, words in ((1, "only its owner and root may write clear_refs"), (13, "only its owner and root may write clear_refs"),
                          (2, "it has no clear_refs"), (22, "the kernel refuses: Invalid argument"), (3, "")):
        expect("refused", words, FILE_NAME="clear_refs", FILE_IS=str(number))
    expect("the kernel takes nothing", "the kernel refuses: No space left on device", FILE_NAME="clear_refs", FILE_IS="/dev/full")
    expect("an exec before it is cleared", "", THEN_NAME="pressure/cpu",
           THEN_DO="printf x+ > /proc/%d/fd/0; head -c 1 /proc/%d/fd/1 | grep -q +" % (program.pid, program.pid))
    said = capture(db, preload, 0, "--touched", "0s", "--max-stall", "1h", program.pid, kernel={
        "THEN_NAME": "clear_refs", "THEN_DO": "kill -9 %d; until grep -q 'State:.Z' /proc/%d/status; do :; done" % (program.pid, program.pid)})
    check.true("an end before it is cleared", "accessed" not in said and "error" not in said, said)
    said = capture(db, preload, 1, "--touched", "0s", "--max-stall", "1h", program.pid)
    check.equal("no rows of the ended process", kit.rows("query", "touched", db=db), [])


def touched(check, place):
    preload, db = clock(place), place / "t.db"
    subprocess.run([os.environ.get("CC", "cc"), "-O1", "-o", place / "touched", HERE / "touched.c"], check=True)
    (place / "python").write_text(PYTHON, encoding="ascii")
    programs = {(name, mode): Program(*words, mode) for mode in ("leak", "cache")
                for name, words in (("touched", [place / "touched"]), ("python", [sys.executable, place / "python"]))}
    try:
        grow(check, place, db, preload, programs)
        for (name, mode), program in programs.items():
            evidence(check, db, name, program, mode == "cache")
        page = place / "page.html"
        kit.run("report", "-o", page, db=db)
        check.true("report", "not touched again" in page.read_text(encoding="utf-8"))
        same_elsewhere(check, place, db)
        kernel_marks(check, place, preload, programs)
        played_marks(check, place, preload, programs["touched", "leak"])
        nothing_unknown(check, place, preload, programs["touched", "leak"])
        refusals(check, place, preload, programs["touched", "leak"])
    finally:
        for program in programs.values():
            program.end()


if not os.path.exists("/proc/pressure/memory") or not os.path.exists("/proc/self/clear_refs"):
    kit.skip("this kernel has no clear_refs, or no memory pressure")
if not re.match(r"some avg10=0.00 avg60=0.00", pathlib.Path("/proc/pressure/memory").read_text(encoding="ascii")):
    kit.skip("memory is short on this machine")
kit.main(touched)
