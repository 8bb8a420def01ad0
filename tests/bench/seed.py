"""A capture from the field with 4,150 mappings: parsed, stored for the first time, and again.

PMAPDB_SHARED/captures/pmap/03-dotnet-pmap-demo-XXpq.txt, as `pmap -XX -p -q` printed it.
"""
import os
import pathlib
import sqlite3
import statistics
import subprocess

import measure
from measure import child, instructions, kit, median_child, shown

CAPTURE = "03-dotnet-pmap-demo-XXpq.txt"
PARSE_MS, FIRST_MS, NEXT_MS = 8, 20, 8
# Its author's own program on the same machine as the numbers to reach were written down on.
QUOTED = "pmap-dotnet 8.4 (quoted)"
RUNS = 9
AWK = r'''NR > 1 { n++; s += $6; of[$NF] += $6 }
END { for (name in of) names++; printf "%d %.0f %d\n", n, s, names }'''


def last_state(db):
    """CPU seconds of reading the newest capture out of the store, every column, in SQLite."""
    connection = sqlite3.connect("file:%s?mode=ro" % db, uri=True)
    columns = ",".join('count("%s")' % r[1] for r in connection.execute(
        "pragma table_info(mappings)"))
    sql = ("select %s from mappings where snapshot_id = (select snapshot_id from snapshot"
           " order by taken_ms desc limit 1)" % columns)
    seconds = measure.median_cpu(lambda: connection.execute(sql).fetchall(), RUNS)
    connection.close()
    return seconds


def imports(path, place):
    """CPU seconds of the first and of later imports, with how many instructions, and the load of
    the state that a later one needs."""
    first, later = [], []
    for run in range(RUNS):
        db = place / ("seed-%d.db" % run)
        line = [kit.PROGRAM, "import", "--db", db, "-q", "--pid", "5159", path, "--at"]
        first.append(child([*line, "2024-01-01 00:00:00"])[0])
        later.append(child([*line, "2024-01-01 00:01:00"])[0])
        if run < RUNS - 1:
            db.unlink()
    load = last_state(db)
    executed = instructions([*line, "2024-01-01 00:02:00"], place)
    new = [word if word != db else place / "seed-new.db" for word in line]
    executed_first = instructions([*new, "2024-01-01 00:00:00"], place)
    return (statistics.median(first), executed_first), (statistics.median(later), executed), load


def bench(lines, place):
    path = pathlib.Path(os.environ.get("PMAPDB_SHARED") or "") / "captures" / "pmap" / CAPTURE
    if not path.is_file():
        print("seed: skipped: %s is not there\n" % path)
        return
    program = measure.compile_program(place, "explain", measure.library_path())
    stays, *ours = subprocess.run([program, path, "25"], check=True,
                                  stdout=subprocess.PIPE).stdout.split()
    mappings, size, _ = subprocess.run(["awk", AWK, path], check=True,
                                       stdout=subprocess.PIPE).stdout.split()
    if ours != [mappings, size]:
        raise SystemExit("%s: explain says %r, awk %r" % (path, ours, (mappings, size)))
    line = [kit.PROGRAM, "import", "--explain", path]
    awk = shown(1000 * median_child(["awk", AWK, path], RUNS))
    lines.add("ms, parsed by a program of its own", 1000 * median_child(line, RUNS), PARSE_MS,
              "awk %s, %s" % (awk, QUOTED), executed=instructions(line, place))
    lines.add("ms, parsed through the C interface", float(stays), PARSE_MS, "awk %s" % awk)
    first, later, load = imports(path, place)
    lines.add("ms, first import, a new store", 1000 * first[0], FIRST_MS,
              "%s mappings, %s KiB" % (mappings.decode(), size.decode()), executed=first[1])
    lines.add("ms, import of the next, unchanged one", 1000 * later[0], NEXT_MS + 1000 * load,
              "load of the last state in SQL %s" % shown(1000 * load), executed=later[1])
