#!/usr/bin/env python3
"""Power of `pmapdb compare`: the least difference that 9 of 10 comparisons find, for 3, 4, 5 and 10 runs.

    PMAPDB=build/release/pmapdb tests/bench/compare.py [--trials 40]

Runs of five categories whose level differs from run to run by 1 % (standard deviation) and from part to
part by .5 %; B has more of one category (level), or grows. A difference is found if `compare` says worse.
Also: how many of --trials comparisons of a build with itself differ, any category and any number.
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


def outcomes(place, source, n, **effect):
    a = write(place / "a.csv", [a_run(source) for _ in range(n)])
    b = write(place / "b.csv", [a_run(source, **effect) for _ in range(n)])
    out = subprocess.run([PMAPDB, "compare", a, "--with", b, "-q", "--tolerance", "0.001%", "-f", "csv"],
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False).stdout
    return {(r["key"], r["metric"]): r["outcome"] for r in csv.DictReader(io.StringIO(out))}


def found(place, source, n, trials, which, **effect):
    return sum(outcomes(place, source, n, **effect)[which] == "worse" for _ in range(trials)) / trials


def least(place, source, n, trials, which, name, unit):
    """The least of a rising series of effects that 9 of 10 comparisons find."""
    effect = unit
    for _ in range(12):
        if found(place, source, n, trials, which, **{name: effect}) >= 0.9:
            return effect
        effect *= 1.4
    return None


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--trials", type=int, default=10)
    trials = options.parse_args().trials
    source = random.Random(7)
    print(f"{'runs of each':>12} {'level of a category':>20} {'growth over a run':>18} {'of itself':>10}")
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        for n in (3, 4, 5, 10):
            level = least(place, source, n, trials, ("heap", "level"), "more", LEVEL * 0.01)
            growth = least(place, source, n, trials, ("heap", "growth"), "growth", LEVEL * 0.0005)
            same = sum(any(o in ("worse", "better") for o in outcomes(place, source, n).values())
                       for _ in range(trials))
            shown = [f"+{100 * x / LEVEL:.1f} %" if x else "never" for x in (level, growth and growth * 9)]
            print(f"{n:>12} {shown[0]:>20} {shown[1]:>18} {same:>5} of {trials}")


if __name__ == "__main__":
    main()
