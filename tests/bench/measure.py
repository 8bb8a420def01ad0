"""Shared by the benchmarks: CPU time, instructions, live processes, tables.

Times are CPU time, user and system, in seconds unless a name says otherwise. A number of a tool that is
not installed is None, which tables show as `-`.
"""
import os
import pathlib
import random
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
# Set before the import of kit, whose default is the build with sanitizers.
os.environ.setdefault("PMAPDB", str(HERE.parents[1] / "build" / "release" / "pmapdb"))
sys.path.insert(0, str(HERE.parent / "shared"))
import kit  # noqa: E402

short = "--short" in sys.argv[1:]  # checks only that it works


def amount(least, default, most):
    """Chooses an amount by the length of the run: --short, default or --full."""
    return least if short else most if kit.full else default


def there(program):
    return shutil.which(program) is not None


def median_cpu(work, n=15):
    """Returns the median of the CPU seconds that this thread needs for one call."""
    took = []
    for _ in range(n + 1):
        before = time.thread_time()
        work()
        took.append(time.thread_time() - before)
    return statistics.median(took[1:])


def child(line, write=None, out=subprocess.DEVNULL, good=(0,)):
    """Runs one process and returns its CPU seconds; `write` writes to its standard input."""
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


def spawned(line):
    """CPU seconds of one process, None if the program is missing. posix_spawn() adds nothing of this process."""
    line = [str(word) for word in line]
    if not there(line[0]):
        return None
    null = (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)
    _, status, used = os.wait4(os.posix_spawnp(line[0], line, kit.NO_LEAK_CHECK, file_actions=[null]), 0)
    if status:
        sys.exit("%s failed" % " ".join(line)[:300])
    return used.ru_utime + used.ru_stime


def in_turns(n, *works):
    """Calls each work once in each of n turns, in random order, because each leaves its memory in the caches. Returns a
    list for each work, in the order of the turns."""
    results = [[] for _ in works]
    for _ in range(n):
        for i in random.sample(range(len(works)), len(works)):
            results[i].append(works[i]())
    return results


def pmapdb(command, *args, db):
    return [kit.PROGRAM, command, "--db", db, "-q", *args]


def executed(line, place):
    """Returns what callgrind counts of a process: instructions, and the functions of src as (file, function);
    (None, None) without valgrind, None for the functions of a program of another tree."""
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
            # '2 marks a recursive call, .part.0 a part that the compiler split off
            names[number] = re.split(r"'|\.(?:part|cold)\b", name)[0]
        if key == "fl":
            file = os.path.normpath(names[number])
        elif key == "fn" and file.startswith(str(HERE.parents[1] / "src")):
            found.add((file, names[number]))
    return int(re.search(r"^(?:totals|summary): (\d+)", text, re.M)[1]), found or None


def compile_program(place, name):
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
        """Returns the result of work(), while the process changes its mappings."""
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

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


def shown(value, form="%.2f"):
    return "-" if value is None else value if isinstance(value, str) else form % value


class Lines:
    """The table: numbers to hold, and measured numbers."""

    def __init__(self):
        self.rows = []

    def add(self, what, measured, asked, beside="", form="%.2f", ratio=None):
        if measured is not None and asked is not None:
            ratio = measured / asked if ratio is None else ratio
        met = "-" if ratio is None else "yes" if ratio <= 1 else "NO"
        self.rows.append([what, shown(measured, form), shown(asked, form), shown(ratio), met, beside])
        print("  ".join(str(c) for c in self.rows[-1]), flush=True)

    def pair(self, what, measured, other, share, kernel=None):
        """Adds medians of seconds measured in turns, as ms. Asked is a share of the other; the ratio is the median
        of the ratios of the turns."""
        beside = "kernel %.2f" % (1000 * statistics.median(kernel)) if kernel else ""
        known = share is not None and None not in other
        self.add(what, 1000 * statistics.median(measured), 1000 * share * statistics.median(other) if known else None,
                 beside, ratio=statistics.median(a / b / share for a, b in zip(measured, other)) if known else None)

    def show(self):
        print()
        table(["what", "measured", "asked", "ratio", "met", " beside it"], self.rows)


def table(titles, rows, left=1):
    """Prints a table; the first `left` columns, and those whose titles begin with a space, are left-aligned."""
    widths = [max(len(str(r[i])) for r in [titles] + rows) for i in range(len(titles))]
    for row in [titles] + rows:
        cells = [str(c).ljust(w) if i < left or titles[i].startswith(" ") else str(c).rjust(w)
                 for i, (c, w) in enumerate(zip(row, widths))]
        print("  ".join(cells).rstrip())
    print(flush=True)
