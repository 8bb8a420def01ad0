"""pmapdb baseline and compare against calculations in Python: medians of blocks over the captures as they
were written, permutation tests by itertools, Welch's interval by integration; how often runs of one build are
called different; the gates and their exit statuses; runs that cannot be compared."""
import csv
import io
import itertools
import math
import pathlib
import random
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
    done = subprocess.run([kit.PROGRAM, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env=kit.ENVIRONMENT, check=False)
    return done.returncode, done.stdout, done.stderr


def rows(*words):
    return list(csv.DictReader(io.StringIO(pmapdb(*words, "-f", "csv")[1])))


def near(what, got, want, within):
    check.true(what, abs(got - want) <= within, (got, want))


# ---- files of baseline ----

def write_runs(path, runs):
    """Each run: {key: [KiB of block 0 to 9]}; 3 mappings each."""
    with open(path, "w", encoding="utf-8") as out:
        out.write("run,block,at_s,key,mappings,rss_kib,rss_max_kib,snapshots\n")
        for number, run in enumerate(runs, 1):
            for block in range(10):
                for key, values in run.items():
                    if block < len(values):
                        out.write(f"{number},{block},{block * STEP_S},{key},3,{values[block]},{values[block]},5\n")
    return path


def noise(source, level, keys=("total", "heap", "anonymous")):
    """A run of one build: keys with levels that differ from run to run and from block to block."""
    run = {}
    for key in keys:
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
    """(p, p_adjusted) of each column, by trying all ways to deal the runs."""
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
    want = permutations(of_a, of_b, list(of_a[0]))
    check.equal("rows", len(got), len(want))
    for row in got:
        column = row["key"], row["metric"]
        x, y = [r[column] for r in of_a], [r[column] for r in of_b]
        near(f"means: {column}", float(row["a"]), statistics.mean(x), 0.51)
        near(f"means: {column}", float(row["b"]), statistics.mean(y), 0.51)
        near(f"p: {column}", float(row["p"]), want[column][0], 1e-9)
        near(f"p_adjusted: {column}", float(row["p_adjusted"]), want[column][1], 1e-9)
        va, vb = statistics.variance(x) / len(x), statistics.variance(y) / len(y)
        if va + vb == 0:
            continue
        df = (va + vb) ** 2 / (va ** 2 / (len(x) - 1) + vb ** 2 / (len(y) - 1))
        half = (float(row["high"]) - float(row["low"])) / 2 / math.sqrt(va + vb)
        near(f"interval: {column}", student(math.floor(df), half), 0.975, 0.002)


def with_itself(place):
    """200 comparisons of runs of one build: at most 5 % may differ (here 16 or more of 200 are as likely as .05)."""
    source = random.Random(2)
    different = 0
    for _ in range(200):
        a = write_runs(place / "a.csv", [noise(source, 100000) for _ in range(5)])
        b = write_runs(place / "b.csv", [noise(source, 100000) for _ in range(5)])
        different += any(r["outcome"] in ("worse", "better")
                         for r in rows("compare", a, "--with", b, "--tolerance", "0.001%"))
    check.true("runs of one build", different <= 15, different)
    print(f"one build against itself: {different} of 200 called different")


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
    check.true("a run that ended early", "early.csv: run 2 is left out" in err and "2 of B" in out, err)
    (place / "bad.csv").write_text(good.read_text().replace(",total,3,", ",total,three,", 1))
    code, _, err = pmapdb("compare", good, "--with", place / "bad.csv")
    check.true("a damaged file", code == 2 and "bad.csv:2: not a number" in err, err)
    code, _, err = pmapdb("compare", good)
    check.true("nothing to compare with", code == 2 and "--with" in err, err)
    blind = place / "blind.csv"
    blind.write_text("\n".join(",".join(f if i not in (5, 6) else "" for i, f in enumerate(line.split(",")))
                               if n else line for n, line in enumerate(good.read_text().splitlines())) + "\n")
    got = {(r["key"], r["metric"]): r for r in rows("compare", good, "--with", blind)}
    check.equal("unknown memory has no p", (got["total", "level"]["p"], got["total", "level"]["outcome"]),
                ("", "cannot tell"))
    check.equal("known mappings have one", got["total", "mappings"]["p"], "1")


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
    got = {(int(r["run"]), int(r["block"]), r["key"]): r for r in rows("--db", store, "baseline", "soak")}
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


def twice_through_a_file(place, store):
    pmapdb("--db", store, "baseline", "soak", "-f", "csv", "-o", place / "kept.csv")
    return pmapdb("compare", place / "kept.csv", "--with", store, "-f", "csv")[1]


def main():
    with kit.Place() as place:
        against_oracle(place)
        with_itself(place)
        gates(place)
        trouble(place)
        baseline(place)
    check.finish()


if __name__ == "__main__":
    main()
