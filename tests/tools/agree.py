"""Agreement: the output of every version of every tool, in every mode and language, for one stopped
process is stored with the values of the kernel's smaps in each field that the tool prints; other
fields are unknown. fixtures/tools/README.md says how the outputs were made.

truth() reads the true rows from kernel-smaps.txt; printed() returns a name as the tool prints it.
"""
import collections
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "shared"))
import kit  # noqa: E402 (found by the line before)

FIXTURES = kit.ROOT / "tests" / "fixtures" / "tools"
TIME = "2026-01-01T00:00:00Z"
LOW, HIGH = 0x600000000000, 0x60000f002000  # of -A, see record.sh

# Column of `mappings` -> the keys of smaps that add up to the column.
SIZES = {"size_kib": ("Size",), "rss_kib": ("Rss",), "pss_kib": ("Pss",),
         "dirty_kib": ("Shared_Dirty", "Private_Dirty"),
         "private_kib": ("Private_Clean", "Private_Dirty"),
         "private_dirty_kib": ("Private_Dirty",), "swap_kib": ("Swap",)}
COLUMNS = ["start", "end", *SIZES, "perms", "offset", "device", "inode", "flags", "path"]
# The sums in `snapshots`.
TOTALS = [c for c in SIZES if c != "dirty_kib"]

# The columns that each kind of output prints besides the addresses.
EVERYTHING = set(COLUMNS[2:])
PRINTS = {
    "smaps": EVERYTHING,
    "maps": {"size_kib", "perms", "offset", "device", "inode", "path"},
    "pmap-XX": EVERYTHING,
    "pmap-X": EVERYTHING - {"dirty_kib", "private_kib", "private_dirty_kib", "flags"},
    "-c": EVERYTHING - {"dirty_kib", "private_kib", "private_dirty_kib", "device"},
    "-C": {"size_kib", "rss_kib", "private_dirty_kib"},
    "pmap-x": {"size_kib", "rss_kib", "dirty_kib", "perms", "path"},
    "3.2-x": {"size_kib", "perms", "path"},
    "pmap-d": {"size_kib", "perms", "offset", "device", "path"},
    "pmap": {"size_kib", "perms", "path"},
    "busybox-x": {"size_kib", "pss_kib", "private_dirty_kib", "swap_kib", "perms", "path"},
    "toybox-x": {"size_kib", "pss_kib", "private_dirty_kib", "swap_kib", "perms", "path"},
    "busybox": {"size_kib", "perms", "path"},
    "toybox": {"size_kib", "perms", "path"},
}
# With columns chosen by a file the output is that of -X; the store may call it -X or -XX.
WIDE = {"pmap-X", "pmap-XX"}

# Files of a process that cannot be shown, or without a process: no snapshot, and a reason.
NOTHING = {
    "kernel-status.txt": "no map",
    "kernel-stat.txt": "no map",
    "kernel-cmdline.txt": "no map",
    "kernel-denied-smaps.txt": "cat was denied",
    "procps-3.3.5-X.txt": "died in the first row, no column Size",
    "procps-3.3.5-XX.txt": "died in the first row, no column Size",
    "procps-3.3.5-still-XX.txt": "died in the first row, no column Size",
    "procps-3.3.10-C.txt": "died of the long name before the first row",
    "procps-3.3.10-XX.txt": "died of the long name before the first row",
    "procps-4.0.2-denied.txt": "only the line with the pid",
    "procps-4.0.2-kthread.txt": "a kernel thread has no map",
    "procps-4.0.2-kthread-XX.txt": "a kernel thread has no map",
    "procps-4.0.2-missing.txt": "no such process",
    "procps-4.0.2-n.txt": "a message",
    "procps-4.0.2-n-pmaprc.txt": "a configuration file",
    "busybox-1.37-denied.txt": "only the header",
    "busybox-1.37-kthread.txt": "a kernel thread has no map",
    "busybox-1.37-missing.txt": "only the header",
    "toybox-0.8.9-denied.txt": "only the line with the pid",
    "toybox-0.8.9-kthread.txt": "a kernel thread has no map",
    "toybox-0.8.9-missing.txt": "no such process",
}

# The tool died in the first row. Without a header nobody knows that this version prints no Size: the file
# is refused, or its snapshot is partial.
DIED = "procps-3.3.5-Xq.txt"


def truth(path):
    """The rows of an smaps file as `mappings` prints them, names as the kernel's bytes."""
    found = []
    for line in path.read_bytes().split(b"\n")[:-1]:
        head = re.match(rb"([0-9a-f]+)-([0-9a-f]+) (\S{4}) ([0-9a-f]+) (\S+) (\d+) *(.*)", line)
        if head:
            start, end, perms, offset, device, inode = (x.decode() for x in head.groups()[:6])
            row = {"start": start.lstrip("0"), "end": end.lstrip("0"), "perms": perms,
                   "offset": "%x" % int(offset, 16), "device": device, "inode": inode,
                   "path": head[7]}
            keys = collections.Counter()
            found.append((row, keys))
        elif line.startswith(b"VmFlags:"):
            row["flags"] = line[8:].strip().decode()
        else:
            key, value, *_ = line.replace(b":", b" ").split()
            keys[key.decode()] += int(value)
    return [row | {c: sum(keys[k] for k in of) for c, of in SIZES.items()} for row, keys in found]


class File:
    """The parts of a fixture's name: TOOL-VERSION[-multi|-still|-LANGUAGE]-MODE.txt."""

    def __init__(self, path):
        self.path = path
        part = re.fullmatch(r"(procps|busybox|toybox)-([0-9.]+)(?:cvs)?-"
                            r"(?:(multi|still|\w\w_\w\w)-)?"
                            r"(default|XX|X|x|d|c|C)?([pqAk]*)\.txt", path.name)
        self.tool, version, self.variant, mode, self.options = part.groups() if part else (
            "kernel", "0", "still" if "still" in path.name else None,
            path.stem.split("-")[-1], "")
        self.version = tuple(int(x) for x in version.split("."))
        self.mode = mode or "default"
        self.kind = self._kind()

    def _kind(self):
        if self.tool == "kernel":
            return self.mode
        if self.mode in "cC":
            return "-" + self.mode
        if self.mode == "x" and self.version < (3, 3) and self.tool == "procps":
            return "3.2-x"
        return ("pmap" if self.tool == "procps" else self.tool) + (
            "" if self.mode == "default" else "-" + self.mode)

    def dialects(self):
        return WIDE if self.kind in ("-c", "-C") else {self.kind.replace("3.2-x", "pmap-x")}

    def range(self):
        """The range that -A shows: 3.2 ignores the upper bound, 3.3.2 loses the first digit of the lower one, and
        the wide modes ignore both."""
        if "A" not in self.options or self.mode[0] == "X":
            return 0, 1 << 64
        if self.version < (3, 3):
            return LOW, 1 << 64
        return (0 if self.version == (3, 3, 2) else LOW), HIGH


def basename(name):
    return name.rpartition(b"/")[2]


def unprintable(file, name):
    """Writes `?` for each byte that is not ASCII; since 4.0.5 for each byte that is not UTF-8."""
    if file.version < (4, 0, 5):
        return bytes(c if 32 <= c < 127 else ord("?") for c in name)
    return name.decode("utf-8", "replace").replace("\ufffd", "?").encode()


def printed(file, row):
    """The name as it should be stored: as the tool prints it, pseudo names in the kernel's words in every
    language, and empty if the tool prints that it knows no name."""
    name = row["path"]
    whole = "p" in file.options or file.tool == "kernel"
    if file.tool == "busybox":
        return name.split(b" ")[0]
    if file.mode[0] == "X" or file.mode == "c":
        return name[:127] if whole or file.mode == "c" else basename(name[:127])
    if file.tool in ("kernel", "toybox"):
        return name if whole else basename(name)
    if b"/" not in name:
        return name if "k" in file.options or name == b"[stack]" else b""
    if name.startswith(b"/SYSV"):
        return b"[ shmid=%#x ]" % int(row["inode"])
    if file.mode == "default" and file.version < (3, 3, 7):
        whole = True
    return unprintable(file, name if whole else basename(name))


def expected(file, rows):
    """The true rows as this file can show them: rows of its range, unknown columns as None."""
    low, high = file.range()
    shown = PRINTS[file.kind] | {"start", "end"}
    out = []
    for row in rows:
        if int(row["end"], 16) > low and int(row["start"], 16) <= high:
            told = row | {"path": printed(file, row).decode("utf-8", "surrogateescape")}
            out.append({c: str(told[c]) if c in shown and told[c] != "" else None
                        for c in COLUMNS})
    return out


def check_rows(check, file, got, want):
    name, found = file.path.name, {row["start"]: row for row in got}
    check.equal("%s: starts" % name, [r["start"] for r in got], [r["start"] for r in want])
    for row in want:
        for column in COLUMNS if row["start"] in found else []:
            check.equal("%s: %s of %s" % (name, column, row["start"]),
                        found[row["start"]][column], row[column])


def check_snapshot(check, file, snapshot, rows, db):
    name, want = file.path.name, expected(file, rows)
    check.true("%s: dialect" % name, snapshot["dialect"] in file.dialects(), snapshot["dialect"])
    check.equal("%s: state" % name, snapshot["state"], "complete")
    proof = "none" if file.tool == "kernel" or "q" in file.options else "footer"
    if name == "kernel-smaps.txt":
        proof = "rollup"  # kernel-smaps_rollup.txt is in the same folder
    check.equal("%s: checked" % name, snapshot["checked"], proof)
    check.equal("%s: mappings" % name, snapshot["mappings"], str(len(want)))
    for column in TOTALS:
        told = [r[column] for r in want]
        check.equal("%s: sum of %s" % (name, column), snapshot[column],
                    None if None in told else str(sum(map(int, told))))
    got = kit.rows("mappings", "--process", "@" + snapshot["process_id"],
                   "--snapshot", "@" + snapshot["snapshot_id"], db=db, expect=None)
    check_rows(check, file, got, want)


def check_file(check, file, db, awk, still):
    """Imports one file into its own store. Blocks of one pid without times need --every."""
    pids = re.findall(rb"^(\d+): +(.*)", file.path.read_bytes(), re.M)
    repeated = len(set(pids)) < len(pids)
    done = kit.run("import", *(["--every", "5m"] if repeated else ["--at", TIME]),
                   "--format", "ndjson", file.path, db=db, expect=None)
    check.true("%s: exit" % file.path.name, done.returncode == 0,
               "%d, %s" % (done.returncode, done.stderr.decode(errors="replace").split("\n")[0]))
    stored = kit.rows("snapshots", db=db) if db.exists() else []
    # kernel-stat.txt in the same folder tells the pid.
    alone = ["16098"] if file.tool == "kernel" and file.variant != "still" else [None]
    want = sorted(p.decode() for p, _ in pids) or alone
    if check.equal("%s: pids" % file.path.name, sorted((s["pid"] for s in stored), key=str), want):
        is_still = {p.decode() for p, command in pids if b"still" in command}
        for snapshot in stored:
            rows = still if file.variant == "still" or snapshot["pid"] in is_still else awk
            check_snapshot(check, file, snapshot, rows, db)
    return stored


def check_nothing(check, path, db):
    done = kit.run("import", "--at", TIME, "--format", "ndjson", path, db=db, expect=None)
    said = [json.loads(line) for line in done.stdout.splitlines()]
    check.equal("%s: exit" % path.name, done.returncode, 2)
    check.true("%s: a reason" % path.name, said and all(s.get("error") for s in said), said)
    check.equal("%s: stored" % path.name, kit.rows("snapshots", db=db) if db.exists() else [], [])


def check_died(check, path, db):
    done = kit.run("import", "--at", TIME, path, db=db, expect=None)
    check.equal("%s: exit" % path.name, done.returncode, 2)
    stored = kit.rows("snapshots", db=db) if db.exists() else []
    check.true("%s: state" % path.name, all(s["state"] == "partial" for s in stored), stored)


def check_rollup(check, path, db):
    """smaps_rollup has only sums: they are stored as sums, and equal those of smaps."""
    done = kit.run("import", "--at", TIME, path, db=db, expect=None)
    check.equal("%s: exit" % path.name, done.returncode, 0)
    stored = kit.rows("snapshots", db=db) if db.exists() else []
    if not check.equal("%s: stored" % path.name, len(stored), 1):
        return
    told = dict(re.findall(r"^(\w+): +(\d+)", path.read_text(), re.M))
    want = {c: str(sum(int(told[k]) for k in SIZES[c])) if c != "size_kib" else None
            for c in TOTALS} | {"dialect": "smaps_rollup", "state": "totals", "mappings": None}
    check.equal("%s: totals" % path.name, {k: stored[0][k] for k in want}, want)


def main():
    check = kit.Check(shown=3)
    awk, still = (truth(FIXTURES / ("kernel-%s.txt" % n)) for n in ("smaps", "still-smaps"))
    check.equal("truth: rows", (len(awk), len(still)), (48, 12))
    paths = sorted(FIXTURES.glob("*.txt"))
    check.equal("fixtures: the files of FILES.tsv", [p.name for p in paths], sorted(
        line.split("\t")[0] for line in (FIXTURES / "FILES.tsv").read_text().splitlines()))
    for path in paths:
        before = check.failed
        with kit.Place() as place:
            db, stored = place / "t.db", []
            if path.name in NOTHING:
                check_nothing(check, path, db)
            elif path.name == DIED:
                check_died(check, path, db)
            elif path.name == "kernel-smaps_rollup.txt":
                check_rollup(check, path, db)
            else:
                stored = check_file(check, File(path), db, awk, still)
        print("%-36s %-24s %s" % (path.name, " ".join(
            "%(dialect)s/%(state)s" % s for s in stored[:1]) or NOTHING.get(path.name, "-"),
            "%d differ" % (check.failed - before) if check.failed > before else "agrees"))
    check.finish()


main()
