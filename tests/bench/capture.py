"""Benchmark: what a live capture costs, beside `pmap -XX` and the kernel's own reading.

    PMAPDB=build/release/pmapdb tests/bench/capture.py [SHAPE...] [--beats N]

Shapes (maps.c): many (about 4,000 mappings, little of them resident), giant (4 GiB touched in one),
node (about 280). Before each beat about one mapping in a hundred changes. Needs a release build, a
C compiler and, for its comparison, procps' pmap.

All figures are CPU (user and system) in ms, medians of at least 20:
  kernel   read(2) of smaps in pieces of 2 KiB, nothing else
  warm     one process that stays, as `capture --every`: parse (recognising what was read), merge
           (all statements of the transaction), write (its commit); x kernel: their sum by kernel's;
           x pmap: kernel and they by what `pmap -XX` takes
  cold     a process for each capture, as from cron: the same with open, which reads the newest map
           from the store; measured in a fork, so without the start of a program
  program  `pmapdb capture --measure smaps PID` as a whole, start, reading and all, and
           `pmap -XX PID`, in turns
Targets: many, warm, kernel and ours together: at most an eighth of `pmap -XX`; giant, warm: at most
0.15 x kernel; program, many: at most a quarter of pmap's. A miss is marked with !.
"""
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SHAPES = ("many", "giant", "node")
LIBRARIES = ("-lsqlite3", "-lxxhash", "-ljansson", "-lcsv", "-lpcre2-8", "-larchive", "-lm", "-ldl")
PARTS = ("kernel", "parse", "open", "merge", "write")


def compile_programs(place, library):
    """maps and beat, in `place`."""
    cc = os.environ.get("CC", "cc")
    subprocess.run([cc, "-O2", "-o", place / "maps", HERE / "maps.c"], check=True)
    subprocess.run([cc, "-O2", "-D_GNU_SOURCE", "-I", ROOT / "src", "-I", ROOT / "include", "-o",
                    place / "beat", HERE / "beat.c", library, *LIBRARIES], check=True)


def beats(place, mode, shape, n):
    """What beat prints, as numbers by name."""
    store = place / f"{mode}-{shape}.db"
    out = subprocess.run([place / "beat", mode, store, str(n), place / "maps", shape], check=True,
                         capture_output=True, text=True).stdout.split()
    return dict(zip(("mappings", "changed", *PARTS, "total"), map(float, out)))


def child_cpu_ms(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


class Target:
    """maps, changing on demand."""

    def __init__(self, place, shape):
        self.process = subprocess.Popen([place / "maps", shape], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)
        self.process.stdout.readline()

    def change(self):
        self.process.stdin.write(b"\n")
        self.process.stdin.flush()
        self.process.stdout.readline()

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def programs(place, program, shape, n):
    """Medians of (pmapdb capture, pmap -XX), one after the other n times."""
    target = Target(place, shape)
    pid = str(target.process.pid)
    ours, theirs = [], []
    for beat in range(n + 1):
        target.change()
        ours.append(child_cpu_ms([program, "--db", place / f"{shape}.db", "-q", "capture",
                                   "--measure", "smaps", pid]))
        theirs.append(child_cpu_ms(["pmap", "-XX", pid]))
        if beat == 0:  # the store is new
            ours.clear()
    target.end()
    return statistics.median(ours), statistics.median(theirs)


def mark(value, limit):
    return f"{value:.2f}{'!' if value > limit else ''}"


def print_beats(place, shape, n, pmap_ms):
    for mode in ("warm", "cold"):
        b = beats(place, mode, shape, n)
        own = sum(b[p] for p in PARTS[1:])
        of_kernel = 0.15 if mode == "warm" and shape == "giant" else float("inf")
        of_pmap = 0.125 if mode == "warm" and shape == "many" else float("inf")
        changed = f"{b['changed']:.0f}" if mode == "warm" else "?"  # nobody has seen both
        print(f"{shape:6} {mode:5} {b['mappings']:8.0f} {changed:>7} |"
              + "".join(f" {b[p]:6.2f}" for p in PARTS)
              + f" | {own:5.2f} {mark(own / b['kernel'], of_kernel):>8}"
              + f" {mark((b['kernel'] + own) / pmap_ms, of_pmap):>6}", flush=True)


def main():
    args = sys.argv[1:]
    n = max(int(args.pop(args.index("--beats") + 1)) if "--beats" in args else 30, 20)
    shapes = [a for a in args if a != "--beats"] or SHAPES
    program = pathlib.Path(os.environ.get("PMAPDB", ROOT / "build/release/pmapdb")).resolve()
    print("shape  mode  mappings changed | kernel  parse   open  merge  write | ours  x kernel x pmap")
    with tempfile.TemporaryDirectory() as name:
        place = pathlib.Path(name)
        compile_programs(place, program.parent / "libpmapdb.a")
        for shape in shapes:
            ours, theirs = programs(place, program, shape, n)
            limit = 0.25 if shape == "many" else float("inf")
            print_beats(place, shape, n, theirs)
            print(f"{shape:6} program: capture {ours:.1f}, pmap -XX {theirs:.1f}, "
                  f"{mark(ours / theirs, limit)} of it", flush=True)


main()
