#!/usr/bin/env python3
"""Benchmark: the cost of capture --touched: the longest wait of a process of --mib while its accessed bits are
cleared; and the CPU time and throughput that redis and PostgreSQL lose under load, captured every second, with
one clearing in each run against none, converted to `--touched 1m`.

    touched.py PMAPDB [--mib 1024] [--processes 1] [--runs 100] [--pairs 7] [--parts waits]
"""
import argparse
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import staleness

TICKS = os.sysconf("SC_CLK_TCK")


def waits(args, place):
    """Measures the longest stall of a thread that maps and unmaps, in --runs clearings, against --max-stall."""
    program, store = place / "stall", place / "w.db"
    subprocess.run(["cc", "-O2", "-pthread", "-o", program, HERE / "stall.c"], check=True)
    targets = [subprocess.Popen([program, "target", str(args.mib // args.processes), "16"], text=True, stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE) for _ in range(args.processes)]
    for target in targets:
        target.stdout.readline()

    def tell(word):
        for target in targets:
            target.stdin.write(word + "\n")
            target.stdin.flush()

    def run(*words):
        tell("begin")
        done = subprocess.run([args.program, "--db", store, "capture", *words, *[str(t.pid) for t in targets]], capture_output=True,
                              text=True, check=True)
        tell("end")
        return max(int(t.stdout.readline().split()[0]) for t in targets) / 1000, int((re.findall(r"(\d+) (?:cleared|marked idle)", done.stderr) or ["0"])[0])
    with_it = [run("--touched", "0s", "--max-stall", args.max_stall) for _ in range(args.runs)]
    without = [run("--max-stall", args.max_stall) for _ in range(args.runs)]
    budget = float(args.max_stall.removesuffix("ms"))
    refused = run("--touched", "0s", "--max-stall", "2ms", "--measure", "smaps")
    for target in targets:
        target.stdin.close()
        target.wait()
    for what, runs in (("with", with_it), ("without", without)):
        ms = sorted(r[0] for r in runs)
        print("| longest wait, %d MiB in %d processes, %s clearing | %.1f | %.1f | %.1f | %d of %d below %s | %d cleared |" % (
            args.mib, args.processes, what, statistics.median(ms), ms[-1 - len(ms) // 100], ms[-1], sum(m < budget for m in ms), len(ms), args.max_stall,
            sum(r[1] for r in runs)), flush=True)
    print("| --max-stall 2ms | | | | | %s |" % ("cleared" if refused[1] else "not cleared"), flush=True)


def cpu(pid):
    """Returns the CPU seconds of a process and of its ended children."""
    fields = pathlib.Path("/proc/%d/stat" % pid).read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / TICKS


def median_of(found):
    """Returns the median and its 95 % interval."""
    found = sorted(found)
    cut = max(0, int(len(found) / 2 - .98 * len(found) ** .5))
    return "%+.3f %% (%+.3f to %+.3f)" % (statistics.median(found), found[cut], found[-1 - cut])


def paired(args, place, what, pid, match, work):
    """Runs equal work in turns: with a clearing, without, and without again, which shows the noise. The cost of one
    clearing in a run, times the minutes of the run, is the cost of a clearing per minute."""
    cost, noise, rates, seconds, cleared = [], [], [], [], 0
    for n in range(args.pairs):
        got = {}
        for kind in [("touched", "plain", "again"), ("plain", "again", "touched"), ("again", "touched", "plain")][n % 3]:
            store = place / ("p%d%s.db" % (n, kind))
            words = [args.program, "--db", store, "capture", "--match", match, "--every", "1s", "--count", "1000"]
            watch = subprocess.Popen(words + (["--touched", "1h"] if kind == "touched" else []), stderr=subprocess.PIPE, text=True)
            time.sleep(.3)
            before, began = cpu(pid), time.monotonic()
            rate = work()
            got[kind] = cpu(pid) - before, rate
            seconds.append(time.monotonic() - began)
            watch.terminate()
            said = watch.communicate()[1]
            cleared += kind == "touched" and re.search(r"\d+ (?:cleared|marked idle)", said) is not None
        minutes = statistics.median(seconds) / 60
        cost.append(100 * (got["touched"][0] / got["plain"][0] - 1) * minutes)
        noise.append(100 * (got["again"][0] / got["plain"][0] - 1) * minutes)
        rates.append(100 * (1 - got["touched"][1] / got["plain"][1]) * minutes)
    print("| %s, %.1f s a run, %d of %d cleared | CPU time more with one clearing a minute: %s | the same without: %s | rate less: %s |" % (
        what, statistics.median(seconds), cleared, args.pairs, median_of(cost), median_of(noise), median_of(rates)), flush=True)


def redis(args, place):
    server = staleness.Redis("cache", place)
    try:
        for _ in range(100):
            server.reads = False
            server.step()

        def work():
            done = subprocess.run(["redis-benchmark", "-s", place / "redis-cache", "-t", "get", "-n", "150000", "-r", "100000", "-q"],
                                  capture_output=True, text=True, check=True)
            return float(re.findall(r"([\d.]+) requests per second", done.stdout)[-1])
        paired(args, place, "redis-benchmark", server.pid, "pid = %d" % server.pid, work)
    finally:
        server.end()


def postgres(args, place):
    server = staleness.Postgres("leak", str(place))
    words = ["-h", str(place), "-p", "5498", "-U", "postgres"]
    try:
        subprocess.run(["pgbench", "-i", "-q", "-s", "5", *words, "postgres"], check=True, capture_output=True)

        def work():
            done = subprocess.run(["pgbench", "-S", "-t", "15000", "-c", "2", "-n", *words, "postgres"], capture_output=True, text=True, check=True)
            return float(re.search(r"tps = ([\d.]+)", done.stdout)[1])
        paired(args, place, "pgbench -S", server.server.pid, "descendant_of(%d)" % server.server.pid, work)
    finally:
        server.end()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--mib", type=int, default=1024)
    parser.add_argument("--processes", type=int, default=1, help="each has an equal part of the MiB")
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("--max-stall", default="50ms")
    parser.add_argument("--parts", nargs="+", default=["waits", "redis", "postgres"])
    args = parser.parse_args()
    args.program = os.path.abspath(args.program)
    with tempfile.TemporaryDirectory() as place:
        for part in args.parts:
            globals()[part](args, pathlib.Path(place))


main()
