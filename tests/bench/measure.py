"""What the benchmarks have in common: CPU time, instructions, live processes, tables.

Times are CPU, user and system, in seconds unless a name says otherwise. What a tool that is not
there would say is None, which tables show as `-`.
"""
import os
import pathlib
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
# Before kit, whose own default is the build with sanitizers.
os.environ.setdefault("PMAPDB", str(HERE.parents[1] / "build" / "release" / "pmapdb"))
sys.path.insert(0, str(HERE.parent / "shared"))
import kit  # noqa: E402

SLOW = ("valgrind", "zstd")
LIBRARIES = ("-lsqlite3", "-lxxhash", "-ljansson", "-lcsv", "-lpcre2-8", "-larchive", "-lm", "-ldl")


short = "--short" in sys.argv[1:]           # only to see that it works


class Amount:
    """How much of something, by how long the run may take."""

    def __init__(self, least, default, most):
        self.least, self.default, self.most = least, default, most

    def now(self):
        return self.least if short else self.most if kit.full else self.default


def there(program):
    """Whether it is installed, and fast enough for a run that is only to work."""
    return shutil.which(program) is not None and not (short and program in SLOW)


def cpu(work):
    """CPU seconds of one call, by this thread."""
    before = time.thread_time()
    work()
    return time.thread_time() - before


def median_cpu(work, n=15):
    work()
    return statistics.median(cpu(work) for _ in range(n))


class Peak(threading.Thread):
    """Watches VmHWM of a process until it ends. getrusage would not do: a child starts with the
    peak of its parent."""

    def __init__(self, pid):
        super().__init__()
        self.pid, self.mib = pid, 0.0

    def run(self):
        try:
            while True:
                status = pathlib.Path("/proc/%d/status" % self.pid).read_text()
                line = next(li for li in status.splitlines() if li.startswith("VmHWM"))
                self.mib = int(line.split()[1]) / 1024
                time.sleep(0.01)
        except (OSError, StopIteration):
            pass


def child(line, write=None, out=subprocess.DEVNULL, good=(0,)):
    """(CPU seconds, peak MiB) of one process; `write` gets its standard input."""
    line = [str(word) for word in line]
    with subprocess.Popen(line, stdin=subprocess.PIPE if write else subprocess.DEVNULL, stdout=out,
                          stderr=subprocess.PIPE, env=kit.ENVIRONMENT, bufsize=1 << 20) as process:
        peak = Peak(process.pid)
        peak.start()
        if write:
            with process.stdin as pipe:
                write(pipe)
        said = process.stderr.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        peak.join()
    if process.returncode not in good:
        sys.exit("%s ended with %d: %s" % (" ".join(line)[:300], process.returncode,
                                           said[-2000:].decode(errors="replace")))
    return used.ru_utime + used.ru_stime, peak.mib


def median_child(line, n=7, **more):
    return statistics.median(child(line, **more)[0] for _ in range(n))


def instructions(line, place, write=None, inside=None):
    """How many instructions a process executes, all of it or inside a function, by callgrind; None
    without valgrind."""
    if not there("valgrind"):
        return None
    out = place / "callgrind.out"
    only = ["--toggle-collect=" + inside] if inside else []
    child(["valgrind", "--tool=callgrind", "--callgrind-out-file=%s" % out, *only, *line], write)
    total = re.search(r"^(?:totals|summary): (\d+)", out.read_text(errors="replace"), re.M)
    out.unlink()
    return int(total[1])


def compile_program(place, name, library=None):
    """tests/bench/NAME.c as place/NAME; with `library` it may use all of src."""
    own = ["-I", kit.ROOT / "src", "-I", kit.ROOT / "include"] if library else []
    done = subprocess.run(
        [*shlex.split(os.environ.get("CC", "cc")), "-O2", "-D_GNU_SOURCE", *own, "-o", place / name,
         HERE / (name + ".c"), *([library, *LIBRARIES] if library else [])],
        stderr=subprocess.PIPE, check=False)
    if done.returncode:
        sys.exit("%s.c does not compile (a library with sanitizers? give PMAPDB a release): %s" % (
            name, done.stderr[:500].decode(errors="replace")))
    return place / name


def library_path():
    """The library of the same build as the program."""
    return pathlib.Path(kit.PROGRAM).resolve().parent / "libpmapdb.a"


class Target:
    """A live process, maps.c, that changes on demand: `with Target(place, "many", 4000) as t`."""

    def __init__(self, place, *shape):
        self.place, self.shape = place, [str(word) for word in shape]

    def __enter__(self):
        self.process = subprocess.Popen([self.place / "maps", *self.shape], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)
        if self.process.stdout.readline() != b"ready\n":
            sys.exit("maps %s could not be set up: too little memory?" % " ".join(self.shape))
        self.pid = self.process.pid
        return self

    def change(self):
        self.process.stdin.write(b"\n")
        self.process.stdin.flush()
        self.process.stdout.readline()

    def smaps(self):
        return pathlib.Path("/proc/%d/smaps" % self.pid).read_bytes()

    def kernel(self, piece, times=15):
        """Seconds that the kernel itself needs to print its smaps."""
        said = subprocess.run([self.place / "kernel", str(self.pid), "smaps", str(piece),
                               str(times)], check=True, stdout=subprocess.PIPE).stdout
        return float(said) / 1000

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


def shown(value, form="%.2f"):
    return "-" if value is None else value if isinstance(value, str) else form % value


def mark(value, limit, form):
    return shown(value, form) + (" !" if None not in (value, limit) and value > limit else "")


def table(titles, rows, left=1):
    """Prints; the first `left` columns, and those that begin with a space, are words."""
    widths = [max(len(str(r[i])) for r in [titles] + rows) for i in range(len(titles))]
    for row in [titles] + rows:
        cells = [str(c).ljust(w) if i < left or titles[i].startswith(" ") else str(c).rjust(w)
                 for i, (c, w) in enumerate(zip(row, widths))]
        print("  ".join(cells).rstrip())
    print(flush=True)
