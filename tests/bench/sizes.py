"""What the tables and indexes of a store cost, by SQLite's own count of pages (dbstat)."""
import sqlite3
import subprocess

from measure import kit, table, there

SQL = "select name, sum(pgsize), sum(payload), sum(ncell) from dbstat group by 1 order by 2 desc"
SMALLEST = 0.01                             # of the store; the rest is summed up


def empty(place):
    """Bytes of a store in which nothing is: an import of nothing that can be read."""
    db = place / "empty.db"
    kit.run("import", "-q", "-", db=db, stdin=b"", expect=None)
    size = kit.vacuumed_size(db)
    for path in place.glob("empty.db*"):
        path.unlink()
    return size


def objects(db):
    """(name, bytes, payload, cells) by size; None where neither python's SQLite nor the shell has
    dbstat."""
    connection = sqlite3.connect(db)
    try:
        return connection.execute(SQL).fetchall()
    except sqlite3.OperationalError:
        pass
    finally:
        connection.close()
    done = there("sqlite3") and subprocess.run(["sqlite3", "-separator", "|", db, SQL],
                                               capture_output=True, text=True, check=False)
    if not done or done.returncode:
        return None
    return [(name, *map(int, numbers)) for name, *numbers in
            (line.split("|") for line in done.stdout.splitlines())]


def vacuum_into(db, copy):
    connection = sqlite3.connect(db)
    connection.execute("vacuum into ?", (str(copy),))
    connection.close()


def show(db, changes, snapshots, place):
    """A line for each, after VACUUM: free pages are not what a row costs."""
    copy = place / "sizes.db"
    vacuum_into(db, copy)
    found = objects(copy)
    copy.unlink()
    if found is None:
        print("sizes: skipped: SQLite has no dbstat here\n")
        return
    total = sum(row[1] for row in found)
    rest = [row for row in found if row[1] < SMALLEST * total]
    out = [row for row in found if row not in rest]
    if rest:
        out.append(("%d others" % len(rest), *map(sum, zip(*(row[1:] for row in rest)))))
    out.append(("all", *map(sum, zip(*(row[1:] for row in found)))))
    table(["table or index", "KiB", "share", "B/change", "B/snapshot", "rows", "payload B/row"],
          [[name, size // 1024, "%.0f%%" % (100 * size / total), "%.2f" % (size / changes),
            "%.1f" % (size / snapshots), cells, "%.1f" % (payload / cells if cells else 0)]
           for name, size, payload, cells in out])
