"""category_runs and queries/leaks.sql against the contents of every snapshot, on random stores:
many streams (dialects, states), epochs that end anywhere, gaps, equal times, captures that
are missing in the middle of an epoch, categories that come and go. Needs neither pmapdb nor
workloads."""
import ast
import json
import random
import sqlite3

import kit

SEEDS = range(3000) if kit.full else range(100)
CATEGORIES = 3
NUMBERS = 7
STATES = ("complete", "partial", "totals")  # by their codes


def versions(rows):
    """[(first, last, values)] of a category in one epoch: rows are the values at each place, None: absent;
    last is None if the version lasts to the end."""
    out = []
    for place, values in enumerate(rows):
        if values is None:
            continue
        if out and out[-1][1] == place - 1 and out[-1][2] == values:
            out[-1][1] = place
        else:
            out.append([place, place, values])
    return [(first, None if last == len(rows) - 1 else last, values) for first, last, values in out]


def values(r):
    return tuple(r.choice((None, 0, 4)) if i else r.randrange(1, 3) for i in range(NUMBERS))


class Store:
    """Tables filled by hand; `truth` has the contents of every snapshot. `chance` is the probability of each
    stream of a process."""

    def __init__(self, r, chance=.6):
        self.db = sqlite3.connect(":memory:")
        self.db.executescript((kit.ROOT / "schema" / "0001_store.sql").read_text())
        self.db.execute("insert into origin values (1, '', '-')")
        self.db.execute("insert into capture values (1, 1, null)")
        self.truth = {}  # (process, dialect, state) -> [(ms, epoch, off, {category: values})]
        self.snapshot = 0
        self.places = {}  # epoch -> the values at each place, also of missing captures
        for process in range(1, r.randrange(2, 4)):
            self.db.execute("insert into name (name_id, name) values (?, ?)", (process, str(process)))
            self.db.execute("insert into process (process_id, name_id, name_rank, name_ms, life, "
                            "identity) values (?, ?, 0, 0, ?, 'assumed')", (process,) * 3)
            for dialect in ("smaps", "pmap-x"):
                for state in ("complete", "partial", "totals"):
                    if r.random() < chance:
                        self.stream(r, process, dialect, state)

    def stream(self, r, process, dialect, state):
        """One stream; any of its captures may be missing."""
        step, jumps, holes = r.choice((1, 3, 60)), r.choice((0, 0, .1, .5)), r.choice((0, 0, .3))
        lazy = r.choice((.2, .8, .98))
        ms, ordinal, kept = r.randrange(1000), 0, []
        categories = [99] if state == "totals" else range(1, 1 + CATEGORIES)
        now = {c: values(r) for c in categories}
        for _ in range(r.randrange(1, 5)):
            places = []
            for _ in range(r.randrange(1, 9)):
                now = {c: v if r.random() < lazy else
                       None if r.random() < .2 else values(r) for c, v in now.items()}
                gap = step * (r.choice((3, 4, 20)) if r.random() < jumps else r.choice((0, 1, 1, 1, 2)))
                ms, ordinal = ms + gap, ordinal + 1 if gap == 0 else 0
                places.append((ms, ordinal, now))
            kept += self.epoch(r, process, dialect, state, places, holes)
        self.truth[process, dialect, state] = kept

    def epoch(self, r, process, dialect, state, places, holes):
        epoch = self.db.execute("insert into epoch (process_id, dialect, state, fields) values "
                                "(?, ?, ?, 0)", (process, dialect, state)).lastrowid
        kept, self.places[epoch] = [], [now for _, _, now in places]
        for off, (ms, ordinal, now) in enumerate(places):
            if r.random() < holes:
                continue
            kept.append((ms, epoch, off, now))
            self.snapshot += 1
            self.db.execute(
                "insert into snapshot (snapshot_id, process_id, capture_id, epoch_id, off, taken_ms, "
                "moment_ms, ordinal, preferred, time_source_code, dialect, state_code, checked_code, "
                "hash) values (?, ?, 1, ?, ?, ?5, ?5, ?, 1, 0, ?, ?, 0, 0)",
                (self.snapshot, process, epoch, off, ms, ordinal, dialect, STATES.index(state)))
        for category in places[0][2]:
            self.db.execute("insert or ignore into category values (?1, ?2, '', ?1)",
                            (category, "c%d" % category))
            for first, last, v in versions([now[category] for _, _, now in places]):
                self.db.execute("insert into category_version values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                                (epoch, category, first, last, *v))
        return kept


def expected(store):
    """Stretches of equal values, which end with an epoch or where the category is absent."""
    names = {i: name for i, name in store.db.execute("select category_id, category from category")}
    out = []
    for (process, dialect, state), captures in store.truth.items():
        for category in captures[0][3] if captures and state != "partial" else ():
            run, of, before = None, None, None
            for ms, epoch, off, now in captures:
                v = now[category]
                # an absent category between two captures ends a stretch, even if no capture is left
                whole = run and of == epoch and all(
                    p[category] == v for p in store.places[epoch][before:off + 1])
                if run and not whole:
                    out.append((process, dialect, names[category], *run[:3], *run[3]))
                    run = None
                if run:
                    run[1], run[2] = ms, run[2] + 1
                elif v is not None:
                    run, of = [ms, ms, 1, v], epoch
                before = off
            if run:
                out.append((process, dialect, names[category], *run[:3], *run[3]))
    return sorted(out, key=repr)


class Rows:
    """A replacement of leak_moments and leak_runs."""

    def __init__(self):
        self.rows = []

    def step(self, *row):
        self.rows.append(row)

    def finalize(self):
        return json.dumps(self.rows)


def report(moments, runs, *_):
    """A replacement of leak_report: for each key and snapshot the rows that cover it, in any order."""
    held, times = {}, set()
    life = {}
    for ms, process, epoch, off, sums, *values in json.loads(moments):
        times.add(ms)
        life[epoch, off] = ms, process
        if sums == "total":                 # a capture with sums only
            held.setdefault("total", []).append((ms, repr((process, tuple(values)))))
    for key, _, epoch, first, last, *values in json.loads(runs or "[]"):
        assert first <= last
        for (e, off), (ms, process) in life.items():
            if e == epoch and first <= off <= last:
                held.setdefault(key, []).append((ms, repr((process, tuple(values)))))
    return json.dumps([{"key": key, "reason": repr([
        (ms, sorted(v for at, v in held[key] if at == ms)) for ms in sorted(times)])}
        for key in sorted(held)])


QUERY = (kit.ROOT / "queries" / "leaks.sql").read_text(encoding="utf-8")
NOTHING = dict.fromkeys(("process", "name_id", "metric", "since", "limit", "sensitivity", "dialect", "top", "grown", "limits"))


def check_verdicts(check):
    """The rows that the query passes to leak_report have, at every snapshot, the sums of that snapshot."""
    for seed in SEEDS[::3]:
        store = Store(random.Random("verdicts %d" % seed), .3)
        for name in ("leak_moments", "leak_runs", "leak_windows"):
            store.db.create_aggregate(name, -1, Rows)
        store.db.create_function("leak_report", -1, report)
        names = {name: i for i, name in store.db.execute("select category_id, category from category")}
        cursor = store.db.execute(QUERY, {**NOTHING, "depth": "2", "by": "category"})
        columns = [c[0] for c in cursor.description]
        for row in (dict(zip(columns, r)) for r in cursor.fetchall()):
            category = names[row["key"]]
            state = "totals" if category == 99 else "complete"
            got, want = dict(ast.literal_eval(row["reason"])), {}
            for ms, _, _, now in store.truth[row["process_id"], row["dialect"], state]:
                if now[category] is not None:
                    want.setdefault(ms, set()).add(repr((row["process_id"], now[category])))
            check.equal("leaks: seed %d: %s" % (seed, row["key"]),
                        {ms: set(got[ms]) for ms in want}, want)


def main():
    check = kit.Check()
    joined = 0
    for seed in SEEDS:
        r = random.Random(seed)
        store = Store(r)
        want = expected(store)
        got = sorted(store.db.execute("select * from category_runs"), key=repr)
        check.equal("seed %d" % seed, got, want)
        joined += sum(n for _, _, _, _, _, n, *_ in want) > len(want)
        one = sorted((row for (p,) in store.db.execute("select process_id from process").fetchall()
                      for row in store.db.execute("select * from category_runs where process_id = ?",
                                                  (p,))), key=repr)
        check.equal("by process: seed %d" % seed, one, want)
    check.true("runs of more than one snapshot: in the stores", joined > len(SEEDS) / 2)
    check_verdicts(check)
    check.finish()


main()
