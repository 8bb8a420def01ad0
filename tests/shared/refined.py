"""Refined: a mapping keeps the category that the rules give it in the first capture of its life,
whatever lies beside it or leaves the capture later. Other code finds lives and rules in the raw
text (truth.refine, rules_truth.py). Captures are imported in random order, and
pmap -x of the same beats before smaps, from which it then takes its categories."""
import random

import kit
import rules_truth
import truth

STACK, GUARD, ARENA = "anonymous/thread-stack", "reserve/guard", "anonymous/glibc-arena"

# name -> (beats by default, numbers of mappings by category in the text of the last capture, the least
# number of rows whose own capture gives another category than their life).
#
# awk counted the mappings by these conditions on rows without a name:
#   stack   rw-p, VmFlags nh, touching a ---p of at most 1 MiB below
#   guard   ---p of at most 1 MiB, touching a private rw above; for a JVM and for V8, in which other
#           such rows are reserve, only below a stack
#   arena   rw-p at a multiple of 64 MiB, VmFlags nr without dc, touching a ---p above
#   v8      VmFlags dc and nr, not ---p, executable (code) or not (heap)
# and the views of memfd:doublemapper, by their name alone.
NAMES = {
    "c_thread": (15, {STACK: 201, GUARD: 201, ARENA: 1}, 0),
    "c_mmap_guard": (10, {STACK: 0, GUARD: 793}, 0),
    "java_steady": (10, {STACK: 19, GUARD: 19, ARENA: 15}, 0),
    "memcached": (10, {STACK: 7, GUARD: 7, ARENA: 3}, 0),
    "node_steady": (10, {STACK: 6, GUARD: 6, ARENA: 5, "anonymous/v8-heap": 159,
                         "anonymous/v8-code": 1}, 0),
    "perf_fp": (10, {STACK: 0, GUARD: 234}, 0),
    "memfd": (3, {"memfd/dotnet-jit": 3822}, 0),
    "steady4000": (4, {STACK: 0, GUARD: 598}, 500),
}


def categories(db, dialect):
    """{(milliseconds, pid): {start: category}}"""
    out = {}
    connection = kit.plain(db)
    for taken_ms, pid, start, category in connection.execute(
            "select s.taken_ms, p.pid, m.start, m.category from snapshot s join process p using"
            " (process_id) join mappings m using (snapshot_id) where s.dialect = ?", (dialect,)):
        out.setdefault((taken_ms, pid), {})[start & ((1 << 64) - 1)] = category.decode()
    connection.close()
    return out


def totals(db):
    """The sums by category of each smaps: {(milliseconds, pid): {category: (mappings, KiB, Rss)}}"""
    out = {}
    connection = kit.plain(db)
    for taken_ms, pid, category, *numbers in connection.execute(
            "select s.taken_ms, p.pid, c.category, c.mappings, c.size_kib, c.rss_kib"
            " from snapshot s join process p using (process_id)"
            " join categories c using (snapshot_id)"
            " where s.dialect = 'smaps'"):
        out.setdefault((taken_ms, pid), {})[category.decode()] = tuple(numbers)
    connection.close()
    return out


def put(paths, db, seed):
    """Imports the captures in random order, in three imports."""
    paths = list(paths)
    random.Random(seed).shuffle(paths)
    for i in range(3):
        kit.run("import", *paths[i::3], db=db)


def own(rows):
    """{start: category} of the rows, judged by their own capture alone."""
    capture = rules_truth.Capture(truth.RULES, rows)
    return {r["start"]: capture.category(r) or r["base"] for r in rows}


def check_text(check, what, captures, counts, least):
    """Checks the text of one process: captures is a list of refined rows."""
    last = list(own(captures[-1]).values())
    check.equal("%s text: counts" % what, {c: last.count(c) for c in counts}, counts)
    some = captures[::max(1, len(captures) // 10)]
    flips = sum(here[r["start"]] != r["category"] for rows in some for here in [own(rows)]
                for r in rows)
    check.true("%s text: categories that differ from those of the capture alone" % what, flips >= least, flips)


def check_stored(check, what, lives, got, added_up):
    """lives: [[(path, rows)]]"""
    for path, rows in [c for captures in lives for c in captures]:
        want = {r["start"]: r["category"] for r in rows}
        here = got.get(kit.when(path), {})
        check.equal("%s rows: %s" % (what, path.name), {
            s: c for s, c in here.items() if want.get(s) != c}, {
            s: c for s, c in want.items() if here.get(s) != c})
        check.equal("%s sums: %s" % (what, path.name), added_up.get(kit.when(path)), {
            c: (s["mappings"], s["size_kib"], s["rss_kib"])
            for c, s in truth.sums(rows, truth.by_category).items()})


def borrow(check, what, narrow, got):
    """A mapping of pmap -x has the category of the mapping of smaps at the same place, a moment earlier."""
    for moment, rows in narrow.items():
        refined = {s: c for s, c in got[moment].items() if "/" in c and s in rows}
        check.equal("%s pmap-x: %s" % (what, moment), {s: rows[s] for s in refined}, refined)


def check_captures(check, what, place, paths, narrow, counts, least):
    lives = {}
    for path in paths:
        lives.setdefault(kit.when(path)[1], []).append((path, truth.read(path)))
    for captures in lives.values():
        truth.refine([rows for _, rows in captures])
        check_text(check, what, [rows for _, rows in captures], counts, least)
    db = place / "t.db"
    put(narrow, db, 1)
    put(paths, db, 2)
    got = categories(db, "smaps")
    check_stored(check, what, lives.values(), got, totals(db))
    borrow(check, what, categories(db, "pmap-x"), got)
    return lives.values()


def unpacked(workload, place, beats):
    """Returns the paths of smaps and the paths of pmap -x."""
    paths = workload.unpack(place / "in", beats, "smaps", "x")
    return paths[::2], paths[1::2]


def check_workload(check, name, beats, counts, least):
    workload = kit.Workload(name)
    with kit.Place() as place:
        some = workload.sample(beats)
        check_captures(check, name, place, *unpacked(workload, place, some), counts, least)


def check_without_library(check):
    """From the middle on, no mapping shows that the process is a JVM: mappings from before keep their categories,
    even if they grow, also after an import in order. By awk, the last capture has eight ---p of at
    most 1 MiB that are not below stacks: they are guards, because the rules of a JVM do not claim them."""
    workload = kit.Workload("java_heap")
    with kit.Place() as place:
        some = workload.sample(10)
        paths, narrow = unpacked(workload, place, some)
        for path in paths[5:] + narrow[5:]:
            path.write_bytes(path.read_bytes().replace(b"libjvm.so", b"libold.so"))
        lives = check_captures(check, "no libjvm", place, paths, narrow,
                               {"anonymous/jvm-heap": 0, STACK: 19, GUARD: 27, ARENA: 15}, 50)
        db = place / "order.db"
        kit.run("import", *paths, db=db)
        check_stored(check, "no libjvm, in order", lives, categories(db, "smaps"), totals(db))


def main():
    check = kit.Check()
    for name, expected in NAMES.items():
        check_workload(check, name, *expected)
    check_without_library(check)
    check.finish()


main()
