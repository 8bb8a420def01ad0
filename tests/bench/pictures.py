"""Benchmark: pictures of 10,000 snapshots of 4,000 mappings, of which 2.8 % change from one to the
next. One capture is imported; the rows of the others are written directly to the store, because
their texts would be gigabytes.
"""
import random
import sqlite3
import sys
from ctypes.util import find_library

from measure import amount, child, kit, pmapdb

STEP_MS = 600_000


def capture(mappings):
    """Returns the text of one pmap -x."""
    text, size = "4711:   /usr/sbin/bigd\nAddress           Kbytes     RSS   Dirty Mode  Mapping\n", 256
    for i in range(mappings):
        text += "%016x %7d %7d %7d rw---   [ anon ]\n" % (0x7f0000000000 + i * 0x50000, size, 64, 64)
    return text + "---------------- ------- ------- ------- \ntotal kB         %7d %7d %7d\n" % (
        size * mappings, 64 * mappings, 64 * mappings)


def multiply(db, snapshots):
    """Makes many snapshots of one: in each, one mapping in 36 changes; one mapping only grows."""
    store, dice = sqlite3.connect(db), random.Random(1)
    regions = [r for r, in store.execute("SELECT region_id FROM mapping_version ORDER BY region_id")]
    change, rows = [0] * (snapshots + 1), []
    for n, region in enumerate(regions):
        before, first = 64, 0
        for last in [*range(n % 36, snapshots - 1, 36), snapshots - 1]:
            now = 64 + 180 * last // snapshots if n == len(regions) // 2 else dice.randint(32, 96)
            rows.append((region, first, last, now))
            change[first] += now - (before if first else 64)
            before, first = now, last + 1
    store.execute("DELETE FROM mapping_version")
    epoch, = store.execute("SELECT epoch_id FROM epoch").fetchone()
    store.executemany("INSERT INTO mapping_version (epoch_id, region_id, first, last, private_dirty, private_clean, "
                      "shared_clean, shared_dirty, swap) VALUES (%d, ?, ?, ?, ?, 0, 0, 0, 0)" % epoch, rows)
    columns = [c[1] for c in store.execute("PRAGMA table_info(snapshot)") if c[1] not in ("snapshot_id", "off", "rss_kib",
                                                                                        "tool_rss_kib")]
    rss, = store.execute("SELECT rss_kib FROM snapshot").fetchone()
    own = ", ".join("?3 * %d + taken_ms" % STEP_MS if c == "taken_ms" else "?3 * %d + moment_ms" % STEP_MS
                    if c == "moment_ms" else c for c in columns)
    store.execute("UPDATE category_version SET last = 0")
    category = store.execute("SELECT category_id, mappings, size_kib FROM category_version").fetchone()
    sums = []
    for off in range(snapshots):
        rss += change[off]
        sums.append((off, rss))
    store.execute("UPDATE snapshot SET rss_kib = ?, tool_rss_kib = ?", (sums[0][1], sums[0][1]))
    store.execute("UPDATE category_version SET rss_kib = ?", (sums[0][1],))
    for off, rss in sums[1:]:
        store.execute("INSERT INTO snapshot (off, rss_kib, tool_rss_kib, %s) SELECT ?3, ?1, ?2, %s FROM snapshot "
                      "WHERE snapshot_id = 1" % (", ".join(columns), own), (rss, rss, off))
    store.executemany("INSERT INTO category_version (epoch_id, category_id, first, last, mappings, size_kib, rss_kib) "
                      "VALUES (%d, %d, ?, ?, %d, %d, ?)" % (epoch, *category), [(o, o, r) for o, r in sums[1:]])
    store.commit()
    wrong, = store.execute("SELECT count(*) FROM snapshot s WHERE snapshot_id %% 997 = 1 AND rss_kib <> (SELECT "
                           "sum(rss_kib) FROM mappings m WHERE m.snapshot_id = s.snapshot_id)" % ()).fetchone()
    store.close()
    if wrong:
        sys.exit("%d snapshots do not add up" % wrong)


def draw(lines, place, db, kinds, asked_s, beside):
    for name, what, asked in kinds:
        path = place / ("drawn." + name)
        if name == "png" and not find_library("cairo"):
            print("PNG skipped: libcairo2 is missing")
            continue
        cpu = child(pmapdb("plot", "--what", what, "-o", path, db=db))
        lines.add("KB, %s, %s" % (name, what), path.stat().st_size / 1000, asked, beside, "%.0f")
        lines.add("s, %s, %s, with its verdicts" % (name, what), cpu, asked_s, beside)


def bench(lines, place):
    samples, small = kit.ROOT / "samples" / "captures", place / "small.db"
    kit.run("import", "-q", samples, db=small)
    draw(lines, place, small, (("svg", "both", 400), ("png", "both", 200)), .3, "samples/captures")
    n, mappings = amount(100, 10000, 10000), amount(400, 4000, 4000)
    text, db = place / "big.txt", place / "big.db"
    text.write_text(capture(mappings))
    kit.run("import", "-q", "--at", "2026-08-01T00:00:00Z", text, db=db)
    multiply(db, n)
    beside = "%d snapshots of %d mappings" % (n, mappings)
    base = child(pmapdb("leaks", "-f", "csv", db=db))
    draw(lines, place, db, (("svg", "both", 400), ("png", "both", 200), ("png", "growth", 200)), None,
         beside + "; leaks alone %.2f" % base)
