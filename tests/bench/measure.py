"""What the benchmarks have in common: CPU time, instructions, live processes, tables.

Times are CPU, user and system, in seconds unless a name says otherwise. A number of a tool that is not
installed is None, which tables show as `-`.
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

short = "--short" in sys.argv[1:]  # checks only that it works


def amount(least, default, most):
    """Chooses an amount by the permitted length of the run."""
    return least if short else most if kit.full else default


def there(program):
    return shutil.which(program) is not None


def median_cpu(work, n=15):
    """CPU seconds of one call, by this thread."""
    took = []
    for _ in range(n + 1):
        before = time.thread_time()
        work()
        took.append(time.thread_time() - before)
    return statistics.median(took[1:])


def child(line, write=None, out=subprocess.DEVNULL, good=(0,)):
    """CPU seconds of one process; `write` gets its standard input."""
    line = [str(word) for word in line]
    with subprocess.Popen(line, stdin=subprocess.PIPE if write else subprocess.DEVNULL, stdout=out,
                          stderr=subprocess.PIPE, env=kit.NO_LEAK_CHECK, bufsize=1 << 20) as process:
        if write:
            with process.stdin as pipe:
                write(pipe)
        said = process.stderr.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in good:
        sys.exit("%s ended with %d: %s" % (" ".join(line)[:300], process.returncode,
                                           said[-2000:].decode(errors="replace")))
    return used.ru_utime + used.ru_stime


def median_child(line, n=7):
    return statistics.median(child(line) for _ in range(n))


def pmapdb(command, *args, db):
    return [kit.PROGRAM, command, "--db", db, "-q", *args]


def executed(line, place):
    """What a process executes, by callgrind: how many instructions, and which functions of src, as
    (file, function); None without valgrind."""
    if short or not there("valgrind"):
        return None, None
    out = place / "callgrind.out"
    child(["valgrind", "--tool=callgrind", "--callgrind-out-file=%s" % out, *line])
    text = out.read_text(errors="replace")
    out.unlink()
    files, functions, found, file = {}, {}, set(), ""
    for key, number, name in re.findall(r"^(c?f[lien])=\((\d+)\)(?: (.*))?$", text, re.M):
        names = functions if key.endswith("n") else files
        if name:
            # a call within a call of itself ends with '2, what the compiler split off with .part.0
            names[number] = re.split(r"'|\.(?:part|cold)\b", name)[0]
        if key == "fl":
            file = os.path.normpath(names[number])
        elif key == "fn" and file.startswith(str(HERE.parents[1] / "src")):
            found.add((file, names[number]))
    return int(re.search(r"^(?:totals|summary): (\d+)", text, re.M)[1]), found


def compile_program(place, name):
    """tests/bench/NAME.c as place/NAME."""
    subprocess.run([*shlex.split(os.environ.get("CC", "cc")), "-O2", "-D_GNU_SOURCE", "-o", place / name,
                    HERE / (name + ".c")], check=True)


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
        """About one in a hundred of its mappings."""
        self.process.stdin.write(b"\n")
        self.process.stdin.flush()
        self.process.stdout.readline()

    def changing(self, every_s, work):
        """What work() returns, while the process changes."""
        ended = threading.Event()

        def change():
            while not ended.wait(every_s):
                self.change()

        thread = threading.Thread(target=change)
        thread.start()
        try:
            return work()
        finally:
            ended.set()
            thread.join()

    def smaps(self):
        return pathlib.Path("/proc/%d/smaps" % self.pid).read_bytes()

    def kernel(self, piece):
        """Seconds that the kernel itself needs to print its smaps, read in pieces of so many bytes."""
        said = subprocess.run([self.place / "kernel", str(self.pid), "smaps", str(piece), "25"], check=True,
                              stdout=subprocess.PIPE).stdout
        return float(said) / 1000

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


def shown(value, form="%.2f"):
    return "-" if value is None else value if isinstance(value, str) else form % value


class Lines:
    """Numbers to hold, and what was measured."""

    def __init__(self):
        self.rows = []

    def add(self, what, measured, asked, beside="", form="%.2f"):
        known = measured is not None and asked is not None
        met = "-" if not known else "yes" if measured <= asked else "NO"
        self.rows.append([what, shown(measured, form), shown(asked, form),
                          shown(measured / asked if known else None), met, beside])
        print("  ".join(str(c) for c in self.rows[-1]), flush=True)

    def show(self):
        print()
        table(["what", "measured", "asked", "ratio", "met", " beside it"], self.rows)


def table(titles, rows, left=1):
    """Prints; the first `left` columns, and those that begin with a space, are words."""
    widths = [max(len(str(r[i])) for r in [titles] + rows) for i in range(len(titles))]
    for row in [titles] + rows:
        cells = [str(c).ljust(w) if i < left or titles[i].startswith(" ") else str(c).rjust(w)
                 for i, (c, w) in enumerate(zip(row, widths))]
        print("  ".join(cells).rstrip())
    print(flush=True)
