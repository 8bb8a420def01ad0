"""Makes stores of known history from text; the test keeps the raw numbers, for comparison.

    kind = stores.make("leak", folder)     # .db; .truth[taken_s, pid] = {category: rss}; .badge
"""
import functools
import pathlib
import random
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "shared"))
import kit  # noqa: E402 (found by the line before)

BEGIN = 1795219500
MANY = 10000 if kit.full else 3000
SAMPLES = kit.ROOT / "samples"
HOSTILE = ["</script><script>window.ran=1</script>", "<img src=x onerror=window.ran=1>", "\" onmouseover=\"window.ran=1",
           "\u202egnp.exe", "\x1b]0;title\x07", "javascript:window.ran=1", "<!--<script>", "';window.ran=1;'", "</title><svg/onload=window.ran=1>"]


@functools.lru_cache(4096)
def mapping(start, pages, perms, path, rss):
    end, size = start + pages * 4096, pages * 4
    return f"{start:08x}-{end:08x} {perms} 00000000 00:00 0 {path}".rstrip() + f"""
Size:           {size:8} kB
Rss:            {rss:8} kB
Pss:            {rss:8} kB
Shared_Clean:   {0:8} kB
Shared_Dirty:   {0:8} kB
Private_Clean:  {0:8} kB
Private_Dirty:  {rss:8} kB
Referenced:     {rss:8} kB
Anonymous:      {0 if path.startswith('/') else rss:8} kB
Swap:           {0:8} kB
"""


def smaps(rows):
    """Returns the text of /proc/PID/smaps. rows: (start, pages, perms, path, rss)."""
    return "".join(mapping(*row) for row in sorted(rows))


def process(heap_kib, base=0x560000000000, extra=()):
    """Returns the rows of a small process whose heap has this size."""
    rows = [(base, 10, "r-xp", "/usr/bin/demo", 40), (base + 0x100000, -(-heap_kib // 4) + 3, "rw-p", "[heap]", heap_kib),
            (base + 0x1f0000000000, 300, "r-xp", "/usr/lib/x86_64-linux-gnu/libc.so.6", 800),
            (base + 0x1f1000000000, 33, "rw-p", "[stack]", 24)]
    return smaps(rows + list(extra))


class Store:
    def __init__(self, folder, name):
        self.folder = pathlib.Path(folder) / name
        self.folder.mkdir(parents=True)
        self.db = self.folder / "store.db"
        self.badge, self.n = None, 0
        self.texts = {} # milliseconds, pid -> smaps

    def put(self, second, pid, text):
        self.texts[1000 * (BEGIN + second), pid] = text
        self.n += 1

    def write(self):
        """Writes one process as one log, because 10,000 files take long; of several, each capture is a file."""
        texts, pids = {}, {pid for _, pid in self.texts}
        for (taken_ms, pid), text in self.texts.items():
            if len(pids) == 1:
                texts.setdefault(pid, []).append(f"{taken_ms // 1000}\n{text}")
            else:
                texts[f"{taken_ms // 1000}-{pid}"] = [text]
        for name, parts in texts.items():
            (self.folder / f"{name}.smaps").write_text("".join(parts))

    def keep(self, *options, paths=None):
        self.write()
        kit.run("import", "-q", *options, *(paths or [str(self.folder)]), db=self.db)
        return self

    def report(self, *options, out="report.html"):
        kit.run("report", *options, "-o", self.folder / out, db=self.db)
        return self.folder / out


def leak(s):
    for i in range(60):
        s.put(60 * i, 4711, process(1000 + 100 * i))
    s.badge = "LEAK"
    return s.keep("--name", "demo")


def plateau(s):
    for i in range(60):
        s.put(60 * i, 4711, process(1000 + 200 * min(i, 15)))
    s.badge = "NO LEAK"
    return s.keep("--name", "demo")


def one(s):
    s.put(0, 4711, process(1000))
    s.badge = "TOO FEW"
    return s.keep("--name", "demo")


def sums(s):
    s.badge = "SUSPECT"
    return s.keep("--name", "leaky", paths=[str(SAMPLES / "logs" / "leaky-totals.log")])


def plain(s):
    for i in range(20):
        (s.folder / f"{BEGIN + 60 * i}-4711.pmap").write_text(
            "4711:   demo\n0000560000000000     40K r-x-- demo\n0000560000100000   4000K rw---   [ anon ]\n total             4040K\n")
    s.badge = "UNKNOWN"
    return s.keep("--name", "demo")


def hostile(s):
    for i in range(30):
        extra = [(0x7f0000000000 + n * 0x10000000, 20, "rw-p", "/tmp/" + name.replace("\n", ""), 10 + i) for n, name in enumerate(HOSTILE)]
        s.put(60 * i, 4711, process(1000 + 100 * i, extra=extra))
    s.badge = "LEAK"
    return s.keep("--name", "".join(HOSTILE), "--host", HOSTILE[0])


def lives(s):
    for i in range(60):
        s.put(60 * i, 4711 if i < 25 else 4800, process(1000 + 100 * (i if i < 25 else i - 25), 0x560000000000 if i < 25 else 0x561111000000))
    s.badge = "LEAK"
    return s.keep("--name", "demo")


def gap(s):
    for i in list(range(30)) + list(range(60, 90)):
        s.put(60 * i, 4711, process(1000 + 100 * i))
    s.badge = "LEAK"
    return s.keep("--name", "demo")


def siblings(s):
    """One of a hundred processes leaks; the others are captured now and then."""
    for i in range(20):
        for k in range(100) if i % 4 == 0 else [50]:
            s.put(60 * i, 5000 + k, process(1000 + (100 * i if k == 50 else 0)))
    s.badge = "LEAK"
    return s.keep("--name", "worker")


def jit(s):
    """Many small mappings that appear and stay."""
    luck = random.Random(7)
    sizes = [luck.choice((4, 8, 16, 64)) for _ in range(400)]
    for i in range(40):
        at, rows = 0x7e0000000000, []
        for n in range(60 + 8 * i):
            rows.append((at, sizes[n] // 4, "rw-s", "/memfd:doublemapper (deleted)", sizes[n]))
            at += 0x20000
        s.put(60 * i, 4711, process(1000, extra=rows))
    s.badge = "LEAK"
    return s.keep("--name", "demo")


def names(s):
    """A host with several names."""
    for i in range(20):
        for k, name in enumerate(("alpha", "beta", "gamma")):
            (s.folder / name).mkdir(exist_ok=True)
            (s.folder / name / f"{BEGIN + 60 * i}-{6000 + k}.smaps").write_text(process(1000 + (200 * i if k == 1 else 0)))
            s.n += 1
    for name in ("alpha", "beta", "gamma"):
        s.keep("--name", name, "--host", "box", paths=[str(s.folder / name)])
    s.badge = "LEAK"
    return s


def peak(s):
    """Many snapshots of a steady process that is large in one of them."""
    for i in range(MANY):
        s.put(60 * i, 4711, process(1000 + (90000 if i == MANY * 7 // 9 else i % 7)))
    s.badge = "NO LEAK"
    return s.keep("--name", "demo")


KINDS = {f.__name__: f for f in (leak, plateau, one, sums, plain, hostile, lives, gap, siblings, jit, names)}
# Real programs: the expected badge, and the number of captures.
WORKLOADS = {"redis": ("NO LEAK", 60), "c_mmap": ("LEAK", 60), "c_plateau": ("NO LEAK", 60), "java_heap": ("SUSPECT", 60),
             "node_steady": ("NO LEAK", 60), "postgres": ("LEAK", 30), "memfd": ("LEAK", 25)}


def workload(name, folder):
    """Returns a store of the smaps of a workload; the kit skips the test without workloads."""
    s, w = Store(folder, name), kit.Workload(name)
    s.badge, beats = WORKLOADS[name]
    w.unpack(s.folder, w.sample(beats), "smaps")
    s.n = min(beats, len(w.beats))
    return s.keep("--name", name)


def make(kind, folder):
    return workload(kind, folder) if kind in WORKLOADS else {**KINDS, "peak": peak}[kind](Store(folder, kind))


def resident(s):
    """Returns (milliseconds, pid) -> the sum of Rss in the text, added up as awk would."""
    texts = s.texts or {kit.when(path): path.read_text(errors="replace") for path in s.folder.rglob("*.smaps")}
    return {at: sum(map(int, re.findall("^Rss: +(\\d+)", text, re.M))) for at, text in texts.items()}
