"""pmapdb baseline and compare against calculations in Python: medians of blocks over the written captures,
permutation tests by itertools, Welch's interval by integration; memory for a unit of work; how often runs of
one build are called different; the gates and their exit statuses; the file that an update makes;
runs that cannot be compared."""
import csv
import io
import itertools
import math
import pathlib
import random
import re
import statistics
import subprocess
import sys
import xml.etree.ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "shared"))
import kit

BLOCKS = range(1, 10)
STEP_S = 10
check = kit.Check()


def pmapdb(*words):
    done = kit.run(*words, expect=None)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def rows(*words):
    return list(csv.DictReader(io.StringIO(pmapdb(*words, "-f", "csv")[1])))


def near(what, got, want, within):
    check.true(what, abs(got - want) <= within, (got, want))


# ---- files of baseline ----

def write_runs(path, runs):
    """Writes each run, {key: [KiB of blocks 0 to 9]}, with 3 mappings per row."""
    with open(path, "w", encoding="utf-8") as out:
        out.write("run,block,at_s,key,mappings,rss_kib,rss_max_kib,snapshots\n")
        for number, run in enumerate(runs, 1):
            for block in range(10):
                for key, values in run.items():
                    if block < len(values):
                        out.write(f"{number},{block},{block * STEP_S},{key},3,{values[block]},{values[block]},5\n")
    return path


def noise(source, level):
    """A run of one build: keys whose levels differ between runs and between blocks."""
    run = {}
    for key in ("total", "heap", "anonymous"):
        base = source.gauss(level, level / 50)
        run[key] = [round(base + source.gauss(0, level / 200)) for _ in range(10)]
    return run


# ---- the oracle ----

def summary(run, key):
    values = run[key]
    times = [b * STEP_S / 3600 for b in BLOCKS]
    mean_t, mean_y = statistics.mean(times), statistics.mean(values[1:])
    slope = (sum((t - mean_t) * (y - mean_y) for t, y in zip(times, values[1:])) /
             sum((t - mean_t) ** 2 for t in times))
    return {"level": mean_y, "peak": max(values), "growth": slope, "mappings": 3}


def permutations(a, b, columns):
    """(p, p_adjusted) of each column, from all ways to divide the runs."""
    both = a + b
    scale = {c: (statistics.mean(r[c] for r in both), statistics.stdev(r[c] for r in both)) for c in columns}
    z = [{c: (r[c] - scale[c][0]) / scale[c][1] if scale[c][1] else 0 for c in columns} for r in both]
    seen = {c: abs(sum(r[c] for r in z[:len(a)])) for c in columns}
    count, adjusted, ways = dict.fromkeys(columns, 0), dict.fromkeys(columns, 0), 0
    for way in itertools.combinations(range(len(both)), len(a)):
        got = {c: abs(sum(z[i][c] for i in way)) for c in columns}
        ways += 1
        for c in columns:
            count[c] += got[c] >= seen[c] - 1e-6
            adjusted[c] += max(got.values()) >= seen[c] - 1e-6
    return {c: (count[c] / ways, adjusted[c] / ways) for c in columns}


def student(df, x, steps=20000):
    """The distribution function of Student's t, by Simpson's rule."""
    factor = math.exp(math.lgamma((df + 1) / 2) - math.lgamma(df / 2)) / math.sqrt(df * math.pi)
    h = x / steps
    inside = sum((1 if i in (0, steps) else 4 if i % 2 else 2) * (1 + (i * h) ** 2 / df) ** (-(df + 1) / 2)
                 for i in range(steps + 1))
    return 0.5 + factor * inside * h / 3


def against_oracle(place):
    source = random.Random(1)
    a = [noise(source, 100000) for _ in range(5)]
    b = [noise(source, 103000) for _ in range(4)]
    got = rows("compare", write_runs(place / "a.csv", a), "--with", write_runs(place / "b.csv", b))
    of_a = [{(k, m): v for k in r for m, v in summary(r, k).items()} for r in a]
    of_b = [{(k, m): v for k in r for m, v in summary(r, k).items()} for r in b]
    level = statistics.mean(r["total", "level"] for r in of_a + of_b) / 100
    least = {"level": level, "peak": level, "growth": level / (9 * STEP_S / 3600), "mappings": 0.03}
    varies = [c for c in of_a[0] if max(r[c] for r in of_a + of_b) - min(r[c] for r in of_a + of_b) > least[c[1]]]
    want = permutations(of_a, of_b, varies)
    check.true("numbers that vary", {m for _, m in varies} >= {"level", "peak"} and ("heap", "mappings") not in varies, varies)
    check.equal("rows", len(got), len(of_a[0]))
    for row in got:
        column = row["key"], row["metric"]
        x, y = [r[column] for r in of_a], [r[column] for r in of_b]
        near(f"means: {column}", float(row["a"]), statistics.mean(x), 0.51)
        near(f"means: {column}", float(row["b"]), statistics.mean(y), 0.51)
        if column in varies:
            near(f"p: {column}", float(row["p"]), want[column][0], 1e-9)
            near(f"p_adjusted: {column}", float(row["p_adjusted"]), want[column][1], 1e-9)
        else:
            check.equal(f"p_adjusted: {column}", row["p_adjusted"], "")
        va, vb = statistics.variance(x) / len(x), statistics.variance(y) / len(y)
        if va + vb == 0:
            continue
        df = (va + vb) ** 2 / (va ** 2 / (len(x) - 1) + vb ** 2 / (len(y) - 1))
        half = (float(row["high"]) - float(row["low"])) / 2 / math.sqrt(va + vb)
        near(f"interval: {column}", student(math.floor(df), half), 0.975, 0.002)


def with_itself(place):
    """Comparisons of runs of one build: p of one number is below .05 in at most 5 % of them, and at most 1 % are
    called different by any number. (Of 50 comparisons, 6 and 3 have the probabilities .04 and .01; of 200, 16 and
    6 have .04 and .02.)"""
    source = random.Random(2)
    different = below = 0
    times, most_below, most_different = (200, 15, 5) if kit.full else (50, 5, 2)
    for _ in range(times):
        a = write_runs(place / "a.csv", [noise(source, 100000) for _ in range(5)])
        b = write_runs(place / "b.csv", [noise(source, 100000) for _ in range(5)])
        got = rows("compare", a, "--with", b, "--tolerance", "0.001%")
        different += any(r["outcome"] in ("worse", "better") for r in got)
        below += float(got[0]["p"]) <= 0.05
    check.true("runs of one build: level of total", below <= most_below, below)
    check.true("runs of one build: any number", different <= most_different, different)
    print(f"one build against itself: p of the level of total below .05 in {below} of {times}, {different} called different")


def gates(place):
    source = random.Random(3)
    a = write_runs(place / "a.csv", [noise(source, 100000) for _ in range(5)])
    b = write_runs(place / "b.csv", [noise(source, 110000) for _ in range(5)])
    once = write_runs(place / "c.csv", [noise(source, 100000) for _ in range(2)])
    for words, code in ((["rss:+5%"], 1), (["rss:+20%"], 0), (["peak:+5M"], 1), (["mappings:1"], 0), (["heap:5M"], 1)):
        got = pmapdb("compare", a, "--with", b, "-q", "--fail-on", *words)
        check.equal(f"exit status of {words}", got[0], code)
    check.equal("better", pmapdb("compare", b, "--with", a, "--fail-on", "rss:+5%")[0], 0)
    check.equal("too few runs", pmapdb("compare", once, "--with", once, "--fail-on", "rss:+0.1%")[0], 3)
    check.equal("no such gate", pmapdb("compare", a, "--with", b, "--fail-on", "nothing:1M")[0], 2)
    pmapdb("compare", a, "--with", b, "--fail-on", "rss:+5%", "--fail-on", "rss:+20%", "--junit", place / "j.xml")
    suite = xml.etree.ElementTree.parse(place / "j.xml").getroot()
    check.equal("JUnit", (suite.get("tests"), suite.get("failures"), len(suite.findall("testcase/failure"))),
                ("2", "1", 1))


def trouble(place):
    good = write_runs(place / "good.csv", [noise(random.Random(4), 1000) for _ in range(3)])
    early = [noise(random.Random(5), 1000) for _ in range(3)]
    early[1] = {key: values[:3] for key, values in early[1].items()}
    code, out, err = pmapdb("compare", good, "--with", write_runs(place / "early.csv", early))
    check.true("a run that ended early", "early.csv: the run of 1970-01-01T00:00:02Z is left out: it ended after 20 s, "
               "before half of what most runs reach (90)" in err and "2 of B" in out, err)
    longer = [{key: [v * 3 for v in values] for key, values in run.items()} for run in early[::2]]
    stretched = place / "long.csv"
    stretched.write_text(re.sub(r"^(\d+,\d+),(\d+),", lambda m: f"{m[1]},{int(m[2]) * 4},",
                                write_runs(place / "l.csv", longer).read_text(), flags=re.M))
    code, out, err = pmapdb("compare", good, "--with", stretched)
    check.true("unequal lengths", code == 2 and "the runs last 90 to 360 s: only the first 90 s of each count" in err and
               "only 2 of its nine parts lie within those 90 s: compare runs of one length" in err and
               "B has no run that can be compared" in err, err)
    code, out, err = pmapdb("compare", good, "--with", write_runs(place / "one.csv", early[:1]))
    check.true("one run", "3 against 1 runs never have p below 0.25: 5 against 5 can tell, 3 against 10, too" in err, err)
    code, out, err = pmapdb("compare", place / "one.csv", "--with", write_runs(place / "two.csv", [
        {key: [v * 2 + 500 * i for i, v in enumerate(values)] for key, values in early[0].items()}]), "-f", "csv")
    got = {r["metric"]: r for r in csv.DictReader(io.StringIO(out)) if r["key"] == "total"}
    check.equal("one run each", [(m, got[m]["outcome"], got[m]["p"] != "") for m in ("level", "growth")],
                [("level", "cannot tell", True), ("growth", "worse", True)])
    check.true("one run each: a line", "one run each: only growth is judged" in err, err)
    code, out, err = pmapdb("compare", good, "--with", place / "nowhere.csv")
    check.true("no file", code == 2 and "nowhere.csv': no such file" in err, err)
    (place / "bad.csv").write_text(good.read_text().replace(",total,3,", ",total,three,", 1))
    code, _, err = pmapdb("compare", good, "--with", place / "bad.csv")
    check.true("a damaged file", code == 2 and "bad.csv:2: mappings is 'three', not a number" in err, err)
    code, _, err = pmapdb("compare", good)
    check.true("nothing to compare with", code == 2 and "--with" in err, err)
    blind = place / "blind.csv"
    blind.write_text("\n".join(",".join(f if i not in (5, 6) else "" for i, f in enumerate(line.split(",")))
                               if n else line for n, line in enumerate(good.read_text().splitlines())) + "\n")
    got = {(r["key"], r["metric"]): r for r in rows("compare", good, "--with", blind)}
    check.equal("unknown memory has no p", (got["total", "level"]["p"], got["total", "level"]["outcome"]),
                ("", "cannot tell"))
    check.equal("known mappings have one", got["total", "mappings"]["p"], "1")


def kinds(place):
    """Runs captured by other means: numbers that cannot be compared have no p."""
    source = random.Random(8)
    a, b = ([noise(source, 100000) for _ in range(5)] for _ in range(2))
    files = {}
    for name, runs, dialect, page in (("smaps", a, "smaps", 4), ("x", b, "pmap-x", ""), ("big", b, "smaps", 64)):
        text = write_runs(place / "k.csv", runs).read_text().splitlines()
        files[name] = place / f"{name}.csv"
        files[name].write_text(f"{text[0]},dialect,page_kib\n" + "".join(f"{t},{dialect},{page}\n" for t in text[1:]))
    code, out, err = pmapdb("compare", files["smaps"], "--with", files["x"], "-f", "csv")
    got = list(csv.DictReader(io.StringIO(out)))
    check.equal("other dialects: only total", {r["key"] for r in got}, {"total"})
    check.true("other dialects", "was captured as smaps" in err and "as pmap-x, and these name" in err, err)
    code, out, err = pmapdb("compare", files["smaps"], "--with", files["big"], "-f", "csv")
    got = list(csv.DictReader(io.StringIO(out)))
    check.equal("other pages: no p of memory", {r["metric"] for r in got if r["p"]}, {"mappings"})
    check.true("other pages", code == 3 and "ran with pages of 4 KiB" in err and "pages of 64 KiB" in err, (code, err))
    strange = write_runs(place / "strange.csv", [{"total": r["total"], "other": r["heap"]} for r in b])
    code, out, err = pmapdb("compare", files["smaps"], "--with", strange, "-f", "csv")
    check.equal("no common category", {r["key"] for r in csv.DictReader(io.StringIO(out))}, {"total"})
    check.true("no common category", "A and B have no category in common" in err, err)


# ---- baseline over captures ----

def smaps(rows_of):
    text = ""
    for start, kib, name in rows_of:
        text += f"{start:x}-{start + kib * 1024:x} rw-p 00000000 00:00 0 {name}\nSize: {kib} kB\nRss: {kib} kB\nPss: {kib} kB\n"
    return text


def baseline(place):
    """Three lives of one name, captured every 10 s; the second has no anonymous memory in its second half."""
    source, truth = random.Random(6), []
    for life, n in enumerate((37, 40, 21)):
        run = []
        for i in range(n):
            heap, anonymous = 4 * source.randint(100, 900), 0 if life == 1 and i > n // 2 else 4 * source.randint(10, 20)
            at = 1763000000 + life * 10000 + i * 10
            mapped = [(0x10000000, heap, "[heap]")] + ([(0x7f0000000000, anonymous, "")] if anonymous else [])
            (place / "captures").mkdir(exist_ok=True)
            (place / "captures" / f"{at}-{900 + life}.smaps").write_text(smaps(mapped))
            run.append((i * 10, {"heap": heap, "anonymous": anonymous, "total": heap + anonymous}, len(mapped)))
        truth.append(run)
    store = place / "store.db"
    pmapdb("--db", store, "-q", "import", "--name", "soak", place / "captures")
    found = rows("--db", store, "baseline", "soak")
    began = sorted({r["run"] for r in found})
    got = {(began.index(r["run"]) + 1, int(r["block"]), r["key"]): r for r in found}
    check.equal("three runs", {k[0] for k in got}, {1, 2, 3})
    for number, run in enumerate(truth, 1):
        length = run[-1][0] * 1000
        warm = length // 10
        for block in range(10):
            here = [x for x in run if (0 if x[0] * 1000 < warm else
                                       1 + min(8, (x[0] * 1000 - warm) * 9 // (length - warm))) == block]
            for key in ("heap", "anonymous", "total"):
                kib = [x[1][key] for x in here]
                row = got.get((number, block, key))
                if not any(kib):
                    check.equal(f"no row: {number} {block} {key}", row, None)
                    continue
                near(f"median: {number} {block} {key}", float(row["rss_kib"]), statistics.median(kib), 1e-9)
                check.equal(f"most: {number} {block} {key}", int(row["rss_max_kib"]), max(kib))
                near(f"middle: {number} {block} {key}", float(row["at_s"]), statistics.mean(x[0] for x in here),
                           0.001)
    check.equal("a store and its baseline say the same",
                pmapdb("compare", store, "--with", store, "-f", "csv")[1],
                twice_through_a_file(place, store))


def update(place):
    """The file of a repository: runs are added once, the oldest are removed, other columns and rows do not change."""
    store, kept = place / "store.db", place / "kept.csv"
    pmapdb("--db", store, "baseline", "soak", "--update", kept)
    first = kept.read_text()
    pmapdb("--db", store, "baseline", "soak", "--update", kept)
    check.equal("the same runs again", kept.read_text(), first)
    pmapdb("--db", store, "baseline", "soak", "--update", kept, "--keep", "2")
    runs = sorted({line.split(",")[0] for line in first.splitlines()[1:]})
    check.equal("the newest two", kept.read_text(),
                "".join(f"{t}\n" for t in first.splitlines() if t.split(",")[0] != runs[0]))
    mixed = first.splitlines()
    mixed = mixed[:1] + [line for pair in itertools.zip_longest(mixed[1:200], mixed[200:]) for line in pair if line]
    (place / "mixed.csv").write_text("\n".join(mixed) + "\n")
    check.equal("rows mixed by a merge", pmapdb("compare", place / "mixed.csv", "--with", kept, "-f", "csv")[1],
                pmapdb("compare", store, "--with", kept, "-f", "csv")[1])
    check.true("nothing of the host", not re.search(r"soak|/|\[", first), first[:300])


def operands(place):
    """Names, spans of a name, and stores give the same runs as the files that baseline makes of them."""
    store = place / "store.db"
    times = sorted({line.split(",")[0] for line in pmapdb("--db", store, "baseline", "soak", "-f", "csv")[1].splitlines()[1:]})
    spans = f"soak@first..{times[1][:17]}19Z", f"soak@{times[1]}..last"
    pmapdb("--db", store, "baseline", spans[0], "-o", place / "s0.csv")
    pmapdb("--db", store, "baseline", spans[1], "-o", place / "s1.csv")
    check.equal("runs of a span", len({t.split(",")[0] for t in (place / "s1.csv").read_text().splitlines()[1:]}), 2)
    want = pmapdb("compare", place / "s0.csv", "--with", place / "s1.csv", "-f", "csv")[1]
    check.equal("two spans of one store", pmapdb("--db", store, "compare", spans[0], "--with", spans[1], "-f", "csv")[1], want)
    labelled = place / "labelled.db"
    for folder, build in (("old", 1), ("new", 2)):
        (place / folder).mkdir()
        for capture in (place / "captures").iterdir():
            if (capture.stem < "1763010000") == (build == 1):
                (place / folder / capture.name).write_text(capture.read_text())
        pmapdb("--db", labelled, "-q", "import", "--host", "web", "--name", "soak", "--label", f"build={build}", place / folder)
    check.equal("two labels of build", pmapdb("--db", labelled, "compare", "soak@build=1", "--with", "soak@build=2", "-f", "csv")[1], want)
    code, _, err = pmapdb("--db", labelled, "compare", "soak@build=1", "--with", "soak@build=3")
    check.true("no such build", code == 2 and "'soak@build=3' has no runs" in err, err)
    (place / "others").mkdir()
    for capture in (place / "captures").iterdir():
        (place / "others" / capture.name.replace("-90", "-95")).write_text(capture.read_text())
    other, both = place / "other.db", place / "both.db"
    pmapdb("--db", other, "-q", "import", "--name", "next", place / "others")
    pmapdb("--db", both, "merge", store, other)
    check.equal("two names", rows("--db", both, "compare", "soak", "--with", "next"),
                rows("compare", store, "--with", other))
    check.equal("several stores", rows("compare", store, other, "--with", other)[0]["a"],
                rows("compare", store, "--with", other)[0]["a"])


def counter(at, rate):
    """The counter of a server: a row every 7 s, from 5 s after the start."""
    return "".join(f"{at + t:.1f},{rate * t:.0f}\n" for t in range(5, 300, 7))


def work(place):
    """Memory for a unit of work at different loads: 2 KiB against 2.5 KiB."""
    source, files = random.Random(9), []
    for side, (kib, rate) in enumerate(((2, 40), (2.5, 20))):
        folder = place / f"work{side}"
        folder.mkdir()
        text = "time,count\n"
        for life in range(5):
            begin = 1763000000 + side * 100000 + life * 1000
            text += counter(begin, rate)
            for i in range(29):
                heap = round(50000 + kib * rate * i * 10 + source.gauss(0, 30))
                (folder / f"{begin + i * 10}-{900 + life}.smaps").write_text(smaps([(0x10000000, heap, "[heap]")]))
        (place / f"count{side}.csv").write_text(text)
        store = place / f"work{side}.db"
        pmapdb("--db", store, "-q", "import", "--name", "server", folder)
        files.append(place / f"work{side}.csv")
        pmapdb("--db", store, "baseline", "--work", place / f"count{side}.csv", "-o", files[-1])
        for row in csv.DictReader(files[-1].open()):
            if row["block"] != "0":  # the work counts from the first moment after the first row, 10 s
                near("work of a block", float(row["work"]), rate * (float(row["at_s"]) - 10), rate * 0.02)
    code, out, _ = pmapdb("compare", *files[:1], "--with", *files[1:], "-f", "csv", "--fail-on", "per_work:100B")
    got = {r["metric"]: r for r in csv.DictReader(io.StringIO(out)) if r["key"] == "total"}
    near("KiB for a unit of work, A", float(got["per_work"]["a"]), 2, 0.01)
    near("KiB for a unit of work, B", float(got["per_work"]["b"]), 2.5, 0.01)
    check.equal("worse for the work, better for the time", (got["per_work"]["outcome"], got["growth"]["outcome"], code),
                ("worse", "better", 1))
    code, _, err = pmapdb("compare", files[0], place / "good.csv", "--with", files[1], "--fail-on", "per_work:1K")
    check.true("work of some runs is unknown", code == 2 and "aligned by time" in err and "--work FILE" in err, err)
    for text, want in (("time,count\n5,1\n4,2\n", ":3: its time is before"), ("time,count\n5,x\n", ":2: count is 'x', not a number"),
                       ("time,count\n5,1\n", "has 1 row:"), ("when,count\n", "no column 'time'")):
        (place / "count.csv").write_text(text)
        code, _, err = pmapdb("--db", place / "work0.db", "baseline", "--work", place / "count.csv")
        check.true(f"a counter: {want}", code == 2 and want in err, err)


def died(place):
    """Three real commands, of which the second ends early; each ends when the store has a given number of snapshots."""
    store, waits = place / "died.db", place / "waits.py"
    waits.write_text("import sqlite3, sys, time\n"
                     "store = sqlite3.connect(sys.argv[1], timeout=600)\n"
                     "for look in range(12000):  # ten minutes at most\n"
                     "    if store.execute('SELECT count(*) FROM snapshots').fetchone()[0] >= int(sys.argv[2]):\n"
                     "        break\n"
                     "    time.sleep(.05)\n")
    for number, end in ((30, ""), (37, "; kill -9 $$"), (67, "")):
        pmapdb("--db", store, "-q", "run", "--every", "100ms", "--name", "soak", "--", "sh", "-c",
               f"{sys.executable} {waits} {store} {number}{end}")
    began = sorted({r["run"] for r in rows("--db", store, "baseline", "soak")})
    check.equal("three runs of a command", len(began), 3)
    _, _, err = pmapdb("--db", store, "compare", "soak", "--with", "soak")
    check.true("the run that died early", f"soak: the run of {began[1]} is left out: it ended after" in err, err)


def samples_ci(place):
    """soak.sh runs on a program that does nothing; the pipelines are YAML and call soak.sh."""
    soak, folder = kit.ROOT / "samples" / "ci" / "soak.sh", place / "ci"
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "pmapdb").symlink_to(kit.PROGRAM)
    environment = kit.ENVIRONMENT | {"PATH": f"{folder / 'bin'}:{kit.ENVIRONMENT['PATH']}", "WARM_UP": "0s",
                                     "FAIL_ON": "rss:+5% growth:1G/h"}

    def soak_with(runs, code, **more):
        done = subprocess.run(["sh", str(soak), "base.csv", runs, "3", "--", "sleep", "60"], cwd=folder, text=True,
                              capture_output=True, env=environment | more, check=False)
        check.true("soak.sh: exit status", done.returncode == code, (done.returncode, done.stderr))
        return {r["run"] for r in csv.DictReader((folder / "base.csv").open())}

    check.equal("soak.sh: runs of the baseline", len(soak_with("1", 0, WORK="wc -l <work.csv")), 1)
    check.equal("soak.sh: the runs of another store", len(soak_with("0", 0, UPDATE="1", SOAK_STORE=str(place / "store.db"))), 4)
    (folder / "base.csv").write_text((place / "kept.csv").read_text())
    soak_with("0", 3, SOAK_STORE=str(place / "store.db"))
    check.true("soak.sh: the table and the picture", re.search(r"\| total \| level \|.*```\nsoak/", (folder / "compare.md").read_text(), re.S),
               (folder / "compare.md").read_text())
    check.equal("soak.sh: test cases", len(xml.etree.ElementTree.parse(folder / "compare.xml").findall("testcase")), 2)
    try:
        import yaml
    except ImportError:
        print("skipped: no Python module yaml: github.yml, gitlab.yml")
        return
    github, gitlab = (yaml.safe_load((soak.parent / f).read_text()) for f in ("github.yml", "gitlab.yml"))
    steps = [s.get("run", "") for s in github["jobs"]["soak"]["steps"]] + gitlab["memory"]["script"]
    check.equal("pipelines call soak.sh", sum("sh soak.sh memory-baseline.csv 5 120 -- ./my-server" in s for s in steps), 2)
    comment = "".join(steps + gitlab["memory"]["after_script"])
    check.true("pipelines comment", "gh pr comment" in comment and "memory.png" in comment and "/notes" in comment, comment)


def twice_through_a_file(place, store):
    pmapdb("--db", store, "baseline", "soak", "-f", "csv", "-o", place / "kept.csv")
    return pmapdb("compare", place / "kept.csv", "--with", store, "-f", "csv")[1]


def comparisons(place):
    against_oracle(place)
    with_itself(place)
    gates(place)
    trouble(place)
    kinds(place)
    baseline(place)
    update(place)
    operands(place)
    work(place)
    died(place)
    samples_ci(place)


kit.main(comparisons, check=check)
