"""pictures: the files of pmapdb plot against the store. An SVG is well-formed XML whose areas are the sums
of the store; a PNG has its size and colours; names of any bytes change nothing; nothing is drawn across
gaps and restarts; one snapshot and sums alone give a picture, too.
"""
import pathlib
import re
import struct
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "shared"))
import kit  # noqa: E402 (found by the line before)

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "</title><script>alert(1)</script>\"'&\u202e\033]0;x\007 <img onerror=x>"
check = kit.Check(shown=20)


def pmap(pid, name, heap, libc=0x7f1000000000):
    rows = [(0x560000000000, 16, 16, 0, "r-x--", "prog"), (0x560001000000, heap, heap, heap, "rw---", "  [ anon ]"),
            (libc, 1000, 400, 0, "r-x--", "libc.so.6")]
    text = "%d:   /srv/%s\nAddress           Kbytes     RSS   Dirty Mode  Mapping\n" % (pid, name)
    for start, size, rss, dirty, mode, path in rows:
        text += "%016x %7d %7d %7d %s %s\n" % (start, size, rss, dirty, mode, path)
    return text + "---------------- ------- ------- ------- \ntotal kB         %7d %7d %7d\n" % tuple(
        sum(r[i] for r in rows) for i in (1, 2, 3))


def store(place, name, captures):
    """Makes a store of {minute: text}."""
    folder = place / name
    folder.mkdir()
    for minute, text in captures.items():
        (folder / ("%d-7.x" % (1795219200 + 60 * minute))).write_text(text)
    db = place / (name + ".db")
    kit.run("import", "-q", "--name", name if name != "hostile" else HOSTILE, folder, db=db)
    return db


def svg(db, *words):
    path = db.with_suffix(".svg")
    kit.run("plot", *words, "-o", path, db=db)
    text = path.read_text()
    check.true("at most 400 KB", len(text) < 400000, len(text))
    root = ElementTree.fromstring(text)
    check.true("no script, nothing from outside", not any(
        e.tag in (SVG + "script", SVG + "image", SVG + "a") or any(k.startswith("on") or "href" in k for k in e.keys())
        for e in root.iter()), path.name)
    return root


def areas(root):
    """{category: its areas, as (points, title)}."""
    found = {}
    for path in root.iter(SVG + "path"):
        title = path.find(SVG + "title")
        if title is not None and ": " in title.text:
            points = [tuple(map(float, p)) for p in re.findall(r"[ML]([-\d.]+) ([-\d.]+)", path.get("d"))]
            found.setdefault(title.text.split(": ")[0], []).append((points, title.text))
    return found


def compare_sums(db, root, process=()):
    """Each area begins and ends at the height of the store's number, by the scale of the axis."""
    rows = kit.rows("growth", *process, db=db)
    texts = [(t.text, float(t.get("y"))) for t in root.iter(SVG + "text")]
    kib = {"KiB": 1, "MiB": 1024, "GiB": 1 << 20}
    axis = [(float(m[1]) * kib[m[2]], y) for text, y in texts if (m := re.match(r"([\d.]+) ([KMG]iB)$", text))]
    (low, bottom), (high, top) = axis[1], axis[-1]
    scale = (bottom - top) / (high - low)  # pixels per KiB
    for category, parts in areas(root).items():
        of = [r for r in rows if r["category"] == category]
        if not of:
            continue
        first, last = parts[0][0], parts[-1][0]
        for points, side, row in ((first, 0, of[0]), (last, len(last) // 2 - 1, of[-1])):
            height = points[-1 - side][1] - points[side][1]
            check.true("%s: the sum" % category, abs(height / scale - int(row["rss_kib"])) <= .6 / scale + 1,
                       (height / scale, row["rss_kib"]))
        check.true("%s: the title" % category, parts[0][1].endswith("(%s -> %s)" % (of[0]["rss_kib"], of[-1]["rss_kib"])),
                   parts[0][1])
    return len(axis)


def png(db):
    path = db.with_suffix(".png")
    line = [kit.PROGRAM, "plot", "--db", str(db), "-o", str(path)]
    done = subprocess.run(line, capture_output=True, text=True, env=kit.NO_LEAK_CHECK, check=False)
    if "libcairo" in done.stderr:
        print("no PNG here: " + done.stderr.strip())
        return
    check.equal("exit status", (done.returncode, done.stderr), (0, ""))
    data = path.read_bytes()
    check.equal("the size of a PNG", struct.unpack(">II", data[16:24]), (1200, 600))
    check.true("at most 200 KB", len(data) < 200000, len(data))
    packed, at = b"", 8
    while at < len(data):
        n, kind = struct.unpack(">I4s", data[at:at + 8])
        packed += data[at + 8:at + 8 + n] if kind == b"IDAT" else b""
        at += n + 12
    pixels = zlib.decompress(packed)
    check.true("a PNG decodes", len(pixels) in (600 * 3601, 600 * 4801), len(pixels))
    check.true("a PNG has colours", len(set(pixels)) > 8, len(set(pixels)))


def pictures(place):
    grows = {m: pmap(7, "web", 2000 + 400 * m + 3000 * (m == 15)) for m in range(20) if m not in (9, 10, 11)}
    db = store(place, "web", grows)
    root = svg(db)
    check.true("an axis", compare_sums(db, root) >= 3)
    words = [t.text for t in root.iter(SVG + "text")]
    check.true("the verdict", "LEAK" in words and any(w.startswith("heap +") for w in words), words)
    check.true("the gap is named", "3 missed" in words, words)
    heap = areas(root)["heap"]
    check.equal("nothing is drawn across a gap", len(heap), 2)
    check.equal("every snapshot is drawn", sum(len(p) // 2 for p, _ in heap), 17)
    png(db)
    marks = place / "marks.csv"
    marks.write_text("who,time,text\nci,2026-11-21T00:05:00Z,deploy <2.3>\nci,yesterday noon,lost\nci,1795219800,by seconds\n")
    out = place / "marked.svg"
    done = kit.run("plot", "--marks", marks, "-o", out, db=db, expect=(2,))
    said = [t.text for t in ElementTree.parse(out).iter(SVG + "text")]
    check.equal("marks", [t for t in said if "deploy" in t or "seconds" in t], 2 * ["deploy <2.3>", "by seconds"])
    check.true("a mark without a time is named", b"marks.csv:3:" in done.stderr, done.stderr)
    limit = [t.text for t in svg(db, "--limit", "16M").iter(SVG + "text")]
    check.true("a limit and when it is reached", any(w.startswith("full 2026") for w in limit), limit)

    lives = {m: pmap(7 + m // 10, "two", 1000 + 100 * (m % 10), 0x7f1000000000 + 0x1000000 * (m // 10))
             for m in range(20)}
    db = store(place, "two", lives)
    root = svg(db)
    compare_sums(db, root)
    check.equal("nothing is drawn across a restart", len(areas(root)["heap"]), 2)
    check.true("a restart is named", any(t.text.startswith("restart") for t in root.iter(SVG + "text")))

    db = store(place, "one", {0: pmap(7, "one", 1000)})
    check.true("one snapshot", "TOO FEW" in [t.text for t in svg(db).iter(SVG + "text")])
    sums = {m: "mapped: %dK    writeable/private: %dK    shared: 0K\n" % (90000 + m, 4000) for m in range(9)}
    db = store(place, "sums", sums)
    check.true("sums only", "total" in areas(svg(db)))
    db = store(place, "hostile", {m: pmap(7, "x", 1000 + 300 * m) for m in range(9)})
    root = svg(db)
    check.true("a name stays a name", any("<script>" in (t.text or "") for t in root.iter(SVG + "text")))
    png(db)


kit.main(pictures, check=check)
