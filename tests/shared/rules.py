"""The built-in rules, on real captures.

default      row by row against another reader of the same set
pmap-dotnet  on the capture in pmap-dotnet's documentation: its categories, computed here from the text
             as that program computes them, and the numbers that it published

rules/test.csv confirms the other reader, rules_truth.py. RULES_OF is tests/classify/rules_of.c, which prints the
answers of a set, one line per mapping."""
import collections
import csv
import os
import pathlib
import re
import subprocess

import kit
import rules_truth
import truth

RULES_OF = os.environ["RULES_OF"]
DOTNET = truth.rule_set("pmap-dotnet")

# name -> captures by default
WORKLOADS = {"java_heap": 4, "java_steady": 4, "node_steady": 4, "postgres": 3, "redis": 4, "c_thread": 4, "memfd": 2,
             "c_brk": 2, "c_mmap_guard": 2, "c_plateau": 2, "memcached": 2, "nginx": 2, "perf_fp": 2, "py_mmap": 2}


def judge(rule_set, paths):
    """{path: [(start, KiB, Rss or None, rule, base, category)]}"""
    done = subprocess.run([RULES_OF, rule_set, *map(str, paths)], capture_output=True, check=True)
    out = {}
    for line in done.stdout.decode("utf-8", "surrogateescape").split("\n"):
        if line.startswith("= "):
            rows = out.setdefault(pathlib.Path(line[2:]), [])
        elif line:
            start, kib, rss, rule, base, category = line.split(" ", 5)
            rows.append((int(start, 16), int(kib), None if rss == "?" else int(rss), rule, base,
                         category))
    return out


def sums(rows, column):
    out = collections.Counter()
    for row in rows:
        out[row[5]] += row[column]
    return out


def check_oracle(check, what, rule_set, captured, rows):
    """Compares rule, slug and category of each row with those of the other reader of the set."""
    capture = rules_truth.Capture(rule_set, captured)
    want = []
    for row in capture.rows:
        rule = capture.ask(row)
        want.append((row["start"], rule.name if rule else "-", row["base"],
                     rule.of(row) if rule else row["base"]))
    got = [(r[0], *r[3:]) for r in rows]
    check.equal(what, [g for g, w in zip(got, want) if g != w],
                [w for g, w in zip(got, want) if g != w])
    check.equal(what + ": rows", len(got), len(want))


def check_workloads(check):
    """The two readers of each set agree."""
    for name, count in WORKLOADS.items():
        workload = kit.Workload(name)
        with kit.Place() as place:
            paths = workload.unpack(place / "in", workload.sample(count), "smaps", pids=workload.some())
            for rule_set, rules, some in (("default", truth.RULES, paths), ("pmap-dotnet", DOTNET, paths[:2])):
                for path, rows in judge(rule_set, some).items():
                    refined = [r for r in rows if rule_set == "default" and "/" in r[5]]
                    check.true("%s slugs: %s" % (name, path.name), all(r[5].split("/")[0] == r[4] for r in refined))
                    check_oracle(check, "%s oracle of %s: %s" % (name, rule_set, path.name), rules, truth.read(path), rows)


# ---- pmap-dotnet ----

# The numbers that its documentation shows, of 76 rows; it did not print the 77th.
PUBLISHED = {"Anonymous": (274807572, 370), "JIT Code": (41352, 3538),
             "libicudata.so.72.1": (30536, 5), "[heap]": (2580, 1)}
PUBLISHED_TOTAL = (275031172, 4150)
FLAGS = set("rd wr ex sh mr mw me ms gd pf dw lo io sr rr dc de ac nr ht sf ar wf dd sd mm hg nh mg bt"
            " mt um uw ss".split())


def seed_name(words):
    while words and words[0] in FLAGS:
        words = words[1:]
    return " ".join(words)


def seed_rows(path):
    """The rows of the capture: pmap -XX without its titles, with names without folders."""
    rows = []
    for line in path.read_text(errors="surrogateescape").split("\n")[1:]:
        words = line.split()
        if words:
            name = seed_name(words[27:])
            flags = words[27:len(words) - len(name.split())]
            start = int(words[0], 16)
            rows.append({"start": start, "end": start + (int(words[5]) << 10),
                         "perms": words[1].encode(), "device": words[3].encode(),
                         "inode": int(words[4]), "flags": " ".join(flags).encode(),
                         "path": name.encode("utf-8", "surrogateescape")})
    whole = truth.categorize([r | {"path": re.sub(rb"^memfd:", b"/memfd:", r["path"])}
                              for r in rows])
    return [row | {"base": w["base"]} for row, w in zip(rows, whole)]


def seed_category(name):
    """The category by pmap-dotnet's own code, for an application in /app."""
    if name in ("[heap]", "[stack]", "[vdso]", "[vvar]", "[vsyscall]"):
        return name
    if name in ("", "[anon:]", "[anon_shmem:]"):
        return "Anonymous"
    if name.startswith("/usr/share/dotnet"):
        return ".NET Libraries"
    if "memfd:doublemapper (deleted)" in name:
        return "JIT Code"
    return "Application" if name.startswith("/app") else name


def check_dotnet(check):
    found = sorted((pathlib.Path(os.environ.get("PMAPDB_SHARED", "")) / "captures" / "pmap").glob(
        "03-*.txt"))
    if not found:
        kit.skip("PMAPDB_SHARED has no capture of a .NET process")
    want = collections.defaultdict(lambda: [0, 0])
    captured = seed_rows(found[0])
    for row in captured:
        one = want[seed_category(row["path"].decode("utf-8", "surrogateescape"))]
        one[0] += (row["end"] - row["start"]) >> 10
        one[1] += 1
    rows = judge("pmap-dotnet", found)[found[0]]
    count = collections.Counter(r[5] for r in rows)
    got = {c: (kib, count[c]) for c, kib in sums(rows, 1).items()}
    check.equal("pmap-dotnet: categories", len(got), 77)
    check.equal("pmap-dotnet: all", got, {c: tuple(n) for c, n in want.items()})
    for category, numbers in PUBLISHED.items():
        check.equal("pmap-dotnet: " + category, got.get(category), numbers)
    check.equal("pmap-dotnet: total", tuple(map(sum, zip(*got.values()))), PUBLISHED_TOTAL)
    check_oracle(check, "pmap-dotnet: oracle", DOTNET, captured, rows)
    default = judge("default", found)[found[0]]
    check_oracle(check, "default: oracle", truth.RULES, captured, default)
    rss = sums(default, 2)
    check.equal("default: plain anonymous of .NET", rss["anonymous"], 0)
    check.equal("default: stacks of .NET", [r[1] for r in default
                                            if r[5] == "anonymous/thread-stack"], [8192] * 12)


# ---- the oracle ----

def case_row(cells):
    start = int(cells["start"], 16)
    row = {"start": start, "end": start + (int(cells["size_kib"]) << 10),
           "wanted": cells["category"]}
    row |= {k: cells[k].encode() for k in ("perms", "path", "device") if cells[k] or k == "path"}
    row |= {"inode": int(cells["inode"])} if cells["inode"] else {}
    return row | ({"flags": cells["flags"].encode()} if cells["flags"] else {})


def check_cases(check):
    """Every case of the table has its category, and each rule wins in a case."""
    cases, never = {}, {r.name for r in truth.RULES.rules}
    with open(kit.ROOT / "rules" / "test.csv", encoding="utf-8", newline="") as file:
        for cells in csv.DictReader(file):
            cases.setdefault(cells["case"], []).append(case_row(cells))
    for name, rows in cases.items():
        capture = rules_truth.Capture(truth.RULES, truth.categorize(rows))
        for row in rows:
            rule = capture.ask(row)
            check.equal("oracle: %s %x" % (name, row["start"]),
                        rule.of(row) if rule else row["base"], row["wanted"])
            never.discard(rule and rule.name)
    check.equal("oracle: rules that win in no case", sorted(never), [])


def main():
    check = kit.Check()
    check_cases(check)
    check_workloads(check)
    check_dotnet(check)
    check.finish()


main()
