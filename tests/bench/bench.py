#!/usr/bin/env python3
"""Benchmark: the numbers that pmapdb is to hold, beside the kernel, `pmap` and DuckDB.

    cmake --build --preset release --target bench
    PMAPDB=build/release/pmapdb PMAPDB_SHARED=FOLDER tests/bench/bench.py [--full] [PART...]

Parts, by default all of them:
  capture   a capture from cron beside `pmap`; a beat of a capture that stays beside the kernel's reading
  cold      instructions, functions and files of one import of one file
  series    bytes, rebuilding, diff and trend in stores of replayed captures
  late      imports of a late capture
  upkeep    merge, other rules, prune, and how long another writer waits
  million   a million mappings, beside DuckDB (needs node and npm)
  pictures  plot: bytes and time, of the samples and of 10,000 snapshots of 4,000 mappings
  verdicts  many processes at once, long series
README.md, beside this file, explains the table. No time makes the run fail; a sum that differs from the
raw text ends the run. --short takes a few seconds and only checks that the benchmark works.
"""
import argparse
import datetime
import os
import pathlib
import platform
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from functools import partial

import measure  # first: puts tests/shared on the path
from measure import amount, child, in_turns, kit, median_cpu, pmapdb, spawned
from replay import Replay
import million
import pictures
import verdicts

OWN = 24  # mappings that maps.c itself has
BEATS = 5, 45
BEAT_S = 0.1
# name -> captures of the workload, processes, category of the trend, snapshots of the stores
SERIES = {"steady4000": (100, 1, "anonymous", (100, 1000)),
          "postgres": (100, 10, "heap", (100, 10000)),
          "node_steady": (600, 1, "anonymous/v8-heap", (100, 10000))}


def remove(db):
    for path in db.parent.glob(db.name + "*"):
        path.unlink()


def ask(db, sql, *args):
    connection = sqlite3.connect("file:%s?mode=ro" % db, uri=True)
    rows = connection.execute(sql, args).fetchall()
    connection.close()
    return rows


# ---- live ----

def beat_s(target, db, kernel):
    """CPU seconds of one beat of `capture --every`, or of the kernel's part alone: reading smaps at this pace."""
    def run(n):
        remove(db)
        ms = round(1000 * BEAT_S)
        alone = [db.parent / "kernel", target.pid, "smaps", 2 << 10, n, ms]
        line = pmapdb("capture", "--measure", "smaps", "--every", "%dms" % ms, "--count", n, target.pid, db=db)
        return target.changing(BEAT_S, lambda: child(alone if kernel else line))

    few, many = amount((1, 3), BEATS, BEATS)
    return (run(many) - run(few)) / (many - few)


def as_cron(db, turns, one, pmap):
    """Turns of a capture and of pmap, with a new store after every 15: a capture reads the stored captures of the
    last second again. A capture of a cron job finds none, a capture here at most 15."""
    measured, other = [], []
    for n in range(0, turns, 15):
        remove(db)
        one()
        for times, more in zip((measured, other), in_turns(min(15, turns - n), one, pmap)):
            times.extend(more)
    return measured, other


def capture(lines, place):
    """Compared programs run in turns on one processor: other work on the machine then slows all of them alike. pmapdb
    runs from a copy, because the pages of a file that the linker has just written cost more page faults."""
    program, processors = kit.PROGRAM, os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(processors)})
    kit.PROGRAM = shutil.copy(program, place / "pmapdb")
    for mappings in amount((300,), (300, 4000), (300, 4000)):
        db = place / "live.db"
        with measure.Target(place, "many", mappings - OWN) as target:
            one = partial(spawned, pmapdb("capture", "--measure", "smaps", target.pid, db=db))
            # in pairs: after pmap -XX, the code of pmap would be in the caches for pmap -x
            against = (("pmap -x", 1), ("half of pmap -XX", 0.5)) if mappings == 4000 else (("pmap -x", 1),)
            for name, share in against:
                pmap = partial(spawned, ["pmap", name.split()[-1], target.pid])
                lines.pair("ms, capture PID of %d mappings, against %s" % (mappings, name),
                           *as_cron(db, amount(2, 25, 75), one, pmap), share)
            beats, alone = in_turns(amount(1, 5, 9), partial(beat_s, target, db, False),
                                    partial(beat_s, target, db, True))
            lines.pair("ms, one beat of a capture that stays", beats, alone, 1.3 if mappings == 4000 else None, alone)
        remove(db)
    kit.PROGRAM = program
    os.sched_setaffinity(0, processors)


def cold(lines, place):
    db, path = place / "cold.db", place / "1700000000-4711.smaps"
    with measure.Target(place, "many", 122 - OWN) as target:
        path.write_bytes(target.smaps())
        child(pmapdb("import", path, db=db))
        target.change()
        path = path.rename(place / "1700000300-4711.smaps")
        path.write_bytes(target.smaps())
    n = path.read_bytes().count(b"\nVmFlags")
    instructions, functions = measure.executed(pmapdb("import", path, db=db), place)
    lines.add("M instructions, one import of one file", instructions and instructions / 1e6, 10.5, "%d mappings" % n)
    lines.add("functions that it calls", functions and len(functions), 220, form="%d")
    lines.add("files of these functions", functions and len({file for file, _ in functions}), 55, form="%d")
    remove(db)


# ---- stores ----

class Store:
    """A series imported, each snapshot compared with the raw text."""

    def __init__(self, replay, n, place):
        self.db, self.n = place / ("%d.db" % n), n
        replay.imported(range(n), self.db)
        replay.check(self.db, n)
        self.bytes = kit.vacuumed_size(self.db)
        self.connection = sqlite3.connect("file:%s?mode=ro" % self.db, uri=True)
        self.ids = [r[0] for r in self.connection.execute(
            "select snapshot_id from snapshot where process_id = 1 order by taken_ms")]
        self.some = self.ids[::max(1, len(self.ids) // 25)]
        columns = [r[1] for r in self.connection.execute("pragma table_info(mappings)")]
        self.every = "select %s from mappings where snapshot_id = ?" % ",".join('count("%s")' % c for c in columns)

    def cpu(self, sql, *args):
        return median_cpu(lambda: self.connection.execute(sql, args).fetchall(), 3)

    def rebuild(self):
        """CPU seconds of one snapshot, every column of the view."""
        return statistics.median(self.cpu(self.every, i) for i in self.some)

    def diff(self):
        return statistics.median(self.cpu(
            "select category, sum(case snapshot_id when ?1 then -rss_kib else rss_kib end) from categories"
            " where snapshot_id in (?1, ?2) group by 1", self.ids[0], i) for i in self.some)

    def trend(self, category):
        return self.cpu("select taken_ms, rss_kib from categories where process_id = 1 and category = ?"
                        " order by taken_ms", category)

    def close(self):
        self.connection.close()
        remove(self.db)


def series(lines, place):
    for name, (captures, processes, category, snapshots) in list(SERIES.items())[2 if measure.short else 0:]:
        replay = Replay(name, amount(min(captures, 20), captures, captures), processes)
        first, last = (Store(replay, n, place) for n in amount((20, 40), snapshots, snapshots))
        n, changes, rows = last.n, replay.changes(last.n), replay.rows(last.n)
        beside = "%s, %d snapshots, %d mappings, %.1f %% of them change" % (name, n, rows / n, 100 * changes / rows)
        lines.add("bytes per changed row, beside 150 per snapshot", (last.bytes - 150 * n) / changes, 55, beside, "%.1f")
        lines.add("bytes per mapping and snapshot", last.bytes / rows, 0.6 if name == "steady4000" else 1.8, beside)
        lines.add("rebuild of a snapshot, %d against %d" % (n, first.n), last.rebuild() / first.rebuild(), 1.1, beside)
        lines.add("ms, category diff", 1000 * last.diff(), 1, beside)
        lines.add("ms, category trend", 1000 * last.trend(category), 30, beside)
        first.close()
        last.close()


def late(lines, place):
    """Imports all captures except the middle one, then measures the import of the middle one."""
    db = place / "late.db"
    for name, n, asked in (("steady4000", amount(10, 300, 300), 300), ("c_plateau", amount(20, 10000, 10000), 1000)):
        replay = Replay(name, min(n, 150))
        replay.imported([i for i in range(n) if i != n // 2], db)
        lines.add("ms, a late capture in the middle of %d" % n, 1000 * replay.imported([n // 2], db), asked,
                  "%s, %d mappings" % (name, replay.rows(1)))
        replay.check(db, n)
        remove(db)


class Writer(threading.Thread):
    """Imports one capture after another, as cron does, and keeps the longest time that an import took."""

    def __init__(self, replay, first, db):
        super().__init__()
        self.replay, self.next, self.db, self.ended, self.longest = replay, first, db, False, 0.0

    def run(self):
        while not self.ended:
            began = time.monotonic()
            self.replay.imported([self.next], self.db, "--host", "h")
            self.longest = max(self.longest, time.monotonic() - began)
            self.next += 1
            time.sleep(0.05)


# Workloads that are together a month of one host: 32,784 captures of 108 processes, 8.08 million mappings
MONTH = "redis", "c_brk", "nginx", "java_heap", "node_steady", "c_mmap_guard", "postgres"


def upkeep(lines, place):
    """Asked is the time for the month of one host, in proportion to its mappings."""
    names = MONTH[:amount(1, 5, len(MONTH))]
    replay, one, other = Replay("redis", 200), place / "one.db", place / "other.db"
    folder = pathlib.Path(os.environ["PMAPDB_SHARED"]) / "workloads"
    child(pmapdb("import", "--host", "h", "--max-unpacked", "64G", *(folder / (name + ".tar.zst") for name in names), db=one))
    n, mappings = ask(one, "SELECT count(*), sum(mappings) FROM snapshot")[0]
    share = mappings / 8.08e6
    steps = (("merge into a new store", pmapdb("merge", one, db=other), 15),
             ("other rules", pmapdb("rules", "--apply", "pmap-dotnet", db=one), 6),
             ("the first rules again", pmapdb("rules", "--apply", "default", db=one), 6),
             ("prune", pmapdb("prune", "--keep-last", "48", "--keep-hourly", "48", db=one), 4))
    first = 0
    for what, line, asked in steps:
        writer = Writer(replay, first, one)
        if other not in line:
            writer.start()
        try:
            lines.add("s, %s, %d snapshots" % (what, n), child(line), asked * share)
        finally:
            writer.ended = True
        if writer.ident:
            writer.join()
            first = writer.next
            lines.add("s, the longest wait of another writer", writer.longest, 1)
    wrong = ask(one, "SELECT count(*) FROM snapshot s WHERE (s.mappings, s.rss_kib) IS NOT (SELECT sum(mappings), "
                "sum(rss_kib) FROM categories c WHERE c.snapshot_id = s.snapshot_id)")[0][0]
    if wrong:
        sys.exit("%d snapshots do not add up" % wrong)


PARTS = {"capture": capture, "cold": cold, "series": series, "late": late, "upkeep": upkeep,
         "million": million.bench, "pictures": pictures.bench, "verdicts": verdicts.bench}


def machine():
    """Prints the machine and the versions on which the figures depend."""
    with open("/proc/cpuinfo", encoding="ascii") as f:
        models = [li.split(":", 1)[1].strip() for li in f if li.startswith("model name")]
    said = subprocess.run([kit.PROGRAM, "--version"], stdout=subprocess.PIPE, text=True, check=True)
    print("%s; %d x %s; Linux %s; load %.1f; %s" % (
        datetime.date.today(), os.cpu_count(), models[0] if models else platform.machine(),
        platform.release(), os.getloadavg()[0], said.stdout.splitlines()[0]), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--short", action="store_true")
    parser.add_argument("part", nargs="*", choices=[*PARTS, []], help=", ".join(PARTS))
    parts = parser.parse_args().part or PARTS
    if not os.environ.get("PMAPDB_SHARED"):
        kit.skip("PMAPDB_SHARED is not set: the folder with workloads")
    machine()
    lines = measure.Lines()
    with tempfile.TemporaryDirectory(prefix="pmapdb-bench-") as name:
        place = pathlib.Path(name)
        for program in ("maps", "kernel"):
            measure.compile_program(place, program)
        for part in parts:
            PARTS[part](lines, place)
    lines.show()
    missed = [row for row in lines.rows if row[4] == "NO"]
    print("%d numbers to hold, %d missed" % (sum(row[4] != "-" for row in lines.rows), len(missed)))


if __name__ == "__main__":
    main()
