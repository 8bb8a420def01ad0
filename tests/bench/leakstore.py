"""The bench on stores: real programs of which the truth is known, and a store made large."""
import os
import random
import sqlite3
import subprocess

from leakscore import print_table, wilson
from measure import child, kit

# ---- real programs --------------------------------------------------------------------------
# LABELS.tsv of the workloads in our categories, by pid (None: every process of it): where it leaks;
# KiB/s where they are known, of rss, of stacks the address space; what else of it may well be
# called a leak.
LEAKS = {
    "py_mmap": {None: ("mapped-file", 128.0, ())},
    "c_brk": {None: ("heap", 200.0, ())},
    "c_mmap": {None: ("anonymous", 126.7, ())},
    "c_mmap_guard": {None: ("anonymous", 126.7, ())},
    # Each thread leaves some bytes in the heap too.
    "c_thread": {None: ("anonymous/thread-stack", 4098.0, ("heap",))},
    "memfd": {None: ("memfd", None, ())},
    # The program leaks by malloc of small and of large blocks.
    "perf_fp": {None: ("anonymous", None, ("heap",))},
    "perf_dwarf": {None: ("heap", None, ("anonymous",))},
    "postgres": {19629: ("heap", None, ())},
    "java_heap": {None: ("anonymous/jvm-heap", None, ())},
}
HEALTHY = ("node_steady", "java_steady", "redis", "memcached", "nginx", "c_plateau", "c_saw",
           "steady4000")
LARGE = ("postgres", "steady4000", "memfd", "c_mmap_guard", "node_steady")
# Leaks as far as their first half shows: they fill until later.
FAIR_FIRST_HALF = ("redis", "c_plateau", "memcached")
# It leaks into -Xmx: RSS shows no more than that it grew, and of a part of the series not even
# that.
SUSPECT_WILL_DO = ("java_heap",)
WINDOWS = {
    "full": lambda paths: paths,
    "h1": lambda paths: paths[:len(paths) // 2],
    "h2": lambda paths: paths[len(paths) // 2:],
    "d5": lambda paths: paths[::5],
    "d10": lambda paths: paths[::10],
}


def truth_of(workload, pid):
    of = LEAKS.get(workload, {})
    return of.get(pid) or of.get(None)


def number(text):
    return float(text) if text else None


class Tally:
    """What the windows of all workloads add up to."""

    def __init__(self):
        self.leaks = self.found = self.keys = self.false = 0

    def judge(self, workload, window, pid, rows):
        """The verdicts of one process in one window -> words for the table; '' if all is right."""
        leaking = sorted(r["key"] for r in rows if r["verdict"] == "leak" and r["key"] != "total")
        key, rate, also = truth_of(workload, pid) or (None, None, ())
        wrong = [k for k in leaking if k != key and k not in also]
        if window == "h1" and workload in FAIR_FIRST_HALF:
            return "leak, fair: %s" % " ".join(wrong) if wrong else ""
        self.keys += sum(r["key"] not in ("total", key, *also) for r in rows)
        self.false += len(wrong)
        words = []
        if key:
            at = next((r for r in rows if r["key"] == key), None)
            words.append(self.found_at(workload, window, key, rate, at))
        if wrong:
            words.append("FALSE: " + " ".join(wrong))
        return "; ".join(words)

    def found_at(self, workload, window, key, rate, row):
        verdict = row["verdict"] if row else "not there"
        if verdict == "too-few":
            return "too few snapshots"
        enough = ("leak",)
        if workload in SUSPECT_WILL_DO:
            if window != "full":
                return "%s %s, not counted" % (key, verdict)
            enough = ("leak", "suspect")
        self.leaks += 1
        if verdict not in enough:
            return "MISSED: %s %s" % (key, verdict)
        self.found += 1
        got, low, high = (number(row[c]) / 3600 for c in ("rate_per_h", "rate_low", "rate_high"))
        words = "%s %s %.1f KiB/s [%.1f %.1f]" % (key, verdict, got, low, high)
        if rate:
            words += ", %+.0f %%%s" % (100 * (got - rate) / rate,
                                       " !" if abs(got - rate) > 0.15 * rate else "")
        return words


def of_process(paths):
    """pid -> its paths in time order."""
    out = {}
    for path in paths:
        out.setdefault(kit.when(path)[1], []).append(path)
    return out


def with_limit(db, most):
    """The first half of a process that is known to end at `most`: no leak then."""
    worst = {r["verdict"] for r in kit.rows("leaks", "--limit", "%dK" % most, db=db)}
    return "FALSE: leak" if "leak" in worst else "suspect" if "suspect" in worst else "no leak"


def real_workload(name, windows, place, tally):
    """The rows of the table for one workload."""
    workload = kit.Workload(name)
    processes = of_process(workload.unpack(place / name, workload.beats, "smaps"))
    rows = []
    for window in windows:
        db = place / ("%s-%s.db" % (name, window))
        paths = [p for of in processes.values() for p in WINDOWS[window](of)]
        kit.run("import", "-q", *paths, db=db, expect=(0, 2))
        found = kit.rows("leaks", db=db, expect=(0, 3))
        if window == "full":
            most = max(int(r["rss_kib"]) for r in kit.rows("snapshots", db=db))
        if window == "h1" and name in FAIR_FIRST_HALF:
            rows.append([name, "h1 --limit %dK" % most, "", with_limit(db, most)])
        for path in db.parent.glob(db.name + "*"):
            path.unlink()
        fine = 0
        for pid in processes:
            words = tally.judge(name, window, pid,
                                [r for r in found if r["pid"] == str(pid)])
            if words:
                rows.append([name, window, pid, words])
            fine += not words
        if fine:
            rows.append([name, window, "", "%d without a leak, and none called" % fine])
    return rows


def real_bench(shared, full, place):
    names = list(LEAKS) + list(HEALTHY)
    if not shared or not os.path.isdir(os.path.join(shared, "workloads")):
        print("real: skipped: PMAPDB_SHARED has no workloads\n")
        return
    windows = list(WINDOWS) if full else ["full", "h2", "d5"]
    tally, rows = Tally(), []
    for name in names:
        if full or name not in LARGE:
            rows += real_workload(name, windows, place, tally)
    print("real: %d programs, windows %s" % (len({r[0] for r in rows}), " ".join(windows)))
    print_table(["workload", "window", "pid", "verdict"], rows, 4)
    low, _ = wilson(tally.found, tally.leaks)
    print("found %d of %d leaks (at least %.2f of such); %d of %d healthy keys called a leak\n" % (
        tally.found, tally.leaks, low, tally.false, tally.keys))


# ---- a large store --------------------------------------------------------------------------
START_MS, STEP_MS = 1_700_000_000_000, 60_000
EPOCH = 200                                 # snapshots in one epoch
POINTS = 10_000                             # of a long series
STORE_S, POINTS_S = 10.0, 0.005             # targets: 500 x 15 x 1,000; one long series
SEVEN = ("mappings", "size_kib", "rss_kib", "pss_kib", "private_kib", "private_dirty_kib",
         "swap_kib")
WORDS = ("time_source", "dialect", "state", "checked")


class Course:
    """The sums of one process's categories through time: in each snapshot two to four of them
    change. One process in ten leaks, the others wander or grow and stop."""

    def __init__(self, r, kinds):
        self.r, self.leaks = r, r.random() < 0.1
        self.now = [[r.randrange(1, 40), size, size // 2, size // 2, size // 3, size // 3, 0]
                    for size in (r.randrange(50, 50_000) for _ in range(kinds))]
        self.level = [row[2] for row in self.now]

    def step(self):
        """Changes some; -> their places."""
        r = self.r
        which = {0} | {int(r.random() ** 2 * len(self.now)) for _ in range(r.choice((1, 2, 3)))}
        for c in which:
            row = self.now[c]
            if c == 0 and self.leaks:
                more = r.randrange(4, 60)
            else:                           # back to where it belongs
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
    """Rows of snapshots, epoch and catver of one process; `ids` are the category ids."""
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
    """Makes a store as import would leave it, without the mappings: verdicts on categories do not
    read them. The first and the last capture are real ones: the program itself makes the tables,
    and at the end SQLite's statistics of them."""
    r = random.Random(1)
    import_one(db)
    connection = sqlite3.connect(db)
    connection.execute("pragma synchronous = off")
    ids = [i for i, in connection.execute(
        "select category_id from category where category <> 'total' order by 1")][:15]
    for i in range(len(ids), 15):           # as many as the target speaks of
        insert(connection, "category", ("category_id", "category", "description", "parent_id"),
               [(1000 + i, "other-%d" % i, "", 1000 + i)])
        ids.append(1000 + i)
    capture, dialect, fields, *words = connection.execute(
        "select s.capture_id, e.dialect, e.fields, %s from snapshot s join epoch e using (epoch_id)"
        % ", ".join("s." + c for c in WORDS)).fetchone()
    rows = 0
    for process in range(1000, 1000 + processes):
        insert(connection, "name", ("name_id", "name"), [(process, "server%04d" % process)])
        insert(connection, "process", ("process_id", "name_id", "name_rank", "name_ms", "pid",
                                       "life", "identity"),
               [(process, process, 0, START_MS, process, 0, "start-time")])
        snapshots, epochs, versions = one_process(ids, Course(r, len(ids)), process, n)
        insert(connection, "epoch", ("epoch_id", "process_id", "dialect", "state", "fields"),
               [(e, process, dialect, "complete", fields) for e in epochs])
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
    """CPU seconds of one process that ends well: 1 is a leak, 3 is too few."""
    return child(line, out=out, good=(0, 1, 3))[0]


def many_verdicts(full, place):
    """(processes, categories, snapshots, CPU seconds of `leaks -f csv`); prints what it was of."""
    processes, n = (500, 1000) if full else (50, 400)
    db = place / "large.db"
    rows, kinds = large_store(db, processes, n)
    connection = sqlite3.connect("file:%s?mode=ro" % db, uri=True)
    runs = connection.execute("select count(*) from category_runs").fetchone()[0]
    connection.close()
    out = place / "verdicts.csv"
    with open(out, "wb") as f:
        seconds = cpu_of([kit.PROGRAM, "leaks", "--db", db, "-f", "csv"], f)
    reading = cpu_of([kit.PROGRAM, "sql", "--db", db, "-f", "csv",
                      "select count(*), sum(n), max(rss_kib) from category_runs"])
    with open(out, "rb") as f:
        keys = sum(1 for _ in f) - 1
    print("store: %d processes x %d categories x %d snapshots: %d versions, %d runs, %.0f MiB" % (
        processes, kinds, n, rows, runs, db.stat().st_size / 1048576))
    print("`leaks -f csv`: %.2f s of CPU for %d rows%s; category_runs alone, read whole: %.2f s\n"
          % (seconds, keys, " !" if full and seconds > STORE_S else "", reading))
    return processes, kinds, n, seconds


# ---- long series ----------------------------------------------------------------------------
def long_series(path, n, value, life):
    """n series of so many points; a new pid after each `life` of them."""
    with open(path, "w", encoding="ascii") as out:
        out.write("series_id,ts,kb,pid\n")
        for s in range(n):
            for i in range(POINTS):
                out.write("s%d,%d,%d,%d\n" % (s, START_MS // 1000 + 60 * i, value(s, i),
                                              1 + i // life))


def long_verdicts(place):
    """name -> (CPU seconds of one series with its CSV, of judging it): many at once, less what the
    same rows cost as lives too short to be judged."""
    n, path, out = 20, place / "long.csv", {}
    shapes = {"a leak with noise": lambda s, i: 100_000 + 2 * i + (i * 7919 + s) % 5003,
              "a sawtooth": lambda s, i: 100_000 + 40 * ((i + 37 * s) % 700),
              "a daily wave": lambda s, i: 100_000 + 20 * abs((i + s) % 1440 - 720)}
    line = [kit.PROGRAM, "leaks", "--series", path, "-q", "-f", "csv"]
    for name, value in shapes.items():
        took = []
        for life in (POINTS, 5):
            long_series(path, n, value, life)
            took.append(min(cpu_of(line) for _ in range(3)) / n)
        out[name] = took[0], took[0] - took[1]
    path.unlink()
    return out


def points_bench(place):
    print("points: one series of %d, milliseconds of CPU" % POINTS)
    print_table(["series", "with its CSV", "to judge it"],
                [[name, "%.2f" % (1000 * whole),
                  "%.2f" % (1000 * judge) + (" !" if judge > POINTS_S else "")]
                 for name, (whole, judge) in long_verdicts(place).items()])
