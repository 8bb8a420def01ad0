"""What else one would do with the same captures: rows of text in SQLite, or compressed files.

The rows of the rivals are made by tests/shared/truth.py, which parses apart from our program; that
parsing is not counted for them.
"""
import csv
import sqlite3
import statistics
import subprocess

from measure import child, cpu, median_cpu, there
import truth

NAMES = ["start", "end", "offset", "inode", *truth.TEXTS, "category", *truth.COLUMN.values()]
EVERY = ",".join('count("%s")' % name for name in NAMES)


def text_of(value):
    """A value of a text column."""
    return value.decode(errors="replace") if isinstance(value, bytes) else value and str(value)


class Rows:
    """The mappings of the first n captures of a replay as rows of text, a list for each capture."""

    def __init__(self, replay, n):
        parsed = {}
        self.captures, self.count = [], 0
        for i in range(n):
            at = replay.place_of(i)
            if at not in parsed:
                parsed[at] = [[text_of(r.get(c)) for c in NAMES]
                              for r in truth.categorize(truth.smaps(replay.text(i)))]
            head = [str(i), str(replay.time_s(i))]
            self.captures.append([head + row for row in parsed[at]])
            self.count += len(parsed[at])


def create(db):
    connection = sqlite3.connect(db)
    connection.execute("create table mappings(snapshot_id integer, taken_at text, %s)" % ",".join(
        '"%s" text' % c for c in NAMES))
    return connection


def naive(rows, place, slug):
    """One text row per mapping and snapshot, an index by snapshot, python's sqlite3: bytes, and
    seconds of import, rebuild of one, category diff, trend of one category."""
    db = place / "naive.db"
    connection = create(db)
    connection.execute("create index by_snapshot on mappings(snapshot_id)")
    insert = "insert into mappings values(%s)" % ",".join("?" * (len(NAMES) + 2))

    def fill():
        for capture in rows.captures:
            with connection:
                connection.executemany(insert, capture)

    def asking(sql, *args):
        return median_cpu(lambda: connection.execute(sql, args).fetchall(), 5)

    n = len(rows.captures)
    out = {"import": cpu(fill)}
    out["rebuild"] = asking("select %s from mappings where snapshot_id = ?" % EVERY, n // 2)
    out["diff"] = asking(
        "select category, sum(case snapshot_id when 0 then -rss_kib else rss_kib end) from mappings"
        " where snapshot_id in (0, ?) group by 1", n - 1)
    out["trend"] = asking("select snapshot_id, sum(rss_kib) from mappings where category = ?"
                          " group by 1 order by 1", slug)
    connection.execute("vacuum")
    connection.close()
    out["bytes"] = db.stat().st_size
    db.unlink()
    return out


def sqlite_import(rows, place):
    """The sqlite3 shell's .import of the same rows as CSV: bytes and seconds; None without it."""
    if not there("sqlite3"):
        return None
    db, path = place / "import.db", place / "rows.csv"
    with open(path, "w", newline="", encoding="utf-8", errors="replace") as out:
        for capture in rows.captures:
            csv.writer(out, lineterminator="\n").writerows(capture)
    create(db).close()
    seconds = child(["sqlite3", db, ".import --csv %s mappings" % path])[0]
    connection = sqlite3.connect(db)
    if connection.execute("select count(*) from mappings").fetchone()[0] != rows.count:
        raise SystemExit(".import did not take all rows")
    connection.execute("vacuum")
    connection.close()
    out = {"bytes": db.stat().st_size, "import": seconds}
    db.unlink()
    path.unlink()
    return out


def packed(tool, options, texts, place):
    """(bytes, seconds) of the raw texts in one file; None without the tool."""
    if not there(tool):
        return None
    path = place / "packed"

    def write(pipe):
        for text in texts:
            pipe.write(text)

    with open(path, "wb") as out:
        seconds = child([tool, *options, "-c"], write, out)[0]
    size = path.stat().st_size
    path.unlink()
    return size, seconds


def awk_ms(path, n=7):
    """CPU of awk that sums a capture of pmap -XX by its columns."""
    program = 'NR > 2 { s += $6; r += $9 } END { printf "%.0f %.0f\\n", s, r }'
    return statistics.median(child(["awk", program, path])[0] for _ in range(n)) * 1000


def pmap_seconds(pid, n=5):
    """CPU of `pmap -XX`; None without procps."""
    if not there("pmap"):
        return None
    return statistics.median(child(["pmap", "-XX", pid])[0] for _ in range(n))


def version(*line):
    """The first line of what a tool says of itself, or `-`."""
    try:
        said = subprocess.run(line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "-"
    return said.stdout.decode(errors="replace").splitlines()[0]
