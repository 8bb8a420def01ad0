#!/usr/bin/env python3
"""Benchmark: what pmapdb costs, beside the kernel, `pmap`, SQLite alone, compressors and DuckDB.

    cmake --build --preset release --target bench
    PMAPDB=build/release/pmapdb PMAPDB_SHARED=FOLDER tests/bench/bench.py [--full] [PART...]

Parts, all of them by default, in five minutes on a quiet machine:
  steady4000, node_steady, postgres, live   series: a store of 1,000 snapshots (node_steady 10,000)
  seed      a capture from the field with 4,150 mappings
  million   a million mappings, beside DuckDB (needs node and npm) and .import
  verdicts  many processes at once, long series
  growth    by mappings, processes, snapshots
--full: 10,000 snapshots of each series (100,000 of a small process), 60,000 mappings, more rows for
the rivals, verdicts on 500 processes; a quarter of an hour, 3 GiB of memory, 1 GiB of disk in
$TMPDIR.

README.md, beside this file, says how to read it. Nothing here fails because of a time; it ends
where a sum is not that of the raw text. --short, a few seconds: only to see that it works.
"""
import argparse
import datetime
import os
import pathlib
import platform
import subprocess
import sys
import tempfile

import measure  # first: it finds what tests/shared has
from measure import kit
import growth
import leakstore
import million
import rivals
import seed
import series

PARTS = (*series.SERIES, "seed", "million", "verdicts", "growth")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--short", action="store_true")
    parser.add_argument("part", nargs="*", help=", ".join(PARTS))
    asked = parser.parse_args().part
    for part in asked:
        if part not in PARTS:
            parser.error("no part %s; there are %s" % (part, ", ".join(PARTS)))
    return asked or PARTS


def machine():
    """What the figures hang on besides the program."""
    with open("/proc/cpuinfo", encoding="ascii") as f:
        models = [li.split(":", 1)[1].strip() for li in f if li.startswith("model name")]
    said = subprocess.run([kit.PROGRAM, "--version"], stdout=subprocess.PIPE, text=True, check=True)
    print("%s; %d x %s; Linux %s; load %.1f" % (
        datetime.date.today(), os.cpu_count(), models[0] if models else platform.machine(),
        platform.release(), os.getloadavg()[0]))
    print("; ".join([said.stdout.splitlines()[0], *(rivals.version(*line) for line in (
        ("sqlite3", "--version"), ("pmap", "--version"), ("valgrind", "--version"),
        ("zstd", "--version")))]), end="\n\n", flush=True)


def verdicts(lines, place):
    """Of a smaller store than the number speaks of, its share of that."""
    processes, kinds, n, seconds = leakstore.many_verdicts(kit.full, place)
    lines.add("s, verdicts: %d x %d x %d snapshots" % (processes, kinds, n), seconds,
              leakstore.STORE_S * processes * n / 500_000, "500 x 15 x 1000 in %.0f s"
              % leakstore.STORE_S)
    for name, (whole, judge) in leakstore.long_verdicts(place).items():
        lines.add("ms, %d points: %s" % (leakstore.POINTS, name), 1000 * judge,
                  1000 * leakstore.POINTS_S, "with their CSV %.2f" % (1000 * whole))


def bench(parts, place):
    lines = []
    for part in parts:
        if part in series.SERIES:
            lines.append((part, series.bench(part, place)))
        elif part == "growth":
            growth.bench(place)
        else:
            of_part = series.Lines()
            {"seed": seed.bench, "million": million.bench, "verdicts": verdicts}[part](
                of_part, place)
            print("== " + part)
            of_part.show()
            lines.append((part, of_part))
    return lines


def main():
    parts = arguments()
    if any(p in series.SERIES or p in ("million", "seed") for p in parts) and not os.environ.get(
            "PMAPDB_SHARED"):
        kit.skip("PMAPDB_SHARED is not set: the folder with workloads and captures")
    machine()
    with tempfile.TemporaryDirectory(prefix="pmapdb-bench-") as name:
        place = pathlib.Path(name)
        for program in ("maps", "kernel"):
            measure.compile_program(place, program)
        measure.compile_program(place, "beat", measure.library_path())
        lines = bench(parts, place)
    rows = [(part, row) for part, of in lines for row in of.rows]
    missed = [[part, *row[:4]] for part, row in rows if row[4] == "NO"]
    print("== %d numbers to reach, %d reached" % (
        sum(row[4] != "-" for _, row in rows), sum(row[4] == "yes" for _, row in rows)))
    if missed:
        measure.table(["missed", " what", "measured", "asked", "ratio"], missed)


if __name__ == "__main__":
    main()
