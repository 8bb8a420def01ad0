"""The verdicts on fixtures/leaks, programs whose source says whether they leak, against the table in
fixtures/leaks/README.md: the leaking category, its rate, and no other leak.

Each archive is judged whole and thinned to every third snapshot. KNOWN lists wrong verdicts, which
are printed; if a listed verdict becomes right, this check fails until the line is removed.
"""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "shared"))
import kit  # noqa: E402 (found by the line before)

FIXTURES = kit.ROOT / "tests" / "fixtures" / "leaks"
THINNED = 3
# The rates count malloc's bytes; pages, and the interval of a straight line, are less exact.
SLACK = 0.10
# Lives with fewer snapshots say nothing and are left out.
LIFE_MIN = 6
# (archive, window): why the verdict is wrong.
KNOWN = {}

check = kit.Check(shown=99)
wrong = {}


def truths():
    """(archive, category or None, KiB per hour or None, lives) of each line of the table."""
    text = (FIXTURES / "README.md").read_text(encoding="utf-8")
    for line in text.splitlines():
        cells = [c.strip() for c in line.strip("|").split("|")]
        if len(cells) == 5 and re.fullmatch(r"`\w+`", cells[0]):
            rate, lives = re.match(r"(\d+) KiB/s", cells[3]), re.match(r"(\d+) lives", cells[1])
            yield (cells[0].strip("`"), None if cells[2] == "none" else cells[2],
                   3600 * int(rate[1]) if rate else None, int(lives[1]) if lives else 1)


def unpacked(archive, place):
    """The captures in time order, as (seconds, path)."""
    folder = kit.unpack(FIXTURES / (archive + ".tar.xz"), place)
    return sorted((int(p.stem.split("-")[0]), p) for p in folder.iterdir())


def lives_of(captures):
    """The number of pids with enough captures. The pids of a program that does not leak live side by side."""
    pids = [p.stem.split("-")[1] for _, p in captures]
    return sum(pids.count(pid) >= LIFE_MIN for pid in set(pids))


def judged(name, captures, place):
    """Imports the captures and returns the rows of `leaks`."""
    db = place / (name + ".db")
    for at in range(0, len(captures), 200):
        kit.run("import", "-q", *[p for _, p in captures[at:at + 200]], db=db)
    return kit.rows("leaks", db=db)


def told(where, right, detail):
    """Checks a statement about a window; a failure that KNOWN lists is kept for the end."""
    if where not in KNOWN:
        check.true("%s, %s" % where, right, detail)
    elif not right:
        wrong.setdefault(where, detail)


def compare(where, rows, category, rate, lives):
    flagged = {"%s/%s %s" % (r["name"], r["pid"], r["key"]): r["verdict"] for r in rows
               if r["verdict"] in ("leak", "suspect") and r["key"] not in (category, "total")}
    told(where, not flagged, "nothing else leaks, but flagged: %s" % flagged)
    for key in (category or "total", "total"):
        verdicts = {r["verdict"] for r in rows if r["key"] == key}
        if category is None:
            told(where, not verdicts & {"leak", "suspect"}, "nothing leaks, but %s: %s" % (key, verdicts))
        else:
            told(where, verdicts == {"leak"}, "%s leaks, but: %s" % (key, verdicts))
    for row in rows if category else ():
        if row["key"] == category and row["verdict"] == "leak":
            low, high = float(row["rate_low"]), float(row["rate_high"])
            told(where, low * (1 - SLACK) <= rate <= high * (1 + SLACK),
                 "%d KiB/h are lost, but: %s [%s, %s]" % (rate, row["rate_per_h"], low, high))
            told(where, int(row["lives"]) == lives, "%d lives, but: %s" % (lives, row["lives"]))


def verdicts(place):
    for archive, category, rate, lives in truths():
        captures = unpacked(archive, place)
        check.equal("%s: lives" % archive, lives_of(captures) if category else lives, lives)
        times = sorted({t for t, _ in captures})
        middle = (times[0] + times[-1]) / 2
        kept = set(times[::THINNED])
        windows = {"whole": captures, "every third": [c for c in captures if c[0] in kept]}
        # The README speaks of second halves for these archives only.
        if archive == "warm":
            windows["second half"] = [c for c in captures if c[0] >= middle]
        if archive == "cache":
            windows["at the end"] = [c for c in captures if c[0] >= middle + 30]
        for window, chosen in windows.items():
            rows = judged("%s-%s" % (archive, window.replace(" ", "-")), chosen, place)
            compare((archive, window), rows, category, rate, lives_of(chosen))
    check.equal("archives", {p.name for p in FIXTURES.glob("*.tar.xz")},
                {t[0] + ".tar.xz" for t in truths()})
    for where, why in KNOWN.items():
        if where in wrong:
            print("known: %s, %s: %s (%s)" % (*where, wrong[where], why))
        else:
            check.fail("%s, %s" % where, "is right now: take it out of KNOWN")


kit.main(verdicts, check=check)
