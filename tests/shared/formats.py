"""Every query in every format, on stores of five workloads and on a store of hostile names. Readers that are
not part of pmapdb (Python's csv and json, sqlite3's .import, a reader of OpenMetrics written from its
specification) read the output, and the test compares it with the rows of the query's SQL in Python's SQLite
on the same store.

On the hostile store each query is printed in all formats; on the workloads each query is printed as CSV and
in one more format, on one workload, the next query on the next workload. --full: all formats on all stores.
"""
import csv
import functools
import io
import json
import math
import os
import re
import shutil
import subprocess
import time

import kit
import openmetrics

WORKLOADS = ("redis", "postgres", "memfd", "c_mmap", "nginx")
UNITS = {"ms": 1, "s": 1000, "m": 60000, "h": 3600000, "d": 86400000}
# Values of the parameters without a default.
GIVEN = {"variable": "HOME", "by": "comm", "regions": "[[0,1]]"}
check = kit.Check()


# ---- the queries ----

class Query:
    def __init__(self, path):
        self.path, self.name = path, path.stem
        self.sql = path.read_text()
        self.params = re.findall(r'^-- param: +(\S+) +(\S+) +("[^"]*"|\S+)', self.sql, re.M)
        self.columns = re.findall(r"^-- column: +(\S+) +(\S+) +(.*)$", self.sql, re.M)


def queries():
    return [Query(p) for p in sorted((kit.ROOT / "queries").glob("*.sql"))]


class Store:
    """A store, and the values of its queries' parameters."""

    def __init__(self, db, place):
        self.db, self.place = db, place
        self.sql = kit.plain(db)
        self.name_id, self.name = self.sql.execute(
            "select n.name_id, n.name from name n join process p using (name_id)"
            " join snapshot s using (process_id) where s.state <> 'totals'"
            " group by 1 order by count(distinct p.process_id) desc, count(*) desc").fetchone()
        ids = [r[0] for r in self.sql.execute(
            "select snapshot_id from snapshot s join process p using (process_id)"
            " where p.name_id = ? and s.preferred order by taken_ms, snapshot_id", (self.name_id,))]
        self.first, self.last = ids[0], ids[-1]
        self.lineage, = self.sql.execute(
            "select lineage_id from mappings where snapshot_id = ? and lineage_id is not null"
            " order by rss_kib desc limit 1", (self.last,)).fetchone()

    def values(self, query):
        """(options of the command line, the values that they bind)"""
        options, bound = [], {}
        for name, kind, default in query.params:
            key, default = name.replace("-", "_"), default.strip('"')
            if kind == "process":
                bound["process"] = bound["name_id"] = None
                if default:
                    options += ["--" + name, os.fsdecode(self.name)]
                    bound["name_id"] = self.name_id
            elif kind == "snapshot":
                bound[key] = self.first if name == "from" else self.last
                options += ["--" + name, "@%d" % bound[key]]
            elif kind == "lineage":
                bound[key] = self.lineage
                options += ["--" + name, str(self.lineage)]
            elif kind == "duration" and default:
                number, unit = re.fullmatch("([0-9]+)([a-z]+)", default).groups()
                bound[key] = int(number) * UNITS[unit]
            elif default == "-":
                bound[key] = GIVEN[name]
                options += ["--" + name, bound[key]]
            elif re.fullmatch("[0-9]+", default):
                bound[key] = int(default)
            else:
                bound[key] = default or None
        return options, bound

    def said(self, query):
        """Rows of a query that needs a function of pmapdb, from its ndjson: only the formats are compared with
        each other; other tests prove the values."""
        def value(row, name):
            if name + "_hex" in row:
                return bytes.fromhex(row[name + "_hex"])
            v = row.get(name)
            return v.encode() if isinstance(v, str) else v

        lines = self.ndjson(query).splitlines()
        return [tuple(value(json.loads(line), c[0]) for c in query.columns) for line in lines]

    @functools.lru_cache(1)
    def ndjson(self, query):
        return self.output(query, "ndjson")[0]

    def truth(self, query):
        if re.search("leak_report|permute|process_value|perms_text|call_words|span_text|kib_text", query.sql):
            return self.said(query)
        cursor = self.sql.execute(query.sql, self.values(query)[1])
        names = [d[0] for d in cursor.description]
        check.equal("columns: " + query.name, names, [c[0] for c in query.columns])
        return cursor.fetchall()

    def output(self, query, form, *more, expect=(0,)):
        options = self.values(query)[0]
        began = time.time()
        done = kit.run("query", query.name, *options, "-f", form, *more, db=self.db, expect=expect)
        return done.stdout if done.returncode == 0 else done.stderr, began


# ---- the expected output ----

def csv_cell(value, unit):
    if value is None:
        return b""
    if unit == "address" and isinstance(value, int):
        return b"%x" % (value & (2**64 - 1))
    if isinstance(value, float):
        return value
    return value if isinstance(value, bytes) else b"%d" % value


def json_value(value, unit):
    if unit == "address" and isinstance(value, int):
        return "%x" % (value & (2**64 - 1))
    if unit == "bool" and isinstance(value, int):
        return bool(value)
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


def json_object(row, columns):
    out = {}
    for value, (name, unit, _) in zip(row, columns):
        if value is None:
            continue
        out[name] = json_value(value, unit)
        if isinstance(value, bytes) and out[name].encode() != value:
            out[name + "_hex"] = value.hex()
    return out


def same_cell(got, want):
    return float(got) == want if isinstance(want, float) else got == want


def check_csv(what, data, query, rows):
    text = data.decode("utf-8", "surrogateescape")
    got = [[c.encode("utf-8", "surrogateescape") for c in r]
           for r in csv.reader(io.StringIO(text, newline=""), strict=True)]
    want = [[csv_cell(v, c[1]) for v, c in zip(r, query.columns)] for r in rows]
    check.equal("csv header: " + what, got[0], [c[0].encode() for c in query.columns])
    if check.equal("csv rows: " + what, len(got) - 1, len(want)):
        for i, (g, w) in enumerate(zip(got[1:], want)):
            if g != w and not (len(g) == len(w) and all(map(same_cell, g, w))):
                check.fail("csv: %s row %d" % (what, i), "got %.300r, the store has %.300r" % (g, w))
    return want


def check_import(what, data, want, place):
    """sqlite3's .import, which makes text columns."""
    if not shutil.which("sqlite3") or not want:
        return
    file, db = place / "import.csv", place / "import.db"
    file.write_bytes(data)
    db.unlink(missing_ok=True)
    subprocess.run(["sqlite3", str(db)], input=".mode csv\n.import %s t\n" % file, text=True,
                   check=True)
    got = kit.plain(db).execute("select * from t").fetchall()
    check.true(".import: " + what, len(got) == len(want) and all(
        all(map(same_cell, g, w)) for g, w in zip(got, want)), "differs from the store")


def check_json(what, data, lines, query, rows):
    want = [json_object(r, query.columns) for r in rows]
    check.equal("json: " + what, json.loads(data.decode("utf-8")), want)
    check.equal("ndjson: " + what,
                [json.loads(x) for x in lines.decode("utf-8").split("\n")[:-1]], want)


# ---- prometheus ----

def metric_name(query, column, unit):
    bare = re.sub(r"_kib(?=_|$)", "", column, count=1)
    stem = {"kib": bare + "_bytes", "rate": re.sub("_per_h$", "", bare) + "_bytes_per_second",
            "ratio": column if column.endswith("_ratio") else column + "_ratio",
            "duration": re.sub("(_ms|_h)$", "", column) + "_seconds"}.get(unit, column)
    if unit == "time" or column == "ts":
        stem = re.sub("_at$", "", column)
        stem = "age_seconds" if stem in ("taken", "ts") else stem + "_age_seconds"
    stem = re.sub("_per_h$", "_per_hour", stem)
    return "pmapdb_%s_%s" % (query.replace("-", "_"), stem)


def is_label(column, unit):
    if column in ("source", "ts"):
        return False
    return unit in ("text", "category", "process", "lineage") or (
        unit in ("int", "count", "real") and
        (column == "inode" or column.endswith(("_id", "pid")) or column.startswith("pid_")))


def label_text(value):
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def moment(value):
    if isinstance(value, bytes):
        return kit.milliseconds(value.decode()) / 1000
    return value


def gauges(query, rows, given):
    """{metric: {labels: value}}; a time is a unix time; None if two rows have the same labels."""
    columns = query.columns
    by_labels = {}
    for r in rows:
        labels = {c[0]: label_text(v) for v, c in zip(r, columns)
                  if v not in (None, b"") and is_label(c[0], c[1])}
        for name, value in given.items():
            labels.setdefault(name, value)
        key = frozenset(labels.items())
        if key in by_labels:
            return None
        by_labels[key] = r
    out = {}
    for key, r in by_labels.items():
        for value, (column, unit, _) in zip(r, columns):
            if unit in ("snapshot", "address") or is_label(column, unit) or column == "source":
                continue
            if unit == "time" or column == "ts":
                value = None if value is None else moment(value)
            if value is not None:
                out.setdefault(metric_name(query.name, column, unit), {})[key] = value * scale(unit)
    return out


def scale(unit):
    return {"kib": 1024, "rate": 1024 / 3600, "duration": 1 / 1000}.get(unit, 1)


def age_of(store, query, rows, bound, given):
    """{metric: {labels: unix time}} of a query whose rows are of one snapshot and have no time."""
    snapshot = bound.get("snapshot", bound.get("to"))
    if not rows or snapshot is None or any(
            c[0] in ("taken_at", "ts", "last_at", "to_at") for c in query.columns):
        return {}
    moment_ms, = store.sql.execute("select moment_ms from snapshot where snapshot_id = ?",
                                   (snapshot,)).fetchone()
    labels = frozenset(given.items())
    return {"pmapdb_%s_age_seconds" % query.name.replace("-", "_"): {labels: moment_ms / 1000}}


def check_prometheus(what, store, query, rows):
    options, bound = store.values(query)
    given = {k: v for k, v in GIVEN.items() if "--" + k in options}
    if "--process" in options:
        given["process"] = label_text(store.name)
    data, began = store.output(query, "prometheus", expect=(0, 2))
    want = gauges(query, rows, given)
    if want is None:
        check.true("prometheus refuses: " + what, b"two rows have the labels" in data, data[-300:])
        return
    if sum(map(len, want.values())) > 10000:
        check.true("prometheus refuses: " + what, b"10000 samples" in data, data[-300:])
        data, began = store.output(query, "prometheus", "--top", 20)
        want = gauges(query, rows[:20], given)
    want.update(age_of(store, query, rows, bound, given))
    try:
        got = openmetrics.read(data)
    except openmetrics.Wrong as e:
        check.true("prometheus: " + what, False, "%s: %.200r" % (e, data))
        return
    check.equal("prometheus families: " + what, sorted(got), sorted(want))
    for name, family in got.items():
        values, wanted = family.samples, want.get(name, {})
        if name.endswith("age_seconds"):
            late = time.time() - began + 1
            ok = values.keys() == wanted.keys() and all(
                -1 <= v - (began - wanted[k]) <= late for k, v in values.items())
        else:
            ok = values.keys() == wanted.keys() and all(
                math.isclose(v, wanted[k], rel_tol=1e-12) for k, v in values.items())
        check.true("prometheus: %s %s" % (what, name), ok, "got %.300r, the store has %.300r" % (
            sorted(map(repr, values.items())), sorted(map(repr, wanted.items()))))


# ---- for people ----

# Control characters (also C1), line separators, and characters that turn the direction of a line.
RAW = re.compile("[\0-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufffd]")


def check_people(what, store, query, rows):
    total = 1 if rows and "\n-- total:" in query.sql else 0  # a row of sums at the end
    for form in ("table", "md"):
        text = store.output(query, form, "--wide", "--kib")[0].decode("utf-8", "replace")
        check.true("%s is clean: %s" % (form, what), not RAW.search(text),
                   repr(RAW.search(text) and text[RAW.search(text).start() - 20:][:60]))
        lines = text.split("\n")[:-1]
        check.equal("%s lines: %s" % (form, what), len(lines), len(rows) + total + (1 if form == "table" else 2))
    for line, row in zip(lines[2:], rows):
        cells = [(re.sub(r"\\(.)", r"\1", c) if "\\" in c else c).strip()
                 for c in re.findall(r"\|((?:[^|\\]|\\.)*)(?=\|)", line)]
        check.equal("md cells: " + what, len(cells), len(query.columns))
        for cell, value, column in zip(cells, row, query.columns):
            number = isinstance(value, int) and column[1] in ("kib", "count", "int")
            if (number or value is None) and cell != (str(value) if number else "?"):
                check.fail("md: %s %s" % (what, column[0]), "got %r, the store has %r" % (cell, value))


# ---- a spreadsheet ----

FORMULA = re.compile(rb'[ "]*([-=+@\t\r\n]|\xef\xbc\x9d|\xef\xbc\x8b|\xef\xbc\x8d|\xef\xbc\xa0)')


def check_safe(what, store, query, rows):
    safe = [tuple(b"'" + v if isinstance(v, bytes) and FORMULA.match(v) else v for v in r)
            for r in rows]
    check_csv("safe " + what, store.output(query, "csv", "--spreadsheet-safe")[0], query, safe)
    return sum(a != b for a, b in zip(safe, rows))


# ---- stores ----

NAMES = [b"plain", b"comma, \"quote\"", b"=1+1", b"=cmd|' /C calc'!A0", b"+1", b"-2", b"@SUM(A1)",
         b" =1", b"\"=1", b"caf\xe9", b"caf\xc3\xa9", b"\x1b[31mred\x1b]0;title\x07", b"c1 \xc2\x9b31m",
         b"bidi \xe2\x80\xae txt", b"a|b", b"back\\slash", b"tab\there", b"'=1", b"\xef\xbc\x9d1",
         b"\xe6\xbc\xa2\xe5\xad\x97", b"e\xcc\x81", b"half \xe2\x82", b"<b>&amp;", b"line \xe2\x80\xa8 sep"]


def hostile_pmap(pid, extra):
    """pmap -x with names that begin with anything: it prints base names."""
    rows = [(0x560000000000, 16, 16, 0, b"r-x--", b"bad"), (0x560001000000, 100 + extra, 100, 100,
                                                           b"rw---", b"  [ anon ]")]
    rows += [(0x7f0000000000 + i * 0x1000000, 8, 4, 0, b"r----", n) for i, n in enumerate(NAMES)]
    rows += [(0x7ffc00000000, 132, 12, 12, b"rw---", b"  [ stack ]")]
    out = [b"%d:   /srv/bad\nAddress           Kbytes     RSS   Dirty Mode  Mapping\n" % pid]
    out += [b"%016x %7d %7d %7d %s %s\n" % r for r in rows]
    out += [b"---------------- ------- ------- ------- \ntotal kB         %7d %7d %7d\n" % tuple(
        sum(r[i] for r in rows) for i in (1, 2, 3))]
    return b"".join(out)


def hostile(place):
    db, name = place / "hostile.db", b"two\nlines, \"one\"\x1b[2J =\xff\xc2\x9b"
    for i in range(3):
        file = place / ("bad-%d.txt" % i)
        file.write_bytes(hostile_pmap(4711, i))
        kit.run("import", "-q", "--name", os.fsdecode(name), "--at", "2026-11-21T02:0%d:00Z" % i, str(file), db=db)
    fixtures = kit.ROOT / "tests" / "fixtures" / "tools"
    kit.run("import", "-q", "--at", "2026-11-21T02:05:00Z", "--pid", "7",
            str(fixtures / "kernel-smaps.txt"), db=db)
    return db


def workload(name, place):
    w = kit.Workload(name)
    beats = w.beats if kit.full else w.sample(3)
    pids = None if kit.full else set(beats[0][1][:6] + beats[-1][1][-3:])
    files = w.unpack(place / name, beats, "smaps", "x", pids=pids)
    db = place / (name + ".db")
    kit.run("import", "-q", *files, db=db)
    return db


def check_store(label, store):
    changed = 0
    for n, query in enumerate(queries()):
        what = "%s %s" % (label, query.name)
        every = kit.full or label == "hostile"
        if not every and n % len(WORKLOADS) != WORKLOADS.index(label):
            continue
        rows = store.truth(query)
        data = store.output(query, "csv")[0]
        want = check_csv(what, data, query, rows)
        check_import(what, data, want, store.place)
        form = n // len(WORKLOADS) % 3
        if every or form == 0:
            check_json(what, store.output(query, "json")[0], store.ndjson(query), query, rows)
        if every or form == 1:
            check_prometheus(what, store, query, rows)
        if every or form == 2:
            check_people(what, store, query, rows)
        if label == "hostile":
            changed += check_safe(what, store, query, rows)
    return changed


with kit.Place() as folder:
    made = check_store("hostile", Store(hostile(folder), folder))
    check.true("hostile: some names are formulas", made >= 9, made)
    for each in WORKLOADS:
        check_store(each, Store(workload(each, folder), folder))
check.finish()
