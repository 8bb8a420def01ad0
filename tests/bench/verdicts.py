"""Benchmark: the CPU of verdicts on a store of many processes, and on long series."""
import random
import sqlite3
import subprocess

from measure import amount, child, kit

# ---- a large store --------------------------------------------------------------------------
START_MS, STEP_MS = 1_700_000_000_000, 60_000
EPOCH = 200                                 # snapshots in one epoch
POINTS = 10_000                             # in a long series
STORE_S, POINTS_S = 6.0, 0.005              # asked: 500 x 15 x 1,000; one long series
SEVEN = ("mappings", "size_kib", "rss_kib", "pss_kib", "private_kib", "private_dirty_kib", "swap_kib")
WORDS = ("dialect", "time_source_code", "state_code", "checked_code")


class Course:
    """The sums of the categories of one process through time: two to four categories change in each
    snapshot. One process in ten leaks, the others wander, or grow and stop."""

    def __init__(self, r, kinds):
        self.r, self.leaks = r, r.random() < 0.1
        self.now = [[r.randrange(1, 40), size, size // 2, size // 2, size // 3, size // 3, 0]
                    for size in (r.randrange(50, 50_000) for _ in range(kinds))]
        self.level = [row[2] for row in self.now]

    def step(self):
        """Changes some categories. Returns their indexes."""
        r = self.r
        which = {0} | {int(r.random() ** 2 * len(self.now)) for _ in range(r.choice((1, 2, 3)))}
        for c in which:
            row = self.now[c]
            if c == 0 and self.leaks:
                more = r.randrange(4, 60)
            else:                           # returns to its level
                more = (self.level[c] - row[2]) // 8 + r.randrange(-16, 17)
            more = max(more, 4 - row[2])
            row[2] += more
            row[1] = max(row[1], row[2])
            row[3], row[4], row[5] = row[2], row[2] * 2 // 3, row[2] * 2 // 3
        return which


def insert(connection, table, columns, rows):
    connection.executemany("insert into %s(%s) values(%s)" % (
        table, ",".join(columns), ",".join("?" * len(columns))), rows)


def one_process(ids, course, process, n):
    """Returns the rows of snapshot, epoch and category_version of one process; `ids`: category ids."""
    snapshots, epochs, versions = [], [], []
    for i in range(n):
        off = i % EPOCH
        changed = course.step()
        if not off:
            epochs.append(process * 10_000 + i // EPOCH)
            since, changed = [0] * len(ids), ()
            kept = [tuple(row) for row in course.now]
        for c in changed:
            if kept[c] != tuple(course.now[c]):
                versions.append((epochs[-1], ids[c], since[c], off - 1) + kept[c])
                since[c], kept[c] = off, tuple(course.now[c])
        if off == EPOCH - 1 or i == n - 1:
            versions += [(epochs[-1], ids[c], since[c], None) + kept[c] for c in range(len(ids))]
        snapshots.append((process, epochs[-1], off, START_MS + i * STEP_MS,
                          process * 100_000 + i) + tuple(map(sum, zip(*course.now))))
    return snapshots, epochs, versions


def import_one(db):
    with open("/proc/self/smaps", "rb") as f:
        kit.run("import", "-q", "--pid", 1, "--name", "seed", "-", db=db, stdin=f.read())


def large_store(db, processes, n):
    """Makes a store as after an import, but without mappings, which verdicts on categories do not
    read. The first and the last capture are imported: the program makes the tables, and at the end
    SQLite's statistics."""
    r = random.Random(1)
    import_one(db)
    connection = sqlite3.connect(db)
    connection.execute("pragma synchronous = off")
    ids = [i for i, in connection.execute(
        "select category_id from category where category <> 'total' order by 1")][:15]
    for i in range(len(ids), 15):           # the number of categories of the target
        insert(connection, "category", ("category_id", "category", "description", "parent"),
               [(1000 + i, "other-%d" % i, "", "other-%d" % i)])
        ids.append(1000 + i)
    capture, fields, *words = connection.execute(
        "select s.capture_id, e.fields, %s from snapshot s join epoch e using (epoch_id)"
        % ", ".join("s." + c for c in WORDS)).fetchone()
    rows = 0
    for process in range(1000, 1000 + processes):
        insert(connection, "name", ("name_id", "name"), [(process, "server%04d" % process)])
        insert(connection, "process", ("process_id", "name_id", "name_rank", "name_ms", "pid",
                                       "life", "identity"),
               [(process, process, 0, START_MS, process, 0, "start-time")])
        snapshots, epochs, versions = one_process(ids, Course(r, len(ids)), process, n)
        insert(connection, "epoch", ("epoch_id", "process_id", "dialect", "state", "fields"),
               [(e, process, words[0], "complete", fields) for e in epochs])
        insert(connection, "snapshot",
               ("process_id", "epoch_id", "off", "taken_ms", "hash", *SEVEN, "capture_id",
                "moment_ms", "ordinal", "preferred", *WORDS),
               [s + (capture, s[3], 0, 1, *words) for s in snapshots])
        insert(connection, "category_version", ("epoch_id", "category_id", "first", "last", *SEVEN), versions)
        rows += len(versions)
    connection.commit()
    connection.close()
    import_one(db)
    return rows, len(ids)


def cpu_of(line, out=subprocess.DEVNULL):
    """Returns the CPU seconds of one process; status 1 (leak) and 3 (too few) are success, too."""
    return child(line, out=out, good=(0, 1, 3))


def many_verdicts(lines, place):
    """Measures `leaks -f csv` on many processes; for a smaller store the asked time is smaller in proportion."""
    processes, n = amount((5, 50), (50, 400), (500, 1000))
    db = place / "large.db"
    rows, kinds = large_store(db, processes, n)
    lines.add("s, verdicts: %d processes x %d categories x %d snapshots" % (processes, kinds, n),
              cpu_of([kit.PROGRAM, "leaks", "--db", db, "-f", "csv"]),
              STORE_S * processes * n / 500_000, "%d versions, %.0f MiB" % (rows, db.stat().st_size / 1048576))


# ---- long series ----------------------------------------------------------------------------
def long_series(path, n, value, life):
    """Writes n series of POINTS points, with a new pid after each `life` points."""
    with open(path, "w", encoding="ascii") as out:
        out.write("series_id,ts,kb,pid\n")
        for s in range(n):
            for i in range(POINTS):
                out.write("s%d,%d,%d,%d\n" % (s, START_MS // 1000 + 60 * i, value(s, i), 1 + i // life))


def long_verdicts(place):
    """Returns name -> (CPU seconds of one series with its CSV, of its verdict alone). The verdict alone is the
    difference to the same rows as lives that are too short to be judged."""
    n, path, out = amount(2, 20, 20), place / "long.csv", {}
    shapes = {"a leak with noise": lambda s, i: 100_000 + 2 * i + (i * 7919 + s) % 5003,
              "a sawtooth": lambda s, i: 100_000 + 40 * ((i + 37 * s) % 700),
              "a daily wave": lambda s, i: 100_000 + 20 * abs((i + s) % 1440 - 720)}
    line = [kit.PROGRAM, "leaks", "--series", path, "-q", "-f", "csv"]
    for name, value in shapes.items():
        took = []
        for life in (POINTS, 5):
            long_series(path, n, value, life)
            took.append(min(cpu_of(line) for _ in range(amount(1, 3, 3))) / n)
        out[name] = took[0], took[0] - took[1]
    path.unlink()
    return out


def bench(lines, place):
    many_verdicts(lines, place)
    for name, (whole, judge) in long_verdicts(place).items():
        lines.add("ms, %d points: %s" % (POINTS, name), 1000 * judge, 1000 * POINTS_S,
                  "with their CSV %.2f" % (1000 * whole))
