"""VmFlags in words, and the page list and the regions of pmap-dotnet, on public captures.

Every flag in a capture has words. On the capture for which pmap-dotnet publishes its answers (its demo),
`mappings --words --min-size 10M` lists the same mappings, and `mappings --regions` finds in random regions
the mappings that a plain reading of the text finds.
"""
import collections
import random
import re

import captures
import kit

DEMO = "03-dotnet-pmap-demo-XXpq.txt"
# The head of the list in pmap-dotnet's README, and the flag that it explains in each row.
PUBLISHED = [("7f6f744e1000", 267775100, "dd"), ("7f6ecb494000", 2108848, "dd"),
             ("7faf68990000", 1972672, "dd"), ("7f6ebf4ef000", 130460, "dd"),
             ("7f6eb74f0000", 130456, "dd"), ("7f6e44021000", 65404, "nr")]
ROW = re.compile(r"^([0-9a-f]+) (\S{4}) \S+ +\S+ +\d+((?: +\d+)+) +((?:[a-z]{2} )+) ?(.*)$")
Row = collections.namedtuple("Row", "start end size rss perms flags name")

check = kit.Check()
random.seed(5)


def read(path):
    """The demo has no header: after the inode come Size, two page sizes and Rss; VmFlags are words."""
    rows = []
    for line in path.read_text(encoding="utf-8").splitlines()[1:]:
        m = ROW.match(line)
        if check.true("a row of the demo", m, line):
            numbers = [int(n) for n in m[3].split()]
            start = int(m[1], 16)
            rows.append(Row(start, start + numbers[0] * 1024, numbers[0], numbers[3], m[2],
                            m[4].split(), m[5]))
    return rows


def flags_have_words(place):
    folder = captures.folder("pmap")
    files = sorted(p for p in [*folder.iterdir(), *captures.folder("versions").iterdir()] if p.is_file())
    seen = collections.Counter()
    for path in files:
        for line in path.read_bytes().splitlines():
            if line.startswith(b"VmFlags:"):
                seen.update(line.decode("utf-8", "replace").split()[1:])
    db = place / "all.db"
    kit.run("import", "-q", "--every", "1m", *files, db=db, expect=None)
    connection = kit.plain(db)
    for (flags,) in connection.execute("select distinct flags from object where flags is not null"):
        seen.update(flags.decode().split())
    check.true("flags of the captures", len(seen) > 20, sorted(seen))
    said = kit.rows("sql", "SELECT %s" % ", ".join(
        "vmflags_text('%s') AS %s_" % (f, f) for f in seen if re.fullmatch("[a-z]{2}", f)), db=db)[0]
    for flag, words in said.items():
        check.true("flag %s" % flag[:2], words and words != flag[:2] and len(words) > 2, words)
    return len(files), sorted(seen)


def page_list(db, rows):
    want = sorted((r for r in rows if r.size >= 10240), key=lambda r: (-r.size, r.start))
    got = kit.rows("mappings", "--words", "--min-size", "10M", db=db)
    check.equal("pages: which", [(r["start"], int(r["size_kib"])) for r in got],
                [("%x" % r.start, r.size) for r in want])
    for r, w in zip(got, want):
        check.equal("pages: as many words as flags", len(r["flags_text"].split(", ")), len(w.flags))
        check.equal("pages: perms", r["perms_text"],
                    ", ".join([word for letter, word in zip("rwx", ("read", "write", "execute"))
                               if letter in w.perms] or ["no access"]) +
                    (", shared" if "s" in w.perms else ", private"))
        check.equal("pages: dd", "not in core dumps" in r["flags_text"], "dd" in w.flags)
        check.equal("pages: nr", "no swap reserved" in r["flags_text"], "nr" in w.flags)
    check.equal("pages: the published list", [(r["start"], int(r["size_kib"])) for r in got[:len(PUBLISHED)]],
                [p[:2] for p in PUBLISHED])
    for r, (_, _, flag) in zip(got, PUBLISHED):
        check.true("pages: the published flags", {"dd": "not in core dumps", "nr": "no swap reserved"}[flag]
                   in r["flags_text"], r["flags_text"])


def some_regions(rows):
    """Regions from one mapping to another; some begin or end inside a mapping; the first is everything."""
    regions = [(0, 0xffffffffffffffff)]
    for _ in range(40 if kit.full else 10):
        first, last = sorted(random.sample(range(len(rows)), 2))
        start = rows[first].start + random.choice((0, 0, 4096, -4096))
        end = rows[min(last, first + random.randrange(1, 300))].end + random.choice((0, 0, -4096, -1))
        if start < end:
            regions.append((start, end))
    return regions


def spelt(address):
    text = "%x" % address
    return random.choice((text, "0x" + text, text.upper(), "%08x`%08x" % (address >> 32, address & 0xffffffff)))


def regions(place, db, rows):
    wanted, skip = some_regions(rows), ("dd", "nr")
    path = place / "regions.csv"
    path.write_text("".join("%s,%s\n" % (spelt(a), spelt(b)) for a, b in wanted), encoding="ascii")
    for flags in ((), ("dd",), skip):
        options = [o for f in flags for o in ("--skip-flag", f)]
        got = collections.defaultdict(list)
        for row in kit.rows("mappings", "--regions", path, *options, db=db):
            got[int(row["region"])].append(row)
        check.equal("regions: their numbers", sorted(got), list(range(1, len(wanted) + 1)))
        filtered = []
        for n, (start, end) in enumerate(wanted, 1):
            last = end if end & 0xfff == 0xfff else end - 1
            here = [r for r in rows if r.start <= last and r.end > start and not set(flags) & set(r.flags)]
            whole = [r for r in here if r.start >= start and r.end - 1 <= last]
            filtered += whole
            listed = [r for r in got[n] if r["start"]]
            check.equal("regions: rows", [(r["start"], r["within"]) for r in listed],
                        [("%x" % r.start, "whole" if r in whole else "part") for r in here])
            check.equal("regions: sums", [int(got[n][0]["region_" + c]) for c in
                                          ("mappings", "parts", "size_kib", "rss_kib")],
                        [len(whole), len(here) - len(whole), sum(r.size for r in whole),
                         sum(r.rss for r in whole)])
            # pmap-dotnet compares the end of a mapping with the end of the region as written.
            if end & 0xfff == 0:
                check.equal("regions: pmap-dotnet's", [r["start"] for r in listed if r["within"] == "whole"],
                            ["%x" % r.start for r in rows if r.start >= start and r.end <= end
                             and not set(flags) & set(r.flags)])
        text = kit.run("mappings", "--regions", path, *options, db=db).stdout.decode()
        check.equal("regions: the list", text.rstrip("\n").split("\n")[-1],
                    "{ %s}" % "".join("0x%x, " % r.start for r in filtered))


def pages_and_regions(place):
    n, flags = flags_have_words(place)
    print("%d files show %s" % (n, " ".join(flags)))
    demo = captures.folder("pmap") / DEMO
    rows = read(demo)
    db = place / "demo.db"
    kit.run("import", "-q", demo, db=db)
    check.equal("rows of the demo", (len(rows), sum(r.size for r in rows)), (4150, 275031172))
    page_list(db, rows)
    regions(place, db, rows)


kit.main(pages_and_regions, check=check)
