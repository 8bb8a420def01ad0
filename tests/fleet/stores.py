"""Stores of hosts, filled by `pmapdb import` of smaps and pmap -x, and their contents, read by SQLite.

Stored has the attributes of queries.Host, read from the plain views of the stores, so that the same
functions calculate the answers of the fleet.
"""
import io
import json
import random
import sqlite3
import tarfile
import time

from queries import DAY, HOUR, NOW, NUMBERS, run, total

SMAPS = ("Size Rss Pss Shared_Clean Shared_Dirty Private_Clean Private_Dirty Swap").split()
ROLES, HOURS, EVERY = ["payments", "web", "db"], 27, 2400000


def smaps(pid, name, rows):
    """The rows (start, size, rss, dirty, swap, mode, path) as the kernel prints them."""
    del pid, name
    parts = []
    for start, size, rss, dirty, swap, mode, path in rows:
        shared = rss // 3 if path.endswith(".so") else 0
        values = size, rss, rss - shared + shared // 4, shared, 0, rss - shared - dirty, dirty, swap
        parts.append(f"{start:x}-{start + size * 1024:x} {mode}p 00000000 {'fe:01 77' if path[:1] == '/' else '00:00 0'} {path}\n" +
                     "".join(f"{key}: {value} kB\n" for key, value in zip(SMAPS, values)))
    return "".join(parts)


def pmap(pid, name, rows):
    """The rows as pmap -x prints them."""
    body = "".join(f"{start:016x} {size:7} {rss:7} {dirty:7} {mode}-- "
                   f"{path.rsplit('/', 1)[-1] if path[:1] == '/' else '  [ ' + (path.strip('[]') if path == '[stack]' else 'anon') + ' ]'}\n"
                   for start, size, rss, dirty, _, mode, path in rows)
    size, rss, dirty = (sum(row[i] for row in rows) for i in (1, 2, 3))
    return (f"{pid}:   /usr/bin/{name}\nAddress           Kbytes     RSS   Dirty Mode  Mapping\n{body}"
            f"---------------- ------- ------- -------\ntotal kB         {size:7} {rss:7} {dirty:7}\n")


class Maker:
    """Host i: two workers of api, which leaks after a deploy, redis, nginx, and a job that comes and goes."""

    def __init__(self, i):
        self.rng = random.Random(i)
        self.name, self.role, self.write = f"{ROLES[i % 3]}-{i:02}", ROLES[i % 3], pmap if i % 4 == 3 else smaps
        self.times = 9 if i == 6 else 1  # one host is an outlier
        self.in_heap = i % 2 == 0
        self.deploy = NOW - self.rng.randrange(9 * HOUR, 13 * HOUR) if i % 3 == 0 else None
        self.end = NOW - 3 * HOUR if i % 8 == 5 else NOW
        self.base = {name: self.rng.randrange(20000, 60000) * self.times for name in ("api", "redis", "nginx", "job")}

    def rows(self, name, pid, at):
        """The memory map of a process at a time."""
        rng, high = self.rng, 0x560000000000 + pid * 0x10000000
        grown = 0 if name != "api" or not self.deploy or at < self.deploy else int(1500 * (at - self.deploy) / HOUR)
        in_heap = grown if self.in_heap else 0
        heap = self.base[name] + 4 * rng.randrange(0, 50) + in_heap
        rows = [(high, 900, 860, 0, 0, "r-x", "/usr/bin/" + name), (high + 0x100000, 64, 64, 64, 0, "rw-", "/usr/bin/" + name),
                (high + 0x200000, heap + 800, heap, heap - 40, rng.randrange(0, 90) if name == "redis" else 0, "rw-", "[heap]"),
                (0x7F0000000000, 60000, 30000 + grown - in_heap, 30000 + grown - in_heap, 0, "rw-", "")]
        if name == "nginx" and at // HOUR % 5:
            rows.append((0x7F1000000000, 4096, 4 * rng.randrange(10, 1000), 0, 0, "r--", f"/srv/cache-{at // HOUR % 3}"))
        return rows + [(0x7F2000000000, 2048, 1500, 0, 0, "r-x", "/lib/libc.so"), (0x7FFC00000000 + pid * 0x1000, 132, 40, 40, 0, "rw-", "[stack]")]

    def captures(self):
        """[(ms, pid, name, text)] of all beats."""
        for beat in range(NOW - HOURS * HOUR + 1000 * self.rng.randrange(600), self.end + 1, EVERY):
            new = 5 if self.deploy and beat >= self.deploy else 0
            alive = [("api", 100 + new), ("api", 200 + new), ("redis", 300), ("nginx", 400)]
            if beat // HOUR % 4 == 1:
                alive.append(("job", 500 + beat // HOUR % 90))
            for name, pid in alive:
                yield beat, pid, name, self.write(pid, name, self.rows(name, pid, beat))

    def put(self, pmapdb, store, captures):
        """Imports captures from an archive."""
        packed, suffix = io.BytesIO(), "x" if self.write is pmap else "smaps"
        with tarfile.open(fileobj=packed, mode="w") as tar:
            for ms, pid, _, text in captures:
                member = tarfile.TarInfo(f"{ms // 1000}-{pid}.{suffix}")
                member.size = len(text)
                tar.addfile(member, io.BytesIO(text.encode()))
        archive = store.with_suffix(".tar")
        archive.write_bytes(packed.getvalue())
        run(pmapdb, "-q", "--db", store, "import", "--host", self.name, "--time-from", "name", archive)
        archive.unlink()

    def label(self, store):
        """Stores the labels, as the configuration would have set them; build changes at the deploy."""
        with sqlite3.connect(store) as db:
            for key, at, value in [("role", NOW - 2 * DAY, self.role), ("build", NOW - 2 * DAY, "2.3.0")] + (
                    [("build", self.deploy, "2.3.1")] if self.deploy else []):
                db.execute("INSERT INTO host_label SELECT host_id, ?, ?, ? FROM host WHERE name = ?", [key, at, value, self.name])

    def limit(self, store):
        """Stores the limit of a cgroup, as a live capture would have read it; -1: no limit."""
        with sqlite3.connect(store) as db:
            for limit, name in (self.base["api"] + 80000, "api"), (-1, "redis"):
                db.execute("INSERT INTO live_process (hash, memory_max_kib) VALUES (1, ?)", [limit])
                db.execute("INSERT INTO live_reading (snapshot_id, live_process_id, mono_ns, read_us, cpu_us, longest_us) "
                           "SELECT snapshot_id, last_insert_rowid(), 0, 0, 0, 0 FROM snapshots WHERE name = ?", [name])

    def make(self, pmapdb, folder, url):
        """Imports and pushes, for every third host in two parts. Returns the contents of the store."""
        store, captures = folder / f"{self.name}.db", list(self.captures())
        cut = captures[self.rng.randrange(len(captures) // 2, len(captures))][0] if self.rng.random() < 0.3 else NOW + 1
        self.put(pmapdb, store, [c for c in captures if c[0] < cut])
        self.label(store)
        self.limit(store)
        run(pmapdb, "-q", "--db", store, "push", url)
        verdicts = json.loads(run(pmapdb, "--db", store, "leaks", "--since", "-7d", "-f", "json"))  # judged once an hour
        if cut <= NOW:
            self.put(pmapdb, store, [c for c in captures if c[0] >= cut])
            run(pmapdb, "-q", "--db", store, "push", url)
        return Stored(self.name, [store], verdicts)


class Stored:
    """The facts about a host, from the views of its stores."""

    def __init__(self, name, paths, verdicts):
        self.name, self.paths, self.id, self.renamed = name, paths, 0, False
        self.hourly, self.totals, self.objects, self.verdicts, self.limit = {}, {}, {}, [], {}
        self.through = self.pushed = 0
        self.stores, self.label, self.stacks, self.beats = [], [], {}, []  # a beat: {name: {moment: {process: snapshot}}}
        for path in paths:
            with sqlite3.connect(path) as db:
                self.read(db)
        builds = [(at, value) for key, value, at in self.label if key == "build"]
        self.builds, self.moved = [b for _, b in builds], builds[1][0] if len(builds) > 1 else None
        self.role = self.labels(NOW).get("role", "")
        for row in verdicts:
            self.add_verdict(row)

    def labels(self, at):
        """The labels at a time."""
        return {key: value for key, value, since in self.label if since <= at}

    def read(self, db):
        """Adds what one store holds."""
        self.stores += [s for s, in db.execute("SELECT store FROM push_self")]
        self.label += db.execute("SELECT key, value, at_ms FROM host_labels ORDER BY at_ms").fetchall()
        self.read_pushed(db)
        self.beats.append({})
        last, first = {}, {}  # last: (name, hour) -> (moment, {process: snapshot}); first: process -> hour
        for snapshot, process, name, taken, moment in db.execute(
                "SELECT snapshot_id, process_id, name, taken_ms, moment_ms FROM snapshots WHERE preferred = 1 ORDER BY taken_ms"):
            self.through = max(self.through, taken)
            self.beats[-1].setdefault(name, {}).setdefault(moment, {})[process] = snapshot
            hour = taken // HOUR * HOUR
            first.setdefault(process, hour)
            if moment > last.get((name, hour), (0,))[0]:
                last[name, hour] = moment, {}
            last[name, hour][1][process] = snapshot
        sums = {}  # (name, object, category): {hour: (size, rss, whether all objects are sent)}
        for (name, hour), (_, of) in last.items():
            parts = {}
            for row in self.of(db, "category, " + ", ".join(NUMBERS), "categories", of):
                parts.setdefault(row[1], []).append(row[2:])
            for category, rows in parts.items():
                self.hourly[name, category, hour] = len(rows), [total(column) for column in zip(*rows)]
            held = [row[1:] for row in self.of(db, ", ".join(NUMBERS), "snapshots", of)]
            self.totals[name, hour] = len(held), [total(column) for column in zip(*held)]
            if hour == max(h for n, h in last if n == name):
                self.limit[name] = min((limit for _, limit in self.of(
                    db, "memory_max_kib", "live_process JOIN live_reading USING (live_process_id)", of) if limit >= 0), default=None)
            for process, path, category, size, rss in self.of(db, "path, category, size_kib, rss_kib", "mappings", of):
                held = sums.setdefault((name, path or "[anon]", category), {}).setdefault(hour, [0, 0, hour % DAY == 0])
                held[0], held[1], held[2] = held[0] + size, held[1] + rss, held[2] or first[process] == hour
        hours = {hour for _, hour in last}
        for key, held in sums.items():
            self.objects[key] = {hour: rss for hour, rss in self.moved_at(held, hours)}

    def read_pushed(self, db=None):
        """Reads when the store was judged and pushed."""
        with db or sqlite3.connect(self.paths[0]) as db:
            (self.judged, self.pushed), = db.execute("SELECT judged_ms, done_ms FROM push WHERE push_id = 1")

    def moments(self, name):
        """The moments of a name in the first store; of all names if name is empty."""
        return sorted({m for called, at in self.beats[0].items() if name in ("", called) for m in at})

    @staticmethod
    def of(db, columns, view, snapshots):
        """(process, columns) of the rows of these snapshots."""
        for process, snapshot in snapshots.items():
            for row in db.execute(f"SELECT {columns} FROM {view} WHERE snapshot_id = ?", [snapshot]):
                yield (process, *row)

    @staticmethod
    def moved_at(held, hours):
        """(hour, rss) of an object if its size or rss is in another step of 64 KiB than an hour ago."""
        for hour in sorted(hours):
            old, new = held.get(hour - HOUR), held.get(hour)
            if new and (new[2] or not old or old[0] // 64 != new[0] // 64 or old[1] // 64 != new[1] // 64):
                yield hour, new[1]
            elif old and not new:
                yield hour, 0

    def side(self, t, name):
        """(processes, {category: numbers}, the numbers of an absent category) at a time."""
        parts, processes = {}, 0
        for path, beats in zip(self.paths, self.beats):
            with sqlite3.connect(path) as db:
                for at in (of for called, of in beats.items() if name in ("", called)):
                    before = max((m for m in at if m <= t), default=None)
                    after = min((m for m in at if m >= t), default=None)
                    alive = {p: s for p, s in at.get(before, {}).items() if p in at.get(after, {})}
                    processes += len(alive)
                    for row in self.of(db, "category, " + ", ".join(NUMBERS), "categories", alive):
                        parts.setdefault(row[1], []).append([None if n == "pss_kib" else v for n, v in zip(NUMBERS, row[2:])])
        whole = [total(column) for column in zip(*(row for of in parts.values() for row in of))] or [0] * len(NUMBERS)
        return processes, {category: [w if w is None else sum(column) for w, column in zip(whole, zip(*of))]
                           for category, of in parts.items()}, [w and 0 for w in whole]

    def diff(self, older, newer, name):
        """The rows of host-diff: a number that a side does not know is unknown for every category."""
        (n_old, old, no_old), (n_new, new, no_new), rows = self.side(older, name), self.side(newer, name), []
        for category in old.keys() | new.keys():
            row = {"category": category, "processes_from": n_old, "processes_to": n_new}
            for column, a, b in zip(NUMBERS, old.get(category, no_old), new.get(category, no_new)):
                row.update({column + "_from": a, column + "_to": b, column + "_delta": None if a is None or b is None else b - a})
            rows.append(row)
        return sorted(rows, key=lambda row: (-abs(row["rss_kib_delta"]), row["category"]))

    def add_verdict(self, row):
        """Adds a row of `pmapdb leaks`."""
        self.verdicts.append({
            "name": row["name"], "category": row["key"], "metric": row["metric"], "pid": row.get("pid"), "day": self.judged // DAY * DAY,
            "judged_ms": self.judged, "verdict": row["verdict"], "rate_per_h": row.get("rate_per_h"), "eta_h": row.get("eta_h"),
            "since_ms": when(row.get("since")), "limit_by": row.get("limit_by", ""), "build": self.builds[-1],
            "last_kib": int(row["last"]) if row["unit"] == "KiB" and "last" in row else None,
            "limit_kib": int(row["limit"]) if row["unit"] == "KiB" and "limit" in row else None})


def when(text):
    """The milliseconds of a time that the program printed."""
    return text and int(time.mktime(time.strptime(text, "%Y-%m-%dT%H:%M:%SZ")) - time.timezone) * 1000
