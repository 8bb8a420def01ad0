"""Answers from the rows of a push, without ClickHouse: the sizes of a process at a moment, by category.

The row with the greatest seq of a key counts; readers take the gen of a host's newest mark.
"""
import bisect
import collections
import gzip
import pathlib

COLUMNS = {
    "hosts": "host_id host at_ms label_key label_value schema seq",
    "marks": "host_id host store gen through_ms pushed_ms rows seq",
    "spans": "host_id process_key store name pid boot_id command exe user cgroup memory_max_kib dialect state"
             " first_ms last_ms n seq",
    "points": "host_id name process_key gen category at_ms mappings size_kib rss_kib pss_kib private_kib"
              " private_dirty_kib swap_kib seq",
    "hourly": "host_id name category hour gen at_ms processes mappings size_kib rss_kib pss_kib private_kib"
              " private_dirty_kib swap_kib seq",
    "totals": "host_id name hour at_ms processes memory_max_kib mappings size_kib rss_kib pss_kib private_kib"
              " private_dirty_kib swap_kib seq",
    "objects": "host_id name object category hour gen at_ms mappings size_kib rss_kib pss_kib private_kib"
               " private_dirty_kib swap_kib seq",
}
KEYS = {"objects": "host_id name object category hour gen", "hosts": "host_id at_ms", "marks": "host_id store", "spans": "host_id process_key first_ms",
        "points": "host_id process_key category gen at_ms", "hourly": "name category host_id gen hour",
        "totals": "name host_id hour"}
TEXTS = set("host store label_key label_value name boot_id command exe user cgroup dialect state category object".split())
NUMBERS = "mappings size_kib rss_kib private_kib private_dirty_kib swap_kib".split()
ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "\\": "\\", "0": "\0"}


def text_of(field):
    """The text of a TSV field of ClickHouse."""
    out, escaped = [], False
    for c in field:
        if escaped:
            out.append(ESCAPES[c])
            escaped = False
        elif c == "\\":
            escaped = True
        else:
            out.append(c)
    return "".join(out)


def parse(table, line):
    names = COLUMNS[table].split()
    fields = line.split("\t")
    assert len(fields) == len(names), (table, line)
    return {n: None if f == "\\N" else f if n.startswith("label_") else text_of(f) if n in TEXTS else int(f)
            for n, f in zip(names, fields)}


class Rows:
    """All rows of a target, replaced as by ReplacingMergeTree."""

    def __init__(self):
        self.tables = {t: {} for t in COLUMNS}
        self.sent = collections.Counter()
        self.indexed = None

    def add(self, table, line):
        self.sent[table] += 1
        if table not in COLUMNS:  # verdicts and stacks are only counted
            return
        row = parse(table, line)
        key = tuple(row[k] for k in KEYS[table].split())
        old = self.tables[table].get(key)
        if old is None or row.get("seq", 0) >= old.get("seq", 0):
            self.tables[table][key] = row

    def read(self, folder):
        for path in sorted(pathlib.Path(folder).glob("*/*")):
            table = path.parent.name
            data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
            for line in data.decode("utf-8", "surrogateescape").split("\n")[:-1]:
                self.add(table, line)
        return self

    def host_id(self, host):
        return next(r["host_id"] for r in self.tables["marks"].values() if r["host"] == host)

    def gen(self, host_id):
        marks = [r for r in self.tables["marks"].values() if r["host_id"] == host_id]
        return max(marks, key=lambda r: r["seq"])["gen"]

    def totals(self):
        """The totals by name and hour, and the same sums from the rows of categories."""
        key, found = ("host_id", "name", "hour"), {}
        gens = {r["host_id"]: self.gen(r["host_id"]) for r in self.tables["marks"].values()}
        for r in self.tables["hourly"].values():
            if r["gen"] == gens[r["host_id"]]:
                found.setdefault(tuple(r[k] for k in key), []).append([r[n] for n in NUMBERS])
        return ({tuple(r[k] for k in key): [r[n] for n in NUMBERS] for r in self.tables["totals"].values()},
                {k: [None if None in c else sum(c) for c in zip(*parts)] for k, parts in found.items()})

    def index(self, host_id):
        """Indexes the spans of a host by process, and its points of the current gen by process and category."""
        sent = sum(self.sent.values())
        if self.indexed != (host_id, sent):
            self.indexed, self.spans, self.points = (host_id, sent), {}, {}
            gen = self.gen(host_id)
            self.through = {r["store"]: r["through_ms"] for r in self.tables["marks"].values() if r["host_id"] == host_id}
            for r in self.tables["spans"].values():
                if r["host_id"] == host_id:
                    self.spans.setdefault(r["process_key"], []).append(r)
            for r in self.tables["points"].values():
                if r["host_id"] == host_id and r["gen"] == gen:
                    self.points.setdefault((r["process_key"], r["category"]), []).append((r["at_ms"], r))
            for found in self.points.values():
                found.sort(key=lambda x: x[0])

    def at(self, host_id, t):
        """{process key: (name, {category: numbers})} at a moment; categories without mappings are left out."""
        self.index(host_id)
        out = {}
        for key, spans in self.spans.items():
            if any(r["first_ms"] <= t <= (self.through[r["store"]] if r["last_ms"] is None else r["last_ms"]) for r in spans):
                out[key] = max(spans, key=lambda r: (r["seq"], r["first_ms"]))["name"], {}
        for (process, category), points in self.points.items():
            i = bisect.bisect_right(points, t, key=lambda x: x[0])
            if process in out and i and points[i - 1][0] > t - 90000000 and points[i - 1][1]["mappings"] != 0:
                out[process][1][category] = tuple(points[i - 1][1][n] for n in NUMBERS)
        return out
