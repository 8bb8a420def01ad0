"""Many writers and readers on one store: importers, readers of every kind of answer, and meanwhile
prunes, merges, live captures and other rules.

    together.py [--full] [--importers N] [--readers N] [--seconds S] [--seed S]

By default 4 importers and 2 readers for about eight seconds; --full: 16 and 4 for ten minutes, with
a release build (PMAPDB names it) some 30,000 imports.

  - Each importer imports captures of its own process, a few at a time, some late and some twice, and
    remembers them. In the end each capture is in the store once, equal to its text, except those of one
    series that a prune removed with --keep-last.
  - Each answer that a reader gets adds up: the rows of a snapshot and its categories to its stored
    sums, a diff to the difference of two snapshots, `growth` to the steps between its rows.
  - No command waits so long that it tells the user; each exits with the expected status.
"""
import argparse
import collections
import random
import subprocess
import threading
import time

import world
import kit

SERIES = "server%d"
PRUNED = 4700    # the process of which a prune removes moments
THEIRS = 4690    # the process in the store that is merged
KEEP = 5


class Run:
    """Counts and checks of all threads."""

    def __init__(self, db, seconds, seed):
        self.db, self.end, self.seed = db, time.monotonic() + seconds, seed
        self.lock = threading.Lock()
        self.check = kit.Check()
        self.long = seconds > 60
        self.counts = collections.Counter()
        self.longest = collections.Counter()

    def going(self):
        return time.monotonic() < self.end

    def true(self, what, condition, detail=""):
        with self.lock:
            self.check.true(what, condition, detail)

    def command(self, kind, *args, expect=(0,), quiet=True):
        """Runs one command and returns its standard output. A message about a lock is a failure."""
        began = time.monotonic()
        done = subprocess.run([kit.PROGRAM, args[0], "--db", str(self.db), *map(str, args[1:])],
                              stdin=subprocess.DEVNULL, capture_output=True, env=kit.ENVIRONMENT, check=False)
        took = time.monotonic() - began
        words = done.stderr.lower()
        self.true(kind + ": status", done.returncode in expect, (args[:4], done.returncode, words[-300:]))
        self.true(kind + ": waits long enough", b"lock" not in words and b"busy" not in words and
                  b"did not finish in time" not in words, words[-300:])
        if quiet and not done.returncode:
            self.true(kind + ": says nothing", not words.strip(), words[-300:])
        with self.lock:
            self.counts[kind] += 1
            self.longest[kind] = max(self.longest[kind], took)
        return done.stdout

    def rows(self, kind, *args, **more):
        return kit.table(self.command(kind, *args, "-f", "csv", **more))


# ---- writers ----

class Importer(threading.Thread):
    """Imports captures of one process, some of them late, some twice."""

    def __init__(self, run, pid, place):
        super().__init__(name="importer %d" % pid)
        self.run_, self.pid, self.place = run, pid, place / str(pid)
        self.r = random.Random("%s %d" % (run.seed, pid))
        self.program = world.Program(pid, run.seed, 30)
        self.beat, self.brought, self.late = 0, {}, []
        self.place.mkdir()

    def captures(self, n):
        out = []
        for _ in range(n):
            self.program.beat()
            for suffix in ("smaps", "x") if self.r.random() < 0.3 else ("smaps",):
                path = self.place / ("%d-%d.%s" % (world.START_S + world.STEP_S * self.beat, self.pid, suffix))
                path.write_text(getattr(self.program, suffix)())
                out.append(path)
            self.beat += 1
        return out

    def run(self):
        while self.run_.going() and self.beat < 4000:
            now = self.captures(self.r.randrange(1, 4))
            if self.r.random() < 0.2 and self.beat > 3: # imported later
                self.late += now[:1]
                now = now[1:]
            elif self.late and self.r.random() < 0.5:
                now += self.late
                self.late = []
            self.bring(now)
            if self.r.random() < 0.1:
                self.run_.command("import of what is known", "import", "-q", self.place)
                self.note([p for p in self.place.iterdir()])
                self.late = []
        self.bring(self.late)

    def bring(self, paths):
        if paths:
            self.run_.command("import", "import", "-q", *paths)
            self.note(paths)

    def note(self, paths):
        for path in paths:
            if path.name not in self.brought:
                self.brought[path.name] = path
                self.run_.counts["captures"] += 1


class Pruner(threading.Thread):
    """Prunes one series; the other series must not change."""

    def run(self):
        run = self.run_
        time.sleep(1)
        n = 0
        while run.going():
            how = (["--compact"], ["--keep-last", str(KEEP)], ["--keep-last", "all"])[n % 3]
            where = [] if how[0] == "--compact" else ["--process", SERIES % PRUNED]
            run.command("prune", "prune", "-q", *how, *where)
            n += 1
            time.sleep(0.5)


class Merger(threading.Thread):
    """Merges the store of another host again and again, while that store grows."""

    def __init__(self, place):
        super().__init__()
        self.place = place

    def run(self):
        run, other = self.run_, self.place / "other.db"
        paths = world.write(self.place / "theirs", 200, pids=(THEIRS,), seed=run.seed, mappings=25)
        self.brought = []
        while run.going() and len(self.brought) < len(paths):
            some = paths[len(self.brought):len(self.brought) + 2]
            kit.run("import", "-q", "--host", "elsewhere", *some, db=other)
            self.brought += some
            run.command("merge", "merge", "-q", other)
            time.sleep(0.2)


class Ruler(threading.Thread):
    """Applies other rules to all captures, then the first rules again."""

    def run(self):
        run, n = self.run_, 0
        time.sleep(0.7)
        while run.going():
            run.command("rules --apply", "rules", "-q", "--apply", ("pmap-dotnet", "default")[n % 2])
            n += 1
            time.sleep(0.5 + min(n / 10, 10))
        run.command("rules --apply", "rules", "-q", "--apply", "default")


class Captor(threading.Thread):
    """Makes live captures of its own process."""

    def run(self):
        run = self.run_
        child = subprocess.Popen(["sleep", "9999"])
        try:
            while run.going():
                run.command("capture", "capture", "-q", child.pid)
                if run.long: # a beat waits for at most one step, so steps are long
                    run.command("capture", "capture", "-q", "--every", "10s", "--count", "2", child.pid)
        finally:
            child.kill()
            child.wait()


# ---- readers ----

METRICS = world.truth.METRICS


def added(rows, column):
    values = [kit.number(r[column]) for r in rows]
    return None if None in values else sum(values)


class Reader(threading.Thread):
    """Asks, and checks that the answers add up."""

    def __init__(self, run, n):
        super().__init__(name="reader %d" % n)
        self.run_, self.r = run, random.Random("%s reader %d" % (run.seed, n))

    def run(self):
        asks = [self.mappings, self.categories, self.diff, self.growth, self.leaks, self.doctor, self.check, self.at_once]
        n = 0
        while self.run_.going():
            asks[n % len(asks)]()
            n += 1

    def one(self):
        """Returns a snapshot that no prune removes, or None."""
        rows = [r for r in self.run_.rows("snapshots", "snapshots") if r["pid"] and int(r["pid"]) > PRUNED]
        return self.r.choice(rows) if rows else None

    def adds_up(self, what, rows, snapshot):
        for m in METRICS:
            got = len(rows) if m == "mappings" and "mappings" not in (rows or [{}])[0] else added(rows, m)
            self.run_.true(what + ": " + m, got == kit.number(snapshot[m]), (got, snapshot))

    def of_one(self, command):
        s = self.one()
        if s:
            self.adds_up(command, self.run_.rows(command, command, "--snapshot", "@" + s["snapshot_id"], "--process",
                                                 "@" + s["process_id"], "--dialect", s["dialect"]), s)

    def mappings(self):
        self.of_one("mappings")

    def categories(self):
        self.of_one("categories")

    def diff(self):
        s = self.one()
        if not s:
            return
        name = s["name"]
        had = [r for r in self.run_.rows("snapshots", "snapshots", "--process", name) if r["dialect"] == "smaps"]
        if len(had) < 2:
            return
        a, b = had[0], had[-1]
        for by in ("category", "lineage"):
            rows = self.run_.rows("diff", "diff", "--process", "@" + b["process_id"], "--from", "@" + a["snapshot_id"],
                                  "--to", "@" + b["snapshot_id"], "--by", by, "--dialect", "smaps")
            for m in METRICS[1:]:
                self.run_.true("diff by %s: %s" % (by, m), added(rows, m + "_delta") ==
                               kit.number(b[m]) - kit.number(a[m]), (added(rows, m + "_delta"), a, b))

    def growth(self):
        s = self.one()
        if not s:
            return
        rows, before = self.run_.rows("growth", "growth", "--process", s["name"], "--dialect", "smaps"), {}
        for r in rows:
            last = before.get(r["category"])
            if last and r["rss_kib_delta"] is not None:
                self.run_.true("growth: a step", int(r["rss_kib_delta"]) == int(r["rss_kib"]) - int(last["rss_kib"]), (last, r))
            before[r["category"]] = r

    def leaks(self):
        rows = self.run_.rows("leaks", "leaks", expect=(0, 3))
        keys = [(r["process_id"], r["key"]) for r in rows]
        self.run_.true("leaks: a row per key", len(keys) == len(set(keys)), len(keys))

    def doctor(self):
        rows = self.run_.rows("doctor", "doctor", "--deep")
        self.run_.true("doctor", not [r for r in rows if r["state"] == "trouble"], rows)

    def check(self):
        self.run_.command("check", "check", "--mappings", "-w", "999999", expect=(0, 3))

    def at_once(self):
        """Checks all sums of all snapshots in one statement, hence in one state of the store."""
        rows = self.run_.rows("sql", "sql", "-q", "SELECT s.snapshot_id FROM snapshot s JOIN (SELECT snapshot_id, count(*) AS n, "
                              "sum(rss_kib) AS rss FROM mappings GROUP BY 1) m USING (snapshot_id) JOIN (SELECT snapshot_id, "
                              "sum(mappings) AS n, sum(rss_kib) AS rss FROM categories GROUP BY 1) c USING (snapshot_id) "
                              "WHERE (m.n, m.rss, c.n, c.rss) IS NOT (s.mappings, s.rss_kib, s.mappings, s.rss_kib)",
                              "--timeout", "60s", "-q")
        self.run_.true("sql: all sums", rows == [], rows[:2])


# ---- in the end ----

def verify(run, importers, merger):
    check, db = run.check, run.db
    texts = {}
    for one in importers:
        texts |= world.said(one.brought.values())
    world.is_sound(check, "in the end", db)
    theirs = world.said(merger.brought)
    pids = {i.pid for i in importers} | {THEIRS}
    mine = {k: v for k, v in world.stored(db).items() if k[1] in pids}
    listed = [r for r in kit.rows("snapshots", db=db) if int(r["pid"]) in pids]
    check.equal("in the end: doubled", len(listed) - len(mine), 0)
    for key, value in mine.items():
        check.true("in the end: what the text says", (texts | theirs).get(key) == value, key)
    lost = {k for k in texts if k not in mine and k[1] != PRUNED}
    check.equal("in the end: lost", sorted(lost)[:5], [])
    merged = {k for k in theirs if k not in mine}
    check.equal("in the end: merged", sorted(merged)[:5], [])
    # of the pruned series the newest moments stay, and removed moments did not come back
    moments = sorted({k[0] for k in texts if k[1] == PRUNED})
    stay = sorted({k[0] for k in mine if k[1] == PRUNED})
    check.equal("in the end: the newest of the pruned series", stay[-KEEP:], moments[-KEEP:])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--importers", type=int)
    parser.add_argument("--readers", type=int)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--seed", default=str(random.randrange(10**6)))
    args = parser.parse_args()
    n, readers = args.importers or (16 if args.full else 4), args.readers or (4 if args.full else 2)
    seconds = args.seconds or (600 if args.full else 6)
    print("seed %s, %d importers, %d readers, %.0f s" % (args.seed, n, readers, seconds), flush=True)
    with kit.Place() as place:
        db = place / "one.db"
        kit.run("import", "-q", *world.write(place / "first", 2, pids=(4789,), mappings=20), db=db)
        run = Run(db, seconds, args.seed)
        importers = [Importer(run, PRUNED + i, place) for i in range(n)]
        merger = Merger(place)
        others = [merger, Pruner(), Ruler(), Captor()]
        for other in others:
            other.run_ = run
        began = time.monotonic()
        threads = importers + others + [Reader(run, i) for i in range(readers)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        took = time.monotonic() - began
        verify(run, importers, merger)
        print("%.0f s, the store has %d KiB" % (took, world.size_of(db) >> 10))
    for kind, count in sorted(run.counts.items()):
        print("%8d %-26s%s" % (count, kind, " longest %.2f s" % run.longest[kind] if kind in run.longest else ""))
    run.check.finish()


main()
