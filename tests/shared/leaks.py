"""leaks on real programs: the leaking category is found in every window, its rate is right, and no other
category is called a leak (truth: LABELS.tsv of the workloads, written by the authors of the leaks).
Successive lives are one series, parallel processes are judged apart, and
leak_verdict in plain SQL gives the verdicts of the query."""
import functools
import json

import kit

POSTGRES_LEAK = 19629
HOUR = 3600
# workload -> (categories of which one must leak, KiB/s to within 15 % or None, whether tested by default)
LEAKS = {
    "c_brk": (("heap",), 200, True),
    "c_mmap": (("anonymous",), 126.7, True),
    "c_mmap_guard": (("anonymous",), 126.7, False),
    "c_thread": (("anonymous/thread-stack", "anonymous"), 4098, True),
    "py_mmap": (("mapped-file",), 128, True),
    "memfd": (("memfd/dotnet-jit",), None, False),
    "perf_fp": (("anonymous", "heap"), None, False),
    "perf_dwarf": (("anonymous", "heap"), None, False),
}
# workload -> whether tested by default
HEALTHY = {"c_plateau": True, "c_saw": True, "java_steady": True, "memcached": True, "nginx": True,
           "redis": True, "node_steady": False, "steady4000": False}
SURE = 0.90  # confidence that a leak needs
check_all = kit.Check()


def windows(series):
    """(name, rows of leaks) of each window."""
    beats = series.work.beats
    whole = series.store(beats)
    yield "whole", judged(whole)
    yield "last half", judged(whole, "--since", "@%d" % beats[len(beats) // 2][0])
    for name, step in (("every 10th", 10), ("every 5th", 5)) if kit.full else (("every 10th", 10),):
        yield name, judged(series.store(beats[::step]))


class Series:
    """All smaps of a workload, unpacked once; a store for each choice of captures."""

    def __init__(self, place, name, pids=None):
        self.place = place
        self.work = kit.Workload(name)
        self.paths = self.work.unpack(place / name, self.work.beats, "smaps", pids=pids)
        self.stores = {}

    def store(self, beats):
        times = {t for t, _ in beats}
        return self.of([p for p in self.paths if kit.when(p)[0] // 1000 in times])

    def of(self, paths):
        chosen = tuple(paths)
        if chosen not in self.stores:
            db = self.stores[chosen] = self.place / ("%s-%d.db" % (self.work.name, len(self.stores)))
            # an empty smaps is of a process that ended while it was read
            kit.run("import", "-q", *[p for p in paths if p.stat().st_size], db=db, expect=(0, 2))
        return self.stores[chosen]


@functools.lru_cache(None)
def series_of(place, name):
    return Series(place, name)


def judged(db, *args):
    rows = kit.rows("query", "leaks", *args, db=db)
    for r in called(rows, "leak"):
        numbers = [float(r[k]) for k in ("rate_per_h", "rate_low", "detectable_per_h", "confidence")]
        check_all.true("the numbers contradict the leak: %s" % r["key"],
                   numbers[1] > 0 and numbers[0] >= numbers[2] and numbers[3] >= SURE, brief([r]) + numbers)
    return rows


def called(rows, *verdicts):
    return [r for r in rows if r["verdict"] in verdicts]


def brief(rows):
    return [(r["pid"], r["key"], r["verdict"], r["reason"]) for r in rows]


def check_leak(check, what, rows, categories, rate):
    found = [r for r in called(rows, "leak") if r["category"] in categories]
    if not check.true("found: " + what, found, brief(called(rows, "leak", "suspect"))):
        return
    total = rows[0]
    check.equal("total first: " + what, (total["key"], total["verdict"]), ("total", "leak"))
    for r in called(rows, "leak"):
        by_the_way = r["reason"] and "minor" in r["reason"]
        check.true("nothing else: " + what, r["category"] in categories + ("total",) or by_the_way,
                   brief([r]))
    if rate:
        got = float(found[0]["rate_per_h"]) / HOUR
        check.true("rate: " + what, abs(got / rate - 1) < .15, "%.1f, not %.1f" % (got, rate))
        low, high = float(found[0]["rate_low"]), float(found[0]["rate_high"])
        check.true("interval: " + what, low <= float(found[0]["rate_per_h"]) <= high, (low, high))


def check_workloads(check, place):
    for name, (categories, rate, always) in LEAKS.items():
        if always or kit.full:
            series = series_of(place, name)
            for window, rows in windows(series):
                check_leak(check, "%s, %s" % (name, window), rows, categories, rate)
    for name, always in HEALTHY.items():
        if always or kit.full:
            series = series_of(place, name)
            for window, rows in windows(series):
                check.true("rows: %s" % name, len(rows) > 4)
                check.equal("quiet: %s, %s" % (name, window), brief(called(rows, "leak")), [])


def check_java(check, place):
    """The heap is full at -Xmx: rss alone cannot tell a leak."""
    series = series_of(place, "java_heap")
    rows = [r for r in judged(series.store(series.work.beats)) if r["key"] == "anonymous/jvm-heap"]
    check.true("java_heap, whole", rows and rows[0]["verdict"] in ("leak", "suspect"), brief(rows))


def check_first_half(check, place):
    """Memory that fills up to a limit looks like a leak until it is full, unless the limit is known."""
    for name in ("c_plateau", "redis"):
        series = series_of(place, name)
        beats = series.work.beats
        most = max(int(float(r["rss_kib"])) for r in kit.rows("snapshots", db=series.store(beats)))
        db = series.store(beats[:len(beats) // 2])
        rows = judged(db, "--limit", "%dK" % most)
        check.equal("first half with --limit: " + name, brief(called(rows, "leak")), [])
        total = judged(db)[0]
        check.true("first half: " + name, total["verdict"] in ("leak", "suspect"), brief([total]))


def check_postgres(check, place):
    """The leaking backend is found, and no backend whose shared buffers warm up."""
    work = kit.Workload("postgres")
    pids = sorted({pid for _, of in work.beats for pid in of})
    if not kit.full:
        pids = sorted({POSTGRES_LEAK, *pids[::12]})
    series = Series(place, "postgres", pids=set(pids))
    for window, rows in windows(series) if kit.full else [("whole", judged(series.store(series.work.beats)))]:
        there = {r["pid"] for r in rows}
        check.equal("postgres, each apart: " + window, len([r for r in rows if r["key"] == "total"]),
                    len(there))
        check.true("postgres, processes: " + window, len(there) >= len(pids) / 2, len(there))
        mine = [r for r in rows if r["pid"] == str(POSTGRES_LEAK)]
        check_leak(check, "postgres %d, %s" % (POSTGRES_LEAK, window), mine, ("heap",), 264)
        check.equal("postgres, the others: " + window,
                    brief([r for r in called(rows, "leak") if r not in mine]), [])


def check_lives(check, place):
    """The second half has another pid: one series of two lives, and the jump between them is not growth."""
    series = Series(place / "lives", "c_brk")
    half = len(series.paths) // 2
    later = [p.rename(p.with_name("%d-99999.smaps" % (kit.when(p)[0] // 1000)))
             for p in series.paths[half:]]
    db = series.of(series.paths[:half] + later)
    rows = judged(db)
    heap = [r for r in rows if r["key"] == "heap"]
    check.equal("two lives", [(r["pid"], r["lives"], r["verdict"]) for r in heap],
                [("99999", "2", "leak")])
    one = [r for r in judged(db, "--process", "99999") if r["key"] == "heap"]
    check.equal("one of the two lives", [(r["lives"], r["snapshots"]) for r in one], [("1", str(len(later)))])
    since = "@%d" % (kit.when(later[10])[0] // 1000)
    late = [r for r in judged(db, "--since", since) if r["key"] == "heap"]
    check.equal("--since", [(r["lives"], r["snapshots"]) for r in late], [("1", str(len(later) - 10))])
    few = judged(series.of(later[:7]))
    check.equal("seven snapshots", {r["verdict"] for r in few}, {"too-few"})
    check.true("how many are needed", all("8" in (r["reason"] or "") for r in few), brief(few))
    check.true("eight snapshots", "leak" in {r["verdict"] for r in judged(series.of(later[:8]))})


def check_plain_sql(check, place):
    """leak_verdict over category_runs equals the query for each --metric."""
    series = series_of(place, "c_mmap")
    db = series.store(series.work.beats)
    for metric in ("rss", "size", "private_dirty"):
        rows = {r["key"]: r for r in judged(db, "--metric", metric)}
        plain = kit.rows("sql", "SELECT category, leak_verdict(first_ms, last_ms, n, %s_kib, process_id)"
                         " AS verdict FROM category_runs GROUP BY category" % metric, db=db)
        check.equal("plain sql: categories", {r["category"] for r in plain}, set(rows) - {"total"})
        for r in plain:
            row, got = rows[r["category"]], json.loads(r["verdict"])
            what = "plain sql: %s %s" % (metric, r["category"])
            check.equal(what, [got["verdict"], str(got["snapshots"])],
                        [row["verdict"], row["snapshots"]])
            check.true(what, abs(got["rate_per_h"] - float(row["rate_per_h"]))
                       <= .01 * abs(got["rate_per_h"]) + 100, (got["rate_per_h"], row["rate_per_h"]))


def check_parts(check, place):
    """The same leak is found by object and by lineage."""
    series = series_of(place, "py_mmap")
    db = series.store(series.work.beats if kit.full else series.work.beats[::5])
    for by in ("object", "lineage"):
        rows = kit.rows("query", "leaks", "--by", by, db=db)
        check.equal("%s: total first" % by, rows[0]["key"], "total")
        check.true("%s: a row per file" % by,
                   len([r for r in rows if r["category"] == "mapped-file"]) > 20, len(rows))
    series = series_of(place, "c_mmap")
    db = series.store(series.work.beats if kit.full else series.work.beats[::5])
    for by in ("object", "lineage"):
        leak = [r for r in kit.rows("query", "leaks", "--by", by, db=db) if r["verdict"] == "leak" and r["key"] != "total"]
        check.equal("%s: c_mmap" % by, [r["category"] for r in leak], ["anonymous"])


def leaks(place):
    for part in (check_workloads, check_java, check_first_half, check_postgres, check_lives, check_plain_sql, check_parts):
        part(check_all, place)


if __name__ == "__main__":
    kit.main(leaks, check=check_all)
