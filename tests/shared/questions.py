"""Questions: the named queries on one name (growers, lineages, new and gone, largest, files,
swapped, deleted, kinds, huge pages, peaks, series, mapping count) give the numbers of the raw
text."""
import re
import sys

import kit
import truth

NAMES = {"redis": 8, "c_mmap": 6, "c_thread": 5, "nginx": 5, "node_steady": 3, "postgres": 4,
         "memfd": 2}
EVERYTHING = "1000000"
ZERO = dict.fromkeys(truth.METRICS, 0)
METRIC = {"rss": "rss_kib", "pss": "pss_kib", "private": "private_kib", "size": "size_kib",
          "private_dirty": "private_dirty_kib", "swap": "swap_kib", "mappings": "mappings"}
HUGE = ("anon_huge_kib", "shmem_pmd_kib", "file_pmd_kib")
OF_NATURE = (b"/anon_hugepage (deleted)", b"/[aio] (deleted)")


def text(raw):
    return raw.decode("utf-8", "surrogateescape")


def garnish(path):
    """Adds to a capture what the workloads lack: swap, huge pages, deleted files, and in every other capture
    anonymous memory that is not resident. pmapdb and the truth both read the result."""
    n = -1
    anonymous = False
    absent = kit.when(path)[0] // 1000 % 4 == 0
    lines = path.read_bytes().split(b"\n")
    for i, line in enumerate(lines):
        if truth.HEAD.fullmatch(line):
            n += 1
            anonymous = line.endswith(b" 0 ")
            if n % 3 and line.endswith((b"libm.so.6", b"libz.so.1.2.13", b".dat", b"nginx")):
                lines[i] = line + b" (deleted)"
        for key, value in ((b"Swap", n % 5 * 4), (b"SwapPss", n % 5), (b"AnonHugePages", n % 4 * 8),
                           (b"ShmemPmdMapped", n % 3 * 2), (b"FilePmdMapped", n % 2),
                           (b"Shared_Hugetlb", n % 7 * 2048), (b"THPeligible", n % 2)):
            if line.startswith(key + b":"):
                lines[i] = b"%s: %8d%s" % (key, value, b"" if key == b"THPeligible" else b" kB")
        if absent and anonymous and line.startswith(b"Rss:"):
            lines[i] = b"Rss: 0 kB"
    path.write_bytes(b"\n".join(lines))


class Story:
    """The captures of one name, from the raw text: moments[ms][pid] -> rows."""

    def __init__(self, db, paths):
        self.db = db
        self.moments = {}
        for path in paths:
            moment, pid = kit.when(path)
            self.moments.setdefault(moment, {})[pid] = truth.read(path)
        self.times = sorted(self.moments)
        truth.refine_moments(self.moments)
        self.first, self.last = (self.all_of(self.times[i]) for i in (0, -1))
        self.ids = kit.snapshot_ids(db)

    def all_of(self, moment):
        return [row for rows in self.moments[moment].values() for row in rows]

    def id_of(self, moment):
        """The id of one snapshot of a moment."""
        return self.ids[moment, next(iter(self.moments[moment])), "smaps"]

    def ask(self, query, *args):
        return kit.rows(query, *args, db=self.db)

    def lineages(self, moment):
        """(lineage_id, row, pid) of every row. lineage.py tests the lineages; the numbers are those of
        the text."""
        connection = kit.plain(self.db)
        for pid, rows in self.moments[moment].items():
            of = dict(connection.execute("select start, lineage_id from mappings where "
                                         "snapshot_id = ?", (self.ids[moment, pid, "smaps"],)))
            for row in rows:
                start = row["start"] - (1 << 64 if row["start"] >> 63 else 0)
                yield of[start], row, pid
        connection.close()


def values(row, columns, suffix=""):
    return {c: kit.number(row[c + suffix]) for c in columns}


def group(rows, key, columns):
    out = {}
    for row in rows:
        into = out.setdefault(key(row), dict.fromkeys(columns, 0) | {"mappings": 0})
        into["mappings"] += 1
        for column in columns:
            into[column] += row[column]
    return out


def check_keyed(check, what, got, want, key, columns):
    """Each key has one row with the wanted columns, and there are no other keys."""
    found = {key(row): row for row in got}
    check.equal(what + " keys: one row each", len(found), len(got))
    check.equal(what + " keys: the set", sorted(map(str, found)), sorted(map(str, want)))
    for k in found.keys() & want.keys():
        check.equal("%s numbers: %s" % (what, k), values(found[k], columns),
                    {c: want[k][c] for c in columns})


def check_sorted(check, what, got, *columns):
    order = [tuple(-1 if row[c] is None else int(row[c]) for c in columns) for row in got]
    check.equal(what + " order: largest first", order, sorted(order, reverse=True))


# ---- two snapshots ----

def check_growth(check, what, got, want, *order):
    """Compares rows of top-growers and top-lineages with {key: (old sums, new sums)}."""
    steps = {k: {m: new[m] - old[m] for m in ("size_kib", "rss_kib", "mappings")}
             for k, (old, new) in want.items()}
    grown = {k: s for k, s in steps.items() if s["rss_kib"] > 0 or s["size_kib"] > 0}
    whole = sum(max(0, s["rss_kib"]) for s in grown.values())
    check.equal(what + " keys: the set", sorted(map(str, got)), sorted(map(str, grown)))
    for k in got.keys() & grown.keys():
        row, (old, new) = got[k], want[k]
        for end, side in (("_from", old), ("_to", new), ("_delta", steps[k])):
            check.equal("%s numbers%s: %s" % (what, end, k),
                        values(row, ("mappings", "size_kib", "rss_kib"), end),
                        {m: side[m] for m in ("mappings", "size_kib", "rss_kib")})
        share = max(0, steps[k]["rss_kib"]) / whole if whole else 0.0
        check.true("%s share: %s" % (what, k), abs(float(row["share"]) - share) < 1e-12,
                   (row["share"], share))
        check.equal("%s partial: %s" % (what, k), row["partial"], "0")
    check_sorted(check, what, list(got.values()), *order, "rss_kib_delta")


def several(story, old, new):
    """True if either end has several processes: rss counts the memory that they share once for each."""
    return len(story.moments[old].keys() | story.moments[new].keys()) > 1


def check_top(check, what, story):
    """Between the first and the last moment, and between neighbours, in which objects may shrink."""
    for old, new in [(story.times[0], story.times[-1])] + list(zip(story.times, story.times[1:])):
        sums = [truth.sums(story.all_of(t), truth.by_object) for t in (old, new)]
        got = story.ask("top-growers", "--top", EVERYTHING, "--from", "@%d" % story.id_of(old),
                        "--to", "@%d" % story.id_of(new))
        check_growth(check, what + " top-growers", {(r["category"], r["object"]): r for r in got},
                     {k: [s.get(k, ZERO) for s in sums] for k in sums[0] | sums[1]},
                     *(["pss_kib_delta"] if several(story, old, new) else []))
    got = story.ask("top-growers", "--top", EVERYTHING)
    check.equal(what + " top-growers: twenty", story.ask("top-growers"), got[:20])
    check.equal(what + " top-growers: one", story.ask("top-growers", "--top", "1"), got[:1])


def check_lineages(check, what, story):
    sides = []
    for moment in (story.times[0], story.times[-1]):
        side = {}
        for lineage, row, pid in story.lineages(moment):
            side.setdefault(lineage, []).append(row | {"pid": pid})
        sides.append(side)
    sums = [{k: truth.sums(rows, truth.everything)["all"] for k, rows in side.items()}
            for side in sides]
    got = story.ask("top-lineages", "--top", EVERYTHING)
    check_growth(check, what + " top-lineages", {int(r["lineage_id"]): r for r in got},
                 {k: (sums[0].get(k, ZERO), sums[1].get(k, ZERO)) for k in sums[0] | sums[1]})
    for row in got:
        lineage = int(row["lineage_id"])
        lowest = min(sides[1][lineage], key=lambda r: r["start"])
        check.equal("%s top-lineages: %d" % (what, lineage),
                    (row["change"], int(row["pid"]), row["path"] or "", row["category"],
                     int(row["start"], 16)),
                    ("grown" if lineage in sides[0] else "new", lowest["pid"],
                     text(lowest["path"]), lowest["category"], lowest["start"]))
    check_new_and_gone(check, what, story, sides)


def check_new_and_gone(check, what, story, sides):
    columns = ("size_kib", "rss_kib", "private_kib")
    got = {(r["change"], r["category"], r["object"]): r for r in story.ask("new-and-gone")}
    objects = [{truth.by_object(r) for rows in side.values() for r in rows} for side in sides]
    want = {}
    for change, here, there in (("gone", 0, 1), ("new", 1, 0)):
        rows = [r | {"lineage": k} for k, of in sides[here].items() if k not in sides[there]
                for r in of]
        for key, sums in group(rows, truth.by_object, columns).items():
            sums["lineages"] = len({r["lineage"] for r in rows if truth.by_object(r) == key})
            sums["whole"] = int(key not in objects[there])
            want[(change, *key)] = sums
    check_keyed(check, what + " new-and-gone", list(got.values()), want,
                lambda r: (r["change"], r["category"], r["object"]),
                (*columns, "mappings", "lineages", "whole"))


def check_history(check, what, story):
    """The lineages that grew most, and the lowest: at every snapshot they have the rows of the text."""
    tops = [r["lineage_id"] for r in story.ask("top-lineages", "--top", "3")]
    at = {moment: list(story.lineages(moment)) for moment in story.times}
    for lineage in tops + [min(k for k, _, _ in at[story.times[0]])]:
        got = story.ask("lineage-history", "--lineage", lineage)
        check.equal("%s lineage-history: begins" % what, got[0]["reason"], "new")
        check.true("%s lineage-history: times of whole seconds" % what, all(
            re.fullmatch(r"[0-9-]{10}T[0-9:]{8}Z", r[c])
            for r in got for c in ("first_at", "last_at")))
        columns = ("size_kib", "rss_kib", "pss_kib", "private_kib", "private_dirty_kib", "swap_kib")
        for moment in story.times:
            there = sorted((int(r["start"], 16), int(r["end"], 16), r["perms"], r["category"],
                            r["path"] or "", int(r["offset"], 16), *values(r, columns).values())
                           for r in got if kit.milliseconds(r["first_at"]) <= moment
                           <= kit.milliseconds(r["last_at"]))
            check.equal("%s lineage-history: %s at %d" % (what, lineage, moment), there, sorted(
                (r["start"], r["end"], text(r["perms"]), r["category"], text(r["path"]),
                 r["offset"], *(r[c] for c in columns))
                for k, r, _ in at[moment] if k == int(lineage)))


# ---- one snapshot ----

def check_largest(check, what, story):
    got = story.ask("largest", "--top", EVERYTHING)
    columns = ("size_kib", "rss_kib", "pss_kib", "private_kib", "private_dirty_kib", "swap_kib")
    check.equal(what + " largest: every row", sorted(
        (int(r["pid"]), int(r["start"], 16), r["perms"], r["category"], r["path"] or "",
         *values(r, columns).values()) for r in got), sorted(
        (pid, r["start"], text(r["perms"]), r["category"], text(r["path"]),
         *(r[c] for c in columns))
        for pid, rows in story.moments[story.times[-1]].items() for r in rows))
    check_sorted(check, what + " largest", got, "rss_kib", "size_kib")
    check.equal(what + " largest: twenty", story.ask("largest"), got[:20])
    check.equal(what + " largest: of a category", story.ask(
        "largest", "--top", EVERYTHING, "--category", "anonymous"),
        [r for r in got if truth.is_of(r["category"], "anonymous")])


def check_kinds(check, what, story):
    rows = story.last
    named = [r for r in rows if r["path"].startswith(b"/")]
    columns = truth.METRICS[1:]
    check_keyed(check, what + " files", story.ask("files"), group(
        named, lambda r: (text(r["path"]), r["category"]), columns),
        lambda r: (r["path"], r["category"]), ("mappings", *columns))
    swapped = [r for r in rows if r["swap_kib"] > 0]
    columns = ("size_kib", "rss_kib", "swap_kib", "swap_pss_kib")
    got = story.ask("swapped")
    check_keyed(check, what + " swapped", got, group(swapped, truth.by_object, columns),
                lambda r: (r["category"], r["object"]), ("mappings", *columns))
    check_sorted(check, what + " swapped", got, "swap_kib")
    kinds = group(rows, lambda r: (r["category"], text(r["perms"])), ("size_kib", "rss_kib"))
    for (category, perms), kind in kinds.items():
        of = [r for r in rows if (r["category"], text(r["perms"])) == (category, perms)]
        sizes = [r["size_kib"] for r in of]
        kind |= {"objects": len({r["path"] for r in of}), "size_kib_least": min(sizes),
                 "size_kib_mean": sum(sizes) // len(sizes), "size_kib_most": max(sizes)}
    got = story.ask("fragments")
    check_keyed(check, what + " fragments", got, kinds, lambda r: (r["category"], r["perms"]),
                ("mappings", "objects", "size_kib_least", "size_kib_mean", "size_kib_most",
                 "size_kib", "rss_kib"))
    check.equal(what + " fragments: share", [float(r["share"]) for r in got],
                [int(r["mappings"]) / len(rows) for r in got])
    check_huge(check, what, story, rows)


def check_huge(check, what, story, rows):
    rows = [r | {"hugetlb_kib": r["shared_hugetlb_kib"] + r["private_hugetlb_kib"],
                 "eligible_kib": r["size_kib"] * r["thp_eligible"]} for r in rows]
    columns = (*HUGE, "size_kib", "rss_kib", "hugetlb_kib", "eligible_kib")
    got = story.ask("huge-pages")
    want = group(rows, truth.by_category, columns)
    check_keyed(check, what + " huge-pages", got, want, truth.by_category, columns)
    for row in got:
        w = want[row["category"]]
        check.equal(what + " huge-pages: share", row["share"] and float(row["share"]),
                    sum(w[c] for c in HUGE) / w["rss_kib"] if w["rss_kib"] else None)


# ---- through time ----

def check_series(check, what, story):
    """Every metric of all memory, and several categories in one metric."""
    asked = [(metric, None) for metric in METRIC] + [
        ("rss", category) for category in ("anonymous", "anonymous/thread-stack", "reserve", "heap", "memfd")]
    for metric, category in asked:
        want = []
        for moment in story.times:
            for pid, rows in sorted(story.moments[moment].items()):
                of = [r for r in rows if not category or truth.is_of(r["category"], category)]
                sums = truth.sums(of, truth.everything).get("all", ZERO)
                want.append((moment / 1000, pid, sums[METRIC[metric]]))
        got = story.ask("series", "--metric", metric,
                        *(["--category", category] if category else []))
        check.equal("%s series: %s of %s" % (what, metric, category),
                    [(float(r["ts"]), int(r["pid"]), int(r["value"])) for r in got], want)
        check.true("%s series: the three columns" % what,
                   all(list(r) == ["ts", "pid", "value"] for r in got))


def check_peak(check, what, story):
    seen = {}
    for moment in story.times:
        rows = story.all_of(moment)
        sums = truth.sums(rows, truth.by_category) | {
            "total": truth.sums(rows, truth.everything)["all"]}
        for category, numbers in sums.items():
            seen.setdefault(category, []).append((moment, numbers))
    got = {r["category"]: r for r in story.ask("peak")}
    check.equal(what + " peak: the set", sorted(got), sorted(seen))
    for category in got.keys() & seen.keys():
        row, last = got[category], seen[category][-1]
        for metric in ("rss_kib", "size_kib", "mappings"):
            most = max(n[metric] for _, n in seen[category])
            when = min(t for t, n in seen[category] if n[metric] == most)
            at = row[metric.replace("_kib", "") + "_peak_at"]
            check.equal("%s peak: %s %s" % (what, category, metric),
                        (int(row[metric + "_peak"]), kit.milliseconds(at),
                         int(row[metric + "_last"])),
                        (most, when, last[1][metric] if last[0] == story.times[-1] else 0))


def check_map_count(check, what, story):
    of = {}
    for moment in story.times:
        for pid, rows in story.moments[moment].items():
            of.setdefault(pid, []).append((moment, len(rows)))
    got = {int(r["pid"]): r for r in story.ask("map-count", "--limit", "5000")}
    check.equal(what + " map-count: pids", sorted(got), sorted(of))
    for pid in got.keys() & of.keys():
        row, (t0, n0), (t1, n1) = got[pid], of[pid][0], of[pid][-1]
        check.equal("%s map-count: %d" % (what, pid), (
            int(row["mappings"]), int(row["mappings_first"]), float(row["share"]),
            kit.milliseconds(row["first_at"]), kit.milliseconds(row["last_at"])),
            (n1, n0, n1 / 5000, t0, t1))
        one = t0 == t1
        check.equal("%s map-count: %d delta" % (what, pid), kit.number(row["mappings_delta"]),
                    None if one else n1 - n0)
        rate = row["mappings_per_h"]
        check.true("%s map-count: %d per hour" % (what, pid), rate is None if one else
                   abs(float(rate) - (n1 - n0) * 3600000 / (t1 - t0)) < 1e-6, rate)


def check_deleted(check, what, story):
    rows = [r | {"pid": pid} for pid, of in story.moments[story.times[-1]].items() for r in of
            if r["path"].endswith(b" (deleted)") and r["path"] not in OF_NATURE
            and not re.match(rb"/(memfd:|SYSV|dev/zero )", r["path"])]
    columns = ("size_kib", "rss_kib", "private_kib", "swap_kib")
    check_keyed(check, what + " deleted", story.ask("deleted"), group(
        rows, lambda r: (r["pid"], r["category"], text(r["path"][:-10])), columns),
        lambda r: (int(r["pid"]), r["category"], r["path"]), ("mappings", *columns))
    return len(rows)


def main():
    check = kit.Check()
    deleted = swapped = 0
    for name in [a for a in sys.argv[1:] if a in NAMES] or NAMES:
        workload = kit.Workload(name)
        with kit.Place() as place:
            paths = workload.unpack(place / "in", workload.sample(NAMES[name]), "smaps", pids=workload.some())
            if name in ("redis", "nginx"):
                for path in paths:
                    when = path.stat().st_mtime
                    garnish(path)
                    kit.os.utime(path, (when, when))
            kit.run("import", "--name", name, place / "in", db=place / "t.db")
            story = Story(place / "t.db", paths)
            for judge in (check_top, check_lineages, check_history, check_largest, check_kinds,
                          check_series, check_peak, check_map_count):
                judge(check, name, story)
            deleted += check_deleted(check, name, story)
            swapped += len(story.ask("swapped"))
    check.true("sample: has deleted files and swap", deleted and swapped or len(sys.argv) > 1)
    check.finish()


if __name__ == "__main__":
    main()
