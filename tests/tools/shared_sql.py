"""Queries of one family share most of their text: each is one file, which a user reads alone, so the
text stands in every one of them. Here it is held to be the same: a change of one is a change of all.

Compared are the parts of a WITH by their names, the SELECT behind them, and lines of the header.
"""
import difflib
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "shared"))
import kit  # noqa: E402 (found by the line before)

# family -> parts that are the same in all of its queries, what they share of the header
FAMILIES = {
    "groups": {
        "members": ("cgroup", "env", "expr", "name", "user"),
        "parts": ("scope", "side", "near", "together", "chosen", "sums", ""),
        "header": ("param: process", "param: at", "param: from", "param: within", "param: host",
                   "column: processes", "column: rss_sum_kib", "column: pss_kib", "column: private_kib",
                   "column: swap_kib", "column: processes_from", "column: rss_sum_kib_delta",
                   "column: pss_kib_delta", "column: private_kib_delta", "column: swap_kib_delta",
                   "column: pss_unknown", "column: taken_at", "column: from_at", "column: unreadable",
                   "column: unmoved", "table:"),
    },
    "leaks": {
        "members": ("category", "lineage", "object"),
        "parts": ("scope", "life", "alone", "series", "kind", "chosen", "limited"),
        "header": ("param: process", "param: metric", "param: since", "param: limit",
                   "param: sensitivity", "param: dialect", "column: metric", "column: verdict",
                   "column: limit", "column: limit_by", "column: rss_from"),
    },
}

check = kit.Check(shown=99)


def parts_of(text):
    """The parts of a WITH by name; "" is the SELECT behind them."""
    body = re.split(r"^WITH(?: RECURSIVE)?\s+", text, maxsplit=1, flags=re.M)[1]
    parts, rest = {}, body
    while True:
        part = re.match(r"(\w+) AS \(\n(.*?)^\)(,?)\n", rest, flags=re.M | re.S)
        parts[part[1]] = part[2]
        rest = rest[part.end():]
        if not part[3]:
            break
    parts[""] = rest
    return parts


def header_of(text):
    """The declarations, by kind and name, with single blanks: they are aligned in each file."""
    found = {}
    for kind, name, rest in re.findall(r"^-- (param|column|table):\s*(\S+)\s*(.*)$", text, flags=re.M):
        key = "table:" if kind == "table" else "%s: %s" % (kind, name)
        found[key] = " ".join([name, *rest.split()])
    return found


def compare(what, texts):
    """texts: (query, what it says); None where it has no such part."""
    first, said = texts[0]
    for query, other in texts:
        check.true("%s: %s" % (query, what), other is not None, "is missing")
        if said is None or other is None or other == said:
            continue
        check.fail("%s: %s" % (query, what), "is not as in %s:\n%s" % (first, "\n".join(
            difflib.unified_diff(said.splitlines(), other.splitlines(), first, query, lineterm="", n=1))))


def main():
    folder = kit.ROOT / "queries"
    for family, its in FAMILIES.items():
        names = ["%s-%s" % (family, m) for m in its["members"]]
        check.equal("%s: queries" % family, {p.stem for p in folder.glob(family + "-*.sql")}, set(names))
        texts = {n: (folder / (n + ".sql")).read_text(encoding="utf-8") for n in names}
        for part in its["parts"]:
            compare(part or "the SELECT", [(n, parts_of(t).get(part)) for n, t in texts.items()])
        for line in its["header"]:
            compare(line, [(n, header_of(t).get(line)) for n, t in texts.items()])
    check.finish()


main()
