"""Categories against what programs report of their own memory: fixtures/truth, see its README.md.

Each archive has captures of one program from its first moments on and its report at the last one:
pthread_getattr_np, malloc_info, the JVM's native memory tracking, pg_shmem_allocations, Go's
MemStats, V8's heap statistics, redis's INFO. The test reads the last capture: the categories that
lineages got in the first moments are still right there.
"""
import collections
import json
import pathlib
import re
import sys
import xml.etree.ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "shared"))
import kit  # noqa: E402 (found by the line before)

FIXTURES = kit.ROOT / "tests" / "fixtures" / "truth"
ARENA_KIB = 64 * 1024  # malloc's HEAP_MAX_SIZE
MAPPED_KIB = 128  # malloc gives blocks of this size a mapping
PLAIN_MOST = 0.02

Row = collections.namedtuple("Row", "start end size rss perms path base category")

check = kit.Check(shown=99)


def imported(db, captures):
    """{pid: rows of its last capture}"""
    kit.run("import", "-q", *captures, db=db)
    connection = kit.plain(db)
    out = {}
    for pid, snapshot_id in connection.execute(
            "select p.pid, s.snapshot_id from snapshot s join process p using (process_id)"
            " order by s.taken_ms"):
        out[pid] = snapshot_id
    for pid, snapshot_id in out.items():
        out[pid] = [Row(*r[:4], *(x.decode() for x in r[4:])) for r in connection.execute(
            "select start, end, size_kib, rss_kib, perms, path, base, category from mappings"
            " where snapshot_id = ? order by start < 0, start", (snapshot_id,))]
    connection.close()
    return out


def of(rows, *categories):
    return [r for r in rows if r.category in categories]


def size(rows, *categories):
    return sum(r.size for r in of(rows, *categories))


def rss(rows, *categories):
    return sum(r.rss for r in of(rows, *categories))


def near(what, got, want, share, least=0):
    """Expects equality up to a share of the wanted size, or up to `least` KiB."""
    check.true(what, abs(got - want) <= max(share * want, least), "%s, the program says %s" % (got, want))


def check_plain(what, rows):
    total = sum(r.rss for r in rows)
    check.true("%s: plain anonymous" % what, rss(rows, "anonymous") < PLAIN_MOST * total,
               "%d of %d KiB" % (rss(rows, "anonymous"), total))


def field(status, key):
    return int(re.search(r"^%s:\s*(\d+)" % key, status.read_text(), re.M)[1])


# ---- threads and malloc ----

# A dialect without VmFlags shows a stack by its size; these are the usual sizes of thread stacks
# in the fixture.
USUAL = {1024, 8192, 10240}


def check_stacks(folder, place):
    lines = [line.split("\t") for line in (folder / "stacks.tsv").read_text().splitlines()]
    want = sorted((int(start, 16), int(kib), int(guard)) for start, kib, guard in lines)
    smaps = sorted(folder.glob("*.smaps"))
    check.equal("stacks: threads - 1", field(smaps[-1].with_suffix(".status"), "Threads") - 1, len(want))
    for name, captures, found in (
            ("smaps", smaps, want), ("XX", folder.glob("*-XX.txt"), want),
            ("X", folder.glob("*-X.txt"), [w for w in want if w[1] in USUAL]),
            ("x", folder.glob("*-x.txt"), [w for w in want if w[1] in USUAL])):
        db = place / (name + ".db")
        rows, = imported(db, list(captures)).values()
        guards = {r.end: r.size for r in of(rows, "reserve/guard")}
        check.equal("stacks %s: each with its guard" % name,
                    [(r.start, r.size, guards.get(r.start)) for r in
                     of(rows, "anonymous/thread-stack")], found)
        got = kit.rows("threads", db=db)
        check.equal("stacks %s: by the command" % name, {int(r["stacks_all"]) for r in got},
                    {len(found)})


def check_arenas(folder, place):
    account = xml.etree.ElementTree.parse(folder / "malloc_info.xml").getroot()
    main, *others = account.findall("heap")

    def kib(heap):
        return int(heap.find("aspace[@type='mprotect']").get("size")) // 1024

    def heaps(arena):
        return int(arena.find("aspace[@type='subheaps']").get("size"))

    count = sum(map(heaps, others))
    mapped = account.find("total[@type='mmap']")
    check.true("arenas: more heaps than arenas", count > len(others) > 1, count)
    for name, pattern in (("smaps", "*.smaps"), ("XX", "*-XX.txt"), ("x", "*-x.txt")):
        rows, = imported(place / (name + ".db"), sorted(folder.glob(pattern))).values()
        what = "arenas %s: " % name
        arenas = of(rows, "anonymous/glibc-arena")
        check.equal(what + "heaps", len(arenas), count)
        # The report has the sum of an arena with several heaps; all heaps but one are full.
        check.equal(what + "each", sorted(r.size for r in arenas), sorted(
            [ARENA_KIB for a in others for _ in range(heaps(a) - 1)] +
            [kib(a) - ARENA_KIB * (heaps(a) - 1) for a in others]))
        check.equal(what + "with their reserves", size(arenas, "anonymous/glibc-arena") +
                    size(rows, "reserve/glibc-arena"), count * ARENA_KIB)
        check.equal(what + "heap", size(rows, "heap"), kib(main))
        # The rest of plain memory is small: -x calls the kernel's own mappings anonymous, too.
        check.equal(what + "blocks with a mapping of their own", sum(
            r.size for r in of(rows, "anonymous") if r.size >= MAPPED_KIB),
            int(mapped.get("size")) // 1024)


# ---- the JVM ----

# NMT's type -> categories, the share of the type's Rss that must be in them, and the share of their
# Rss that must be of the type. Rows with memory of two types do not count: the kernel merges
# neighbours with equal rights, above all malloc'd blocks with the first rows of metaspace, up to
# 14 MiB of them in these fixtures.
# Code   the code heaps' segment maps, 20 to 70 KiB, look like tables of the collector
# GC     committed tables without a reserve beside them look like malloc'd blocks, one of 36 KiB
#        at a library like the loader's: the type is in no other category, but these have blocks, too
TYPES = {
    "Java Heap": (("anonymous/jvm-heap", "memfd/jvm-heap"), 1, 1),
    "Thread Stack": (("anonymous/thread-stack",), 1, 1),
    "Shared class space": (("mapped-file/jvm-cds",), 1, 1),
    "Code": (("anonymous/jvm-code",), .85, 1),
    "Class": (("anonymous/jvm-metaspace",), 1, 1),
    "Metaspace": (("anonymous/jvm-metaspace",), 1, 1),
    "GC": (("anonymous/jvm-gc", "anonymous/jvm-native", "anonymous/loader"), 1, 0),
}
RANGE = re.compile(r"(\t?)\[0x([0-9a-f]+) - 0x([0-9a-f]+)\] (reserved and committed|reserved|committed)"
                   r" (\d+)KB(?: for (.+?))?(?: from)?$")
# HotSpot's guard is within the stack that it reports; the JVM's own threads have glibc's guard, outside.
ZONES_KIB = (0, 8, 12, 16, 20)


class Account:
    """The report of `jcmd PID VM.native_memory detail`: (KiB reserved, committed) of mapped memory by
    type, from its summary, and the reserved ranges, from its map."""

    def __init__(self, text):
        self.mapped = {}
        for part in text.split("\n-")[1:]:
            m = re.search(r"\(mmap: reserved=(\d+)KB, committed=(\d+)KB\)", part)
            if m:
                self.mapped[part.split("(")[0].strip()] = (int(m[1]), int(m[2]))
        self.ranges = []  # (start, end, type)
        for line in text.split("Virtual memory map:")[1].splitlines():
            m = RANGE.match(line)
            if m and not m[1]:
                self.ranges.append((int(m[2], 16), int(m[3], 16), m[6]))

    def type_of(self, row):
        """Returns the type that has all of the row, "merged" if a type has a part of it, or None."""
        for start, end, kind in self.ranges:
            if start <= row.start and row.end <= end:
                return kind
            if start < row.end and row.start < end:
                return "merged"
        return None


def check_jvm(folder, place):
    name = folder.name
    account = Account((folder / "nmt.txt").read_text())
    flags = dict(re.findall(r"-XX:(\w+)=(\S+)", (folder / "flags.txt").read_text()))
    rows, = imported(place / "t.db", sorted(folder.glob("*.smaps"))).values()
    check_plain(name, rows)
    check_heap(name, rows, account, int(flags["MaxHeapSize"]) // 1024)
    check_types(name, rows, account)
    check_stacks_of_jvm(name, rows, account)
    check.equal("%s: code cache" % name, size(rows, "anonymous/jvm-code", "reserve/jvm-code"),
                int(flags["ReservedCodeCacheSize"]) // 1024)


def check_heap(name, rows, account, most):
    """The heap has the size of -Xmx and the committed size of the report; rows of the class archive lie within."""
    if any(r.category == "memfd/jvm-heap" for r in rows):
        return  # ZGC maps parts of one file, each up to three times: no single mapping is the heap
    reserved, committed = account.mapped["Java Heap"]
    check.equal("%s: -Xmx" % name, reserved, most)
    archive = sum(r.size for r in of(rows, "mapped-file/jvm-cds") if account.type_of(r) == "Java Heap")
    heap = size(rows, "anonymous/jvm-heap") + archive
    check.equal("%s: heap committed" % name, heap, committed)
    check.equal("%s: heap and its reserve" % name, heap + size(rows, "reserve/jvm-heap"), reserved)


def check_types(name, rows, account):
    """The Rss of each type is in its categories, and the Rss of the categories is of their types."""
    table = collections.Counter()
    for r in rows:
        kind = account.type_of(r)
        if kind == "Java Heap" and r.category == "mapped-file/jvm-cds":
            kind = "Shared class space"  # the archive's objects are mapped into the heap
        table[kind, r.category] += r.rss
    for kind, (categories, found, right) in TYPES.items():
        kinds = {k for k, t in TYPES.items() if t[0] == categories}
        of_kind = sum(n for (k, _), n in table.items() if k == kind)
        here = sum(n for (k, c), n in table.items() if c in categories and k != "merged")
        in_both = sum(table[kind, c] for c in categories)
        good = sum(table[k, c] for k in kinds for c in categories)
        if kind != "GC":  # all of GC may be merged with blocks
            check.true("%s: %s is there" % (name, kind), of_kind > 0)
        check.true("%s: %s is found" % (name, kind), in_both >= found * of_kind,
                   {c: n for (k, c), n in table.items() if k == kind})
        check.true("%s: %s is right" % (name, kind), good >= right * here,
                   {k: n for (k, c), n in table.items() if c in categories})


def check_stacks_of_jvm(name, rows, account):
    """Each thread's stack begins where HotSpot's guard ends."""
    ranges = {end: start for start, end, kind in account.ranges if kind == "Thread Stack"}
    stacks = of(rows, "anonymous/thread-stack")
    check.equal("%s: stacks" % name, {r.end for r in stacks}, set(ranges))
    for r in stacks:
        check.true("%s: stack %x" % (name, r.start), (r.start - ranges.get(r.end, 0)) // 1024 in
                   ZONES_KIB, r)


# ---- postgres, Go, V8 ----

def check_postgres(folder, place):
    name = folder.name
    settings = {w[0]: w[1] for w in (line.split("\t") for line in
                                     (folder / "settings.tsv").read_text().splitlines())}
    told = sum(int(line.split("\t")[3]) for line in
               (folder / "pg_shmem_allocations.tsv").read_text().splitlines())
    processes = imported(place / "t.db", sorted(folder.glob("*.smaps")))
    check.equal("%s: processes" % name, len(processes), 3)
    for pid, rows in processes.items():
        what = "%s %d: " % (name, pid)
        # With mmap there is also a SysV segment of one page, the interlock.
        interlock = 4 if settings["shared_memory_type"] == "mmap" else 0
        got = size(rows, "shared-memory/postgres") - interlock
        check.true(what + "shared_buffers", got > 8 * int(settings["shared_buffers"]), got)
        near(what + "pg_shmem_allocations", got, told // 1024, .001, 4)
        check_plain(what, rows)


def check_go(folder, place):
    stats = json.loads((folder / "memstats.json").read_text())
    rows, = imported(place / "t.db", sorted(folder.glob("*.smaps"))).values()
    used = stats["HeapInuse"] + stats["HeapIdle"] - stats["HeapReleased"] + stats["StackInuse"]
    near("go: heap resident", rss(rows, "anonymous/go-heap"), used // 1024, .05)
    near("go: heap mapped", size(rows, "anonymous/go-heap"),
         (stats["HeapSys"] + stats["StackSys"]) // 1024, .05)
    rest = stats["Sys"] - stats["HeapSys"] - stats["StackSys"]
    got = rss(rows, "anonymous/go-runtime")
    check.true("go: runtime resident", 0 < got <= rest // 1024, "%d of %d" % (got, rest // 1024))
    check_plain("go", rows)


def check_node(folder, place):
    stats = json.loads((folder / "v8.json").read_text())
    rows, = imported(place / "t.db", sorted(folder.glob("*.smaps"))).values()
    near("node: heap", rss(rows, "anonymous/v8-heap", "anonymous/v8-code"),
         stats["heap"]["total_physical_size"] // 1024, .05)


def check_redis(folder, place):
    """The Rss is between jemalloc's allocated and resident bytes: it counts untouched pages as resident."""
    told = dict(re.findall(r"^allocator_(\w+):(\d+)", (folder / "info.txt").read_text(), re.M))
    rows, = imported(place / "t.db", sorted(folder.glob("*.smaps"))).values()
    got = rss(rows, "anonymous/jemalloc")
    check.true("redis: jemalloc", int(told["allocated"]) // 1024 <= got <= int(told["resident"]) // 1024,
               "%d, %s" % (got, told))
    check_plain("redis", rows)


CHECKS = {"stacks": check_stacks, "arenas": check_arenas, "go": check_go, "node": check_node,
          "redis": check_redis, "postgres": check_postgres, "jvm": check_jvm}


def main():
    names = sorted(p.name.removesuffix(".tar.xz") for p in FIXTURES.glob("*.tar.xz"))
    check.true("archives", len(names) >= 15, names)
    for name in names:
        with kit.Place() as place:
            CHECKS[name.split("-")[0]](kit.unpack(FIXTURES / (name + ".tar.xz"), place), place)
    check.finish()


main()
