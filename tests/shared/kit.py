"""Shared functions of the checks: the program, temporary stores, workloads, the count of comparisons.

PMAPDB         the program; default build/dev/pmapdb
PMAPDB_SHARED  the folder with workloads/W.tar.zst; without it a check is skipped (status 77)
Each check takes --full to test the whole workloads; without it, it tests a sample that takes
seconds under sanitizers.
"""
import collections
import csv
import datetime
import fcntl
import io
import os
import pathlib
import shutil
import signal
import sqlite3
import subprocess
import sys
import tarfile
import tempfile

import served

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.path.abspath(os.environ.get("PMAPDB") or ROOT / "build" / "dev" / "pmapdb")
if os.environ.get("PMAPDB") and not (os.path.isfile(PROGRAM) and os.access(PROGRAM, os.X_OK)):
    sys.exit("PMAPDB is %s, which is not a program: for a check it is the program, not the store" % PROGRAM)
SKIPPED = 77
F_SETPIPE_SZ = 1031 # from linux/fcntl.h; fcntl.F_SETPIPE_SZ needs Python 3.10

# The program reads PMAPDB as the name of its store, so it must not inherit PMAPDB from the check. A sanitizer
# that keeps less freed memory starts and ends faster, and the checks start thousands of short processes.
SANITIZER = os.environ.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=1:thread_local_quarantine_size_kb=64"
ENVIRONMENT = {k: v for k, v in os.environ.items() if k != "PMAPDB"} | {
    "TZ": "UTC", "PMAPDB_CONFIG": "", "LC_ALL": "C", "XDG_CONFIG_HOME": "/nonexistent", "NO_COLOR": "1", "ASAN_OPTIONS": SANITIZER}
NO_LEAK_CHECK = ENVIRONMENT | {"ASAN_OPTIONS": SANITIZER + ":detect_leaks=0"}
leak_checks = collections.Counter()

# A shell starts background processes with SIGINT ignored, which their children inherit; checks send SIGINT.
signal.signal(signal.SIGINT, signal.default_int_handler)

full = "--full" in sys.argv[1:]


def skip(why):
    print("skipped: " + why)
    sys.exit(SKIPPED)


def own_namespaces(*which):
    """Returns the command that starts another in new namespaces, and why it cannot, or None. Mounts in the
    namespaces vanish with them and are visible nowhere else. An ordinary user is root in a user namespace."""
    own = ["unshare", *([] if os.getuid() == 0 else ["--map-root-user"]), *which]
    trial = "true"
    if "--mount" in which: # a new /proc shows the pids of the namespace
        trial = "mount -t proc proc /proc" if "--pid" in which else "mount -t tmpfs tmpfs /mnt"
    if not shutil.which("unshare"):
        return own, "unshare is not installed"
    done = subprocess.run([*own, "sh", "-c", trial], capture_output=True, text=True, check=False)
    why_not = "no namespaces here: " + (done.stderr.strip().splitlines() or ["?"])[0]
    return own, why_not if done.returncode else None


def own_mounts():
    """Starts the test again, as root, in its own mount namespace."""
    inside = "PMAPDB_INSIDE"
    if inside in os.environ:
        return
    if os.getuid():
        skip("needs root")
    own, why_not = own_namespaces("--mount")
    if why_not:
        skip(why_not)
    os.execvpe(own[0], [*own, sys.executable, *sys.argv], os.environ | {inside: "1"})


class Check:
    """Counts the comparisons and prints the differences, the first few of each kind in full."""

    def __init__(self, shown=5):
        self.done = self.failed = 0
        self.shown = shown
        self.seen = {}

    def fail(self, what, detail):
        self.failed += 1
        kind = what.split(":")[0]
        self.seen[kind] = self.seen.get(kind, 0) + 1
        if self.seen[kind] <= self.shown:
            print("FAIL %s: %s" % (what, detail), flush=True)

    def true(self, what, condition, detail=""):
        self.done += 1
        if not condition:
            self.fail(what, detail)
        return condition

    def equal(self, what, got, want):
        return self.true(what, got == want, "got %.600r, the text says %.600r" % (got, want))

    def finish(self):
        for kind, n in self.seen.items():
            if n > self.shown:
                print("FAIL %s: %d in all" % (kind, n))
        print("%d comparisons, %d failed" % (self.done, self.failed))
        sys.exit(1 if self.failed else 0)


class Place:
    """A temporary folder that is removed at the end: `with Place() as place`."""

    def __enter__(self):
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="pmapdb-check-"))
        return self.path

    def __exit__(self, *_):
        shutil.rmtree(self.path, ignore_errors=True)


def main(*cases, check=None, shown=5):
    """A whole script: calls each `case(check, place)` with its own temporary folder. A script that makes its own
    check passes it, and its cases take only the folder."""
    counted = check or Check(shown)
    for case in cases:
        with Place() as place:
            case(*([] if check else [counted]), place)
    counted.finish()


def run(command, *args, db=None, stdin=None, expect=(0,)):
    """Runs `pmapdb command --db DB args`; a status outside `expect` ends the check.

    The first three runs of each command start the program and look for leaks; the tests of the command line
    do this for every command and option. The other runs are forks of a program that runs already."""
    line = [PROGRAM, command] + (["--db", str(db)] if db else []) + [str(a) for a in args]
    leak_checks[command] += 1
    if leak_checks[command] <= 3:
        done = subprocess.run(line, input=stdin, capture_output=True, check=False, env=ENVIRONMENT)
    else:
        done = served.run(line, NO_LEAK_CHECK, stdin)
    if expect is not None and done.returncode not in expect:
        shown = line if len(line) < 12 else line[:10] + ["... (%d arguments)" % (len(line) - 1)]
        print("FAIL %s: exit %d, expected %s\n%s" % (
            " ".join(shown), done.returncode, "/".join(map(str, expect)),
            done.stderr[-3000:].decode(errors="replace")))
        sys.exit(1)
    return done


def table(text):
    """The rows of a CSV as dicts of text; an empty field is None."""
    reader = csv.DictReader(io.StringIO(text.decode("utf-8", "surrogateescape"), newline=""))
    return [{k: v if v != "" else None for k, v in row.items()} for row in reader]


def rows(command, *args, db, expect=(0,)):
    """The rows that a command prints as CSV."""
    return table(run(command, *args, "--format", "csv", db=db, expect=expect).stdout)


def unpack(archive, place):
    """Unpacks the files of a tar. Returns the folder with the tar's name."""
    with tarfile.open(archive) as tar:
        tar.extractall(place, members=[m for m in tar.getmembers() if m.isfile()])
    return place / archive.name.split(".")[0]


def number(text):
    return None if text is None else int(text)


def milliseconds(iso):
    """Milliseconds since 1970 of an ISO 8601 time in UTC."""
    moment = datetime.datetime.fromisoformat(iso.replace("Z", "+00:00"))
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=datetime.timezone.utc)
    return round(moment.timestamp() * 1000)


def plain(db):
    """The store in the stock SQLite; text is bytes, because names need not be UTF-8."""
    connection = sqlite3.connect("file:%s?mode=ro" % db, uri=True)
    connection.text_factory = bytes
    return connection


def vacuumed_size(db):
    """The size of the store after VACUUM; the store itself does not change."""
    copy = pathlib.Path(str(db) + ".vacuumed")
    copy.unlink(missing_ok=True)
    connection = sqlite3.connect(db)
    connection.execute("vacuum into ?", (str(copy),))
    connection.close()
    size = copy.stat().st_size
    copy.unlink()
    return size


class Workload:
    """One packed workload. A beat is one round of captures: (unix time, [pids])."""

    def __init__(self, name):
        shared = os.environ.get("PMAPDB_SHARED")
        self.name = name
        if not shared:
            skip("PMAPDB_SHARED is not set")
        self.archive = pathlib.Path(shared) / "workloads" / (name + ".tar.zst")
        if not self.archive.is_file():
            skip("%s is not there" % self.archive)
        if not shutil.which("zstd"):
            skip("zstd is not installed")
        self.beats = self._beats()

    def _tar(self, *args):
        """Runs tar on the archive. Reads a megabyte at a time, and not past the last wanted file."""
        with subprocess.Popen(["zstd", "-dcq", "--long=27", str(self.archive)],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as unpacked:
            fcntl.fcntl(unpacked.stdout, F_SETPIPE_SZ, 1 << 20)
            done = subprocess.run(["tar", "x", "-b2048", "--occurrence=1", *args], stdin=unpacked.stdout, capture_output=True,
                                  check=True)
            unpacked.stdout.close()
        return done.stdout

    def _beats(self):
        log = self._tar("-O", self.name + "/capture.log").decode()
        beats = {}
        for line in log.splitlines():
            words = line.split()
            if words[2:3] == ["ok"]:
                beats.setdefault(int(words[0]), []).append(int(words[1]))
        return sorted(beats.items())

    def sample(self, n):
        """n beats spread evenly, including the first and the last; all beats with --full."""
        if full or n >= len(self.beats):
            return self.beats
        last = len(self.beats) - 1
        return [self.beats[round(i * last / (n - 1))] for i in range(n)]

    def some(self, *named):
        """A sample of many processes: the named pids, the pids in every beat, and every eighth pid. None means all
        pids: with few processes, or with --full."""
        beats = collections.Counter(pid for _, of in self.beats for pid in of)
        always = {pid for pid, n in beats.items() if n == len(self.beats)}
        return None if full or len(beats) < 8 else {*named, *always, *sorted(beats)[::8]}

    def names(self, beats, *suffixes, pids=None):
        """The files of these beats, in time order."""
        return ["%d-%d.%s" % (t, pid, s) for t, of in beats for pid in of for s in suffixes if pids is None or pid in pids]

    def extract(self, to, names):
        """Unpacks these files into the folder."""
        wanted = to / ".wanted"
        wanted.write_text("".join("%s/%s\n" % (self.name, n) for n in names))
        self._tar("-C", str(to), "--strip-components=1", "-T", str(wanted))
        wanted.unlink()

    def _copied(self, to, names):
        """Copies the files if unpack.py has unpacked them all. Returns whether it has."""
        there = os.path.join(os.environ.get("PMAPDB_UNPACKED", "/nonexistent"), self.name)
        try:
            for name in names:
                shutil.copy2(os.path.join(there, name), to)
        except FileNotFoundError:
            return False
        return True

    def unpack(self, to, beats, *suffixes, pids=None):
        """Puts the files of these beats into folder `to`; returns their paths in time order."""
        to.mkdir(parents=True, exist_ok=True)
        names = self.names(beats, *suffixes, pids=pids)
        if not self._copied(to, names):
            self.extract(to, names)
        return [to / n for n in names]


def when(path):
    """(milliseconds, pid) of a workload's file, from its name."""
    seconds, pid = path.stem.split("-")
    return int(seconds) * 1000, int(pid)


def snapshot_ids(db):
    """{(milliseconds, pid, dialect): snapshot_id}, from `pmapdb snapshots`."""
    return {(milliseconds(r["taken_at"]), number(r["pid"]), r["dialect"]): int(r["snapshot_id"])
            for r in rows("snapshots", db=db)}
