"""A million mappings, 250 captures of steady4000: pmapdb and DuckDB.

DuckDB loads a CSV that pmapdb writes of its store, after awk has checked the sums. DuckDB is npm's
@duckdb/node-api, with one thread; the first run installs it in bench-node beside the measured program.
"""
import json
import pathlib
import sqlite3
import subprocess

from measure import HERE, amount, child, kit, median_cpu, short, there
from replay import Replay

CAPTURES = amount(2, 250, 250)
PACKAGE = "@duckdb/node-api"
QUOTED = '"%s" %s'                          # end and offset are keywords of SQL
TEXT = ("perms", "device", "path", "flags", "category")
NUMBERS = (
    "snapshot_id start end offset inode size_kib rss_kib pss_kib dirty_kib private_kib private_dirty_kib "
    "swap_kib kernel_page_kib mmu_page_kib pss_dirty_kib shared_clean_kib shared_dirty_kib "
    "private_clean_kib referenced_kib anonymous_kib ksm_kib lazy_free_kib anon_huge_kib shmem_pmd_kib "
    "file_pmd_kib shared_hugetlb_kib private_hugetlb_kib swap_pss_kib locked_kib thp_eligible "
    "protection_key").split()
GROWTH = ("select snapshot_id, category, sum(rss_kib) from m where rss_kib is not null group by 1, 2 order by 1, 2")
OURS = ("select snapshot_id, category, rss_kib from categories where process_id = 1 and mappings > 0 order by 1, 2")
QUERIES = 7


def node_modules():
    """Installs DuckDB if it is missing. Returns (folder, None), or (None, why not)."""
    if short or not there("node") or not there("npm"):
        return None, "node or npm is missing"
    folder = pathlib.Path(kit.PROGRAM).resolve().parent / "bench-node"
    if not (folder / "node_modules" / PACKAGE).is_dir():
        folder.mkdir(exist_ok=True)
        done = subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--prefix", folder,
                               PACKAGE], capture_output=True, text=True, check=False)
        if done.returncode:
            return None, "npm install %s failed: %s" % (PACKAGE, done.stderr.strip()[-200:])
    return folder / "node_modules", None


def write_csv(db, path, totals):
    """Writes all rows of the store. Ends the run if their sums differ from awk's sums of the raw text."""
    # a column with the name of an address would be printed in hexadecimal
    columns = ", ".join(['"%s" + 0' % c for c in NUMBERS] + list(TEXT))
    with open(path, "wb") as out:
        child([kit.PROGRAM, "--db", db, "-f", "csv", "sql", "select %s from mappings" % columns], out=out)
    rss, size = (1 + NUMBERS.index(c) for c in ("rss_kib", "size_kib"))
    program = 'NR > 1 { n++; s += $%d; r += $%d } END { printf "%%.0f %%.0f %%.0f", n, s, r }' % (size, rss)
    said = subprocess.run(["awk", "-F,", program, path], check=True, stdout=subprocess.PIPE).stdout
    want = [sum(column) for column in zip(*totals)]
    if list(map(int, said.split())) != want:
        raise SystemExit("the CSV says %r, the raw text %r" % (said, want))
    return want[0]


def definitions(number, text):
    return ", ".join([QUOTED % (c, number) for c in NUMBERS] + [QUOTED % (c, text) for c in TEXT])


def agree(name, rows, total, ours):
    if (rows, total) != (len(ours), sum(row[2] for row in ours)):
        raise SystemExit("%s answers %d rows, %d KiB; pmapdb %d rows, %d KiB" % (
            name, rows, total, len(ours), sum(row[2] for row in ours)))


def answer(db, sql):
    """Returns (rows, median CPU seconds), both from SQLite."""
    connection = sqlite3.connect("file:%s?mode=ro" % db, uri=True)
    rows = connection.execute(sql).fetchall()
    seconds = median_cpu(lambda: connection.execute(sql).fetchall(), QUERIES)
    connection.close()
    return rows, seconds


def duckdb(csv, place, ours):
    """Returns (measurements of DuckDB, None), or (None, why not)."""
    modules, why = node_modules()
    if not modules:
        return None, why
    file = place / "million.duckdb"
    columns = definitions("BIGINT", "VARCHAR")
    done = subprocess.run(["node", HERE / "duck.mjs", modules, csv, file, columns, GROWTH,
                           str(QUERIES)], capture_output=True, text=True, check=False)
    if done.returncode:
        return None, "it failed: %s" % done.stderr.strip()[:300]
    out = json.loads(done.stdout)
    agree("DuckDB", out["rows"], out["sum"], ours)
    out["bytes"] = file.stat().st_size
    file.unlink()
    return out, None


def bench(lines, place):
    replay = Replay("steady4000", CAPTURES)
    db, csv = place / "million.db", place / "million.csv"
    seconds = replay.imported(range(CAPTURES), db)
    replay.check(db, CAPTURES)
    rows = write_csv(db, csv, replay.lanes[0].totals)
    size = sum(path.stat().st_size for path in (db, place / "million.db-wal") if path.exists())
    ours, query = answer(db, OURS)
    theirs, why = duckdb(csv, place, ours)
    beside = "%d mappings; DuckDB %s" % (rows, theirs["version"] if theirs else "skipped: " + why)
    for what, mine, key, asked, scale in (("ms, a million mappings stored", seconds, "load_s", 1, 1000),
                                          ("KiB of the file", size, "bytes", 0.2, 1 / 1024),
                                          ("ms, growth of all categories over all of them", query, "query_s", 1, 1000)):
        lines.add(what, mine * scale, theirs and asked * theirs[key] * scale, beside, "%.1f")
    csv.unlink()
    for path in place.glob("million.db*"):
        path.unlink()
