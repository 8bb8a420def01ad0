"""The public captures: where they are, one file imported into a store of its own, and what is then
in that store."""
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
# A status that is none of the program's, or a report of a sanitizer on the way.
REPORT = re.compile(r"AddressSanitizer|LeakSanitizer|runtime error:|Assertion")


def folder(name):
    """PMAPDB_SHARED/captures/NAME; the check is skipped where it is not there."""
    shared = os.environ.get("PMAPDB_SHARED")
    if not shared:
        kit.skip("PMAPDB_SHARED is not set")
    path = pathlib.Path(shared) / "captures" / name
    if not path.is_dir():
        kit.skip("%s is not there" % path)
    return path


@functools.lru_cache(None)
def empty(place):
    """A store of no capture, made once: that takes longer than to import a small file."""
    kit.run("import", os.devnull, db=place / "empty.db", expect=(2,))
    return place / "empty.db"


class Stored:
    """A store with what one import put into it."""

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
        # In the order of the text, as nearly as ids tell it.
        self.snapshots.sort(key=lambda s: s["snapshot_id"])

    @property
    def untimed(self):
        """It was refused because its captures carry no time, with the way out."""
        return any("--every" in e["error"] for e in self.refused)

    def mappings(self, snapshot):
        """The rows of one snapshot as the stock SQLite sees them; names are bytes, None unknown."""
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
    """One file in a store of its own: at a fixed time, or, where it holds several captures that
    carry none, counted."""
    stored = Stored(place / (path.name + ".db"), "--at", AT, path)
    if stored.untimed:
        counted = Stored(place / (path.name + ".every.db"), "--every", "5m", path)
        counted.counted = True
        return counted
    stored.counted = False
    return stored


def total(rows, column):
    """The sum of one column, None where any row lacks it or there is none."""
    values = [row[column] for row in rows]
    return None if not values or None in values else sum(values)
