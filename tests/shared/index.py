"""Index: every capture in captures/pmap gives the numbers that INDEX.tsv has for it.

Each file is imported into its own store, then the whole folder into one. The tables below have what INDEX.tsv
lacks: the dialects, the states of damaged files, and the files whose numbers in INDEX.tsv count other rows."""
import csv
import re

import captures
import kit

# By the number at the start of the file name: the dialect that a person sees.
DIALECT = {
    "pmap-x": "01 07 11 16 32 87 91 92 104 107 21 24 10 77 85",
    "pmap-d": "02 27 76 93 95",
    "pmap-d pmap-x": "19",
    "pmap-XX": "03 100",
    "pmap-XX smaps": "04",
    "pmap-X": "17",
    "pmap": "09 12 13 15 33 88 89",
    "pmap-suse": "28 29 31 80 81",
    "pmap-d pmap-suse": "83",
    "toybox-x": "79",
    "smaps": "36 40 45 51 52 75 96",
    "smaps_rollup": "37 39 41 55",
    "maps": "47 48 53 56 57 61 63 64 65 67 68 69 71 72 73 99",
}
DIALECT = {number: set(names.split()) for names, numbers in DIALECT.items()
           for number in numbers.split()}

# expect = partial: the possible states and the reason; or the words of the refusal and the reason.
DAMAGED = {
    "80": ({"partial"}, "two rows and the sums of SLES 11"),
    "81": ({"partial"}, "three rows and the sums of openSUSE 15"),
    "83": ({"totals"}, "last lines of -d and of SLES, of five processes"),
    "84": ("solaris|illumos|smartos", "pmap of SmartOS: other columns, other sums"),
    "87": ({"partial"}, "the head of the table is lost"),
    "93": ({"totals"}, "the last line of -d in a loop: sums are all that was kept"),
    "95": ({"partial"}, "rows elided, the sums say how much"),
    "107": ({"partial"}, "rows elided, sums of another mode"),
}
# expect = any, but the file cannot be read without guessing.
UNREADABLE = {"102": "columns glued", "106": "the header alone, in pieces"}
# The sums of 83 by line: the first set is required; the second set, lines of SLES without a name, is optional.
SUMMARY_LINES = {25036, 66176, 115524}, {4020 + 102960 + 1856, 2784 + 21052 + 28}
# Files whose mapping_lines or sums count other rows than pmapdb stores.
UNCOUNTED = {
    "04": "counts the row of smaps, not the damaged one of -XX",
    "19": "counts the lines of -x that are printed twice",
    "23": "a table that awk made of -X",
    "35": "rows of another tool",
    "52": "values made up: Size is not the span, Pss missing",
    "73": "rows that are broken on purpose",
    "75": "values made up: Size is not the span",
    "79": "the last line is cut",
    "83": "the sums of five processes",
    "96": "the first address lacks its first digit",
    "103": "rows of another kernel, without device and inode",
    "108": "all on one line",
}
HALVED = {"19": 6}  # -d 3, -x 3 of 6 lines
FOOTER = re.compile(r"(?i)(total|mapped)\b")


def number_of(row):
    return row["file"].split("-")[0]


def wanted_sums(row):
    """The stored columns that two columns of INDEX.tsv determine; None: the column must be unknown."""
    sums, known, added = {}, row["known_totals"] or "", row["row_sum_check"] or ""
    names = {"Size": "size_kib", "Rss": "rss_kib", "Pss": "pss_kib",
             "Private_Dirty": "private_dirty_kib", "Swap": "swap_kib"}
    if known.startswith(("sums:", "rollup:")):
        sums = {names[k]: int(v) for k, v in re.findall(r"(\w+)=(\d+)", known)}
    elif known.startswith("span_kB="):
        sums = {"size_kib": int(known[8:])}
    found = re.match(r"rows add up to (\d+) kB", added)
    if found:
        sums["size_kib"] = int(found[1])
    second = re.search(r"RSS/2nd col (\d+)", added)
    third = re.search(r"3rd col (\d+)", added)
    suse = "pmap-suse" in DIALECT.get(number_of(row), ())
    five = re.fullmatch(r"total kB +(\d+) +(\d+) +(\d+) +(\d+) +(\d+)", known)
    if five and row["expect"] == "complete":
        sums |= {"dirty_kib": int(five[4]), "swap_kib": int(five[5])}
    if second:
        sums["rss_kib"] = int(second[1])
        sums["pss_kib" if suse else "dirty_kib"] = int(third[1])
    if re.match(r"total kB +\d+ +- ", known):
        sums |= {"rss_kib": None, "dirty_kib": None}
    return sums


def stored_sum(stored, column):
    """The sum of a column over all snapshots: from the stored totals, or from the rows for dirty_kib."""
    if column == "dirty_kib":
        return captures.total([r for s in stored.snapshots for r in stored.mappings(s)], column)
    return captures.total(stored.snapshots, column)


def check_rows(check, row, stored):
    """Compares the number of mappings and every sum that INDEX.tsv has."""
    name, n = row["file"], number_of(row)
    if n not in UNCOUNTED or n in HALVED:
        check.equal("mappings: " + name, captures.total(stored.snapshots, "mappings"),
                    HALVED.get(n, int(row["mapping_lines"])))
    if n in UNCOUNTED:
        return
    for column, want in wanted_sums(row).items():
        check.equal("sum of %s: %s" % (column, name), stored_sum(stored, column), want)
    if row["known_totals"].startswith("mapped:") and row["expect"] == "complete":
        private, shared = re.search(r"private: (\d+)K +shared: (\d+)K",
                                    row["known_totals"]).groups()
        rows = stored.mappings(stored.snapshots[0])
        check.equal("writeable/private: " + name, sum(
            r["size_kib"] for r in rows if r["perms"][1:2] == b"w" and r["perms"][3:4] == b"p"),
            int(private))
        check.equal("shared: " + name, sum(
            r["size_kib"] for r in rows if r["perms"][3:4] == b"s"), int(shared))


def check_complete(check, row, stored):
    name, has_footer = row["file"], FOOTER.match(row["known_totals"] or "") is not None
    if not check.equal("complete, one snapshot: " + name, len(stored.snapshots), 1):
        return
    snapshot = stored.snapshots[0]
    check.equal("complete, state: " + name, snapshot["state"], "complete")
    check.true("complete, checked: " + name,
               snapshot["checked"] in ({"footer"} if has_footer else {"none", "status", "rollup"}),
               "%s, %s" % (snapshot["checked"], row["known_totals"]))
    check_rows(check, row, stored)


def check_totals(check, row, stored):
    name = row["file"]
    if not check.equal("totals, one snapshot: " + name, len(stored.snapshots), 1):
        return
    snapshot = stored.snapshots[0]
    check.equal("totals, state: " + name, snapshot["state"], "totals")
    check.equal("totals, mappings unknown: " + name, snapshot["mappings"], None)
    check.equal("totals, size unknown: " + name, snapshot["size_kib"], None)
    for column, want in wanted_sums(row).items():
        check.equal("totals, %s: %s" % (column, name), snapshot[column], want)


def check_partial(check, row, stored):
    """No snapshot is complete; DAMAGED has the expected states."""
    name, n = row["file"], number_of(row)
    what, why = DAMAGED[n]
    if isinstance(what, str):
        check.equal("refused, nothing stored: " + name, len(stored.snapshots), 0)
        errors = [e["error"] for e in stored.refused]
        check.true("refused, by name: " + name,
                   any(re.search(what, e, re.I) for e in errors), errors)
        return
    check.true("partial, stored: " + name, bool(stored.snapshots), stored.said)
    for snapshot in stored.snapshots:
        check.true("partial, state: " + name, snapshot["state"] in what,
                   "%s; %s" % (snapshot["state"], why))
        if snapshot["state"] == "totals":
            check.equal("totals, mappings unknown: " + name, snapshot["mappings"], None)
    if n == "83":
        sizes, (must, may) = {s["size_kib"] for s in stored.snapshots}, SUMMARY_LINES
        check.true("totals, sizes: " + name, must <= sizes <= must | may, sizes)
    elif n == "93":
        check.equal("totals, sizes: " + name, [s["size_kib"] for s in stored.snapshots],
                    [103010548] * 3)
    elif stored.snapshots:
        check_rows(check, row, stored)


def check_any(check, row, stored):
    """Any result is right, but a complete snapshot must not contradict its own footer."""
    name, n = row["file"], number_of(row)
    if n in UNREADABLE:
        check.equal("unreadable, nothing stored: " + name, len(stored.snapshots), 0)
        check.true("unreadable, says why: " + name, bool(stored.refused), stored.said)
    footer = re.match(r"(?:mapped:|total kB|total) +(\d+)", row["known_totals"] or "")
    for snapshot in stored.snapshots:
        if footer and snapshot["state"] == "complete":
            check.equal("complete and its footer: " + name, snapshot["size_kib"], int(footer[1]))
    if stored.snapshots:
        check_rows(check, row, stored)


CHECKS = {"complete": check_complete, "totals": check_totals, "partial": check_partial,
          "any": check_any}


def check_dialect(check, row, stored):
    found = {s["dialect"] for s in stored.snapshots}
    if stored.snapshots and number_of(row) in DIALECT:
        check.true("dialect: " + row["file"], found <= DIALECT[number_of(row)],
                   "%s, a person says %s" % (found, DIALECT[number_of(row)]))


def line(row, stored, good):
    """Prints one line per file: its dialect and state, its sums, and whether they are right."""
    def all_of(column):
        return ",".join(sorted({"?" if s[column] is None else str(s[column])
                                for s in stored.snapshots})) or "-"
    why = stored.refused[0]["error"] if stored.refused else ""
    print("%-44s %-8s %-15s %-17s %-7s %9s %12s  %s%s" % (
        row["file"], row["expect"], all_of("dialect"), all_of("state"), all_of("checked"),
        captures.total(stored.snapshots, "mappings") if stored.snapshots else "-",
        captures.total(stored.snapshots, "size_kib") if stored.snapshots else "-",
        "ok" if good else "WRONG", "  (%s)" % why[:70] if why else ""), flush=True)


def what_of(stored, path):
    """The snapshots of one file without times and ids, and without columns to which other files of the
    folder contribute (the name of the process, a check by a rollup)."""
    columns = ("pid", "dialect", "state") + captures.NUMBERS
    return sorted(tuple(str(s[c]) for c in columns) for s in stored.snapshots
                  if s["path"] is not None and s["path"].endswith("/" + path.name))


def check_folder(check, place, folder, index, alone):
    """An import of the whole folder gives the same snapshots of each file."""
    whole = captures.Stored(place / "whole.db", folder)
    check.true("folder: no crash", not whole.crashed, whole.said[-2000:])
    check.equal("folder: every snapshot has its file", [
        s["snapshot_id"] for s in whole.snapshots if s["path"] is None], [])
    for row in index:
        path = folder / row["file"]
        if alone[path].counted:
            said = [e["error"] for e in whole.refused if e["path"].endswith("/" + path.name)]
            check.equal("folder, untimed, nothing stored: " + path.name, what_of(whole, path), [])
            check.true("folder, untimed, names --every: " + path.name,
                       any("--every" in e for e in said), said)
        else:
            check.equal("folder, snapshots of: " + path.name, what_of(whole, path),
                        what_of(alone[path], path))


def captures_of_the_index(check, place):
    folder = captures.folder("pmap")
    with open(folder / "INDEX.tsv", encoding="utf-8", newline="") as f:
        index = list(csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE))
    check.equal("index: every file", {p.name for p in folder.glob("*.txt")},
                {row["file"] for row in index})
    check.equal("tables: only files of the index",
                {*DIALECT, *DAMAGED, *UNREADABLE, *UNCOUNTED} -
                {number_of(row) for row in index}, set())
    check.equal("damaged: every partial file", set(DAMAGED),
                {number_of(row) for row in index if row["expect"] == "partial"})
    alone = {}
    for row in index:
        before, path = check.failed, folder / row["file"]
        stored = alone[path] = captures.alone(place, path)
        check.true("crash: " + path.name, not stored.crashed,
                   "exit %d: %s" % (stored.status, stored.said[-2000:]))
        CHECKS[row["expect"]](check, row, stored)
        check_dialect(check, row, stored)
        line(row, stored, check.failed == before)
    check_folder(check, place, folder, index, alone)


kit.main(captures_of_the_index, shown=100)
