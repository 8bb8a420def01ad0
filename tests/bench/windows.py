#!/usr/bin/env python3
"""Benchmark: verdicts on stores of real programs in windows: whole, first half, second half, every fifth snapshot.

    PMAPDB=build/release/pmapdb tests/bench/windows.py --leaks c-leak,work.js STORE...

A store comes from tests/bench/servers.py --keep. Each window is a separate store. --leaks names the programs
that leak on purpose, as NAME or NAME/PID. The table counts processes: found: leaks that are called leaks;
false: other processes that are called leaks, which are listed last.
"""
import argparse
import csv
import io
import pathlib
import subprocess
import tempfile

from measure import kit, table

STEP = 5


def told(*args):
    out = subprocess.run([kit.PROGRAM, *args, "-f", "csv"], capture_output=True, text=True, check=False)
    if out.returncode not in (0, 1, 3):
        raise SystemExit(out.stderr)
    return out.stdout


def rows_of(*args):
    return list(csv.DictReader(io.StringIO(told(*args))))


def thin(store, db):
    """Copies the store with every fifth moment of each name."""
    told("export", "--db", store, db)
    moments = rows_of("sql", "--db", db, "SELECT n.name, s.moment_ms, min(s.snapshot_id) AS id FROM snapshot s "
                      "JOIN process p ON p.process_id = s.process_id JOIN name n ON n.name_id = p.name_id "
                      "GROUP BY 1, 2 ORDER BY 1, 2")
    for k, row in enumerate(moments):
        if k % STEP == 0:
            told("prune", "--db", db, "--pin", "@" + row["id"], "--reason", "window")
    told("prune", "--db", db, "--keep-last", "1")


def windows(store, folder):
    """Yields (name, [(process, category, verdict)]) of each window."""
    times = [row["taken_at"] for row in rows_of("snapshots", "--db", store)]
    middle = sorted(times)[len(times) // 2]
    for name, make in (("whole", lambda db: told("export", "--db", store, db)),
                       ("first half", lambda db: told("export", "--db", store, db, "--to", middle)),
                       ("second half", lambda db: told("export", "--db", store, db, "--from", middle)),
                       ("every fifth", lambda db: thin(store, db))):
        db = folder / "window.db"
        db.unlink(missing_ok=True)
        make(db)
        yield name, [("%s/%s" % (r["name"], r["pid"]), r["key"], r["verdict"])
                     for r in rows_of("leaks", "--db", db) if r["key"] != "total"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stores", nargs="+", type=pathlib.Path)
    parser.add_argument("--leaks", default="c-leak", help="names of the programs that leak")
    asked = parser.parse_args()
    lines, false = [], []
    with tempfile.TemporaryDirectory(prefix="pmapdb-windows-") as folder:
        for store in asked.stores:
            for window, rows in windows(store.resolve(), pathlib.Path(folder)):
                leaks = {p for p, _, _ in rows if {p, p.rsplit("/", 1)[0]} & set(asked.leaks.split(","))}
                called = {p for p, _, v in rows if v == "leak"}
                lines.append([store.name, window, len({p for p, _, _ in rows}), len(rows),
                              "%d of %d" % (len(called & leaks), len(leaks)), len(called - leaks),
                              sum(v == "suspect" for p, _, v in rows if p not in leaks)])
                false += [[store.name, window, p, key] for p, key, v in rows if v == "leak" and p not in leaks]
    table(["store", "window", "processes", "keys", "found", "false", "suspect keys"], lines)
    table(["store", "window", "false", "key"], false)


main()
