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
import pathlib
import statistics
import subprocess
import sys
import tempfile

import measure
from measure import child, kit

SHAPES = ("many", "giant", "node")
PARTS = ("kernel", "parse", "open", "merge", "write")


def beats(place, mode, shape, n):
    """What beat prints, as numbers by name."""
    store = place / f"{mode}-{shape}.db"
    out = subprocess.run([place / "beat", mode, store, str(n), place / "maps", shape], check=True,
                         capture_output=True, text=True).stdout.split()
    return dict(zip(("mappings", "changed", *PARTS, "total"), map(float, out)))


def programs(place, shape, n):
    """Medians of (pmapdb capture, pmap -XX) in ms, one after the other n times."""
    ours, theirs, store = [], [], place / f"{shape}.db"
    with measure.Target(place, shape) as target:
        for beat in range(n + 1):
            target.change()
            ours.append(child([kit.PROGRAM, "--db", store, "-q", "capture", "--measure", "smaps",
                               target.pid])[0])
            theirs.append(child(["pmap", "-XX", target.pid])[0])
            if beat == 0:  # the store is new
                ours.clear()
    return 1000 * statistics.median(ours), 1000 * statistics.median(theirs)


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
    print("shape  mode  mappings changed | kernel  parse   open  merge  write | ours  x kernel"
          " x pmap")
    with tempfile.TemporaryDirectory() as name:
        place = pathlib.Path(name)
        measure.compile_program(place, "maps")
        measure.compile_program(place, "beat", measure.library_path())
        for shape in shapes:
            ours, theirs = programs(place, shape, n)
            limit = 0.25 if shape == "many" else float("inf")
            print_beats(place, shape, n, theirs)
            print(f"{shape:6} program: capture {ours:.1f}, pmap -XX {theirs:.1f}, "
                  f"{mark(ours / theirs, limit)} of it", flush=True)


main()
