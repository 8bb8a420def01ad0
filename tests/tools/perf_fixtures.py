"""Call stacks of fixtures/perf, programs that print what each of their functions leaks: the memory that
is live at the end of a recording is equal to the byte, and in no other function's chain; functions of
JIT compilers have names; the clock that pmapdb finds from captures is the true clock; memory from
before the recording that is freed during it is counted apart.
"""
import collections
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "shared"))
import kit  # noqa: E402 (found by the line before)

FIXTURES = kit.ROOT / "tests" / "fixtures" / "perf"
# A capture is named by the second in which it began, and is read some time later.
LATE_NS = 300_000_000
# The bytes that frame pointers show instead. Functions of libc keep no frame pointers: chains to mmap or
# brk through them end in libc and name no caller. A function that calls mremap itself is missing in its
# chain, so leak_moved has only its first block.
FRAME_POINTERS = {"threads-fp": {"leak_malloc": 0, "leak_brk": 0, "leak_moved": 64 * 1024},
                  "node-fp": {"leakBuffers": 0}}
# The bytes that V8 maps for one array of leakNumbers; at most DROPPED arrays wait for its collector.
NUMBERS, DROPPED = 806912, 20

check = kit.Check(shown=99)


class Recording:
    """One archive in a store, imported with its clock; and its call chains."""

    def __init__(self, name, place):
        self.name = name
        self.folder = kit.unpack(FIXTURES / (name + ".tar.xz"), place)
        self.captures = sorted(self.folder.glob("*.smaps"))
        self.truth = {n: int(v) for n, v in (line.split() for line in
                                             (self.folder / "truth").read_text().splitlines())}
        self.offset = int((self.folder / "offset").read_text())
        self.db = place / (name + ".db")
        kit.run("import", "-q", *self.captures, db=self.db)
        seconds = "%d.%09d" % divmod(self.offset, 10**9)
        done = kit.run("import-perf", "--clock-offset", seconds, self.folder / "script.txt", "-f", "csv",
                       db=self.db)
        self.row, = kit.table(done.stdout)
        self.in_libc = b"chains end in libc" in done.stderr
        self.sql = kit.plain(self.db)
        self.sql.text_factory = str
        frames = dict(self.sql.execute("SELECT frame_id, symbol FROM frame"))
        self.chains = {0: ()}
        for stack, caller, frame in self.sql.execute(
                "SELECT stack_id, caller_id, frame_id FROM stack WHERE stack_id > 0 ORDER BY 1"):
            self.chains[stack] = (frames[frame],) + self.chains[caller]

    def live(self):
        """(bytes, chain) of each range that is mapped at the end."""
        for length, stack in self.sql.execute(
                "SELECT e.length, c.stack_id FROM extent e JOIN call c USING (call_id) "
                "WHERE e.died_ns IS NULL"):
            yield length, self.chains[stack]


def function_of(symbol):
    """Returns leakBuffers for JS:^leakBuffers /opt/demo/leaky.js:15:21, and leak_maps for
    py::leak_maps:/opt/demo/leaky.py."""
    found = re.match(r"(?:JS:[~^*+]?|py::)?(\w+)", symbol)
    return found[1] if found else symbol


def by_function(r):
    """Live bytes by the function of the truth that is in the chain; key None: no such function."""
    left = collections.Counter()
    for length, chain in r.live():
        named = {function_of(s) for s in chain} & set(r.truth)
        check.true("%s: a chain has one function" % r.name, len(named) < 2, chain)
        left[min(named) if named else None] += length
    return left


def numbers(r):
    """V8's young generation grows in leakNumbers, too: the length of its arrays identifies them."""
    arrays = sum(n == NUMBERS and any("leakNumbers" in s for s in c) for n, c in r.live())
    check.true("%s: arrays" % r.name, r.truth["leakNumbers"] <= arrays <= r.truth["leakNumbers"] + DROPPED,
               (arrays, r.truth))


def whole(r):
    check.equal("%s: complete calls" % r.name, (r.row["unpaired"], r.row["bad"]), ("0", "0"))
    check.true("%s: nothing was lost" % r.name, "LOST" not in (r.folder / "script.txt").read_text())
    left = by_function(r)
    instead = FRAME_POINTERS.get(r.name, {})
    for name, want in r.truth.items():
        if name == "leakNumbers":
            numbers(r)
        else:
            check.equal("%s: %s" % (r.name, name), left[name], instead.get(name, want))
    nameless = sum(n for n, chain in r.live() if len(chain) == 1)
    check.true("%s: the memory that libc hides" % r.name,
               nameless >= sum(r.truth[name] for name, shown in instead.items() if not shown), nameless)


def before(r):
    """leaky.py frees 8 MiB that it had before perf started."""
    rows = r.sql.execute("SELECT length FROM extent WHERE born_ns IS NULL").fetchall()
    check.equal("%s: from before the recording" % r.name, (8 << 20,) in rows, r.name == "python-dwarf")


def who(r):
    """The last capture comes after the last beat: each function has the bytes that it printed. The rows
    add up to the growth between any two captures."""
    instead = FRAME_POINTERS.get(r.name, {})
    mapped = collections.Counter()
    for row in kit.rows("who", db=r.db):
        for name in set(function_of(s) for s in (row["stack"] or "").split(" < ")) & set(r.truth):
            mapped[name] += int(row["live_kib"]) * 1024
    for name, want in r.truth.items():
        if name != "leakNumbers":
            check.equal("%s: who says of %s" % (r.name, name), mapped[name], instead.get(name, want))
    sizes = dict(r.sql.execute("SELECT s.snapshot_id, sum(m.size_kib) FROM snapshot s JOIN mappings m "
                               "USING (snapshot_id) GROUP BY 1 ORDER BY s.taken_ms"))
    ids = list(sizes)
    for older, newer in ((0, -1), (1, -2), (len(ids) // 3, len(ids) // 2)):
        rows = kit.rows("who", "--from", "@%d" % ids[older], "--to", "@%d" % ids[newer], db=r.db)
        check.equal("%s: rows add up" % r.name, sum(int(row["growth_kib"]) for row in rows),
                    sizes[ids[newer]] - sizes[ids[older]])


def jit(r):
    names = {s for _, chain in r.live() for s in chain}
    wanted = {"node-dwarf": r"JS:[~^*]leakBuffers /opt/demo/leaky\.js:\d+:\d+$",
              "node-fp": r"JS:[~^*]leakNumbers /opt/demo/leaky\.js:\d+:\d+$",
              "python-dwarf": r"py::leak_maps:/opt/demo/leaky\.py$"}.get(r.name)
    if wanted:
        check.true("%s: JIT names" % r.name, any(re.match(wanted, n) for n in names), names)


def clock(r, place):
    """import-perf finds the clock from the captures, without --clock-offset."""
    db = place / (r.name + "-events.db")
    kit.run("import", "-q", *r.captures, db=db)
    row, = kit.rows("import-perf", r.folder / "script.txt", db=db)
    if not check.equal("%s: clock" % r.name, row["clock"], "events"):
        return
    away = int(row["clock_offset_ns"]) - r.offset
    slack = kit.plain(db).execute("SELECT slack_ns FROM traced_process").fetchone()[0]
    check.true("%s: the clock is right" % r.name, abs(away) <= slack + LATE_NS, (away, slack))


def recordings(place):
    names = {p.name.split(".")[0] for p in FIXTURES.glob("*.tar.xz")}
    check.equal("archives", names, {"threads-fp", "threads-dwarf", "node-fp", "node-dwarf",
                                    "python-dwarf"})
    for name in sorted(names):
        r = Recording(name, place)
        check.equal("%s: its process" % name, r.row["linked"], "1")
        check.equal("%s: chains end in libc" % name, r.in_libc, name.endswith("-fp"))
        whole(r)
        who(r)
        jit(r)
        before(r)
        clock(r, place)


kit.main(recordings, check=check)
