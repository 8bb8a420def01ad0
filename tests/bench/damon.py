#!/usr/bin/env python3
"""Measures what DAMON finds untouched in a leak and in a cache in use that grow alike (tests/live/touched.c), with
several sampling intervals, and how long the kernel takes to answer. Needs root, CONFIG_DAMON_VADDR and
CONFIG_DAMON_SYSFS; no other program may use DAMON meanwhile.

    damon.py [--window 10]
"""
import argparse
import os
import pathlib
import re
import subprocess
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ADMIN = pathlib.Path("/sys/kernel/mm/damon/admin/kdamonds")
MOST = 2 ** 63


def put(place, **values):
    for name, value in values.items():
        (place / name.replace("__", "/")).write_text(str(value), encoding="ascii")


def start(daemon, pid, sample_us, aggregate_us):
    put(daemon, contexts__nr_contexts=1)
    context = daemon / "contexts/0"
    put(context, operations="vaddr", monitoring_attrs__intervals__sample_us=sample_us, monitoring_attrs__intervals__aggr_us=aggregate_us,
        monitoring_attrs__intervals__update_us=1000000, monitoring_attrs__nr_regions__max=3000, targets__nr_targets=1, targets__0__pid_target=pid,
        schemes__nr_schemes=1)
    put(context / "schemes/0", action="stat", access_pattern__sz__max=MOST, access_pattern__nr_accesses__max=2 ** 31, access_pattern__age__max=2 ** 31)
    put(daemon, state="on")


def answer(daemon, pid):
    """Returns (KiB of the heap, KiB of it in regions without an access, seconds that the kernel took)."""
    low, high = (int(a, 16) for a in re.search(r"(?m)^(\w+)-(\w+) .*\[heap\]$", pathlib.Path("/proc/%d/maps" % pid).read_text("ascii")).groups())
    began = time.monotonic()
    put(daemon, state="update_schemes_tried_regions")
    took, cold = time.monotonic() - began, 0
    for region in (daemon / "contexts/0/schemes/0/tried_regions").glob("[0-9]*"):
        first, last, accesses = (int((region / name).read_text("ascii")) for name in ("start", "end", "nr_accesses"))
        cold += 0 if accesses else max(0, min(last, high) - max(first, low))
    return (high - low) // 1024, cold // 1024, took


def measure(program, window, sample_us, aggregate_us):
    runs = {mode: subprocess.Popen([program, mode], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) for mode in ("leak", "cache")}

    def step(times):
        for run in list(runs.values()) * times:
            run.stdin.write(b"+")
            run.stdout.read(1)
    try:
        step(20)
        put(ADMIN, nr_kdamonds=len(runs))
        for n, run in enumerate(runs.values()):
            start(ADMIN / str(n), run.pid, sample_us, aggregate_us)
        until = time.monotonic() + 3 * window
        while time.monotonic() < until:
            step(1)
            time.sleep(1)
        for n, (mode, run) in enumerate(runs.items()):
            heap, cold, took = answer(ADMIN / str(n), run.pid)
            print("| %g s, %g s | %s | %d | %d | %.1f |" % (sample_us / 1e6, aggregate_us / 1e6, mode, heap / 1024, cold / 1024, took), flush=True)
    finally:
        for n in range(len(runs)):
            if (ADMIN / str(n)).exists():
                put(ADMIN / str(n), state="off")
        put(ADMIN, nr_kdamonds=0)
        for run in runs.values():
            run.stdin.close()
            run.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--window", type=float, default=10, help="seconds")
    args = parser.parse_args()
    if not os.access(ADMIN / "nr_kdamonds", os.W_OK) or (ADMIN / "nr_kdamonds").read_text("ascii").strip() != "0":
        raise SystemExit("this kernel has no DAMON, this user may not use it, or another program uses it")
    with tempfile.TemporaryDirectory() as place:
        program = pathlib.Path(place) / "touched"
        subprocess.run(["cc", "-O1", "-o", program, HERE.parent / "live" / "touched.c"], check=True)
        print("| sample, aggregation | program | heap MiB | without an access | answer after s |\n| --- | --- | ---: | ---: | ---: |")
        for sample, aggregate in ((.005, .1), (.1, 1), (args.window, args.window)):
            measure(program, args.window, int(sample * 1e6), int(aggregate * 1e6))


main()
