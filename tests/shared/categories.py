"""Categories in the store, for all workloads and dialects: how much memory stays plain `anonymous`; no lineage
changes its category; no step of a category is only the opposite step of another; pmap -x, which does not name
the heap, has the heap of smaps of the same beat. (tools/truth_fixtures.py compares categories with the reports
of programs.) Prints the shares of plain `anonymous` of every workload.

Each chosen beat is kept with the next beat: steps between neighbours are tested, too."""
import collections
import itertools
import os
import pathlib

import kit
import truth

DIALECTS = ("smaps", "XX", "x")
# The number of beats by default, if not 10.
BEATS = {"steady4000": 4, "memfd": 4, "postgres": 4, "c_mmap_guard": 6}
PROCESSES = 6
# Workloads with runtimes, databases and threads: the plain share of their Rss is below PLAIN_MOST.
GOAL = ("java_heap", "java_steady", "node_steady", "postgres", "redis", "c_thread", "memfd")
PLAIN_MOST = 0.02
# Two steps of at least this size cancel if their sum is at most a tenth.
STEP_KIB = 256
CANCEL = 0.1

Snapshot = collections.namedtuple("Snapshot", "id process pid ms dialect rss")

check = kit.Check()


def pairs(workload, n):
    """n beats in pairs of neighbours, including the first and the last beat."""
    last = len(workload.beats) - 1
    if kit.full or n > last:
        return workload.beats
    firsts = {round(i * (last - 1) / (n // 2 - 1)) for i in range(n // 2)}
    return [workload.beats[i] for i in sorted(firsts | {i + 1 for i in firsts})]


def snapshots(db):
    return [Snapshot(*r[:4], r[4].decode(), r[5]) for r in db.execute(
        "select s.snapshot_id, s.process_id, p.pid, s.taken_ms, s.dialect, s.rss_kib from snapshot s"
        " join process p using (process_id) order by s.taken_ms, p.pid")]


def by_process(shots, dialect):
    """The snapshots of each process, in time order."""
    out = collections.defaultdict(list)
    for s in shots:
        if s.dialect == dialect:
            out[s.process].append(s)
    return out.values()


# ---- plain memory ----

def plain(db, name, shots):
    """Shares of plain anonymous in Rss: the last and the worst of single captures, the worst of moments."""
    rss = dict(db.execute("select snapshot_id, sum(rss_kib) from categories"
                          " where category = 'anonymous' group by snapshot_id"))
    moments = collections.defaultdict(lambda: [0, 0])
    shares = []
    for s in shots:
        if s.dialect == "smaps" and s.rss:
            shares.append(rss.get(s.id, 0) / s.rss)
            moments[s.ms][0] += rss.get(s.id, 0)
            moments[s.ms][1] += s.rss
    all_of = [a / b for a, b in moments.values()]
    for what, share in (("last", shares[-1]), ("worst", max(shares)), ("moment", max(all_of))):
        if name in GOAL:
            check.true("%s plain: %s" % (name, what), share < PLAIN_MOST, "%.2f %%" % (100 * share))
    last = max(s.ms for s in shots)
    most = db.execute(
        "select t.category, sum(t.rss_kib) from categories t join snapshot s using (snapshot_id)"
        " where s.dialect = 'smaps' and s.taken_ms = ? and t.category glob '*/*'"
        " group by category order by 2 desc limit 3", (last,)).fetchall()
    print("%-14s %4d %8.2f %8.2f %8.2f  %s" % (
        name, len(shares), 100 * shares[-1], 100 * max(shares), 100 * max(all_of),
        ", ".join("%s %d" % (c.decode(), kib) for c, kib in most)), flush=True)


# ---- no changes of category ----

def one_category(db, name):
    """A lineage has one category in all snapshots and dialects. Exception: pmap -x does not name the kernel's own
    mappings, no rule knows them, and they are anonymous in pmap -x."""
    several = db.execute(
        "select lineage_id, group_concat(distinct category) from mappings group by lineage_id"
        " having count(distinct category) > 1").fetchall()
    check.equal("%s flips: lineages with several categories" % name,
                [r for r in several if set(r[1].split(b",")) != {b"kernel", b"anonymous"}], [])
    kernel = db.execute(
        "select distinct s.dialect, m.category from mappings m join snapshot s using (snapshot_id)"
        " where m.lineage_id in (%s)" % ",".join(str(r[0]) for r in several)).fetchall()
    check.equal("%s flips: of the kernel, by dialect" % name, sorted(kernel),
                [(b"pmap-XX", b"kernel"), (b"pmap-x", b"anonymous"), (b"smaps", b"kernel")])
    other = db.execute(
        "select m.lineage_id, m.category, l.rule from mappings m join lineage l using (lineage_id)"
        " join category c on c.category_id = l.category_id"
        " where l.rule is not null and c.category is not m.category limit 5").fetchall()
    check.equal("%s flips: rows and their lineage" % name, other, [])
    ruled = db.execute("select count(*) from lineage where rule is not null").fetchone()[0]
    check.true("%s flips: lineages with a rule" % name, ruled > 0, ruled)
    # In smaps, which has whole paths; other dialects take the first word from smaps.
    wrong = db.execute(
        "select m.category, m.base from mappings m join snapshot s using (snapshot_id)"
        " where s.dialect = 'smaps' and m.category is not m.base and m.category not glob m.base || '/*'"
        " limit 5").fetchall()
    check.equal("%s flips: the first word" % name, wrong, [])


# ---- no steps that only cancel ----

def cancelling(deltas):
    """Pairs of categories whose opposite steps cancel."""
    large = {c: d for c, d in deltas.items() if abs(d) >= STEP_KIB}
    return [(a, b) for a, b in itertools.permutations(large, 2) if large[a] < 0 < large[b] and
            abs(large[a] + large[b]) <= CANCEL * max(-large[a], large[b])]


def ranges(db, snapshot_id, category):
    """{(perms, path, inode): [(start, end), ...]} of a category, in the order of addresses."""
    out = collections.defaultdict(list)
    for start, end, *file in db.execute("select start, end, perms, path, inode from mappings"
                                        " where snapshot_id = ? and category = ? order by start", (snapshot_id, category)):
        out[tuple(file)].append((start, end))
    return out


def common(some, others):
    """The bytes that are in ranges of both lists. The ranges of a list do not overlap."""
    size = i = j = 0
    while i < len(some) and j < len(others):
        size += max(0, min(some[i][1], others[j][1]) - max(some[i][0], others[j][0]))
        if some[i][1] < others[j][1]:
            i += 1
        else:
            j += 1
    return size


def renamed(db, old, new, a, b):
    """KiB of address space that moved from category a to b with the same perms and file."""
    there, here = ranges(db, old, a), ranges(db, new, b)
    return sum(common(there[file], here[file]) for file in there.keys() & here.keys()) // 1024


def steps(db, name, series):
    """Compares neighbours, and the first and the middle snapshot with the last. If two steps cancel, they must be
    of different memory, not of the same memory under another name; memory that was unmapped and mapped again at
    its place looks the same. Returns the number of steps that cancel rightly."""
    honest = 0
    held = collections.defaultdict(dict)
    for snapshot_id, category, *kib in db.execute(
            "select snapshot_id, category, rss_kib, size_kib from categories where snapshot_id in (%s)"
            % ",".join(str(s.id) for s in series)):
        held[snapshot_id][category.decode()] = kib
    far = [(series[0], series[-1]), (series[len(series) // 2], series[-1])]
    for old, new in itertools.chain(zip(series, series[1:]), far if len(series) > 2 else ()):
        a, b = held[old.id], held[new.id]
        for i, metric in enumerate(("rss_kib", "size_kib")):
            deltas = {c: b.get(c, (0, 0))[i] - a.get(c, (0, 0))[i] for c in a | b}
            for less, more in cancelling(deltas):
                kib = renamed(db, old.id, new.id, less, more)
                honest += check.true("%s phantom: %s %s %+d, %s %+d, snapshots %d and %d" % (
                    name, metric, less, deltas[less], more, deltas[more], old.id, new.id),
                    kib <= CANCEL * abs(deltas[less]), "%d KiB are the same" % kib)
        check.true("%s steps: rows" % name, len(a | b) > 3)
    return honest


# ---- the heap of pmap -x ----

def heap(name, paths, db):
    """pmap -x runs a moment after smaps: only the place of the heap is taken from smaps."""
    kit.run("import", "-q", *paths, db=db)
    got = collections.defaultdict(list)
    for taken_ms, pid, *row in kit.plain(db).execute(
            "select s.taken_ms, p.pid, m.start, m.size_kib, m.rss_kib from snapshot s join process p using"
            " (process_id) left join mappings m on m.snapshot_id = s.snapshot_id and m.category = 'heap'"):
        got[taken_ms, pid] += [tuple(row)] if row[0] is not None else []
    check.equal("%s heap: captures" % name, len(got), len(paths))
    for path in paths:
        starts = {r["start"] for r in truth.read(path.with_suffix(".smaps")) if r["path"] == b"[heap]"}
        want = [(r["start"], r["size_kib"], r["rss_kib"]) for r in truth.read(path) if r["start"] in starts]
        check.equal("%s heap: %s" % (name, path.name), sorted(got[kit.when(path)]), sorted(want))


def check_workload(name):
    workload = kit.Workload(name)
    some = workload.some()
    beats = [(t, [p for p in of if not some or p in some]) for t, of in pairs(workload, BEATS.get(name, 10))]
    with kit.Place() as place:
        paths = workload.unpack(place / "in", beats, *DIALECTS)
        path = place / "t.db"
        kit.run("import", "-q", place / "in", db=path, expect=(0, 2))  # 2: a map is torn
        db = kit.plain(path)
        shots = snapshots(db)
        check.equal("%s snapshots" % name, len(shots), len(DIALECTS) * sum(len(p) for _, p in beats))
        plain(db, name, shots)
        one_category(db, name)
        honest = 0
        for dialect in ("smaps", "pmap-x") if kit.full else ("smaps",):
            most = sorted(by_process(shots, dialect), key=len)[-PROCESSES:]
            honest += sum(steps(db, name, series) for series in most if len(series) > 1)
        if honest:
            print("%-14s %d steps that cancel, all with other addresses or other perms" % ("", honest))
        db.close()
        narrow = [p for p in paths if p.suffix == ".x"]
        heap(name, narrow if kit.full else narrow[::4], place / "narrow.db")


def main():
    shared = os.environ.get("PMAPDB_SHARED") or kit.skip("PMAPDB_SHARED is not set")
    names = sorted(p.name.removesuffix(".tar.zst")
                   for p in (pathlib.Path(shared) / "workloads").glob("*.tar.zst"))
    if not names:
        kit.skip("no workloads in " + shared)
    print("%-14s %4s %8s %8s %8s" % ("% plain of Rss", "n", "last", "worst", "moment"))
    for name in names:
        check_workload(name)
    check.finish()


main()
