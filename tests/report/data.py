"""data: compares the data of a report with the store's answers, without a browser. --full: 10,000 snapshots."""
import base64
import json
import re
import sys
import zlib

import stores

kit = stores.kit
check = kit.Check()


def unpack(path):
    """Returns the JSON texts of a report: the index, then each process."""
    return [json.loads(zlib.decompress(base64.b64decode(text), -15)) for text in re.findall(
        r'<script id="data\d+" type="application/octet-stream">([^<]*)</script>', path.read_text())]


def undelta(values):
    last, out = 0, []
    for v in values:
        last += v or 0
        out.append(None if v is None else last)
    return out


def growth(s, series, what):
    """Each category of each kept snapshot equals the answer of growth."""
    ids = undelta(series["id"])
    want = {(int(r["snapshot_id"]), r["category"]): kit.number(r["rss_kib"])
            for r in kit.rows("growth", "@%d" % series["process_id"], db=s.db) if r["snapshot_id"]}
    flat, n = undelta(series["cat"]["rss"]), len(ids)
    got = {(ids[k], c): flat[i * n + k] for i, c in enumerate(series["cats"]) for k in range(n)}
    for key, kib in want.items():
        if key[0] in ids:
            check.equal(f"{what}: growth {key}", got.get(key), kib)


def adds_up(series, what):
    """The stretches of each category, with summed mappings, add up to its resident memory in each snapshot."""
    n, kmap, s = len(series["t"]), undelta(series["kmap"]), series["str"]
    flat, a, rss = undelta(series["cat"]["rss"]), undelta(s["a"]), undelta(s["rss"])
    steps, at = [[0] * (len(kmap) + 1) for _ in series["cats"]], 0
    for _, category, _, _, _, stretches in series["lin"]:
        for i in range(at, at + stretches):
            steps[category][a[i]] += rss[i] or 0
            steps[category][a[i] + s["more"][i] + 1] -= rss[i] or 0
        at += stretches
    for c, name in enumerate(series["cats"]):
        kib = 0
        for stop, k in enumerate(kmap):
            kib += steps[c][stop]
            if flat[c * n + k] is not None:
                check.equal(f"{what}: {name} adds up at {stop}", kib, flat[c * n + k])


def once(s, kind):
    path = s.report()
    index, *processes = unpack(path)
    check.true(kind + ": small", path.stat().st_size < 400 << 10, path.stat().st_size)
    check.equal(kind + ": mode", path.stat().st_mode & 0o777, 0o600)
    for p in processes:
        growth(s, p["series"], kind)
        adds_up(p["series"], kind)
        rows = [r for r in kit.rows("leaks", "@%d" % p["series"]["process_id"], db=s.db, expect=(0, 3))]
        got = {r["key"]: r["verdict"] for r in index["leak"] if r["process_id"] == p["series"]["process_id"]}
        for r in rows:
            check.equal(f"{kind}: verdict of {r['key']}", got.get(r["key"]), r["verdict"])
    again = unpack(s.report(out="again.html"))
    for part in (index, again[0]):
        part["about"].pop("made_ms")
    check.equal(kind + ": made twice", again, [index, *processes])


def peaks(place):
    """Of many snapshots, the first, the last, and the one that was large for a minute are kept."""
    s = stores.make("peak", place)
    series = unpack(s.report())[1]["series"]
    t, rss = undelta(series["t"]), undelta(series["total"]["rss"])
    truth = stores.resident(s)
    check.equal("peak: all are counted", series["n"], stores.MANY)
    check.true("peak: at most 1,200", 1000 < len(t) <= 1200, len(t))
    check.true("peak: at most 360 with mappings", 300 < len(series["kmap"]) <= 360, len(series["kmap"]))
    check.equal("peak: kept", max(rss), max(truth.values()))
    check.equal("peak: kept with its mappings", t[rss.index(max(rss))] in {t[k] for k in undelta(series["kmap"])}, True)
    for at, kib in zip(t, rss):
        check.equal("peak: a real snapshot", truth.get((at, 4711)), kib)
    check.equal("peak: the ends", [t[0], t[-1]], [min(truth)[0], max(truth)[0]])
    step = max(b - a for a, b in zip(t, t[1:]))
    check.true("peak: evenly", step <= 60000 * stores.MANY // 250, step)


def many(place):
    """Of 1,800 mappings, important ones are shown one by one, and the sums of all are exact."""
    s = stores.Store(place, "many")
    for i in range(12):
        s.put(60 * i, 4711, stores.process(1000, extra=[
            (0x7e0000000000 + n * 0x40000, 20, "rw-p", "" if n % 3 else "/tmp/file%d" % (n % 7), 4 * ((n * 7 + i * (n % 5 == 0)) % 20))
            for n in range(1800 + 10 * i) if n % 50 != i]))
    s.keep("--name", "demo")
    series = unpack(s.report())[1]["series"]
    check.true("many: some are summed", 0 < sum(1 for line in series["lin"] if line[0]) <= 1500 < series["lin_total"])
    check.true("many: in blocks", any(line[0] == 0 and line[4] > 1 for line in series["lin"]))
    adds_up(series, "many")


def older_life(place):
    """A life that was followed by another life is shown and judged alone."""
    s = stores.make("lives", place / "older")
    kit.run("report", "demo/4711", "-o", s.folder / "older.html", db=s.db)
    index, process = unpack(s.folder / "older.html")
    check.equal("older life: itself", [life["pid"] for life in process["series"]["life"]], [4711])
    check.equal("older life: its verdict", {r["verdict"] for r in index["leak"] if r["key"] == "heap"
                                            and r["process_id"] == process["series"]["process_id"]}, {"leak"})


def source():
    """The page's own text cannot end its element, use a network, or turn a name into markup."""
    folder = kit.ROOT / "src" / "report"
    for path in sorted(folder.glob("*.js")) + [folder / "page.css"]:
        text = path.read_text()
        for word in ("</script", "<!--", "</style", "innerHTML", "insertAdjacentHTML", "document.write", "eval(", "fetch(",
                     "XMLHttpRequest", "localStorage", "http:", "https:", "@import", "url("):
            check.true(f"source: {path.name} has no {word}", word not in text)


def refuse(place):
    """A report that is refused writes no file."""
    s = stores.Store(place, "refuse")
    stores.one(s)
    out = s.folder / "never.html"
    done = kit.run("report", "nobody", "-o", out, db=s.db, expect=(2,))
    check.true("refused: says what there is", b"demo" in done.stderr, done.stderr)
    check.equal("refused: no file", out.exists(), False)
    marks = s.folder / "marks.csv"
    marks.write_text("time,text\n2026-11-21T00:06:00Z,deploy 2.3\n")
    index = unpack(s.report("--marks", marks, "--mark", "2026-11-21 00:07:00 more"))[0]
    check.equal("marks", [m["text"] for m in index["marks"]], ["more", "deploy 2.3"])
    done = kit.run("report", "--mark", "deploy", "-o", out, db=s.db, expect=(2,))
    check.true("refused: a mark without a time", b"--mark" in done.stderr, done.stderr)


def main():
    source()
    with kit.Place() as place:
        for kind in stores.KINDS:
            once(stores.make(kind, place), kind)
        peaks(place)
        many(place)
        refuse(place)
        older_life(place)
    check.finish()


if __name__ == "__main__":
    sys.exit(main())
