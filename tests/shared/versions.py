"""Versions: one process in the output of every version, mode and language of pmap is the same process.

The truth is its smaps (awk-proc-smaps.txt, node-proc-smaps.txt). The test prints the result of every file of
captures/versions; a file without a snapshot must be refused with a reason."""
import re

import captures
import kit
import truth

# pid -> mappings, KiB. 10672 and 21723 are two other, small processes without a smaps.
KNOWN = {6775: (58, 1073763972), 10672: (37, 2924), 21723: (37, 2924), 30804: (105, 977528)}
RANGE = (0x7f4870000000, 0x7f4870c00000)  # of -A
# Files without captures, or with empty captures: a pattern of the name, and the words of the refusal.
NOTHING = (
    (r"README|RUNS|rc-|numa_maps|statm|-status|cmdline", r"no capture"),
    (r"proc-.*-denied\.txt", r"permission denied"),
    (r"procps-.*-denied-.*\.txt", r"permission"),
    (r"procps-.*-kthread-(x|default)", r"kernel thread"),
    (r"procps-.*-kthread-XX", r"kernel thread"),  # pmap prints only its header line
    (r"busybox-.*-kthread", r"kernel thread|no mappings"),
    (r"busybox-.*-missing", r"kernel thread|no mappings|no process|gone"),
    (r"(toybox|procps-4.0.2)-missing\.txt|-N\.txt|denied-.*\.stderr", r"an empty file"),
    (r"toybox-missing\.stderr", r"no capture|no process|no such process|gone"),
    (r"\.stderr", r"no capture"),
    # pmap died at the first row, which has no column Size: RUNS.txt, rc=1.
    (r"3\.3\.5-built-(multi2?-)?(X|XX|XA)\.txt", r"Size"),
    # pmap died before the first row, at a name of 443 bytes: RUNS.txt, rc=1.
    (r"^procps-3\.3\.9-built-(multi2-XX|X|XX|XA)\.txt", r"no mappings|no row"),
)


MODE = re.compile(r"(default|XX|X|x|d|C)?([pqAk]*)")
TOOL = re.compile(r"(?:node-)?"
                  r"(?:(procps)-(\d+)\.(\d+)\.(\d+)(?:cvs)?|(busybox)(?:-1\.37git)?|(toybox))"
                  r"(?:-built)?-(.*)\.txt")


class Capture:
    """The parts of a file's name: the tool, its mode, the processes."""

    def __init__(self, name):
        self.name, self.tool, self.version, self.mode, self.flags = name, "proc", (), "", ""
        self.pids = [30804] if name.startswith("node-") else [6775]
        found = TOOL.fullmatch(name)
        if found:
            procps, major, minor, patch, busybox, toybox, rest = found.groups()
            self.tool = procps or busybox or toybox
            self.version = (int(major), int(minor), int(patch)) if procps else ()
            self.read_words(rest.split("-"))
        self.range = "A" in self.flags and "X" not in self.mode  # -X and -XX ignore it
        self.full = "p" in self.flags or self.mode == "C"
        self.columns_only = "nomapping" in name

    def read_words(self, words):
        """"XX", "de_DE-x", "multi2-XX", "XX-p-q", "C-nomapping", "x-LANG-C", "multi-missing"."""
        for word in words:
            found = MODE.fullmatch(word)
            if found and not (word == "C" and "LANG" in words):
                self.mode, self.flags = found[1] or self.mode, self.flags + found[2]
        if "LANG" in words:
            self.flags += "p"  # RUNS.txt
        if words == ["multi", "missing"]:
            self.mode, self.pids = "x", [10672]
        elif "multi2" in words or (words[0] == "multi" and self.version == (4, 0, 2)):
            self.pids = [6775, 10672]
        elif words[0] == "multi":
            self.pids = [6775, 21723] if self.tool == "busybox" else [10672, 10672]

    @property
    def dialects(self):
        if self.tool == "proc":
            return {next(d for d in ("smaps_rollup", "smaps", "maps") if "proc-" + d in self.name)}
        if self.tool in ("busybox", "toybox"):
            return {self.tool + "-x" if self.mode == "x" else self.tool}
        if self.mode == "C":  # columns that the user chose
            return {"pmap-X", "pmap-XX"}
        return {"pmap" if self.mode in ("", "default") else "pmap-" + self.mode}


# ---- names, from formats.md section 1.3 ----

def basename(path):
    """The part after the last slash of the line, or the whole line without a slash."""
    return path.rsplit(b"/", 1)[-1]


def questions(capture, name):
    """procps up to 4.0.4 prints a question mark for every byte that is not ASCII, later versions only
    for bytes that are not a character; 4.0.5 and later ran in a UTF-8 locale."""
    if capture.version < (4, 0, 5):
        return bytes(b if 32 <= b < 127 else ord("?") for b in name)
    return name.decode("utf-8", "surrogateescape").encode("utf-8", "replace").replace(
        b"\xef\xbf\xbd", b"?")


def wide_name(capture, path):
    """-X and -XX read 127 raw bytes of the name, and then look for the last slash."""
    cut = path[:127]
    return cut if capture.full or b"/" not in cut else basename(cut)


def narrow_name(capture, row):
    """The name in the modes default, -x and -d of procps."""
    path = row["path"]
    if path == b"[stack]":
        return path
    if path.startswith(b"/SYSV"):
        return b"[ shmid=0x%x ]" % row["inode"]
    if b"/" not in path:
        return path if "k" in capture.flags else b""
    # Up to 3.3.6 the default mode prints the path.
    whole = capture.full or (capture.version < (3, 3, 7) and capture.mode in ("", "default"))
    return questions(capture, path[path.index(b"/"):] if whole else basename(path))


def wanted_name(capture, row):
    """The stored name of a mapping."""
    path = row["path"]
    if capture.columns_only:
        return b""
    if capture.tool == "proc":
        return path
    if capture.tool == "busybox":
        return path.split(b" ", 1)[0]
    if capture.tool == "toybox":
        return path if capture.full or not path.startswith(b"/") else basename(path)
    if capture.mode in ("X", "XX", "C"):
        return wide_name(capture, path)
    return narrow_name(capture, row)


def check_names(check, capture, rows, real):
    for row in rows:
        check.equal("name: %s %x" % (capture.name, row["start"]), row["path"] or b"",
                    wanted_name(capture, real[row["start"]]))


def check_own_names(check, capture, rows, text):
    """A process without a smaps: the stored name is the end of its line."""
    lines = {}
    for line in text.split(b"\n"):
        found = re.match(rb" *([0-9a-f]{8,16}) ", line)
        if found:
            lines[int(found[1], 16)] = line
    for row in rows:
        line, name = lines.get(row["start"], b""), row["path"] or b""
        shown = re.search(rb"(\[ anon \]| )$", line) if not name else None
        good = line.endswith(b" " + name) or (name == b"[stack]" and line.endswith(b"[ stack ]"))
        check.true("name: %s %x" % (capture.name, row["start"]), shown if not name else good,
                   (name, line[-60:]))


# ---- the result of each file ----

FIELDS = ("size_kib", "rss_kib", "dirty_kib", "private_dirty_kib", "swap_kib")


def check_values(check, capture, rows, real):
    """The known numbers are those of smaps, because the process was stopped. Not Pss, which depends on
    other processes that map the file."""
    for row in rows:
        for column in FIELDS + ("perms",):
            if row[column] is not None:
                check.equal("%s: %s %x" % (column, capture.name, row["start"]), row[column],
                            real[row["start"]][column])


def known_columns(capture):
    """The columns of FIELDS that the mode prints."""
    if capture.mode == "C":
        return ("size_kib", "rss_kib")
    if capture.mode == "X":  # without the columns of shared and private pages
        return ("size_kib", "rss_kib", "swap_kib")
    if capture.mode == "XX" or capture.dialects == {"smaps"}:
        return FIELDS
    if capture.mode == "x" and capture.tool != "procps":
        return ("size_kib", "private_dirty_kib", "swap_kib")
    if capture.mode == "x" and capture.version >= (3, 3, 0):
        return ("size_kib", "rss_kib", "dirty_kib")
    return ("size_kib",)


def check_known(check, capture, rows):
    """Printed columns are known; others are unknown, not 0."""
    known = known_columns(capture)
    for column in FIELDS:
        values = [row[column] for row in rows]
        check.true("known, %s: %s" % (column, capture.name),
                   (None not in values) if column in known else values == [None] * len(values),
                   "%d of %d unknown" % (values.count(None), len(values)))


def check_snapshot(check, capture, stored, snapshot, pid, smaps, text):
    name = capture.name
    mappings, size = (17, 10880) if capture.range else KNOWN[pid]
    # A file of /proc has no pid in its text; awk-proc-status.txt in the same folder may tell it.
    check.true("pid: " + name, snapshot["pid"] in ((None, pid) if capture.tool == "proc"
                                                  else (pid,)), snapshot["pid"])
    check.true("dialect: " + name, snapshot["dialect"] in capture.dialects, snapshot["dialect"])
    check.equal("state: " + name, snapshot["state"], "complete")
    proved = {"footer"}
    if capture.tool == "proc":
        proved = {"none", "status", "rollup"}
    elif "q" in capture.flags:
        proved = {"none"}
    check.true("checked: " + name, snapshot["checked"] in proved, snapshot["checked"])
    check.equal("mappings: " + name, snapshot["mappings"], mappings)
    check.equal("size: " + name, snapshot["size_kib"], size)
    rows = stored.mappings(snapshot)
    check.equal("rows: " + name, len(rows), mappings)
    check_known(check, capture, rows)
    if pid not in smaps:
        check_own_names(check, capture, rows, text)
        return
    real = {row["start"]: row for row in smaps[pid]
            if not capture.range or RANGE[0] <= row["start"] < RANGE[1]}
    if check.equal("addresses: " + name, [r["start"] for r in rows], sorted(real)):
        check_names(check, capture, rows, real)
        if pid == 6775:
            check_values(check, capture, rows, real)


def check_rollup(check, capture, stored, text):
    """A rollup gives only sums: those of the text."""
    said = {k: int(v) for k, v in re.findall(r"(?m)^(\w+): +(\d+) kB", text.decode())}
    if not check.equal("rollup, one snapshot: " + capture.name, len(stored.snapshots), 1):
        return
    snapshot = stored.snapshots[0]
    check.equal("rollup, dialect and state: " + capture.name,
                [snapshot[c] for c in ("dialect", "state", "mappings", "size_kib")],
                ["smaps_rollup", "totals", None, None])
    for key, column in (("Rss", "rss_kib"), ("Pss", "pss_kib"), ("Swap", "swap_kib"),
                        ("Private_Dirty", "private_dirty_kib")):
        check.equal("rollup, %s: %s" % (column, capture.name), snapshot[column], said[key])
    check.equal("rollup, private_kib: " + capture.name, snapshot["private_kib"],
                said["Private_Clean"] + said["Private_Dirty"])


def check_nothing(check, name, stored, reason):
    check.equal("nothing, snapshots: " + name, len(stored.snapshots), 0)
    check.equal("nothing, exit: " + name, stored.status, 2)
    errors = [e["error"] for e in stored.refused]
    check.true("nothing, says why: " + name, any(re.search(reason, e, re.I) for e in errors),
               "%s, wanted /%s/" % (errors, reason))


def check_file(check, path, stored, smaps):
    """Returns the expected result of the file, in a few words."""
    for pattern, reason in NOTHING:
        if re.search(pattern, path.name):
            check_nothing(check, path.name, stored, reason)
            return "nothing"
    capture, text = Capture(path.name), path.read_bytes()
    if capture.dialects == {"smaps_rollup"}:
        check_rollup(check, capture, stored, text)
        return "sums"
    if check.equal("snapshots: " + path.name, len(stored.snapshots), len(capture.pids)):
        check.equal("exit: " + path.name, stored.status, 0)
        by_pid = sorted(stored.snapshots, key=lambda s: s["pid"] or 0)
        for pid, snapshot in zip(sorted(capture.pids), by_pid):
            check_snapshot(check, capture, stored, snapshot, pid, smaps, text)
    return "%s of %s" % ("/".join(sorted(capture.dialects)), "+".join(map(str, capture.pids)))


def line(name, what, stored, good):
    given = " + ".join("%s %s/%s %s %s KiB" % (
        s["dialect"], s["state"], s["checked"], s["mappings"], s["size_kib"])
        for s in stored.snapshots)
    why = stored.refused[0]["error"] if stored.refused and not given else ""
    print("%-42s %-22s %-3s %s" % (name, what, "ok" if good else "BAD",
                                   given or "-  (%s)" % why[:60]), flush=True)


def every_version(check, place):
    folder = captures.folder("versions")
    smaps = {pid: truth.smaps((folder / name).read_bytes())
             for pid, name in ((6775, "awk-proc-smaps.txt"), (30804, "node-proc-smaps.txt"))}
    for pid, rows in smaps.items():
        check.equal("truth: %d" % pid, (len(rows), sum(r["size_kib"] for r in rows)), KNOWN[pid])
    for path in sorted(folder.iterdir()):
        before, stored = check.failed, captures.alone(place, path)
        check.true("crash: " + path.name, not stored.crashed,
                   "exit %d: %s" % (stored.status, stored.said[-2000:]))
        what = check_file(check, path, stored, smaps)
        line(path.name, what, stored, check.failed == before)


kit.main(every_version, shown=12)
