"""Who allocated the growth: recordings of real runs with captures of the same runs. The recorded program is
known: session_alloc fills the heap, cache_fill maps buffers, grow_table moves a growing mapping,
good_citizen unmaps all that it maps."""
import os
import pathlib
import random
import re

import kit

BEATS = 20 if not kit.full else 120
PAIRS = 1 if not kit.full else 60
BIG_KIB = 512
STANDS = {"dwarf": ["session_alloc", "cache_fill", "grow_table"],
          "fp": ["__brk", "cache_fill", "__GI___mremap"]}


def recording(name):
    shared = pathlib.Path(os.environ.get("PMAPDB_SHARED") or kit.skip("PMAPDB_SHARED is not set"))
    path = shared / "workloads" / "perf" / ("c_traced_%s.script.txt.zst" % name)
    return path if path.is_file() else kit.skip("%s is not there" % path)


class Store:
    def __init__(self, place, name):
        self.db = place / (name + ".db")
        work = kit.Workload("perf_" + name)
        step = max(1, len(work.beats) // BEATS)
        files = work.unpack(place / name, work.beats[::step], "smaps")
        kit.run("import", *files, db=self.db)
        kit.run("import-perf", recording(name), db=self.db)
        self.ids = [row["snapshot_id"] for row in kit.rows("snapshots", db=self.db)]

    def grown(self, older, newer):
        """{lineage: (KiB of growth, category)}"""
        rows = kit.rows("diff", "--by", "lineage", "--from", "@" + older, "--to", "@" + newer,
                        db=self.db)
        return {row["lineage_id"]: (int(row["size_kib_delta"]), row["category"]) for row in rows}

    def who(self, older, newer, *words):
        return kit.rows("who", *words, "--from", "@" + older, "--to", "@" + newer, db=self.db)


def added(rows, kind=None, word=""):
    return sum(int(row["growth_kib"]) for row in rows
               if kind in (None, row["kind"]) and word in row["stack"])


def sums(check, store, name):
    """For any two snapshots and any lineages, the rows add up to the numbers of diff."""
    draw = random.Random(8)
    kit.run("who", "--from", "@" + store.ids[1], "--to", "@" + store.ids[0], db=store.db, expect=(2,))
    for _ in range(PAIRS):
        older, newer = sorted(draw.sample(store.ids, 2), key=int)
        grown = store.grown(older, newer)
        what = "%s: @%s to @%s" % (name, older, newer)
        check.equal(what, added(store.who(older, newer)), sum(kib for kib, _ in grown.values()))
        for category in {c for _, c in grown.values()}:
            check.equal("%s, %s" % (what, category), added(store.who(older, newer, "--category", category)),
                        sum(kib for kib, c in grown.values()
                            if c == category or c.startswith(category + "/")))
        few = draw.sample(sorted(grown), min(3, len(grown)))
        for lineage in few:
            check.equal("%s, %s" % (what, lineage), added(store.who(older, newer, "--lineage", lineage)),
                        grown[lineage][0])
        check.equal("%s, %s" % (what, few), added(store.who(older, newer, "--lineages", "[%s]" % ",".join(few))),
                    sum(grown[lineage][0] for lineage in few))


def names(check, store, name):
    """The rows of each growing lineage name its function, and cover nearly all of its growth."""
    older, newer = store.ids[0], store.ids[-1]
    grown = store.grown(older, newer)
    big = [(kib, lineage, c) for lineage, (kib, c) in grown.items() if kib >= BIG_KIB]
    check.true("%s: lineages grew" % name, len(big) > 3, big)
    heap, cache, table = STANDS[name]
    for kib, lineage, category in sorted(big, reverse=True)[:10 if kit.full else 4]:
        rows = store.who(older, newer, "--lineage", lineage)
        what = "%s: lineage %s (%s), %d KiB" % (name, lineage, category, kib)
        check.true(what + " is covered", added(rows, "stack") >= 0.95 * kib, rows)
        ours = [heap] if category == "heap" else [cache, table]
        check.true(what + " has its function",
                   sum(added(rows, "stack", word) for word in ours) >= 0.95 * kib, rows)
    rows = store.who(older, newer)
    all_kib = added(rows)
    check.true("%s: %d KiB are covered" % (name, all_kib), added(rows, "stack") >= 0.95 * all_kib,
               rows)
    good = [row for row in rows if "good_citizen" in row["stack"]]
    check.equal("%s: good_citizen keeps nothing" % name,
                {(row["growth_kib"], row["live_kib"]) for row in good}, {("0", "0")})
    check.true("%s: good_citizen maps all the time" % name,
               all(int(row["allocations"]) > 1000 for row in good) and
               all(abs(int(row["allocations"]) - int(row["frees"])) <= 1 for row in good), good)


def by_function(check, store):
    older, newer = store.ids[0], store.ids[-1]
    rows = store.who(older, newer, "--by", "function")
    check.equal("functions: the same growth", added(rows), added(store.who(older, newer)))
    # map_buffer maps for cache_fill and for good_citizen.
    check.equal("functions: the first three", [row["stack"] for row in rows[:3]],
                ["map_buffer", "session_alloc", "grow_table"])


def folded(check, store):
    older, newer = store.ids[0], store.ids[-1]
    done = kit.run("who", "--folded", "--from", "@" + older, "--to", "@" + newer, db=store.db)
    lines = done.stdout.decode().splitlines()
    check.true("folded: frames and bytes",
               all(re.fullmatch(r"wl2;[^ ].*;?[^;]* [0-9]+", line) for line in lines), lines)
    rows = store.who(older, newer)
    check.equal("folded: its sum", sum(int(line.rsplit(" ", 1)[1]) for line in lines),
                1024 * sum(max(0, int(row["growth_kib"])) for row in rows if row["kind"] == "stack"))
    for line, row in zip(lines, rows):
        chain = line.rsplit(" ", 1)[0].split(";")[1:]
        check.equal("folded: the same chain", [f.replace("_[i]", " (inlined)") for f in chain[::-1]],
                    row["stack"].split(" < "))


def events(check, store):
    """All events are the calls of the recording; those of the heap are only brk."""
    rows = kit.rows("who", "--events", db=store.db)
    calls = kit.plain(store.db).execute("SELECT count(*) FROM call").fetchone()[0]
    check.equal("events: all", len(rows), calls)
    check.equal("events: in their order", [row["at"] for row in rows],
                sorted(row["at"] for row in rows))
    heap = kit.rows("who", "--events", "--category", "heap", db=store.db)
    check.equal("events: of the heap", {row["call"] for row in heap}, {"brk"})
    since, until = rows[100]["at"], rows[200]["at"]
    some = kit.rows("who", "--events", "--since", since[:23] + "Z", "--until", until[:23] + "Z",
                    db=store.db)
    check.true("events: between two times", 95 <= len(some) <= 105, len(some))
    check.true("events: only between the two times",
               all(since[:23] <= row["at"][:23] <= until[:23] for row in some))


def recordings(check, place):
    for name in ("dwarf", "fp"):
        store = Store(place, name)
        sums(check, store, name)
        names(check, store, name)
        if name == "dwarf":
            by_function(check, store)
            folded(check, store)
            events(check, store)


kit.main(recordings)
