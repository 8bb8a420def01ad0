"""Neighbours: thread stacks and guards, each decided in the first capture of its life and kept. The
whole rule, lineages too, is computed from the raw text (truth.refine); captures are imported in
disorder, and pmap -x of the same beats before smaps."""
import random

import kit
import truth

# name -> (beats by default, anonymous/thread-stack and reserve/guard in the last beat by the text,
# mappings that the neighbours of their own capture would put elsewhere: more than so many)
NAMES = {"c_thread": (30, 201, 201, -1), "c_mmap_guard": (10, 0, 793, -1),
         "java_steady": (10, 19, 21, -1), "memcached": (10, 7, 7, -1),
         "node_steady": (10, 5, 8, -1), "perf_fp": (30, 1, 234, 20)}


def categories(db, dialect):
    """{(milliseconds, pid): {start: category}}"""
    out = {}
    connection = kit.plain(db)
    for taken_ms, pid, start, category in connection.execute(
            "select s.taken_ms, p.pid, m.start, m.category from snapshots s join process p using"
            " (process_id) join mappings m using (snapshot_id) where s.dialect = ?", (dialect,)):
        out.setdefault((taken_ms, pid), {})[start & ((1 << 64) - 1)] = category.decode()
    connection.close()
    return out


def put(paths, db, seed):
    """In three imports, each of some of the captures."""
    paths = list(paths)
    random.Random(seed).shuffle(paths)
    for i in range(3):
        kit.run("import", *paths[i::3], db=db)


def check_workload(check, name, beats, stacks, guards, least):
    workload = kit.Workload(name)
    with kit.Place() as place:
        some = workload.sample(beats)
        paths = workload.unpack(place / "in", some, "smaps")
        narrow = workload.unpack(place / "x", some, "x")
        lives = {}
        for path in paths:
            lives.setdefault(kit.when(path)[1], []).append((path, truth.read(path)))
        for captures in lives.values():
            truth.refine([rows for _, rows in captures])
        last = [r["category"] for captures in lives.values() for r in captures[-1][1]]
        check.equal("%s text: stacks, guards" % name,
                    (last.count("anonymous/thread-stack"), last.count("reserve/guard")),
                    (stacks, guards))
        flips = sum(truth.by_neighbours(rows).get(r["start"]) != (
            r["category"] if "/" in r["category"] else None)
            for captures in lives.values() for _, rows in captures for r in rows)
        check.true("%s text: lives that outlast their neighbours" % name, flips > least, flips)
        db = place / "t.db"
        put(narrow, db, 1)
        put(paths, db, 2)
        got = categories(db, "smaps")
        for captures in lives.values():
            for path, rows in captures:
                want = {r["start"]: r["category"] for r in rows}
                here = got.get(kit.when(path), {})
                check.equal("%s rows: %s" % (name, path.name), {
                    s: c for s, c in here.items() if want.get(s) != c}, {
                    s: c for s, c in want.items() if here.get(s) != c})
        borrow(check, name, categories(db, "pmap-x"), got)


def borrow(check, name, narrow, got):
    """What pmap -x shows at the same place a moment later is called the same."""
    for moment, rows in narrow.items():
        refined = {s: c for s, c in got[moment].items() if "/" in c and s in rows}
        check.equal("%s pmap-x: %s" % (name, moment), {s: rows[s] for s in refined}, refined)


def main():
    check = kit.Check()
    for name, expected in NAMES.items():
        check_workload(check, name, *expected)
    check.finish()


if __name__ == "__main__":
    main()
