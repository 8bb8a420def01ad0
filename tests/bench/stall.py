#!/usr/bin/env python3
"""Benchmark: how long a process waits for its own memory map while another program reads the map.

    PMAPDB=build/release/pmapdb tests/bench/stall.py [--mib 4096] [--runs 11] [--mappings 1,64,1024]
    PMAPDB=build/release/pmapdb tests/bench/stall.py --predict [--runs 4] [--max-stall 50ms]
    PMAPDB=build/release/pmapdb tests/bench/stall.py --budget [--runs 100] [--mib 8192] [--max-stall 5ms]

tests/bench/stall.c holds --mib of memory in --mappings mappings, without huge pages. One of its threads
maps, touches and unmaps 64 KiB without a pause. The longest time that one such round was blocked (not
counting work and waits for a processor) is measured while the map is read by

  idle           no program, for as long as the plain read takes
  maps           a program that reads maps in pieces of 2 KiB
  plain          the same program, reading smaps in pieces of 2 KiB
  whole          the same program, reading smaps in pieces of 64 KiB, as pmapdb never does
  above          pmapdb capture with a budget above the cost of smaps: reads smaps
  below          pmapdb capture with a budget below the cost of smaps: reads maps and pagemap
  exact          pmapdb groups --exact of the process: reads maps and pagemap

The readers take turns. Printed for each reader: median and maximum of the longest stalls, and how many
rounds of all runs were blocked for how long. Asked: the median of above is not longer than that of plain
(within a quarter and 2 ms); the medians of below and exact are not longer than that of maps. A reader
that waits for a processor while it holds the map makes the stall longer: run this on a quiet machine.
One round takes the map twice, so a stall may be twice the walk through one mapping.

--budget counts the captures of one mapping whose longest stall was below --max-stall, and those in
which the resident memory of the mapping is known. One capture in 100 may read smaps, to measure.

--predict compares the prediction with the truth. Processes of 64 MiB to 8 GiB in 1 to 4,000
mappings are captured --runs times each into one store, as cron does. The truth is the longest
read(2) of the plain reader, in CPU time, the median of three. Printed: prediction over truth, if the
truth is at least 1 ms, and how many captures were spared in vain (pagemap, although smaps would have
been short enough) or hurt (smaps, although it took longer than the budget). Every eighth reading in
the store is made ten times as bad, as on a host that slept: this must not change the predictions.
"""
import argparse
import os
import pathlib
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
PMAPDB = os.environ.get("PMAPDB", "pmapdb")
READERS = ("idle", "maps", "plain", "whole", "above", "below", "exact")


class Target:
    def __init__(self, program, mib, mappings, kind="target"):
        self.process = subprocess.Popen([program, kind, str(mib), str(mappings)], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        if self.process.stdout.readline() != "ready\n":
            sys.exit("the target could not be set up: too little memory?")
        self.pid = str(self.process.pid)

    def ask(self, word):
        self.process.stdin.write(word + "\n")
        self.process.stdin.flush()

    def counts(self):
        """Returns the longest stall in us, and how many stalls were below 1, 2, 4 ... us."""
        self.ask("end")
        longest, *counts = map(int, self.process.stdout.readline().split())
        return longest, counts

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def command(reader, program, pid, store):
    if reader in ("maps", "plain", "whole"):
        piece = "65536" if reader == "whole" else "2048"
        return [program, "read", pid, "maps" if reader == "maps" else "smaps", piece]
    if reader == "exact":
        return [PMAPDB, "-q", "groups", "--exact", "--match", f"pid = {pid}"]
    stall = "1h" if reader == "above" else "0ms"
    return [PMAPDB, "--db", store, "-q", "capture", "--measure", "auto", "--max-stall", stall, pid]


def look(reader, program, target, store, pause):
    """Runs a reader once. Returns the longest stall, the counts, the reader's seconds."""
    target.ask("begin")
    began = time.monotonic()
    if reader == "idle":
        time.sleep(pause)
    else:
        subprocess.run(command(reader, program, target.pid, store), check=True, stdout=subprocess.DEVNULL)
    took = time.monotonic() - began
    return *target.counts(), took


def bucket_name(n):
    us = 1 << n
    return f"{us} us" if us < 1000 else f"{us / 1000:.0f} ms"


def histogram(runs):
    """Describes the rounds that were blocked for at least 0.5 ms."""
    total = [sum(column) for column in zip(*(counts for _, counts, _ in runs))]
    parts = [f"<{bucket_name(n)}: {count}" for n, count in enumerate(total) if count and n >= 10]
    return f"{sum(total)} rounds, of them " + (", ".join(parts) or "none above 0.5 ms")


def measure(program, mib, mappings, n_runs, folder):
    target = Target(program, mib, mappings)
    runs = {reader: [] for reader in READERS}
    pause = look("plain", program, target, "", 0)[2]
    for _ in range(n_runs):
        for reader in READERS:
            store = os.path.join(folder, f"{mappings}-{reader}.db")
            runs[reader].append(look(reader, program, target, store, pause))
    target.close()
    return runs


def close_to(ours, theirs):
    return ours <= theirs * 1.25 + 2000


def show(mib, mappings, runs):
    medians = {r: statistics.median(longest for longest, _, _ in runs[r]) for r in READERS}
    print(f"\n{mib} MiB in {mappings} mappings")
    print(f"  {'reader':<8} {'median ms':>10} {'most ms':>10} {'reader ms':>10}")
    for reader in READERS:
        most = max(longest for longest, _, _ in runs[reader])
        took = statistics.median(took for _, _, took in runs[reader])
        print(f"  {reader:<8} {medians[reader] / 1000:>10.1f} {most / 1000:>10.1f} "
              f"{took * 1000:>10.1f}")
    for reader in READERS:
        print(f"  {reader:<8} {histogram(runs[reader])}")
    good = True
    for ours, theirs in (("above", "plain"), ("below", "maps"), ("exact", "maps")):
        if not close_to(medians[ours], medians[theirs]):
            print(f"! {ours} stalls for longer than {theirs}")
            good = False
    return good


def measures(store):
    """Returns what was stored of the process: dialects, and the reasons."""
    sql = ("SELECT s.dialect, max(i.predicted_us), max(i.longest_us), max(i.degraded) FROM live_reading i "
           "JOIN snapshot s USING (snapshot_id) GROUP BY 1")
    out = subprocess.run([PMAPDB, "--db", store, "-f", "csv", "sql", sql], text=True,
                         stdout=subprocess.PIPE, check=True).stdout
    return out.splitlines()[1:]


# ---- prediction against truth ----

SIZES = ((64, 1), (256, 1), (256, 1024), (1024, 1), (1024, 16), (2048, 1), (1024, 4000), (4096, 1), (4096, 64),
         (4096, 4000), (8192, 1), (8192, 4), (8192, 1024), (512, 1), (2048, 4))


def truth_us(program, pid):
    return statistics.median(
        int(subprocess.run([program, "read", pid, "smaps", "512"], check=True, text=True,
                           stdout=subprocess.PIPE).stdout) for _ in range(3))


def captured(store, pid, max_stall, n):
    """Captures once. Returns (dialect, predicted us or None)."""
    subprocess.run([PMAPDB, "--db", store, "-q", "capture", "--measure", "auto", "--max-stall", max_stall, pid],
                   check=True)
    sql = ("SELECT s.dialect, i.predicted_us FROM live_reading i JOIN snapshot s USING (snapshot_id) "
           "ORDER BY snapshot_id DESC LIMIT 1")
    out = subprocess.run([PMAPDB, "--db", store, "-f", "csv", "sql", sql], text=True,
                         stdout=subprocess.PIPE, check=True).stdout
    if n % 8 == 0:
        with sqlite3.connect(store) as db:
            db.execute("UPDATE live_reading SET longest_us = 10 * longest_us, cpu_us = 10 * cpu_us, "
                       "read_us = 10 * read_us "
                       "WHERE snapshot_id = (SELECT max(snapshot_id) FROM snapshot)")
        db.close()
    dialect, predicted = out.splitlines()[1].replace('"', '').split(",")
    return dialect, int(predicted) if predicted else None


def predict(program, folder, n_runs, max_stall):
    store = os.path.join(folder, "predict.db")
    budget_us = float(max_stall.removesuffix("ms")) * 1000
    ratios, first, vain, hurt, n = [], [], 0, 0, 1
    print(f"{'MiB':>6} {'mappings':>8} {'truth ms':>9}  prediction ms, s: smaps, m: maps")
    for mib, mappings in SIZES:
        target = Target(program, mib, mappings, "still")
        truth = truth_us(program, target.pid)
        runs = [captured(store, target.pid, max_stall, n + i) for i in range(n_runs)]
        target.close()
        known = [us / truth for _, us in runs if us is not None and truth >= 1000]
        ratios += known
        first += known[:1]
        vain += sum(dialect != "smaps" and truth <= budget_us for dialect, _ in runs)
        hurt += sum(dialect == "smaps" and truth > budget_us for dialect, _ in runs)
        n += len(runs)
        words = " ".join(f"{'?' if us is None else round(us / 1000, 1)}{dialect[0]}" for dialect, us in runs)
        print(f"{mib:>6} {mappings:>8} {truth / 1000:>9.1f}  {words}", flush=True)
    for name, all_of in (("all", ratios), ("first sight", first)):
        if all_of:
            error = statistics.median(abs(r - 1) for r in all_of)
            print(f"prediction / truth, {name}: median {statistics.median(all_of):.2f}, most "
                  f"{max(all_of):.2f}, least {min(all_of):.2f}; median error {error:.0%}, n {len(all_of)}")
    print(f"{n - 1} captures, --max-stall {max_stall}: {vain} spared in vain, {hurt} hurt")


def budget(program, folder, mib, n_runs, max_stall):
    """Captures one process of one mapping again and again, as cron does."""
    store, most_us, stalls = os.path.join(folder, "budget.db"), float(max_stall.removesuffix("ms")) * 1000, []
    target = Target(program, mib, 1)
    for _ in range(n_runs):
        target.ask("begin")
        subprocess.run([PMAPDB, "--db", store, "-q", "capture", "--max-stall", max_stall, target.pid], check=True)
        stalls.append(target.counts()[0])
    target.close()
    sql = (f"SELECT s.dialect, count(DISTINCT snapshot_id), sum(m.rss_kib IS NULL), sum(m.rss_kib >= {mib} * 1024) "
           "FROM mappings m JOIN snapshots s USING (snapshot_id) GROUP BY 1")
    out = subprocess.run([PMAPDB, "--db", store, "-f", "csv", "sql", sql], text=True, stdout=subprocess.PIPE, check=True)
    print(f"{mib} MiB in one mapping, --max-stall {max_stall}: the longest stall stayed below it in "
          f"{sum(us < most_us for us in stalls)} of {n_runs} captures; median {statistics.median(stalls) / 1000:.2f} ms, "
          f"most {max(stalls) / 1000:.2f} ms")
    print("dialect, captures, mappings without rss, captures in which the rss of the large one is known:")
    print("\n".join(out.stdout.splitlines()[1:]))


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--mib", type=int, default=4096)
    options.add_argument("--runs", type=int, default=11)
    options.add_argument("--mappings", default="1,64,1024")
    options.add_argument("--predict", action="store_true")
    options.add_argument("--budget", action="store_true")
    options.add_argument("--max-stall", default="50ms")
    args = options.parse_args()
    good = True
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "stall")
        subprocess.run(["cc", "-O2", "-D_GNU_SOURCE", "-o", program, HERE / "stall.c", "-pthread"], check=True)
        if args.predict:
            predict(program, folder, args.runs, args.max_stall)
            return
        if args.budget:
            budget(program, folder, args.mib, args.runs, args.max_stall)
            return
        for mappings in map(int, args.mappings.split(",")):
            runs = measure(program, args.mib, mappings, args.runs, folder)
            good &= show(args.mib, mappings, runs)
            for reader in ("above", "below"):
                for line in measures(os.path.join(folder, f"{mappings}-{reader}.db")):
                    print(f"  {reader:<8} stored as (predicted us, longest read us, why): {line}")
    sys.exit(0 if good else 1)


main()
