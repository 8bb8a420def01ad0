"""What import-perf does with recordings that are cut, mixed, endless, or no recordings: a status of 0
or 2, one line that says why, memory that does not follow the length. --full: 10 GiB of it."""
import csv
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "shared"))
import kit  # noqa: E402 (found by the line before)

FIXTURES = kit.ROOT / "tests" / "fixtures" / "perf"
MIB = 1 << 20
# Sanitizers keep what is freed, and take their time.
SANITIZED = b"__asan_init" in pathlib.Path(kit.PROGRAM).read_bytes()
STREAM = (10 << 10 if kit.full else 20 if SANITIZED else 200) * MIB
CUTS = 2000 if kit.full else 40
# Of ranges that stay mapped there may be millions, of each pmapdb keeps some 60 bytes.
PEAK, PEAK_LIVE = 128 * MIB, 512 * MIB

check = kit.Check(shown=99)


def text_of(name):
    with tarfile.open(FIXTURES / (name + ".tar.xz")) as tar:
        return tar.extractfile(name + "/script.txt").read()


def imported(text, db):
    """(status, row, lines on standard error) of a text on standard input."""
    done = kit.run("import-perf", "-", "-f", "csv", db=db, stdin=text, expect=None)
    rows = list(csv.DictReader(done.stdout.decode().splitlines()))
    return done.returncode, rows[0] if rows else None, done.stderr.decode().splitlines()


def blocks_of(text):
    return [b + b"\n\n" for b in text.rstrip(b"\n").split(b"\n\n")]


# ---- cut, mixed ----

def cut(place):
    text = text_of("threads-fp")
    whole = int(imported(text, place / "whole.db")[1]["calls"])
    last = 0
    for at in [round(len(text) * i / CUTS) for i in range(CUTS + 1)] + list(range(400, 700, 7)):
        db = place / "cut.db"
        db.unlink(missing_ok=True)
        status, row, said = imported(text[:at], db)
        if status == 2:
            check.true("cut: one line", len(said) == 1 and at < 1000, (at, said))
            continue
        check.equal("cut: status", status, 0)
        ended = text[:at].rpartition(b"\n")[0].count(b":sys_exit_")
        check.true("cut: calls", abs(int(row["calls"]) - ended) <= 1, (at, ended, row))
        last = max(last, int(row["calls"]))
        check.true("cut: at most a call without its half", int(row["unpaired"]) <= 9, (at, row))
    check.equal("cut: nowhere", last, whole)


def live_of(db):
    return dict(kit.plain(db).execute(
        "SELECT t.pid, sum(e.length) FROM extent e JOIN traced_process t USING (traced_process_id) "
        "WHERE e.died_ns IS NULL GROUP BY 1"))


def time_of(block):
    seconds, fraction = re.search(rb" (\d+)\.(\d+): ", block.split(b"\n")[0]).groups()
    return int(seconds) * 10**6 + int(fraction)


def mixed(place):
    """Two recordings of one time in one text, in order and not; one behind the other."""
    a, b = blocks_of(text_of("threads-fp")), blocks_of(text_of("python-dwarf"))
    later = time_of(b[0]) - time_of(a[0]) - 500000

    def moved(block):
        t = time_of(block) - later
        return re.sub(rb" \d+\.\d+: ", b" %d.%06d: " % divmod(t, 10**6), block, count=1)

    b = [moved(block) for block in b]
    want = {}
    for name, of in (("a", a), ("b", b)):
        imported(b"".join(of), place / (name + ".db"))
        want |= live_of(place / (name + ".db"))
    check.equal("mixed: processes", len(want), 2)
    for name, of in (("in order", sorted(a + b, key=time_of)), ("one behind the other", a + b)):
        db = place / (name + ".db")
        status, row, _ = imported(b"".join(of), db)
        check.equal("mixed, %s" % name, (status, row["processes"], row["bad"]), (0, "2", "0"))
        check.equal("mixed, %s: live" % name, live_of(db), want)
    first, second = chunks("usual", 10 * MIB)
    imported(first + second, place / "forth.db")
    status, row, said = imported(second + first, place / "back.db")
    check.equal("mixed, the second half first", (status, live_of(place / "back.db")), (0, live_of(place / "forth.db")))
    lines = [x for pair in zip(b"".join(a).splitlines(True), b"".join(b).splitlines(True)) for x in pair]
    status, row, said = imported(b"".join(lines), place / "lines.db")
    check.true("mixed line by line", status in (0, 2), (status, said))


# ---- no recordings ----

REPORT = b"""# Samples: 74  of event 'syscalls:sys_enter_mmap'
# Event count (approx.): 74
#
# Overhead  Command  Shared Object  Symbol
# ........  .......  .............  ......
#
    77.03%  threads  libc.so.6      [.] __mmap
"""


def wrong(place):
    capture = (kit.ROOT / "tests/fixtures/tools/procps-4.0.2-x.txt").read_bytes()
    for name, text in (("perf.data", b"PERFILE2" + os.urandom(100000)), ("report", REPORT), ("empty", b""),
                       ("newlines", b"\n" * 5000), ("noise", os.urandom(300000)), ("pmap", capture),
                       ("smaps", (kit.ROOT / "tests/fixtures/tools/kernel-smaps.txt").read_bytes()),
                       ("nul", bytes(200000)), ("folder", None), ("missing", None),
                       ("trace", b"node 7 [000] 1.000001: raw_syscalls:sys_enter: NR 9 (0, 1000, 3)\n\n")):
        path = place / name
        if text is not None:
            path.write_bytes(text)
        elif name == "folder":
            path.mkdir()
        done = kit.run("import-perf", path, db=place / "wrong.db", expect=None)
        said = done.stderr.decode(errors="replace").splitlines()
        check.true("wrong: %s" % name, done.returncode == 2 and len(said) == 1 and len(said[0]) < 400,
                   (done.returncode, said[:4]))
        if kit.full:
            print("%-10s %s" % (name, said[0].replace(str(place) + "/", "")))
    check.equal("wrong: nothing is stored", kit.plain(place / "wrong.db").execute(
        "SELECT count(*) FROM recording").fetchone()[0], 0)


# ---- endless ----

def event(tid, at, name, text, chain):
    return b"web %d/%d [000] @SECOND.%06d: syscalls:sys_%s: %s\n%s\n" % (7, tid, at, name, text, chain)


CHAIN = b"".join(b"\t%16x %s+0x%x (/usr/lib/libdemo.so.1)\n" % (0x7f0000001000 + 64 * i, name, 16 + i)
                 for i, name in enumerate([b"__mmap", b"map_buffer", b"std::vector<int>::push_back",
                                           b"session_alloc", b"handle_request", b"main"]))


def call(tid, at, name, arguments, result, chain=CHAIN):
    return (event(tid, at, b"enter_" + name, arguments, chain)
            + event(tid, at + 1, b"exit_" + name, result, chain))


def one_second(kind):
    """A second of a recording, a few MiB; @SECOND, @CHUNK and @ADDR are filled in for each."""
    out = []
    for i in range(4000):
        address = b"0x@ADDR%05x000" % i
        tid = 7 + i % 8
        chain = CHAIN
        if kind == "chains":
            chain = CHAIN.replace(b"map_buffer+0x11", b"map_@CHUNK_%d+0x11" % i)
        if kind == "threads":
            tid = 0
        out.append(call(tid, 4 * i, b"mmap", b"addr: 0x0, len: 0x1000, prot: 0x3, flags: 0x22, "
                        b"fd: 0xffffffff, off: 0x0", address, chain))
        if kind == "threads":
            out[-1] = out[-1].replace(b"7/0 ", b"7/@CHUNK%04d " % i)
        if kind not in ("live", "open"):
            out.append(call(tid, 4 * i + 2, b"munmap", b"addr: %s, len: 0x1000" % address, b"0x0", chain))
        if kind == "open":
            out[-1] = out[-1][:out[-1].index(b"exit_")].rsplit(b"web", 1)[0]
    return b"".join(out)


def chunks(kind, size):
    if kind == "line":
        for _ in range(size // MIB):
            yield b"x" * MIB
        return
    second = one_second(kind)
    n = 0
    while size > 0:
        chunk = (second.replace(b"@SECOND", b"%d" % (1000 + n)).replace(b"@CHUNK", b"%d" % (n + 1))
                 .replace(b"@ADDR", b"%x" % (0x1000 + n)))
        size -= len(chunk)
        n += 1
        yield chunk


def held_by(pid):
    """Bytes of memory of its own; what is resident of the store, which is mapped, the kernel can have back."""
    status = pathlib.Path("/proc/%d/status" % pid).read_text()
    return sum(int(kib) * 1024 for kib in re.findall(r"Rss(?:Anon|Shmem):\s+(\d+) kB", status))


def streamed(command, kind, size):
    """(status, seconds, of the processor, peak bytes, bytes, events, lines on standard error) of a
    program that reads it."""
    sent = [0, 0]
    with tempfile.TemporaryFile() as said, subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=said,
            env=kit.ENVIRONMENT) as process:
        started = time.monotonic()

        def feed():
            try:
                for chunk in chunks(kind, size):
                    process.stdin.write(chunk)
                    sent[0] += len(chunk)
                    sent[1] += chunk.count(b" syscalls:")
                process.stdin.close()
            except BrokenPipeError:
                pass

        feeder = threading.Thread(target=feed)
        feeder.start()
        ended = peak = 0
        while not ended:
            peak = max(peak, held_by(process.pid))
            time.sleep(0.01)
            ended, status, used = os.wait4(process.pid, os.WNOHANG)
        seconds = time.monotonic() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        feeder.join()
        said.seek(0)
        lines = said.read().decode(errors="replace").splitlines()
    return process.returncode, seconds, used.ru_utime + used.ru_stime, peak, sent[0], sent[1], lines


def endless(place):
    for kind in ("usual", "chains", "threads", "open", "live", "line"):
        db = place / ("endless-%s.db" % kind)
        size = STREAM if kind in ("usual", "line") else min(STREAM, 1 << 30)
        command = [kit.PROGRAM, "import-perf", "--db", str(db), "-"]
        status, seconds, busy, peak, sent, events, said = streamed(command, kind, size)
        print("%-8s %6d MiB %9d events: status %d, %6.1f s, %6.1f s of the processor, peak %3d MiB, store %d "
              "MiB %s" % (kind, sent // MIB, events, status, seconds, busy, peak // MIB,
                          db.stat().st_size // MIB if db.exists() else 0, said[:1]), flush=True)
        check.true("endless: status of %s" % kind, status == (2 if kind == "line" else 0) or kind == "live", said)
        check.true("endless: peak of %s" % kind, peak < (PEAK_LIVE if kind == "live" else PEAK) + 300 * events or SANITIZED,
                   peak)
        check.true("endless: words of %s" % kind, len(said) <= 3, said[:5])
        db.unlink(missing_ok=True)
    if kit.full:
        print("cat      %6.1f s, %6.1f s of the processor" % streamed(["cat"], "usual", STREAM)[1:3])


def main():
    with kit.Place() as place:
        cut(place)
        mixed(place)
        wrong(place)
        endless(place)
    check.finish()


main()
