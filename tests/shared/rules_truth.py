"""The categories that a set of rules gives the mappings of a capture, read from its CSV by the shortest
possible code: the truth of every check of categories.

Written from the description of the format in rules.h and rules/default.csv alone; it shares nothing with
pmapdb. A row is a row of truth.py, its slug in `base`. Conditions on the object alone (base, path, name,
perms, flags) are evaluated once per object and remembered; conditions on its place, its neighbours
and the rest of the capture each time. Globs are those of fnmatch: no \\ in them, no classes.
"""
import csv
import fnmatch
import functools
import re

OBJECT = ("base", "path", "name", "perms", "flags")
UNITS = {"": 1, "K": 1, "M": 1 << 10, "G": 1 << 20, "T": 1 << 30}
DELETED = " (deleted)"
ENDLESS = 1 << 65


def text(raw):
    return raw.decode("utf-8", "surrogateescape")


@functools.lru_cache(None)
def path_of(raw):
    return text(raw)


def bracket(row):
    """The text inside the brackets of a name without a file; otherwise None."""
    path = path_of(row["path"])
    if path[:1] == "[" and path[-1:] == "]" and (
            not row.get("inode") or row["base"] == "shared-memory"):
        return path[1:-1]
    return None


# ---- one condition: a function from the row to true or false ----

def globs(cell):
    if "\\" in cell or "[:" in cell:
        raise ValueError("not read here: " + cell)
    return [(g, re.compile(fnmatch.translate(g), re.S)) for g in cell.split("|")]


def is_base(cell):
    slugs = cell.split("|")
    return lambda row: row["base"] in slugs


def is_path(cell):
    if cell == "-":
        return lambda row: not row["path"]
    if cell.startswith("~"):
        regex = re.compile(cell[1:])
        return lambda row: bracket(row) is None and regex.search(path_of(row["path"]))
    alternatives = globs(cell)

    def holds(row):
        whole = path_of(row["path"])
        if not whole or bracket(row) is not None:
            return False
        for glob, regex in alternatives:
            path = whole if glob.endswith("(deleted)") else whole.removesuffix(DELETED)
            if regex.match(path if "/" in glob else path.rpartition("/")[2]):
                return True
        return False
    return holds


def is_name(cell):
    alternatives = globs(cell)

    def holds(row):
        name = bracket(row)
        return name is not None and any(regex.match(name) for _, regex in alternatives)
    return holds


def is_perms(cell):
    def holds(row):
        perms = text(row["perms"])
        perms = perms[:3] + ("s" if perms[3] == "s" else "p")
        return all(want in ("?", got) for want, got in zip(cell, perms))
    return holds


def is_flags(cell):
    if cell == "?":
        return lambda row: "flags" not in row
    words = cell.replace(",", " ").split()

    def holds(row):
        if "flags" not in row:
            return False
        there = text(row["flags"]).split()
        return all((w.lstrip("!") in there) != w.startswith("!") for w in words)
    return holds


# ---- places ----

def kib(word):
    return int(word.rstrip("KMGT")) * UNITS[word.lstrip("0123456789")]


def address(word):
    return int(word, 16) if word.startswith("0x") else kib(word) << 10


def numbers(cell, read):
    """([(low, high)], [(modulus, remainder)]) of a cell; a single number is both ends."""
    ranges, multiples = [], []
    for word in cell.replace(",", " ").split():
        if word.startswith("%"):
            modulus, _, remainder = word[1:].partition("+")
            multiples.append((read(modulus), read(remainder) if remainder else 0))
        else:
            low, dots, high = word.partition("..")
            least = read(low) if low else 0
            ranges.append((least, read(high) if high else ENDLESS if dots else least))
    return ranges, multiples


def is_size(cell):
    """True in any of the ranges, with both ends, and in all multiples."""
    ranges, multiples = numbers(cell, kib)

    def holds(row):
        size = (row["end"] - row["start"]) >> 10
        return all(size % m == r for m, r in multiples) and (
            not ranges or any(low <= size <= high for low, high in ranges))
    return holds


def is_address(key, cell):
    """True in all ranges, without the high end, and in all multiples."""
    ranges, multiples = numbers(cell, address)
    return lambda row: all(row[key] % m == r for m, r in multiples) and all(
        low <= row[key] and (row[key] < high or row[key] == low) for low, high in ranges)


READERS = {"base": is_base, "path": is_path, "name": is_name, "perms": is_perms,
           "flags": is_flags, "size": is_size,
           "start": lambda cell: is_address("start", cell),
           "end": lambda cell: is_address("end", cell)}


class Conditions:
    """The conditions on one row, which all must hold; reach: fills and covers, the end of the row
    relative to the row below."""

    def __init__(self, cells):
        self.object = [READERS[k](v) for k, v in cells if k in OBJECT]
        self.place = [READERS[k](v) for k, v in cells if k not in OBJECT and k in READERS]
        self.reach = [(k == "fills", kib(v) << 10) for k, v in cells if k not in READERS]

    def of_object(self, row):
        return all(holds(row) for holds in self.object)

    def of_place(self, row, beside=None):
        for exactly, step in self.reach:
            until = -(-beside["end"] // step) * step
            if row["end"] < until or (exactly and row["end"] > until):
                return False
        return all(holds(row) for holds in self.place)


def terms(cell):
    """The conditions in a cell `below` or `above`, or in a part of `with`."""
    return Conditions([word.split("=", 1) for word in cell.split()])


def beside(cell):
    """A function: does the touching row `other`, or None, match the cell beside `row`?"""
    if cell in ("", "-"):
        return lambda other, row: not cell or other is None
    wanted = terms(cell)
    return lambda other, row: other is not None and wanted.of_object(other) and wanted.of_place(
        other, row)


# ---- one rule ----

def slug(name):
    """%w: the part of the bracket after its first colon, in a-z and dots."""
    letters = re.sub("[0-9]+", "", name.partition(":")[2] if ":" in name else name).lower()
    return re.sub("[^a-z.]+", "-", letters).strip("-.")[:40] or "unnamed"


def templates(row):
    name, path = bracket(row) or "", path_of(row["path"])
    return {"%": "%", "r": name, "n": name.partition(":")[2] if ":" in name else name,
            "w": slug(name), "p": path, "b": path.removesuffix(DELETED).rpartition("/")[2]}


class Rule:
    """needs: [(a term of `with`, whether a row of the capture must match or no row may)]"""

    def __init__(self, cells):
        self.name, self.category = cells["rule"], cells["category"]
        self.own = Conditions([(k, cells[k]) for k in READERS if cells.get(k)])
        self.below, self.above = beside(cells["below"]), beside(cells["above"])
        needs = [w.strip() for w in cells["with"].split(";") if w]
        self.needs = [(w.removeprefix("!"), not w.startswith("!")) for w in needs]

    def of(self, row):
        values = templates(row)
        return re.sub("%(.)", lambda m: values[m.group(1)], self.category)


# ---- a set ----

def object_of(row):
    return (row["base"], row["path"], row["perms"], row.get("flags"),
            bool(row.get("inode")))


class Rules:
    """A set of rules, first match wins."""

    def __init__(self, path):
        with open(path, encoding="utf-8", newline="") as file:
            rows = [r for r in csv.DictReader(file) if not r["rule"].startswith("#")]
        self.rules = [Rule(r) for r in rows]
        self.terms = {t: terms(t) for rule in self.rules for t, _ in rule.needs}
        self.matching, self.helping = {}, {}  # per object

    def rules_for(self, row, facts):
        """The rules whose conditions on the object and on the capture hold, in their order."""
        key = facts, object_of(row)
        if key not in self.matching:
            self.matching[key] = [r for r in self.rules if r.own.of_object(row) and all(
                (term in facts) == wanted for term, wanted in r.needs)]
        return self.matching[key]

    def terms_for(self, row):
        key = object_of(row)
        if key not in self.helping:
            self.helping[key] = [t for t, c in self.terms.items() if c.of_object(row)]
        return self.helping[key]

    def facts(self, rows):
        """The terms of `with` that a row matches."""
        return frozenset(t for row in rows for t in self.terms_for(row)
                         if self.terms[t].of_place(row))


class Capture:
    """A capture, judged by a set of rules. Facts are found when they are first needed."""

    def __init__(self, rules, rows):
        self.rules, self.facts = rules, None
        self.rows = sorted(rows, key=lambda r: r["start"])
        self.at = {r["start"]: i for i, r in enumerate(self.rows)}

    def touching(self, i, step):
        if not 0 <= i + step < len(self.rows):
            return None
        low, high = sorted((i, i + step))
        return self.rows[i + step] if self.rows[low]["end"] == self.rows[high]["start"] else None

    def ask(self, row):
        """The rule that wins, or None if the row keeps its slug."""
        if self.facts is None:
            self.facts = self.rules.facts(self.rows)
        i = self.at[row["start"]]
        below, above = self.touching(i, -1), self.touching(i, 1)
        for rule in self.rules.rules_for(row, self.facts):
            if rule.own.of_place(row) and rule.below(below, row) and rule.above(above, row):
                return rule
        return None

    def category(self, row):
        """The category that the rules give, or None."""
        rule = self.ask(row)
        return rule and rule.of(row)
