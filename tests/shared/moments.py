"""Moments: the named queries on several names at once (by-name, by-process, shared, deleted), on a
series with holes (gaps, restarts), and on captures with few numbers (partial, sums only, pmap -x)
give the numbers of the raw text, and unknown if the text has no number."""
import kit
import truth
from questions import check_keyed, garnish, group, text, values

TOGETHER = {"redis": 4, "c_mmap": 3, "c_thread": 5, "java_steady": 3, "py_mmap": 4}
SHARED = {"postgres": 2, "nginx": 3}
SUMS = truth.METRICS[1:]
WITHIN = 60000


def load(place, name, beats, suffix="smaps", edit=None, called=None):
    """Unpacks, edits and imports beats of a workload under a name. Returns {ms: {pid: rows}}."""
    workload = kit.Workload(name)
    beats = workload.sample(beats) if isinstance(beats, int) else [workload.beats[i] for i in beats]
    folder = place / ("%s.%s" % (name, suffix))
    paths = workload.unpack(folder, beats, suffix, pids=workload.some())
    for path in paths if edit else []:
        when = path.stat().st_mtime
        edit(path)
        kit.os.utime(path, (when, when))
    kit.run("import", "--name", called or name, folder, db=place / "t.db", expect=(0, 2))
    moments = {}
    for path in paths:
        moment, pid = kit.when(path)
        moments.setdefault(moment, {})[pid] = truth.read(path)
    return moments if suffix == "x" else truth.refine_moments(moments)


def nearest(stories, at):
    """The moment of each name that is nearest to `at` (the earlier of two), if it is within WITHIN."""
    chosen = {}
    for name, moments in stories.items():
        moment = min(moments, key=lambda m: (abs(m - at), m))
        if abs(moment - at) <= WITHIN:
            chosen[name] = moment
    return chosen


def check_by_name(check, stories, db, at, snapshot):
    chosen = nearest(stories, at)
    got = kit.rows("by-name", "--snapshot", snapshot, db=db)
    want = {}
    for name, moment in chosen.items():
        of = stories[name][moment]
        want[name] = group([r for rows in of.values() for r in rows], truth.everything, SUMS)["all"]
        want[name]["processes"] = len(of)
        want[name]["partial"] = 0
    check_keyed(check, "by-name", got, want, lambda r: r["name"],
                ("mappings", "processes", "partial", *SUMS))
    check.equal("by-name moment", {r["name"]: kit.milliseconds(r["taken_at"]) for r in got}, chosen)
    check.equal("by-name order", [int(r["pss_kib"]) for r in got],
                sorted((w["pss_kib"] for w in want.values()), reverse=True))
    want = {(n, pid): group(rows, truth.everything, SUMS)["all"] for n, m in chosen.items()
            for pid, rows in stories[n][m].items()}
    got = kit.rows("by-process", "--snapshot", snapshot, db=db)
    check_keyed(check, "by-process", got, want, lambda r: (r["name"], int(r["pid"])),
                ("mappings", *SUMS))
    check.equal("by-process order", [int(r["private_kib"]) for r in got],
                sorted((w["private_kib"] for w in want.values()), reverse=True))


def told_by(row):
    """The key of a shared object."""
    if row["inode"]:
        segment = text(row["path"]) if row["path"].startswith(b"/SYSV") else ""
        return text(row["device"]), row["inode"], segment
    return row["category"], 0, text(row["path"]) or "[anon]"


def once(rows):
    """KiB of the object that at least one mapping shows."""
    seen, end = 0, 0
    for start, till in sorted((r["offset"], r["offset"] + r["end"] - r["start"]) for r in rows):
        seen += max(0, till - max(start, end))
        end = max(end, till)
    return seen // 1024


def check_shared(check, what, rows, got):
    """Compares the shared objects; rows: the rows of one moment, each with its pid."""
    rows = [r | {"shared_kib": r["shared_clean_kib"] + r["shared_dirty_kib"],
                 "hugetlb_kib": r["shared_hugetlb_kib"] + r["private_hugetlb_kib"]} for r in rows]
    rows = [r for r in rows if r["perms"].endswith(b"s") or r["shared_kib"] > 0]
    columns = ("size_kib", "rss_kib", "pss_kib", "shared_kib", "shared_dirty_kib", "hugetlb_kib",
               "swap_kib")
    want = group(rows, told_by, columns)
    for key, sums in want.items():
        of = [r for r in rows if told_by(r) == key]
        sums["processes"] = len({r["pid"] for r in of})
        sums["size_once_kib"] = once(of) if key[1] else None

    def key_of(row):
        if row["inode"]:
            path = row["object"] if row["object"].startswith("/SYSV") else ""
            return row["device"], int(row["inode"]), path
        return row["category"], 0, row["object"]

    check_keyed(check, what + " shared", got, want, key_of,
                ("mappings", "processes", "size_once_kib", *columns))
    paths = {}
    for row in rows:
        paths.setdefault(told_by(row), set()).add(text(row["path"]) or "[anon]")
    for row in got:
        check.equal(what + " shared: path", row["object"], min(paths[key_of(row)]))


def tagged(moments, moment):
    return [r | {"pid": pid} for pid, rows in moments[moment].items() for r in rows]


def check_together(check, place):
    """Five names in one store, asked at the newest and at earlier snapshots."""
    db = place / "t.db"
    stories = {n: load(place, n, beats, edit=garnish) for n, beats in TOGETHER.items()}
    ids = {v: k for k, v in kit.snapshot_ids(db).items()}
    newest = max(t for t, _, _ in ids.values())
    asked = [("last", newest)] + [("@%d" % i, ids[i][0]) for i in sorted(ids)[::4]]
    for snapshot, at in asked:
        check_by_name(check, stories, db, at, snapshot)
        rows = [r for n, m in nearest(stories, at).items() for r in tagged(stories[n], m)]
        check_shared(check, "together", rows, kit.rows("shared", "--snapshot", snapshot, db=db))
        gone = group([r for r in rows if r["path"].endswith(b" (deleted)")
                      and r["category"] != "shared-memory"],
                     lambda r: (r["pid"], text(r["path"])[:-10]), ("size_kib", "rss_kib"))
        check.true("deleted: the sample has some", gone)
        check_keyed(check, "deleted", kit.rows("deleted", "--snapshot", snapshot, db=db), gone,
                    lambda r: (int(r["pid"]), r["path"]), ("mappings", "size_kib", "rss_kib"))
    check.equal("by-name: of one name", [r["name"] for r in kit.rows(
        "by-name", "--process", "redis", db=db)], ["redis"])
    check.true("by-name: names differ between the moments asked", len(
        {frozenset(nearest(stories, at)) for _, at in asked}) > 1)


def check_segments(check, place):
    """Processes that share one segment."""
    for name, beats in SHARED.items():
        moments = load(place / name, name, beats)
        db, at = place / name / "t.db", max(moments)
        got = kit.rows("shared", db=db)
        check_shared(check, name, tagged(moments, at), got)
        fat = [int(r["private_kib"]) for r in kit.rows("by-process", db=db)]
        check.equal(name + " by-process order", fat, sorted((
            group(rows, truth.everything, SUMS)["all"]["private_kib"]
            for rows in moments[at].values()), reverse=True))
        check.true(name + " shared: something is in several processes",
                   any(int(r["processes"]) > 1 and r["inode"] for r in got) or
                   len(moments[at]) == 1)


def median(steps):
    return sorted(steps)[(len(steps) + 1) // 2 - 1]


def check_gaps(check, place):
    """A process with a long and a short hole, a restart, two processes at once, and another restart."""
    db = place / "t.db"
    redis, java, mmap, thread = (load(place, name, beats, called="app") for name, beats in (
        ("redis", [0, 1, 2, 3, 8, 9, 10, 11, 14, 15]), ("java_steady", [60, 61]),
        ("c_mmap", range(30, 40)), ("c_thread", range(34, 40))))
    lives = [redis, mmap, thread, java]
    times = sorted({t for life in lives for t in life})
    steps = [b - a for a, b in zip(times, times[1:])]
    step = median(steps)
    want = [(a, b, b - a, step, round((b - a) / step) - 1,
             int(any(min(m) <= a and max(m) >= b for m in lives)))
            for a, b in zip(times, times[1:]) if b - a > 3 * step]
    got = kit.rows("gaps", db=db)
    check.equal("gaps", [(kit.milliseconds(r["from_at"]), kit.milliseconds(r["to_at"]), *values(
        r, ("gap", "step", "missing", "alive")).values()) for r in got], want)
    check.equal("gaps: the sample", [w[-2:] for w in want], [(4, 1), (14, 0), (20, 0)])
    check_restarts(check, db, lives)


def check_restarts(check, db, lives):
    eras = [lives[:1], lives[1:3], lives[3:]]
    want = []
    for old, new in zip(eras, eras[1:]):
        down, up = max(max(m) for m in old), min(min(m) for m in new)
        sides = []
        for era, moment in ((old, down), (new, up)):
            of = [(pid, rows) for m in era for pid, rows in m.get(moment, {}).items()]
            sums = group([r for _, rows in of for r in rows], truth.everything, SUMS)["all"]
            sides.append((len(of), of[0][0] if len(of) == 1 else None, sums["size_kib"],
                          sums["rss_kib"]))
        want.append((down, up, up - down, down - min(min(m) for m in old), *sum(
            zip(*sides), ())))
    got = kit.rows("restarts", db=db)
    columns = ("away", "lived", "processes_before", "processes_after", "pid_before", "pid_after",
               "size_kib_before", "size_kib_after", "rss_kib_before", "rss_kib_after")
    check.equal("restarts", [(kit.milliseconds(r["down_at"]), kit.milliseconds(r["up_at"]),
                              *values(r, columns).values()) for r in got],
                sorted(want, key=lambda r: r[1], reverse=True))


# ---- captures with few numbers ----

EMPTY_OF_SUMS = ("top-growers", "top-lineages", "new-and-gone", "largest", "files", "deleted",
                 "shared", "fragments", "huge-pages")
TELLS = {"mappings", "size_kib", "rss_kib"}


def check_narrow(check, place):
    """pmap -x has no pss, private memory or swap: they are unknown in every query, never 0."""
    db = place / "t.db"
    moments = load(place, "redis", 4, "x")
    lineage = kit.rows("largest", db=db)[0]["lineage_id"]
    rows = tagged(moments, max(moments))
    for query in EMPTY_OF_SUMS + ("by-name", "by-process", "lineage-history", "swapped"):
        got = kit.rows(query, *(["--lineage", lineage] if query == "lineage-history" else []),
                       db=db)
        for row in got:
            for column, value in row.items():
                unknown = any(w in column for w in ("pss", "private", "swap", "huge", "pmd",
                                                    "eligible", "once", "inode", "device"))
                known = column in TELLS and query != "swapped"
                check.true("-x %s: %s" % (query, column), not (unknown and value is not None)
                           and not (known and value is None), row)
    want = {"total": group(rows, truth.everything, ("size_kib", "rss_kib"))["all"]}
    want["total"]["swap_kib"] = None
    check_keyed(check, "-x swapped", kit.rows("swapped", db=db), want, lambda r: r["category"],
                ("mappings", "size_kib", "rss_kib", "swap_kib"))
    for metric, n in (("size", 4), ("rss", 4), ("mappings", 4), ("pss", 0), ("swap", 0)):
        got = kit.rows("series", "--metric", metric, db=db)
        check.equal("-x series: " + metric, len(got), n)


def rolled_up(path):
    """Replaces a smaps file by the smaps_rollup of the same moment."""
    garnish(path)
    rows = truth.read(path)
    sums = group(rows, truth.everything, ("rss_kib", "pss_kib", "swap_kib"))["all"]
    path.write_text("%x-%x ---p 00000000 00:00 0                          [rollup]\n" % (
        rows[0]["start"], rows[-1]["end"]) + "".join(
            "%-16s%8d kB\n" % (k + ":", sums[c])
            for k, c in (("Rss", "rss_kib"), ("Pss", "pss_kib"), ("Swap", "swap_kib"))))
    path.rename(path.with_suffix(".smaps_rollup"))


def check_mixed(check, workload, place, db):
    """A complete capture, then sums only: no mapping is known to be gone."""
    copy = place / "mixed.db"
    kit.shutil.copy(db, copy)
    workload.unpack(place / "whole", workload.beats[1:2], "smaps")
    kit.run("import", "--name", "redis", place / "whole", db=copy)
    at = next(r["snapshot_id"] for r in kit.rows("snapshots", db=copy) if r["state"] == "complete")
    for ends in (("--from", "@" + at, "--to", "last"), ("--from", "first", "--to", "@" + at)):
        for query in ("top-growers", "top-lineages", "new-and-gone"):
            check.equal("mixed: nothing of " + query, kit.rows(query, *ends, db=copy), [])
    row = kit.rows("series", "--category", "program", db=copy)
    check.equal("mixed: the category of the complete capture", len(row), 1)


def check_sums_only(check, place):
    workload = kit.Workload("redis")
    paths = workload.unpack(place / "in", workload.sample(3), "smaps")
    sums = []
    for path in paths:
        when = path.stat().st_mtime
        garnish(path)
        sums.append(group(truth.read(path), truth.everything, ("rss_kib", "swap_kib"))["all"])
        rolled_up(path)
        kit.os.utime(path.with_suffix(".smaps_rollup"), (when, when))
    db = place / "t.db"
    kit.run("import", "--name", "redis", place / "in", db=db)
    check.equal("sums: state", {r["state"] for r in kit.rows("snapshots", db=db)}, {"totals"})
    for query in EMPTY_OF_SUMS:
        check.equal("sums: nothing of " + query, kit.rows(query, db=db), [])
    check_mixed(check, workload, place, db)
    columns = ("mappings", "rss_kib", "swap_kib")
    want = {k: sums[-1][k] for k in columns} | {"mappings": None}
    for query in ("by-name", "by-process", "swapped"):
        got = kit.rows(query, db=db)
        check.equal("sums: " + query, [values(r, columns) for r in got], [want])
    check.equal("sums: category", kit.rows("swapped", db=db)[0]["category"], "total")
    check.equal("sums: map-count", [r["mappings"] for r in kit.rows("map-count", db=db)],
                [None])
    check.equal("sums: series", [int(r["value"]) for r in kit.rows("series", db=db)],
                [s["rss_kib"] for s in sums])
    check.equal("sums: series of a category",
                kit.rows("series", "--category", "heap", db=db), [])
    check.equal("sums: peak", [(r["category"], int(r["rss_kib_peak"]), int(r["rss_kib_last"]))
                               for r in kit.rows("peak", db=db)],
                [("total", max(s["rss_kib"] for s in sums), sums[-1]["rss_kib"])])


def check_partial(check, place):
    """The newest capture ends in the middle of a mapping."""
    def cut(path):
        raw = path.read_bytes()
        if path == newest:
            path.write_bytes(raw[:raw.rindex(b"\nReferenced:", 0, len(raw) // 2) + 1])

    db = place / "t.db"
    workload = kit.Workload("redis")
    t, pids = workload.sample(4)[-1]
    newest = place / "redis.smaps" / ("%d-%d.smaps" % (t, pids[0]))
    moments = load(place, "redis", 4, edit=cut)
    state = kit.rows("snapshots", db=db)[-1]["state"]
    check.equal("partial: state", state, "partial")
    for query in ("top-growers", "new-and-gone"):
        check.equal("partial: %s of the partial capture" % query,
                    {r["partial"] for r in kit.rows(query, db=db)}, {"1"})
        check.equal("partial: %s of complete captures" % query,
                    {r["partial"] for r in kit.rows(query, "--to", "prev", db=db)}, {"0"})
    check.equal("partial: by-name of the partial capture", kit.rows("by-name", db=db)[0]["partial"], "1")
    whole = sorted(moments)[:-1]
    check.equal("partial: series leaves the partial capture out", [float(r["ts"]) for r in kit.rows(
        "series", db=db)], [t / 1000 for t in whole])
    row = kit.rows("map-count", db=db)[0]
    check.equal("partial: map-count counts the capture before",
                (int(row["mappings"]), kit.milliseconds(row["last_at"])),
                (len(moments[whole[-1]][pids[0]]), whole[-1]))
    peak = kit.rows("peak", db=db)
    check.equal("partial: peak does not know the last", {r["rss_kib_last"] for r in peak},
                {None})
    check.equal("partial: peak", int(peak[0]["rss_kib_peak"]), max(
        group(rows, truth.everything, SUMS)["all"]["rss_kib"]
        for m in whole for rows in moments[m].values()))


def check_vanished(check, place):
    """A category that the last moment lacks is 0 there, and has its peak earlier."""
    def unnamed(path):
        if kit.when(path)[0] == kit.Workload("c_brk").beats[-1][0] * 1000:
            path.write_bytes(path.read_bytes().replace(b"[heap]", b""))

    db = place / "t.db"
    moments = load(place, "c_brk", 4, edit=unnamed)
    *before, last = sorted(moments)
    heap = [sum(r["rss_kib"] for r in tagged(moments, t) if r["category"] == "heap")
            for t in before]
    row = next(r for r in kit.rows("peak", db=db) if r["category"] == "heap")
    at = kit.milliseconds(row["rss_peak_at"])
    check.equal("vanished: peak", (int(row["rss_kib_peak"]), at, int(row["rss_kib_last"])),
                (max(heap), before[heap.index(max(heap))], 0))
    check.equal("vanished: series", [int(r["value"]) for r in kit.rows(
        "series", "--category", "heap", db=db)], heap + [0])
    check.true("vanished: in the last", not any(
        r["category"] == "heap" for r in tagged(moments, last)))


kit.main(check_together, check_segments, check_gaps, check_narrow, check_sums_only, check_partial, check_vanished)
