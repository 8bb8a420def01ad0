"""The public captures: their folder, the import of one file into its own store, and the contents of
that store."""
import functools
import json
import os
import pathlib
import re
import shutil

import kit

AT = "2026-01-02T03:04:05Z"
NUMBERS = ("mappings", "size_kib", "rss_kib", "pss_kib", "private_kib", "private_dirty_kib",
           "swap_kib")
# A report of a sanitizer or of an assertion.
REPORT = re.compile(r"AddressSanitizer|LeakSanitizer|runtime error:|Assertion")


def folder(name):
    """Returns PMAPDB_SHARED/captures/NAME; skips the check if the folder is missing."""
    shared = os.environ.get("PMAPDB_SHARED")
    if not shared:
        kit.skip("PMAPDB_SHARED is not set")
    path = pathlib.Path(shared) / "captures" / name
    if not path.is_dir():
        kit.skip("%s is not there" % path)
    return path


@functools.lru_cache(None)
def empty(place):
    """An empty store, made once: making a store takes longer than the import of a small file."""
    kit.run("import", os.devnull, db=place / "empty.db", expect=(2,))
    return place / "empty.db"


class Stored:
    """A store with the captures of one import."""

    def __init__(self, db, *what):
        self.db = shutil.copy(empty(db.parent), db)
        done = kit.run("import", "--format", "ndjson", *what, db=db, expect=None)
        self.status = done.returncode
        self.said = done.stderr.decode("utf-8", "replace")
        self.crashed = done.returncode not in (0, 2) or REPORT.search(self.said) is not None
        lines = [json.loads(line) for line in done.stdout.decode("utf-8", "replace").splitlines()]
        self.refused = [e for e in lines if "error" in e]
        path_of = {e["snapshot_id"]: e["path"] for e in lines if "snapshot_id" in e}
        self.snapshots = []
        for row in kit.rows("snapshots", db=db) if path_of else []:
            snapshot = dict(row)
            for column in ("snapshot_id", "pid") + NUMBERS:
                snapshot[column] = kit.number(row[column])
            snapshot["path"] = path_of.get(snapshot["snapshot_id"])
            self.snapshots.append(snapshot)
        # Ids follow the order of the text as far as is known.
        self.snapshots.sort(key=lambda s: s["snapshot_id"])

    @property
    def untimed(self):
        """True if the import was refused because the captures have no times, and the message names --every."""
        return any("--every" in e["error"] for e in self.refused)

    def mappings(self, snapshot):
        """The rows of one snapshot as the stock SQLite reads them; names are bytes, None is unknown."""
        connection = kit.plain(self.db)
        cursor = connection.execute(
            "select * from mappings where snapshot_id = ? order by start < 0, start",
            (snapshot["snapshot_id"],))
        columns = [c[0] for c in cursor.description]
        rows = [dict(zip(columns, values)) for values in cursor]
        connection.close()
        for row in rows:
            row["start"] &= (1 << 64) - 1
        return rows


def alone(place, path):
    """Imports one file into its own store: at a fixed time, or with --every if the file holds several
    captures without times."""
    stored = Stored(place / (path.name + ".db"), "--at", AT, path)
    if stored.untimed:
        counted = Stored(place / (path.name + ".every.db"), "--every", "5m", path)
        counted.counted = True
        return counted
    stored.counted = False
    return stored


def total(rows, column):
    """The sum of one column, or None if a row lacks the column or there are no rows."""
    values = [row[column] for row in rows]
    return None if not values or None in values else sum(values)
