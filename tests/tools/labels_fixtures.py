"""A JVM's report of its own memory, imported with its smaps: fixtures/truth, see its README.md,
and fixtures/labels. The answers of the store are compared with the sums at the top of the report,
which the importer does not read.
"""
import collections
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "shared"))
import kit  # noqa: E402 (found by the line before)

FIXTURES = kit.ROOT / "tests" / "fixtures"
# The category of a row nine tenths of which have one label, by the label.
NAMES = {
    "Java Heap": "jvm-heap", "Thread Stack": "thread-stack", "Code": "jvm-code",
    "Class": "jvm-metaspace", "Metaspace": "jvm-metaspace", "GC": "jvm-gc", "Internal": "jvm-native",
    "Safepoint": "jvm-native",
}
RESERVES = {"Java Heap": "jvm-heap", "Thread Stack": "guard", "Code": "jvm-code"}

check = kit.Check(shown=99)


def account(text):
    """{type: KiB of mapped memory that it reserves}, from the summary of the report."""
    out = {}
    for part in text.split("\n-")[1:]:
        name = part.split("(")[0].strip()
        for pattern, kind in ((r"\(mmap: reserved=(\d+)KB", name),
                              (r"\(stack: reserved=(\d+)KB", "Thread Stack")):
            m = re.search(pattern, part)
            if m:
                out[kind] = int(m[1])
    return out


def number(text):
    return int(text) if text else 0


def check_sums(name, rows, said):
    """Every KiB that a type reserves lies in some mapping: the kernel shows no less than the JVM."""
    got = collections.Counter()
    for r in rows:
        got[r["label"]] += number(r["covered_kib"])
    for kind, reserved in said.items():
        check.equal("%s: %s reserved" % (name, kind), got[kind], reserved)
    check.equal("%s: types" % name, set(got), set(said))


def check_names(name, rows):
    """A row nine tenths of which have one label has the category of the label; files keep theirs, except for the
    class archive."""
    for r in rows:
        base, _, detail = r["category"].partition("/")
        what = "%s: %s %s" % (name, r["start"], r["label"])
        if 10 * number(r["covered_kib"]) < 9 * number(r["size_kib"]):
            continue
        if r["label"] == "Shared class space":
            check.equal(what, r["category"], {"reserve": "reserve/jvm"}.get(base, base + "/jvm-cds"))
        elif base == "anonymous":
            check.equal(what, detail, NAMES[r["label"]])
        elif base == "reserve":
            check.equal(what, detail, RESERVES.get(r["label"], "jvm"))
        elif base == "memfd":
            check.equal(what, r["category"] + r["label"], "memfd/jvm-heapJava Heap")
        else:
            check.true(what, base == "mapped-file", r)


def check_rest(name, db, rows):
    """At least half of each row with a category that only labels give has that label."""
    covered = collections.Counter()  # by start: the largest of the labels of a row
    for r in rows:
        covered[r["start"]] = max(covered[r["start"]], number(r["covered_kib"]))
    for r in kit.rows("mappings", db=db):
        if re.fullmatch("anonymous/jvm-(heap|code|metaspace|gc|cds)", r["category"]):
            check.true("%s: %s %s" % (name, r["start"], r["category"]),
                       2 * covered[r["start"]] >= number(r["size_kib"]), r)


def check_between(name, db, rows, before):
    """A row with several labels has the category of the rules: its resident pages may belong to any label."""
    covered = collections.Counter()
    for r in rows:
        covered[r["start"]] += number(r["covered_kib"])
        covered[r["start"], NAMES.get(r["label"], r["label"])] += number(r["covered_kib"])
    most = collections.Counter()
    for key, kib in covered.items():
        if isinstance(key, tuple):
            most[key[0]] = max(most[key[0]], kib)
    n = 0
    for r in kit.rows("mappings", db=db):
        size, start = number(r["size_kib"]), r["start"]
        if 2 * covered[start] >= size and 10 * most[start] < 9 * size:
            check.equal("%s: %s between" % (name, start), r["category"], before[start])
            n += 1
    return n


def check_store(name, db):
    """The sums by category are right in all captures, not only in the labelled capture."""
    connection = kit.plain(db)
    wrong = connection.execute(
        "select m.snapshot_id, m.category from mappings m join categories t on t.snapshot_id ="
        " m.snapshot_id and t.category = m.category group by 1, 2"
        " having sum(m.size_kib) <> t.size_kib or sum(m.rss_kib) <> t.rss_kib"
        " or count(*) <> t.mappings").fetchall()
    check.equal("%s: sums by category" % name, wrong, [])
    two = connection.execute(
        "select lineage_id from mappings group by 1 having count(distinct category) > 1").fetchall()
    check.equal("%s: lineages of two categories" % name, two, [])
    connection.close()


def check_report(folder, place):
    name, db = folder.name, place / (folder.name + ".db")
    said = account((folder / "nmt.txt").read_text())
    kit.run("import", "-q", folder, db=db)
    rows = kit.rows("labels", db=db)
    check_sums(name, rows, said)
    check_names(name, rows)
    check_rest(name, db, rows)
    check_store(name, db)
    again = kit.run("import", folder, db=db)
    check.true(name + ": known again", b"named" not in again.stdout, again.stdout)
    # The same from two imports, the labels after the captures.
    late = place / (folder.name + "-late.db")
    kit.run("import", "-q", *sorted(folder.glob("*.smaps")), db=late)
    before = {r["start"]: r["category"] for r in kit.rows("mappings", db=late)}
    kit.run("import", "-q", folder / "nmt.txt", db=late)
    check.equal(name + ": in two imports", kit.rows("labels", db=late), rows)
    check.equal(name + ": growth in two imports", kit.rows("growth", db=late),
                kit.rows("growth", db=db))
    between = check_between(name, late, rows, before)
    # Without its labels the store is as before them.
    kit.run("rules", "--apply", "default", "--forget-labels", "-q", db=late)
    check.equal(name + ": forgotten",
                {r["start"]: r["category"] for r in kit.rows("mappings", db=late)}, before)
    check_store(name + " forgotten", late)
    return between


def reports(place):
    archives = sorted((FIXTURES / "truth").glob("jvm-*.tar.xz"))
    check.true("archives", len(archives) >= 8, archives)
    between = 0
    for archive in archives:
        between += check_report(kit.unpack(archive, place), place)
    check.true("rows of several owners", between >= 7, between)


kit.main(reports, check=check)
