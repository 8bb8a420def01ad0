"""The commands that kill.py kills: the store at the start, the allowed stores after a kill, the final store."""
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import time

import world
import kit
import order

BEFORE, WITHIN, AFTER = "before", "within", "after"


def facts(db):
    """Returns every category, sum and lineage, without ids."""
    connection = kit.plain(db)
    names, lineages = {}, []
    for *where, lineage_id, category in connection.execute(
            "select s.taken_ms, p.pid, s.dialect, m.start, m.lineage_id, m.category from mappings m join snapshot s"
            " using (snapshot_id) join process p using (process_id) order by s.dialect <> 'smaps', 1, 2, 3, 4"):
        lineages.append((*where, names.setdefault(lineage_id, len(names)), category))
    sums = connection.execute(
        "select s.taken_ms, p.pid, s.dialect, s.preferred, c.category, c.mappings, c.size_kib, c.rss_kib from"
        " categories c join snapshot s using (snapshot_id) join process p using (process_id)").fetchall()
    connection.close()
    return {"lineages": lineages, "sums": sorted(sums)}


def answers(db, texts, processes):
    """Returns the answers of commands, without ids."""
    if not Operation.long:
        return facts(db)
    keys = sorted(texts)
    if not world.listed(db)[0]:
        return {}
    out = {}
    for process in processes:
        times = sorted({k[0] for k in keys if k[1] == int(process)})
        moments = [order.iso([times[i] // 1000]) for i in (0, len(times) // 2, -1)]
        for name, rows in order.answers(db, process, moments).items():
            out[process + " " + name] = rows
    return out


class Operation:
    """One command on a store that `prepare` made. before and after: the captures in the store."""

    long = True        # large stores, and every question
    atomic = False     # whether the command is one transaction
    processes = ("4711",)

    def __init__(self, place):
        self.place = place / self.name
        self.place.mkdir()
        self.base = self.place / "base.db"
        self.texts = {}
        self.prepare()
        self.before = set(world.stored(self.base)) if self.base.exists() else set()
        self.rehearse()

    def prepare(self):
        raise NotImplementedError

    def command(self, db):
        raise NotImplementedError

    def folder(self, name, beats, **kinds):
        paths = world.write(self.place / name, beats if self.long or beats < 10 else beats // 4, **kinds)
        self.texts |= world.said(paths)
        return paths

    def fresh(self, db):
        for end in ("", "-wal", "-shm", "-capture"):
            pathlib.Path(str(db) + end).unlink(missing_ok=True)
        if self.base.exists():
            world.copy_store(self.base, db)

    def start(self, db):
        return subprocess.Popen([kit.PROGRAM, *map(str, self.command(db))], env=kit.ENVIRONMENT,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def rehearse(self):
        """Runs the command undisturbed: measures how long it takes and how often it writes; keeps its result."""
        db = self.place / "alone.db"
        runs = []
        for _ in range(3 if self.long else 1):
            self.fresh(db)
            watch, began = Watch(db), time.monotonic()
            process = self.start(db)
            while process.poll() is None:
                watch.look()
            errors = process.stderr.read()
            process.stderr.close()
            runs.append((time.monotonic() - began, *watch.seen))
            if process.returncode:
                sys.exit("%s: exit %d: %s" % (self.name, process.returncode, errors.decode()))
        self.took, *self.writes = (sorted(column)[len(runs) // 2] for column in zip(*runs))
        self.after = set(world.stored(db))
        self.wanted = self.result(db)
        self.other = self.state(db)
        self.own = self.state(self.base) if self.base.exists() else None

    def result(self, db):
        return answers(db, {k: v for k, v in self.texts.items() if k in self.after}, self.processes)

    def state(self, db):
        """Returns what differs between before and after, for a command that is one transaction."""
        return None

    def held(self, check, what, db, there):
        """Checks the store after the kill."""
        lost = (self.before & self.after) - there
        check.equal(what + ": lost", lost, set())
        check.equal(what + ": too much", there - self.before - self.after, set())
        if self.atomic:
            check.true(what + ": as before or as after", self.state(db) in (self.own, self.other), "neither")

    def read(self, check, what, db, r):
        """Compares every stored capture with its text, and up to two as the program shows them. Returns their keys."""
        keys = sorted(self.texts)
        return world.is_said(check, what, db, self.texts, [r.choice(keys), keys[-1]][:1 + self.long])

    def before_again(self, db):
        """Prepares to run the same command again. A user need do nothing, except for Export."""

    def done(self, check, what, db, there):
        """Checks the store after the same command has succeeded."""
        check.equal(what + ": captures", set(world.stored(db)), self.after)
        order.compare(check, what, self.result(db), self.wanted)

    def place_of_hit(self, db, there, changed):
        if self.atomic:
            state = self.state(db)
            return (AFTER if state == self.other else WITHIN if changed else BEFORE)
        if there == self.after:
            return AFTER if self.before != self.after or changed else BEFORE
        return BEFORE if there == self.before and not changed else WITHIN


class Watch:
    """Counts the writes to the -wal and to the file; two writes between two looks count once."""

    def __init__(self, db):
        self.paths = [str(db) + "-wal", str(db)]
        self.first = [self.stamp(p) for p in self.paths]
        self.last = list(self.first)
        self.seen = [0, 0]

    @staticmethod
    def stamp(path):
        try:
            info = os.stat(path)
        except OSError:
            return None
        return info.st_size, info.st_mtime_ns

    def look(self):
        for i, path in enumerate(self.paths):
            now = self.stamp(path)
            if now != self.last[i]:
                self.last[i] = now
                self.seen[i] += 1

    def changed(self):
        return [self.stamp(p) for p in self.paths] != self.first


# ---- the operations ----

class ImportNew(Operation):
    """into a store that does not exist yet"""
    name = "import-new"

    def prepare(self):
        self.paths = self.folder("in", 40, suffixes=("smaps", "x"))

    def command(self, db):
        return ["import", "--db", db, "-q", *self.paths]


class ImportHistory(ImportNew):
    """captures after the stored ones"""
    name = "import-history"

    def prepare(self):
        paths = self.folder("in", 60)
        kit.run("import", "-q", *paths[:len(paths) // 2], db=self.base)
        self.paths = paths[len(paths) // 2:]


class ImportLate(ImportNew):
    """captures between and before the stored ones, in two dialects"""
    name = "import-late"

    def prepare(self):
        paths = self.folder("in", 30, suffixes=("smaps", "x"))
        late = [p for i, p in enumerate(paths) if i % 3 == 1 or i < 8]
        kit.run("import", "-q", *[p for p in paths if p not in set(late)], db=self.base)
        self.paths = list(reversed(late))


class ImportFiles(ImportNew):
    """a folder of many small files of many processes"""
    name = "import-files"

    def prepare(self):
        self.folder("in", 16, pids=range(4711, 4731 if self.long else 4716), mappings=25)
        self.paths = [self.place / "in"]


class ImportLog(ImportNew):
    """a longer version of a stored log without times"""
    name = "import-log"

    def prepare(self):
        log = self.place / "x.log"
        paths = self.folder("in", 80, pids=(4711,), suffixes=("x",))
        log.write_bytes(b"".join(p.read_bytes() for p in paths[:len(paths) // 3]))
        step = ["--every", "60s", "--first", order.iso([world.START_S])]
        kit.run("import", "-q", *step, log, db=self.base)
        log.write_bytes(b"".join(p.read_bytes() for p in paths))
        self.paths = [*step, log]


class Create(ImportNew):
    """a new store, of two captures"""
    name = "create"

    def prepare(self):
        self.paths = self.folder("in", 2, pids=(4711,), mappings=25)


class Prune(Operation):
    """of two series, by --keep-last and --keep-hourly"""
    name = "prune"
    how = ("--keep-last", "7", "--keep-hourly", "2")

    def prepare(self):
        paths = self.folder("in", 70, suffixes=("smaps", "x"))
        kit.run("import", "-q", *paths[1::2], db=self.base)
        kit.run("import", "-q", *reversed(paths[0::2]), db=self.base)

    def command(self, db):
        return ["prune", "--db", db, "-q", *self.how]

    def held(self, check, what, db, there):
        super().held(check, what, db, there)
        # a prune removes whole moments
        torn = {k for k in self.before - there
                if any((k[0], k[1], d) in there for d in ("smaps", "pmap-x"))}
        check.equal(what + ": moments in part", torn, set())


class PruneSize(Prune):
    """until the store fits a size"""
    name = "prune-size"

    def prepare(self):
        super().prepare()
        least = self.base.with_name("least.db")
        world.copy_store(self.base, least)
        kit.run("prune", "-q", "--keep-last", "1", db=least)
        self.how = ("--max-size", "%dK" % ((world.size_of(self.base) + world.size_of(least)) // 2 >> 10))

    def done(self, check, what, db, there): # a second run may remove more captures
        check.true(what + ": captures", set(world.stored(db)) <= there, "more than before")

    def held(self, check, what, db, there):
        check.equal(what + ": too much", there - self.before, set())


class Compact(Prune):
    """adjacent pieces are joined, free space is released"""
    name = "compact"
    how = ("--compact",)


class Vacuum(Prune):
    """the file is written anew"""
    name = "vacuum"
    how = ("--compact", "--vacuum")


class Merge(Operation):
    """two other stores into one that has a part of their captures"""
    name = "merge"
    others = 2

    def prepare(self):
        paths = self.folder("in", 40, suffixes=("smaps", "x"))
        kit.run("import", "-q", *paths[::3], db=self.base)
        for i in range(self.others):
            kit.run("import", "-q", *paths[i::2], db=self.place / ("other%d.db" % i))

    def command(self, db):
        return ["merge", "--db", db, "-q", *[self.place / ("other%d.db" % i) for i in range(self.others)]]


class MergeNew(Merge):
    """into a store that does not exist yet"""
    name = "merge-new"

    def prepare(self):
        super().prepare()
        for end in ("", "-wal", "-shm"):
            pathlib.Path(str(self.base) + end).unlink(missing_ok=True)


def tables(db, *names):
    connection = kit.plain(db)
    digest = hashlib.blake2b()
    for name in names:
        for row in sorted(map(repr, connection.execute("select * from " + name))):
            digest.update(row.encode())
    connection.close()
    return digest.hexdigest()


class ImportPerf(Operation):
    """a recording, into a store with captures"""
    name = "import-perf"
    atomic = True

    def prepare(self):
        kit.run("import", "-q", *self.folder("in", 4), db=self.base)

    def command(self, db):
        return ["import-perf", "--db", db, "-q", kit.ROOT / "samples" / "perf" / "leaky.script.txt"]

    def state(self, db):
        return tables(db, "recording", "extent")


class Rules(Operation):
    """other rules for all captures"""
    name = "rules"
    atomic = False # a transaction for each process; the same command does the rest

    def prepare(self):
        kit.run("import", "-q", *self.folder("in", 60, suffixes=("smaps", "x")), db=self.base)
        rules = self.place / "own.csv"
        text = kit.run("rules", "--export", db=self.base).stdout.decode()
        rules.write_text(text.replace("thread-stack", "stack-of-thread"))
        self.rules = rules

    def command(self, db):
        return ["rules", "--db", db, "-q", "--apply", self.rules]

    def state(self, db):
        connection = kit.plain(db)
        text = connection.execute("select hash, text from rule_set").fetchall()
        connection.close()
        return tables(db, "lineage", "region", "category_version", "category"), text

    def done(self, check, what, db, there):
        check.true(what + ": as undisturbed", self.state(db) == self.other, "other categories")


class Export(Operation):
    """a redacted extract"""
    name = "export"

    def prepare(self):
        self.whole = self.place / "whole.db"
        kit.run("import", "-q", *self.folder("in", 40), db=self.whole)

    def command(self, db):
        return ["export", "--db", self.whole, "-q", "--redact", db]

    def read(self, check, what, db, r):
        return set(world.stored(db))

    def place_of_hit(self, db, there, changed):
        return AFTER

    def before_again(self, db): # export never overwrites a file
        db.unlink(missing_ok=True)

    def done(self, check, what, db, there):
        check.equal(what + ": captures", set(world.stored(db)), self.after)

    def fresh(self, db):
        for path in db.parent.glob(db.name + "*"):
            path.unlink()

    def held(self, check, what, db, there):
        check.true(what + ": whole or not there", there in (set(), self.after), len(there))


class Live(Operation):
    """live processes, one beat after another; those that sleep are compared with the kernel's maps"""
    name = "capture"
    CHANGING = ("import time\na=[]\nwhile 1:\n a.append(bytearray(99999)); a=a[-300:]\n time.sleep(0.004)\n")

    def prepare(self):
        self.children = [subprocess.Popen(["sleep", "9999"]) for _ in range(3)]
        self.children.append(subprocess.Popen([sys.executable, "-c", self.CHANGING]))
        time.sleep(0.3)
        self.still = {c.pid: self.now(c.pid) for c in self.children[:3]}
        self.outs = {}

    @staticmethod
    def now(pid):
        rows = world.truth.smaps(pathlib.Path("/proc/%d/smaps" % pid).read_bytes())
        signed = lambda v: v - (1 << 64) if v >> 63 else v
        return {(signed(r["start"]), r["size_kib"], r["rss_kib"], r["private_dirty_kib"], r["perms"], r["path"])
                for r in rows}

    def command(self, db):
        return ["capture", "--db", db, "-f", "ndjson", "-q", "--every", "100ms", "--count", 6 if self.long else 3,
                "--max-stall", "60s", *[c.pid for c in self.children]]

    def start(self, db):
        self.outs[db] = pathlib.Path(str(db) + ".out")
        with open(self.outs[db], "wb") as out:
            return subprocess.Popen([kit.PROGRAM, *map(str, self.command(db))], env=kit.ENVIRONMENT,
                                    stdout=out, stderr=subprocess.PIPE)

    def result(self, db):
        return {}

    def read(self, check, what, db, r):
        return set(world.stored(db))

    def done(self, check, what, db, there):
        self.held(check, what, db, there)

    def held(self, check, what, db, there):
        connection = kit.plain(db)
        rows = {}
        for i, pid, *row in connection.execute(
                "select m.snapshot_id, p.pid, m.start, m.size_kib, m.rss_kib, m.private_dirty_kib, m.perms, m.path"
                " from mappings m join snapshot s using (snapshot_id) join process p using (process_id)"):
            rows.setdefault((i, pid), []).append(tuple(row))
        for (i, pid), got in rows.items():
            if pid in self.still:
                wrong = set(got) ^ self.still[pid]
                check.true(what + ": snapshot %d" % i, not wrong, sorted(wrong)[:2])
        parts = connection.execute("select count(*) from snapshot group by capture_id having count(*) <> %d"
                                   % len(self.children)).fetchall()
        check.equal(what + ": beats in part", parts, [])
        known = {r[0] for r in connection.execute("select snapshot_id from snapshot")}
        connection.close()
        for line in self.outs[db].read_bytes().split(b"\n"):
            try:
                news = json.loads(line)
            except ValueError:
                continue
            if "snapshot_id" in news:
                check.true(what + ": told and not there", news["snapshot_id"] in known, news)

    def end(self):
        for child in self.children:
            child.kill()
            child.wait()


OPERATIONS = [ImportNew, ImportHistory, ImportLate, ImportFiles, ImportLog, Create, Prune, PruneSize, Compact,
              Vacuum, Merge, MergeNew, ImportPerf, Rules, Export, Live]
