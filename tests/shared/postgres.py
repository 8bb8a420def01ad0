"""One name, many processes: 100 parallel postgres backends are queried by name as moments (sums
over the processes of each beat), and one backend by its pid as its own series. An import of captures
that were taken in turns names --sweep."""
import kit
import truth

LEAKING = 19629
ZERO = dict.fromkeys(truth.METRICS, 0)


def add(into, sums):
    for category, group in sums.items():
        to = into.setdefault(category, dict(ZERO))
        for metric in truth.METRICS:
            to[metric] += group[metric]


def read(paths):
    """{milliseconds: {pid: sums by category}}"""
    rows = {}
    for path in paths:
        moment, pid = kit.when(path)
        rows.setdefault(moment, {})[pid] = truth.read(path)
    truth.refine_moments(rows)
    return {moment: {pid: truth.sums(r, truth.by_category) for pid, r in of.items()}
            for moment, of in rows.items()}


def moments(captured, pids=None):
    """[(milliseconds, number of processes, {category: sums})] in time order."""
    out = []
    for moment, of in sorted(captured.items()):
        chosen = [sums for pid, sums in of.items() if pids is None or pid in pids]
        together = {}
        for sums in chosen:
            add(together, sums)
        out += [(moment, len(chosen), together)] if chosen else []
    return out


def numbers(row, suffix=""):
    return {m: kit.number(row[m + suffix]) for m in truth.METRICS}


def check_growth(check, what, got, want):
    """Each category of each moment, with the step from the moment before."""
    found = {(kit.milliseconds(r["taken_at"]), r["category"]): r for r in got}
    check.equal(what + " growth rows: one per moment and category", len(found), len(got))
    before = None
    for moment, n, sums in want:
        for category in sorted(set(sums) | set(before or {})):
            row = found.pop((moment, category), None)
            here = "%s growth: %s at %d" % (what, category, moment)
            if not check.true(here, row is not None, "no row"):
                continue
            now = sums.get(category, ZERO)
            check.equal(here, numbers(row), now)
            steps = dict.fromkeys(truth.METRICS) if before is None else {
                m: now[m] - before.get(category, ZERO)[m] for m in truth.METRICS}
            check.equal(here + " delta", numbers(row, "_delta"), steps)
            check.equal(here + " processes", int(row["processes"]), n)
            check.equal(here + " ids are known if it is one process",
                        [row[c] is not None for c in ("snapshot_id", "pid", "process_id")],
                        [n == 1] * 3)
        before = sums
    check.equal(what + " growth rows: none beyond the text", sorted(found), [])


def check_diff(check, what, got, want):
    (_, n_from, old), (_, n_to, new) = want[0], want[-1]
    check.equal(what + " diff keys: the set", sorted(r["category"] for r in got),
                sorted(set(old) | set(new)))
    for row in got:
        category = row["category"]
        a, b = old.get(category, ZERO), new.get(category, ZERO)
        here = "%s diff: %s" % (what, category)
        check.equal(here, (numbers(row, "_from"), numbers(row, "_to")), (a, b))
        check.equal(here + " delta", numbers(row, "_delta"),
                    {m: b[m] - a[m] for m in truth.METRICS})
        check.equal(here + " processes", (row["processes_from"], row["processes_to"]),
                    (str(n_from), str(n_to)))


def check_categories(check, what, got, want):
    _, n, sums = want[-1]
    check.equal(what + " categories: the set", sorted(r["category"] for r in got), sorted(sums))
    for row in got:
        here = "%s categories: %s" % (what, row["category"])
        check.equal(here, numbers(row), sums.get(row["category"]))
        check.equal(here + " processes", int(row["processes"]), n)


def warned(done):
    return "--sweep" in done.stderr.decode(errors="replace")


def sweeps(check, place):
    """nginx has three processes: captured at one time they are one moment, and the import warns of nothing;
    captured in turns, 3 s apart, they are one moment only with --sweep."""
    workload = kit.Workload("nginx")
    paths = workload.unpack(place / "in", workload.beats[:20], "smaps")
    check.true("together: --sweep is not named",
               not warned(kit.run("import", place / "in", db=place / "t.db")), "warned")
    turns = place / "turns"
    turns.mkdir()
    for i, path in enumerate(paths):
        moment = 1700000000 + i // 3 * 60 + i % 3 * 3
        path.rename(turns / ("%d-%d.smaps" % (moment, kit.when(path)[1])))
    done = kit.run("import", turns, db=place / "apart.db")
    check.true("in turns: names --sweep", warned(done), done.stderr)
    done = kit.run("import", "--sweep", "10s", turns, db=place / "swept.db")
    check.true("in turns with --sweep: --sweep is not named", not warned(done), done.stderr)
    for name, moments_n, processes in (("apart.db", 60, {"1"}), ("swept.db", 20, {"3"})):
        got = kit.rows("growth", "--process", "nginx", db=place / name)
        check.equal("in turns: moments in " + name, len({r["taken_at"] for r in got}),
                    moments_n)
        check.equal("in turns: processes in " + name, {r["processes"] for r in got}, processes)


def processes(check, place):
    workload = kit.Workload("postgres")
    paths = workload.unpack(place / "in", workload.sample(4), "smaps", pids=workload.some(LEAKING))
    db = place / "t.db"
    kit.run("import", place / "in", db=db)
    check.equal("processes: number", len(kit.rows("processes", db=db)),
                len({kit.when(p)[1] for p in paths}))
    captured = read(paths)
    for what, process, pids in (("by name", "postgres", None),
                                ("by pid", str(LEAKING), {LEAKING}),
                                ("by name and pid", "postgres/%d" % LEAKING, {LEAKING})):
        want = moments(captured, pids)
        ask = ["--process", process]
        check_growth(check, what, kit.rows("growth", *ask, db=db), want)
        check_diff(check, what, kit.rows("diff", *ask, "--by", "category", db=db), want)
        check_categories(check, what, kit.rows("categories", *ask, db=db), want)


kit.main(sweeps, processes)
