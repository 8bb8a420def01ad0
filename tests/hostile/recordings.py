"""import-perf of recordings that are cut, mixed or endless, and of other files: the status is 0 or 2, one
line says why, and memory does not grow with the length. --full: 1 GiB of recording."""
import os
import re
import tarfile

import watch
from watch import MIB, check, kit, run

FIXTURES = kit.ROOT / "tests" / "fixtures" / "perf"
STREAM = (1 << 10 if kit.full else 4) * MIB
CUTS = 2000 if kit.full else 20


def text_of(name):
    with tarfile.open(FIXTURES / (name + ".tar.xz")) as tar:
        return tar.extractfile(name + "/script.txt").read()


def imported(text, db):
    """(status, row, lines on standard error) of a text on standard input."""
    done = kit.run("import-perf", "-", "-f", "csv", db=db, stdin=text, expect=None)
    rows = kit.table(done.stdout)
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
        check.true("cut: few calls without their other half", int(row["unpaired"]) <= 9, (at, row))
    check.equal("not cut", last, whole)


def live_of(db):
    return dict(kit.plain(db).execute(
        "SELECT t.pid, sum(e.length) FROM extent e JOIN traced_process t USING (traced_process_id) "
        "WHERE e.died_ns IS NULL GROUP BY 1"))


def time_of(block):
    seconds, fraction = re.search(rb" (\d+)\.(\d+): ", block.split(b"\n")[0]).groups()
    return int(seconds) * 10**6 + int(fraction)


def mixed(place):
    """Two recordings of the same time in one text: in order, unsorted, and one after the other."""
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
    for name, of in (("in order", sorted(a + b, key=time_of)), ("one after the other", a + b)):
        db = place / (name + ".db")
        status, row, _ = imported(b"".join(of), db)
        check.equal("mixed, %s" % name, (status, row["processes"], row["bad"]), (0, "2", "0"))
        check.equal("mixed, %s: live" % name, live_of(db), want)
    first, second = chunks("usual", 5 * MIB)
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


# ---- endless recordings ----

CHAIN = b"".join(b"\t%16x %s+0x%x (/usr/lib/libdemo.so.1)\n" % (0x7f0000001000 + 64 * i, name, 16 + i)
                 for i, name in enumerate([b"__mmap", b"map_buffer", b"std::vector<int>::push_back",
                                           b"session_alloc", b"handle_request", b"main"]))


def call(tid, at, name, arguments, result, chain):
    return b"".join(b"web 7/%s [000] @SECOND.%06d: syscalls:sys_%s_%s: %s\n%s\n" % (tid, at + i, way, name, text, chain)
                    for i, (way, text) in enumerate(((b"enter", arguments), (b"exit", result))))


def one_second(kind):
    """A second of a recording, about 4 MiB; chunks() replaces @SECOND, @CHUNK and @ADDR."""
    out = []
    for i in range(2000):
        address = b"0x@ADDR%05x000" % i
        tid = b"@CHUNK%04d" % i if kind == "threads" else b"%d" % (7 + i % 8)
        chain = CHAIN.replace(b"map_buffer+0x11", b"map_@CHUNK_%d+0x11" % i) if kind == "chains" else CHAIN
        made = call(tid, 4 * i, b"mmap", b"addr: 0x0, len: 0x1000, prot: 0x3, flags: 0x22, fd: 0xffffffff, off: 0x0",
                    address, chain)
        if kind == "open":
            made = made[:made.index(b"exit_")].rsplit(b"web", 1)[0]
        out.append(made)
        if kind not in ("live", "open"):
            out.append(call(tid, 4 * i + 2, b"munmap", b"addr: %s, len: 0x1000" % address, b"0x0", chain))
    return b"".join(out)


def chunks(kind, size):
    second = b"x" * MIB if kind == "line" else one_second(kind)
    n = 0
    while size > 0:
        chunk = (second.replace(b"@SECOND", b"%d" % (1000 + n)).replace(b"@CHUNK", b"%d" % (n + 1))
                 .replace(b"@ADDR", b"%x" % (0x1000 + n)))
        size -= len(chunk)
        n += 1
        yield chunk


def endless(place):
    """Recordings without an end. For kind `live`, pmapdb keeps about 120 bytes of each of millions of ranges that
    stay mapped; the resident pages of the store include mapped pages that the kernel can take back."""
    for kind in ("usual", "chains", "threads", "open", "live", "line"):
        db = place / ("endless-%s.db" % kind)
        r = run("import-perf", "-", db=db, chunks=chunks(kind, STREAM))
        watch.told("endless: " + kind, STREAM, r, 3072 if kind == "live" else 640)
        check.true("endless: status of %s" % kind, r.status == (2 if kind == "line" else 0) or kind == "live", r.lines())
        check.true("endless: words of %s" % kind, len(r.lines()) <= 3, r.lines()[:5])
        db.unlink(missing_ok=True)


kit.main(cut, mixed, wrong, endless, check=check)
