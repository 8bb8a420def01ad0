"""Shared functions of the checks of hostile input: they run a program and measure it.

PMAPDB          the program; default build/dev/pmapdb
PMAPDB_RELEASE  an optimised build, whose memory is checked against bounds; a build with sanitizers keeps
                freed memory, so without PMAPDB_RELEASE memory is only printed
--full          the long form, with the sizes of a real attack. It needs PMAPDB_RELEASE, 8 GB of
                memory and up to 30 GB of disk, and prints a line per case
"""
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "shared"))
import kit  # noqa: E402 (found by the line before)

MIB = 1 << 20
PROGRAM = os.path.abspath(os.environ.get("PMAPDB_RELEASE") or kit.PROGRAM)
SANITIZED = b"__asan_init" in pathlib.Path(PROGRAM).read_bytes()
PATIENCE_S = 900  # a longer run hangs, even on a busy machine
SPACE = 8000 * 1000 * 1024  # bytes of address space that a run may have
# Characters that drive a terminal or hide in it: C0, C1, marks that turn the direction or are not visible.
RAW = re.compile("[\0-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]")

check = kit.Check(shown=20)


class Run:
    """The result of one run: status, out, said (bytes of stderr), seconds, peak (bytes of memory)."""

    def lines(self):
        return self.said.decode("utf-8", "replace").splitlines()


def bound_space():
    if not SANITIZED:
        resource.setrlimit(resource.RLIMIT_AS, (SPACE, SPACE))


def feed(pipe, chunks):
    try:
        for chunk in chunks:
            pipe.write(chunk)
        pipe.close()
    except BrokenPipeError:
        pass


def begun(line, chunks, seconds, cwd):
    """Runs a command and measures it. Kills it after `seconds`, which is a failure."""
    r = Run()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as said:
        began = time.monotonic()
        with subprocess.Popen(line, stdin=subprocess.PIPE if chunks else subprocess.DEVNULL, stdout=out,
                              stderr=said, cwd=cwd, env=kit.ENVIRONMENT, preexec_fn=bound_space) as p:
            if chunks:
                threading.Thread(target=feed, args=(p.stdin, chunks), daemon=True).start()
            killer = threading.Timer(seconds, p.kill)
            killer.start()
            _, status, used = os.wait4(p.pid, 0)
            killer.cancel()
            p.returncode = os.waitstatus_to_exitcode(status)
        r.seconds = time.monotonic() - began
        r.status, r.peak, r.cpu = p.returncode, used.ru_maxrss * 1024, used.ru_utime + used.ru_stime
        for f in (out, said):
            f.seek(0)
        r.out, r.said = out.read(), said.read()
    return r


def forked(args, db, cwd):
    """Runs pmapdb as most other checks do, since a sanitizer starts slowly. Measures nothing."""
    r, home = Run(), os.getcwd()
    os.chdir(cwd or home)
    done = kit.run(*args, db=db, expect=None)
    os.chdir(home)
    r.status, r.out, r.said = done.returncode, done.stdout, done.stderr
    return r


def run(*args, db=None, chunks=None, seconds=PATIENCE_S, cwd=None, command=None):
    """Runs pmapdb; `chunks` go to its standard input."""
    if SANITIZED and not (kit.full or chunks or command):
        r = forked(args, db, cwd)
    else:
        r = begun(command or [PROGRAM, *args[:1], *(["--db", str(db)] if db else []), *args[1:]], chunks, seconds, cwd)
    what = " ".join(os.fsdecode(os.fsencode(a)) for a in args)[:200]
    check.true("no crash, no hang: %r" % what, 0 <= r.status <= 3 and b"Sanitizer" not in r.said, (r.status, r.said[-2000:]))
    return r


def told(name, size, r, most=None):
    """Prints a case; checks its peak against `most` MiB."""
    if kit.full:
        print("%-34s %9.1f MiB in, peak %5d MiB, %6.1f s (%6.1f s of the processor), exit %d: %s" % (
            name, size / MIB, r.peak / MIB, r.seconds, r.cpu, r.status, (r.lines() or [""])[0][:160]),
            flush=True)
    if most and not SANITIZED:
        check.true("memory: " + name, r.peak < most * MIB, "%d MiB" % (r.peak // MIB))


def harmless(what, data):
    """Expects whole lines without bytes that drive a terminal."""
    text = data.decode("utf-8", "surrogateescape")
    found = RAW.search(text)
    check.true("harmless: " + what, not found and not re.search("[\udc80-\udcff]", text),
               repr(text[:400]))


def one_line(what, r, status=2, names=()):
    """Expects one line on standard error that says what is wrong, besides lines about the stored captures
    and about what the last capture lacks."""
    said = [x for x in r.lines() if not re.search("captures? stored|ends in the middle|end is missing|to its end", x)]
    check.equal("status: " + what, r.status, status)
    check.true("one line: " + what, len(said) == 1 and len(said[0]) < 600, said[:4])
    for name in names:
        check.true("names %s: %s" % (name, what), said and name in said[0], said[:2])


def rows_of(db, sql="SELECT count(*) FROM snapshot"):
    return kit.plain(db).execute(sql).fetchall() if pathlib.Path(db).exists() else [(0,)]


def maps(n, first=0x100000000000, step=0x2000, path=b""):
    """Rows of maps, 10,000 in a chunk."""
    for i in range(0, n, 10000):
        yield b"".join(b"%012x-%012x rw-p 00000000 00:00 0 %s\n" % (first + k * step, first + k * step + 0x1000, path)
                       for k in range(i, min(n, i + 10000)))


def block(pid=4711, heap=16):
    return (b"%d:   /srv/x\nAddress           Kbytes     RSS   Dirty Mode  Mapping\n0000560000000000 %7d      16       "
            b"0 r-x-- x\n---------------- ------- ------- ------- \ntotal kB         %7d      16       0\n"
            % (pid, heap, heap))
