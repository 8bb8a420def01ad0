"""The bench on series: real captures and those of a live process, against the numbers to reach.

Of each: how cost grows with the snapshots of a store, what its tables cost, and one line for each
number that is to be reached, with what else one would do beside it. Every import is compared with
awk's sums of the raw text before a time is believed.
"""
import contextlib
import random
import sqlite3
import statistics
import subprocess

import measure
from measure import child, cpu, instructions, kit, median_child, shown, table
from replay import Replay, carried, imported
import rivals
import sizes
import truth

FILE_READ, GUARD, FILE_PRIVATE, ANON = 1, 2, 3, 0     # kinds of maps.c
BEATS = measure.Amount(2, 40, 40)
NAIVE_ROWS = measure.Amount(2_000, 50_000, 400_000)
PACKED_MIB = measure.Amount(1, 24, 72)
MIB = 1 << 20


class Series:
    def __init__(self, replay, shape, category, snapshots):
        self.replay, self.shape, self.category, self.snapshots = (
            replay, shape, category, measure.Amount((20, 40), snapshots, (100, 1000, 10000)))


def workload(name, captures, category, snapshots, processes=1):
    def make(place):
        replay = Replay.workload(name, captures.now(), processes)
        rows = truth.smaps(replay.texts[0])
        path = place / (name + ".list")
        path.write_text("".join("%d %d %d\n" % mirrored(r) for r in rows if is_plain(r)))
        return Series(replay, ("like", path), category, snapshots)
    return make


def live(captures, category, snapshots):
    def make(place):
        with measure.Target(place, "many", 4000) as target:
            return Series(Replay.live(target, captures), ("many", 4000), category, snapshots)
    return make


def amount(captures):
    return measure.Amount(min(captures, 20), captures, captures)


# name -> how to make it: captures, the category of the trend (that of which the resident memory
# changes most), how many snapshots by default.
SERIES = {
    "steady4000": workload("steady4000", amount(100), "anonymous", (100, 1000)),
    "node_steady": workload("node_steady", amount(600), "anonymous/v8-heap",
                            (100, 1000, 10000)),
    "postgres": workload("postgres", amount(100), "heap", (100, 1000, 10000), 10),
    "live": live(50, "anonymous", (100, 1000)),
}


def is_plain(row):
    """Not one that the kernel gives every process."""
    return not row["path"].startswith((b"[v", b"[uprobes"))


def mirrored(row):
    """(pages, resident, kind) of a mapping of maps.c that is like it."""
    named = row["path"].startswith(b"/")
    if row["perms"].startswith(b"---"):
        kind = GUARD
    elif named:
        kind = FILE_PRIVATE if b"w" in row["perms"] else FILE_READ
    else:
        kind = ANON
    return row["size_kib"] // 4, row["rss_kib"] // 4, kind


# ---- the store --------------------------------------------------------------------------------
class Store:
    """A series imported: size, CPU, and the answers inside SQLite."""

    def __init__(self, series, n, totals, place):
        self.db, self.n = place / ("%d.db" % n), n
        self.seconds, self.peak = imported(series.replay, range(n), self.db)
        series.replay.check(self.db, n, totals)
        self.bytes = kit.vacuumed_size(self.db)
        self.connection = sqlite3.connect("file:%s?mode=ro" % self.db, uri=True)
        ids = self.ask("select snapshot_id from snapshot where process_id = 1 order by taken_ms")
        self.ids = [row[0] for row in ids]
        self.some = random.Random(1).sample(self.ids, min(25, len(self.ids)))
        columns = [r[1] for r in self.ask("pragma table_info(mappings)")]
        self.every = "select %s from mappings where snapshot_id = ?" % ",".join(
            'count("%s")' % c for c in columns)

    def ask(self, sql, *args):
        return self.connection.execute(sql, args).fetchall()

    def rebuild(self, snapshot_id):
        """CPU seconds of one snapshot, every column of the view."""
        return cpu(lambda: self.ask(self.every, snapshot_id))

    def diff(self):
        sql = ("select category, sum(case snapshot_id when ?1 then -rss_kib else rss_kib end)"
               " from categories where snapshot_id in (?1, ?2) group by 1")
        return statistics.median(cpu(lambda s=s: self.ask(sql, self.ids[0], s)) for s in self.some)

    def trend(self, category):
        sql = ("select count(*), sum(rss_kib) from (select taken_ms, rss_kib from categories"
               " where process_id = 1 and category = ?1 order by taken_ms)")
        if not self.ask(sql, category)[0][0]:
            raise SystemExit("%s: nothing of %s" % (self.db, category))
        return statistics.median(cpu(lambda: self.ask(sql, category)) for _ in range(7))

    def close(self):
        self.connection.close()
        for path in self.db.parent.glob(self.db.name + "*"):
            path.unlink()


def rebuilds(first, last):
    """CPU seconds of a rebuild in both, taken in turns: noise is the same for both."""
    for store in (first, last):
        for s in store.some[:5]:
            store.rebuild(s)
    pairs = [(first.rebuild(a), last.rebuild(b)) for a, b in zip(first.some * 9, last.some * 9)]
    return tuple(statistics.median(column) for column in zip(*pairs))


@contextlib.contextmanager
def capture_file(replay, i, place):
    """Capture i as a file; the line that imports it."""
    path = place / replay.name(i)
    path.write_bytes(replay.text(i))
    yield [kit.PROGRAM, "import", "-q", path]
    path.unlink()


def cold(series, store, place, n=7):
    """CPU seconds and instructions of `pmapdb import FILE` for one more capture, as cron does."""
    replay, copy = series.replay, place / "cold.db"
    sizes.vacuum_into(store.db, copy)
    lanes, took = len(replay.lanes), []
    first = -(-store.n // lanes) * lanes    # always of the first process
    for i in range(first, first + n * lanes, lanes):
        with capture_file(replay, i, place) as line:
            took.append(child([*line, "--db", copy])[0])
    with capture_file(replay, first + n * lanes, place) as line:
        executed = instructions([*line, "--db", copy], place)
    for path in place.glob("cold.db*"):
        path.unlink()
    return statistics.median(took), executed


def more_instructions(run, few, more):
    """What one more capture takes of a run as it goes on: run(n) counts a run of n."""
    counts = [run(few), run(few + more)]
    return None if None in counts else (counts[1] - counts[0]) / more


def stream_instructions(replay, place, n):
    db = place / "instructions.db"
    executed = instructions([kit.PROGRAM, "import", "--db", db, "-q", "-"], place,
                            lambda to: replay.write(to, range(n)))
    for path in place.glob("instructions.db*"):
        path.unlink()
    return executed


# ---- the live process -------------------------------------------------------------------------
def beat_line(series, place, beats):
    """The command that runs so many of them on a new store."""
    for path in place.glob("beat.db*"):
        path.unlink()
    return [place / "beat", "warm", place / "beat.db", str(beats), place / "maps",
            *map(str, series.shape)]


def live_figures(series, place):
    """CPU seconds: the kernel's own reading in large and in small pieces, `pmap -XX`, our program,
    the parts of a beat of a process that stays."""
    out, store = {}, place / "live.db"
    with measure.Target(place, *series.shape) as target:
        rows = truth.smaps(target.smaps())
        out["mappings"] = len(rows)
        out["rss_mib"] = sum(r["rss_kib"] for r in rows) / 1024
        out["kernel"] = target.kernel(64 << 10, 25)
        out["pieces"] = target.kernel(2 << 10, 25)
        out["pmap"] = rivals.pmap_seconds(target.pid)
        out["capture"] = median_child([kit.PROGRAM, "--db", store, "-q", "capture", "--measure",
                                       "smaps", target.pid], 7)
    said = subprocess.run(beat_line(series, place, BEATS.now()), check=True,
                          stdout=subprocess.PIPE).stdout
    parts = dict(zip(("mappings", "changed", "kernel", "parse", "open", "merge", "write"),
                     map(float, said.split())))
    out["beat_kernel"] = parts["kernel"] / 1000
    out["parts"] = {part: parts[part] / 1000 for part in ("parse", "merge", "write")}
    out["beat"] = sum(out["parts"].values())
    out["beat_instructions"] = more_instructions(
        lambda n: instructions(beat_line(series, place, n), place, inside="beat"), 4, 8)
    for path in place.glob("live.db*"):
        path.unlink()
    return out


# ---- the table --------------------------------------------------------------------------------
class Lines:
    """Numbers to reach, and what was measured."""

    def __init__(self):
        self.rows = []

    def add(self, what, measured, asked, beside, form="%.2f", executed=None):
        ratio = measured / asked if asked else None
        met = "-" if asked is None else "yes" if measured <= asked else "NO"
        self.rows.append([what, shown(measured, form), shown(asked, form), shown(ratio), met,
                          "-" if executed is None else "%.2f" % (executed / 1e6), beside])

    def show(self):
        table(["what", "measured", "asked", "ratio", "met", "M instr", " beside it"], self.rows)


def beside(**values):
    return ", ".join("%s %s" % (k.replace("_", " "), v) for k, v in values.items())


def ms(seconds):
    return None if seconds is None else 1000 * seconds


def size_lines(lines, series, store, rows, naive, place):
    replay, changes = series.replay, series.replay.changes(store.n)
    lines.add("bytes per changed row", (store.bytes - 150 * store.n) / changes,
              50 if store.n >= 1000 else None,
              beside(snapshots=store.n, changed_rows=changes, store_KiB=store.bytes // 1024,
                     of_it_an_empty_store=sizes.empty(place) // 1024), "%.1f")
    texts = replay.distinct(PACKED_MIB.now() * MIB)
    of_texts = sum(t.count(b"\nVmFlags") for t in texts)
    others = {"naive": naive["bytes"] / rows.count}
    taken = rivals.sqlite_import(rows, place)
    others[".import"] = taken and taken["bytes"] / rows.count
    for name, options in (("gzip", ["-6"]), ("zstd", ["-19", "--long=27", "-q"])):
        got = rivals.packed(name, options, texts, place)
        others[" ".join([name, *options[:2]])] = got and got[0] / of_texts
    changed = replay.changed_percent()
    small = replay.mappings < 2000          # asked is of 1 % change, of small ones 4 to 5 %
    asked = 2.5 if small else 0.5
    if store.n < 1000 or changed > (5 if small else 1.05):
        asked = None
    lines.add("bytes per mapping and snapshot", store.bytes / replay.rows(store.n), asked,
              beside(**{k: shown(v) for k, v in others.items()}))
    return taken


def import_lines(lines, series, stores, rows, naive, taken, figures, place):
    first, last, replay = stores[0], stores[-1], series.replay
    scale = replay.mappings / figures["mappings"]
    kernel = figures["kernel"] * scale
    one = (last.seconds - first.seconds) / (last.n - first.n)
    few = 4 * len(replay.lanes)
    n = len(rows.captures)
    lines.add("ms, one more capture of a stream", ms(one), ms(0.15 * kernel), beside(
        kernel=shown(ms(kernel)), cat=shown(ms(carried(replay, range(first.n)) / first.n)),
        naive=shown(ms(naive["import"] / n)),
        _import=shown(taken and ms(taken["import"] / n))).replace(" import", ".import"),
        executed=more_instructions(lambda n: stream_instructions(replay, place, n), few, 2 * few))
    lines.add("ms, live beat: parse, merge, write", ms(figures["beat"]),
              ms(0.15 * figures["beat_kernel"]), beside(
                  kernel=shown(ms(figures["beat_kernel"])),
                  **{part: shown(ms(cost)) for part, cost in figures["parts"].items()}),
              executed=figures["beat_instructions"])
    lone, executed = cold(series, last, place)
    lines.add("ms, cold import FILE", ms(lone), 3 + 1.5 * ms(kernel), beside(
        kernel=shown(ms(kernel)), start_alone=shown(ms(median_child([kit.PROGRAM, "--version"])))),
        executed=executed)
    whole = figures["beat_kernel"] + figures["beat"]
    small = figures["mappings"] > 2000 and figures["rss_mib"] < 64
    pmap = figures["pmap"]
    asked = (pmap / 8 if pmap else None) if small else 1.15 * figures["beat_kernel"]
    lines.add("ms, live capture, warm, with the kernel", ms(whole), ms(asked), beside(
        pmap_XX=shown(ms(pmap)), kernel_2_KiB=shown(ms(figures["pieces"])),
        resident_MiB="%.0f" % figures["rss_mib"]))
    lines.add("ms, pmapdb capture PID, a program", ms(figures["capture"]), None,
              beside(pmap_XX=shown(ms(pmap))))


def answer_lines(lines, series, stores, rows, naive):
    first, last = stores[0], stores[-1]
    early, late = rebuilds(first, last)
    lines.add("rebuild, %d against %d snapshots" % (last.n, first.n), late / early, 1.1, beside(
        ms=shown(ms(late)), before=shown(ms(early)), naive=shown(ms(naive["rebuild"]))))
    lines.add("ms, category diff", ms(last.diff()), 1, beside(naive=shown(ms(naive["diff"]))))
    n = len(last.ids)                       # asked is 30 ms for 10,000
    lines.add("ms, category trend, %d snapshots" % n, ms(last.trend(series.category)),
              30 * n / 10_000 if n >= 1000 else None,
              beside(naive="%s of %d" % (shown(ms(naive["trend"])), len(rows.captures))))


def growth_table(series, stores, kernel):
    replay, out = series.replay, []
    for store in stores:
        n, one = store.n, 1000 * store.seconds / store.n
        out.append([n, store.bytes // 1024, "%.1f" % ((store.bytes - 150 * n) / replay.changes(n)),
                    "%.2f" % (store.bytes / replay.rows(n)), "%.3f" % one,
                    "%.0f%%" % (100 * one / ms(kernel)),
                    "%.1f" % (replay.rows(n) / store.seconds / 1e6), "%.0f" % store.peak,
                    "%.2f" % ms(statistics.median(map(store.rebuild, store.some))),
                    "%.2f" % ms(store.diff()), "%.2f" % ms(store.trend(series.category))])
    table(["snapshots", "KiB", "B/change", "B/map/snap", "warm ms", "of kernel", "M rows/s",
           "peak MiB", "rebuild ms", "diff ms", "trend ms"], out)


def bench(name, place):
    series = SERIES[name](place)
    replay = series.replay
    totals = replay.totals()
    figures = live_figures(series, place)
    print("== %s: %d mappings in each of %d processes, %.1f %% of the rows change or are new in"
          " each capture; of the live process like it %d with %.0f MiB resident" % (
              name, replay.mappings, len(replay.lanes), replay.changed_percent(),
              figures["mappings"], figures["rss_mib"]), flush=True)
    stores = [Store(series, n, totals, place) for n in series.snapshots.now()]
    growth_table(series, stores, figures["kernel"] * replay.mappings / figures["mappings"])
    sizes.show(stores[-1].db, replay.changes(stores[-1].n), stores[-1].n, place)
    rows = rivals.Rows(replay, max(2, NAIVE_ROWS.now() // replay.mappings))
    naive = rivals.naive(rows, place, series.category.split("/")[0])
    lines = Lines()
    taken = size_lines(lines, series, stores[-1], rows, naive, place)
    import_lines(lines, series, stores, rows, naive, taken, figures, place)
    answer_lines(lines, series, stores, rows, naive)
    lines.show()
    for store in stores:
        store.close()
    return lines
