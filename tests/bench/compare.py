#!/usr/bin/env python3
"""Benchmark: the least difference that 9 of 10 runs of `pmapdb compare` find, with 3, 4, 5 and 10 runs of each
side; and how often a build differs from itself.

    PMAPDB=build/release/pmapdb tests/bench/compare.py [--trials 20] [--same 200] [--pool RUNS.csv...]

Simulates runs of four categories and their total, whose level varies from run to run by 1 % (standard
deviation) and from part to part by .5 %. B has more of one category (level), or grows. A difference is found if
`compare` says worse, in the whole table or for one gate. Then compares a build with itself --same times: how
often p of the level of total is at most .05, and how often any number is called different (with nearly no
tolerance). --pool does the same with files of `baseline` of one real build, dealt to two sides each time.
"""
import argparse
import csv
import io
import os
import pathlib
import random
import subprocess
import tempfile

PMAPDB = os.environ.get("PMAPDB", "pmapdb")
LEVEL, STEP_S = 100000, 60
KEYS = ("heap", "anonymous", "shared-library", "stack")


def a_run(source, more=0.0, growth=0.0):
    base = {key: source.gauss(LEVEL, LEVEL / 100) for key in KEYS}
    base["heap"] += more
    run = {key: [b + source.gauss(0, LEVEL / 200) + (growth * i if key == "heap" else 0) for i in range(10)]
           for key, b in base.items()}
    run["total"] = [sum(run[key][i] for key in KEYS) for i in range(10)]
    return run


def write(path, runs):
    with open(path, "w", encoding="utf-8") as out:
        out.write("run,block,at_s,key,mappings,rss_kib,rss_max_kib\n")
        for number, run in enumerate(runs, 1):
            for block in range(10):
                for key, values in run.items():
                    out.write(f"{number},{block},{block * STEP_S},{key},9,{values[block]:.0f},{values[block]:.0f}\n")
    return str(path)


def compare(a, b, *options):
    done = subprocess.run([PMAPDB, "compare", a, "--with", b, "-q", "--tolerance", "0.001%", "-f", "csv", *options],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    return done.returncode, {(r["key"], r["metric"]): r for r in csv.DictReader(io.StringIO(done.stdout))}


def found(place, source, sizes, which, gate, **effect):
    """Returns whether one comparison finds the effect: in the table, and by the gate."""
    a = write(place / "a.csv", [a_run(source) for _ in range(sizes[0])])
    b = write(place / "b.csv", [a_run(source, **effect) for _ in range(sizes[1])])
    return compare(a, b)[1][which]["outcome"] == "worse", compare(a, b, "--fail-on", gate)[0] == 1


def least(place, source, sizes, trials, which, gate, name, unit):
    """Returns the least effect that 9 of 10 comparisons find, in the table and by the gate; None: none was found."""
    effect, out = unit, [None, None]
    for _ in range(12):
        hits = [found(place, source, sizes, which, gate, **{name: effect}) for _ in range(trials)]
        for i in range(2):
            if out[i] is None and sum(h[i] for h in hits) >= 0.9 * trials:
                out[i] = effect
        if None not in out:
            break
        effect *= 1.25
    return out


# ---- a build with itself ----

def itself(pairs):
    """Counts (comparisons, those with p of one number at most .05, those with a difference)."""
    n = below = different = 0
    for a, b in pairs:
        table = compare(a, b)[1]
        n += 1
        below += float(table["total", "level"]["p"]) <= 0.05
        different += any(r["outcome"] in ("worse", "better") for r in table.values())
    return n, below, different


def simulated(place, source, n, times):
    for _ in range(times):
        yield tuple(write(place / f"{side}.csv", [a_run(source) for _ in range(n)]) for side in "ab")


def dealt(place, source, files, n, times):
    """Deals the runs of a pool to two groups of n."""
    runs, head = {}, ""
    for path in files:
        head, *lines = pathlib.Path(path).read_text(encoding="utf-8").splitlines(True)
        for line in lines:
            runs.setdefault((path, line.split(",")[0]), []).append(line)
    for _ in range(times):
        names = source.sample(sorted(runs), 2 * n)
        for side, of in (("a", names[:n]), ("b", names[n:])):
            (place / f"{side}.csv").write_text(head + "".join(line for name in of for line in runs[name]))
        yield str(place / "a.csv"), str(place / "b.csv")


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--trials", type=int, default=20)
    options.add_argument("--same", type=int, default=200)
    options.add_argument("--pool", nargs="*", default=[])
    options = options.parse_args()
    source = random.Random(7)

    def percent(effect, times=1):
        return f"{100 * effect * times / LEVEL:.1f} %" if effect else "never"

    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        print("| runs of A, B | level: table | level: gate | growth over a run: table | growth: gate |")
        for sizes in ((3, 3), (4, 4), (5, 5), (10, 3), (10, 10)) if options.trials else ():
            level = least(place, source, sizes, options.trials, ("heap", "level"), "heap:1K", "more", LEVEL * 0.01)
            growth = least(place, source, sizes, options.trials, ("total", "growth"), "growth:1K/h", "growth", LEVEL * 0.0007)
            print(f"| {sizes[0]}, {sizes[1]} | {percent(level[0])} | {percent(level[1])} | {percent(growth[0], 9)} | "
                  f"{percent(growth[1], 9)} |", flush=True)
        print("a build with itself, 5 against 5 runs, p of the level of total at most .05, any number called different:")
        n, below, different = itself(simulated(place, source, 5, options.same))
        print(f"  simulated: {below} and {different} of {n}", flush=True)
        if options.pool:
            n, below, different = itself(dealt(place, source, options.pool, 5, options.same))
            print(f"  real: {below} and {different} of {n}")


main()
