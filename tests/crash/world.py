"""Shared by the crash tests: simulated programs with a capture, as text, at every beat; and checks that
a store agrees with these texts.

The texts have the formats of real tools, with random numbers: a heap that grows, mappings that appear,
grow and disappear, threads, libraries. truth.py reads the texts.
"""
import os
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "shared"))
import kit  # noqa: E402
import truth  # noqa: E402

START_S = 1_700_000_000
STEP_S = 60
KEYS = ("Size KernelPageSize MMUPageSize Rss Pss Pss_Dirty Shared_Clean Shared_Dirty Private_Clean "
        "Private_Dirty Referenced Anonymous Swap SwapPss Locked").split()
LIBRARIES = ["/usr/lib/x86_64-linux-gnu/" + name for name in
             ("libc.so.6", "libm.so.6", "libssl.so.3", "libcrypto.so.3", "libz.so.1")]
# The columns that rows of the store and of the text share.
COLUMNS = ("start", "end", "size_kib", "rss_kib", "pss_kib", "dirty_kib", "private_kib",
           "private_dirty_kib", "swap_kib", "perms", "offset", "device", "inode", "flags", "path")
HEX = {"start", "end", "offset"}
TEXT = {"perms", "device", "flags", "path"}


class Mapping:
    def __init__(self, start, kib, perms, path="", offset=0, inode=0):
        self.start, self.kib, self.perms = start, kib, perms
        self.path, self.offset, self.inode = path, offset, inode
        self.rss = self.private_dirty = 0

    def touch(self, r):
        self.rss = 4 * r.randrange(self.kib // 4 + 1) if self.perms[:3] != "---" else 0
        writes = "w" in self.perms
        self.private_dirty = 4 * r.randrange(self.rss // 4 + 1) if writes else 0

    def numbers(self):
        clean = self.rss - self.private_dirty
        shared = clean if self.perms[3] == "s" or "w" not in self.perms else 0
        return {"Size": self.kib, "KernelPageSize": 4, "MMUPageSize": 4, "Rss": self.rss,
                "Pss": self.rss - shared // 2, "Pss_Dirty": self.private_dirty,
                "Shared_Clean": shared, "Shared_Dirty": 0, "Private_Clean": clean - shared,
                "Private_Dirty": self.private_dirty, "Referenced": self.rss,
                "Anonymous": self.private_dirty, "Swap": 0, "SwapPss": 0, "Locked": 0}

    def smaps(self):
        head = "%x-%x %s %08x %s %d" % (self.start, self.start + self.kib * 1024, self.perms,
                                        self.offset, "fe:00" if self.inode else "00:00", self.inode)
        flags = "".join(f + " " for f in ("rd" if "r" in self.perms else "",
                                          "wr" if "w" in self.perms else "", "mr", "me") if f)
        lines = ["%-72s %s" % (head, self.path) if self.path else head + " "]
        lines += ["%-16s%8d kB" % (k + ":", v) for k, v in self.numbers().items()]
        return "\n".join(lines) + "\nVmFlags: %s\n" % flags

    def x(self):
        return "%016x %7d %7d %7d %s- %s\n" % (
            self.start, self.kib, self.rss, self.private_dirty,
            self.perms[:3] + ("s" if self.perms[3] == "s" else "-"),
            self.path.rpartition("/")[2] if self.path.startswith("/") else
            "  [ stack ]" if self.path == "[stack]" else "  [ anon ]")


class Program:
    """A program that changes a little at each beat; one seed always gives the same texts."""

    def __init__(self, pid, seed, mappings=40):
        self.pid, self.r = pid, random.Random("%s %d" % (seed, pid))
        self.name = "server%d" % pid
        base = 0x550000000000 + pid * 0x10000000
        self.rows = [Mapping(base, 64, "r--p", "/usr/sbin/" + self.name, 0, 1000 + pid),
                     Mapping(base + 0x10000, 256, "r-xp", "/usr/sbin/" + self.name, 0x10000, 1000 + pid),
                     Mapping(base + 0x50000, 16, "rw-p", "/usr/sbin/" + self.name, 0x50000, 1000 + pid)]
        self.heap = Mapping(base + 0x100000, 132, "rw-p", "[heap]")
        self.rows.append(self.heap)
        at = 0x7f0000000000
        for i, path in enumerate(LIBRARIES):
            for perms, kib, offset in (("r--p", 128, 0), ("r-xp", 1024, 0x20000), ("rw-p", 32, 0x120000)):
                self.rows.append(Mapping(at + offset, kib, perms, path, offset, 2000 + i))
            at += 0x200000
        self.free = at + 0x40000000
        self.rows.append(Mapping(0x7ffc00000000, 132, "rw-p", "[stack]"))
        while len(self.rows) < mappings:
            self.map()

    def map(self):
        kib = 4 * self.r.randrange(1, 600)
        kind = self.r.randrange(8)
        if kind == 0: # a thread, with its guard below
            self.rows.append(Mapping(self.free, 4, "---p"))
            self.free += 4096
            kib = 8192
        path = "/dev/shm/part%d" % self.r.randrange(9) if kind == 1 else ""
        self.rows.append(Mapping(self.free, kib, "rw-s" if kind == 1 else "rw-p", path, 0, 77 if path else 0))
        self.free += kib * 1024 + 4096 * self.r.randrange(1, 4)

    def beat(self):
        r = self.r
        if r.random() < 0.5:
            self.heap.kib += 4 * r.randrange(64)
        moving = [m for m in self.rows if not m.path and m.perms[:3] != "---"]
        if r.random() < 0.4:
            self.map()
        if moving and r.random() < 0.3:
            self.rows.remove(r.choice(moving))
        if moving and r.random() < 0.3: # grows downwards: its start moves
            m = r.choice(moving)
            if m in self.rows and all(o.start + o.kib * 1024 <= m.start - 8192 or o.start >= m.start
                                      for o in self.rows if o is not m):
                m.start -= 8192
                m.kib += 8
        for m in self.rows:
            if not m.rss or r.random() < 0.15:
                m.touch(r)
        self.rows.sort(key=lambda m: m.start)

    def smaps(self):
        return "".join(m.smaps() for m in self.rows)

    def x(self):
        total = [sum(f(m) for m in self.rows) for f in (lambda m: m.kib, lambda m: m.rss, lambda m: m.private_dirty)]
        return ("%d:   /usr/sbin/%s --serve\n"
                "Address           Kbytes     RSS   Dirty Mode  Mapping\n%s"
                "---------------- ------- ------- ------- \n"
                "total kB         %7d %7d %7d\n" % (self.pid, self.name, "".join(
                    m.x() for m in self.rows), *total))


def write(folder, beats, pids=(4711, 4712), seed=1, suffixes=("smaps",), mappings=40, first=0):
    """Writes the captures of some programs, as files TIME-PID.SUFFIX; returns the paths."""
    folder.mkdir(parents=True, exist_ok=True)
    out = []
    for pid in pids:
        program = Program(pid, seed, mappings)
        for i in range(first + beats):
            program.beat()
            if i < first:
                continue
            for suffix in suffixes:
                path = folder / ("%d-%d.%s" % (START_S + STEP_S * i, pid, suffix))
                path.write_text(getattr(program, suffix)())
                out.append(path)
    return sorted(out)


# ---- the contents of the texts, and of a store ----

DIALECT = {"smaps": "smaps", "x": "pmap-x"}


def canonical(rows):
    return sorted((tuple(row.get(c) for c in COLUMNS) for row in rows), key=repr)


def said(paths):
    """Returns (milliseconds, pid, dialect) -> the rows of the text and their sums."""
    out = {}
    for path in paths:
        rows = truth.READERS[path.suffix[1:]](path.read_bytes())
        if path.suffix == ".x":
            for row in rows: # a name in brackets is not a path
                row["path"] = {b"  [ anon ]": b"", b"  [ stack ]": b"[stack]"}.get(row["path"], row["path"])
        key = kit.when(path) + (DIALECT[path.suffix[1:]],)
        out[key] = canonical(rows), truth.sums(rows, truth.everything)["all"]
    return out


def taken(row):
    return kit.milliseconds(row["taken_at"]), kit.number(row["pid"]), row["dialect"]


def listed(db):
    """Returns the snapshots that the program lists, and how many are listed twice."""
    rows = kit.rows("snapshots", db=db)
    out = {taken(r): r for r in rows}
    return out, len(rows) - len(out)


def shown(db, key):
    """Returns the rows of one snapshot, as `pmapdb mappings` prints them, with the names of truth.py."""
    ms, pid, dialect = key
    when = kit.datetime.datetime.fromtimestamp(ms / 1000, kit.datetime.timezone.utc)
    answer = kit.rows("mappings", "--process", pid, "--snapshot", when.strftime("%Y-%m-%dT%H:%M:%SZ"),
                      "--dialect", dialect, db=db)
    rows = []
    for row in answer:
        out = {}
        for c in COLUMNS:
            v = row[c]
            if v is not None:
                out[c] = (v.encode() if c in TEXT else int(v, 16) if c in HEX else int(v))
        out.setdefault("path", b"")
        rows.append(out)
    return canonical(rows)


def stored(db):
    """Returns the rows and sums of all snapshots, as SQLite without pmapdb reads them."""
    connection = kit.plain(db)
    connection.execute("begin")
    keys = {i: (ms, pid, dialect.decode()) for i, ms, pid, dialect in connection.execute(
        "select s.snapshot_id, s.taken_ms, p.pid, s.dialect from snapshot s join process p using (process_id)")}
    rows = {i: [] for i in keys}
    for i, *row in connection.execute("select snapshot_id, %s from mappings" % ", ".join(COLUMNS)):
        rows[i].append(tuple(row))
    sums = {i: dict(zip(truth.METRICS, row)) for i, *row in connection.execute(
        "select snapshot_id, %s from snapshot" % ", ".join(truth.METRICS))}
    connection.close()
    return {key: (sorted(rows[i], key=repr), sums[i]) for i, key in keys.items()}


def is_sound(check, what, db):
    """Checks every page, index, reference and sum, by SQLite and by `doctor`."""
    connection = kit.plain(db)
    check.equal(what + ": integrity", connection.execute("pragma integrity_check").fetchall(), [(b"ok",)])
    check.equal(what + ": foreign keys", connection.execute("pragma foreign_key_check").fetchall(), [])
    connection.close()
    told = kit.run("doctor", "--deep", "--format", "csv", db=db, expect=None)
    bad = [r for r in kit.table(told.stdout) if r["state"] == "trouble"]
    check.equal(what + ": doctor", (told.returncode, bad, told.stderr[-300:]), (0, [], b""))


def is_said(check, what, db, texts, asked=(), there=None):
    """Checks that every snapshot equals its text. Returns the keys of the snapshots."""
    there = stored(db) if there is None else there
    for key, (rows, sums) in there.items():
        if not check.true(what + ": a capture that nobody made", key in texts, key):
            continue
        want, want_sums = texts[key]
        if rows != want:
            check.fail(what + ": rows of %s" % (key,), [(a, b) for a, b in zip(rows, want) if a != b][:1] or
                       "%d rows, the text has %d" % (len(rows), len(want)))
        check.equal(what + ": sums of %s" % (key,), sums, want_sums)
    rows, doubled = listed(db)
    check.equal(what + ": doubled", doubled, 0)
    check.equal(what + ": as listed", set(rows) & set(texts), set(there))
    for key in asked:
        if key in there:
            check.equal(what + ": mappings of %s" % (key,), shown(db, key), texts[key][0])
    return set(there)


def copy_store(db, to):
    """Copies the file and its -wal."""
    for end in ("", "-wal"):
        source = pathlib.Path(str(db) + end)
        target = pathlib.Path(str(to) + end)
        target.unlink(missing_ok=True)
        if source.exists():
            target.write_bytes(source.read_bytes())
    pathlib.Path(str(to) + "-shm").unlink(missing_ok=True)
    return to


def size_of(path):
    return os.path.getsize(path) if os.path.exists(path) else 0
