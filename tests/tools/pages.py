"""The pages of categories/. A page exists for each category that categories.def, a built-in rule or
a label of a JVM gives, and for no other. Each page has the required parts, its pmapdb commands
run, and the program shows it unchanged.
"""
import csv
import io
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "shared"))
import kit  # noqa: E402 (found by the line before)

KEYS = ("what", "known", "growth", "ask", "next", "more", "count")
MUST = ("what", "known", "growth", "ask", "next")
WIDE = 100  # columns of a line in the files
LONG = 110  # characters of the part `next`, which leaks and diff show in one line

check = kit.Check(shown=99)


def pages():
    """{category: {key: text}}, in the order of the files."""
    found = {}
    for path in sorted((kit.ROOT / "categories").glob("*.txt")):
        page = key = None
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            where = "%s:%d" % (path.name, number)
            check.true(where, len(line) <= WIDE and line == line.rstrip(), line)
            if not line or line.startswith("#"):
                continue
            if line.startswith(" "):
                page[key] += " " + line.strip()
                continue
            key, text = (x.strip() for x in line.split(":", 1))
            if key == "category":
                check.true(where, text not in found, "a second page of " + text)
                page = found[text] = {}
                continue
            check.true(where, key in KEYS and key not in page, "an unknown or repeated key: " + key)
            page[key] = text
    return found


def of_table():
    text = (kit.ROOT / "src" / "classify" / "categories.def").read_text(encoding="utf-8")
    return set(re.findall(r'^PM_CATEGORY\(\w+, "([^"]+)"', text, re.M))


def of_rules(name):
    with open(kit.ROOT / "rules" / (name + ".csv"), encoding="utf-8", newline="") as file:
        return {row["category"] for row in csv.DictReader(file) if not row["rule"].startswith("#")}


def of_labels():
    text = (kit.ROOT / "src" / "store" / "rules" / "label-cover.sql").read_text(encoding="utf-8")
    return set(re.findall(r"'([a-z-]+/[a-z-]+)'", text))


def check_texts(name, page):
    must = MUST[:-1] if name == "total" else MUST
    check.equal("%s: missing parts" % name, [k for k in must if not page.get(k)], [])
    for key in ("known", "growth", "more"):
        text = page.get(key, "")
        # `known` may be a pattern, which does not end with a full stop.
        check.true("%s: %s ends" % (name, key), not text or text.endswith(".") or key == "known", text)
    for key in ("what", "next", "count"):
        check.true("%s: %s is not a sentence" % (name, key), not page.get(key, "").endswith("."), page.get(key))
    check.true("%s: next fits" % name, len(page.get("next", "")) <= LONG, page.get("next"))


def check_commands(asks, place):
    """Each command takes the options that leaks and diff add, and prints something."""
    db = place / "t.db"
    kit.run("import", "-q", kit.ROOT / "samples" / "captures", db=db)
    for ask in sorted(asks):
        command, *words = ask.split()
        done = kit.run(command, *words, "--process", "leaky", "--from", "first", "--to", "last", db=db)
        check.true("pmapdb " + ask, done.stdout, "prints nothing")


def shown(name):
    """A template of a category as the program prints it."""
    return re.sub("%[a-z]", lambda m: "PATH" if m[0] == "%p" else "NAME", name)


def check_program(found):
    text = kit.run("explain", "-f", "csv").stdout.decode()
    rows = {r["category"]: r for r in csv.DictReader(io.StringIO(text))}
    check.equal("explain lists", set(rows), {shown(n) for n in found})
    for name, page in found.items():
        row = rows[shown(name)]
        for key in ("what", "known", "growth", "more"):
            check.equal("%s: %s as shown" % (name, key), row[key], page.get(key, ""))
        check.equal("%s: next as shown" % name, row["next"],
                    "; ".join(x for x in ("pmapdb " + page["ask"], page.get("next")) if x))
        one = kit.run("explain", "-f", "csv", shown(name)).stdout.decode()
        check.equal("explain %s" % shown(name), list(csv.DictReader(io.StringIO(one))), [row])


def main():
    found = pages()
    want = of_table() | of_rules("default") | of_rules("pmap-dotnet") | of_labels()
    check.true("categories of the table", len(of_table()) >= 12, of_table())
    check.true("categories of labels", len(of_labels()) >= 10, of_labels())
    check.equal("categories without a page", sorted(want - set(found)), [])
    check.equal("pages without a category", sorted(set(found) - want), [])
    for name, page in found.items():
        check_texts(name, page)
    check_program(found)
    with kit.Place() as place:
        check_commands({page["ask"] for page in found.values()}, place)
    check.finish()


main()
