"""What the shared checks have in common: the program, throw-away stores, workloads, the score.

PMAPDB         the program; default build/dev/pmapdb
PMAPDB_SHARED  the folder with workloads/W.tar.zst; without it a check is skipped (status 77)
Each check takes --full for everything that the workloads hold; without it a sample that is done
in seconds under sanitizers.
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
SKIPPED = 77
F_SETPIPE_SZ = 1031 # of linux/fcntl.h; Python has the name since 3.10

# The program reads PMAPDB as the name of its store, so it must not inherit ours. A sanitizer that keeps
# less of what is freed starts and ends faster, and the checks start thousands of short processes.
SANITIZER = os.environ.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=1:thread_local_quarantine_size_kb=64"
ENVIRONMENT = {k: v for k, v in os.environ.items() if k != "PMAPDB"} | {
    "TZ": "UTC", "PMAPDB_CONFIG": "", "LC_ALL": "C", "XDG_CONFIG_HOME": "/nonexistent", "NO_COLOR": "1", "ASAN_OPTIONS": SANITIZER}
NO_LEAK_CHECK = ENVIRONMENT | {"ASAN_OPTIONS": SANITIZER + ":detect_leaks=0"}
leak_checks = collections.Counter()

# A shell begins what it puts into the background deaf to SIGINT, which the checks send to their programs.
signal.signal(signal.SIGINT, signal.default_int_handler)

full = "--full" in sys.argv[1:]


def skip(why):
    print("skipped: " + why)
    sys.exit(SKIPPED)


def own_namespaces(*which):
    """The command that begins another in such namespaces of its own, and why none can be made. What is mounted
    there goes away with it, and is seen nowhere else. An ordinary user is root in a namespace of users."""
    own = ["unshare", *([] if os.getuid() == 0 else ["--map-root-user"]), *which]
    trial = "true"
    if "--mount" in which: # /proc is that of the pids that are seen
        trial = "mount -t proc proc /proc" if "--pid" in which else "mount -t tmpfs tmpfs /mnt"
    if not shutil.which("unshare"):
        return own, "unshare is not installed"
    done = subprocess.run([*own, "sh", "-c", trial], capture_output=True, text=True, check=False)
    why_not = "no namespaces here: " + (done.stderr.strip().splitlines() or ["?"])[0]
    return own, why_not if done.returncode else None


def own_mounts():
    """Begins the test again, as root, where nobody else sees what it mounts."""
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
    """Counts what was compared and prints what differs, the first few of a kind in full."""

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
    """A temporary folder that goes away at the end: `with Place() as place`."""

    def __enter__(self):
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="pmapdb-check-"))
        return self.path

    def __exit__(self, *_):
        shutil.rmtree(self.path, ignore_errors=True)


def main(*cases, check=None, shown=5):
    """A whole script: each case has the check and a temporary folder of its own, `case(check, place)`. The cases
    of a script that makes a check itself take the folder alone."""
    counted = check or Check(shown)
    for case in cases:
        with Place() as place:
            case(*([] if check else [counted]), place)
    counted.finish()


def run(command, *args, db=None, stdin=None, expect=(0,)):
    """Runs `pmapdb command --db DB args`; a status outside `expect` ends the check.

    The first three runs of each command begin the program, and leaks are looked for; the tests of the command
    line do so for every command and option. The other runs fork a program that was begun before."""
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
    """What a command prints as CSV."""
    return table(run(command, *args, "--format", "csv", db=db, expect=expect).stdout)


def unpack(archive, place):
    """The files of a tar; returns the folder of its name."""
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
    """The store as the stock SQLite sees it; text as bytes, for names need not be UTF-8."""
    connection = sqlite3.connect("file:%s?mode=ro" % db, uri=True)
    connection.text_factory = bytes
    return connection


def vacuumed_size(db):
    """Bytes of the store after VACUUM, the store itself untouched."""
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
        """Reads a megabyte at a time, and no further than to the last file that is wanted."""
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
        """n beats spread evenly, the first and the last among them; all with --full."""
        if full or n >= len(self.beats):
            return self.beats
        last = len(self.beats) - 1
        return [self.beats[round(i * last / (n - 1))] for i in range(n)]

    def some(self, *named):
        """Of many processes those that are named, those of every beat and every eighth; None: all, of few and with
        --full."""
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
        """Whether unpack.py has unpacked all of them: then they are copied."""
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
    """(milliseconds, pid, dialect) -> snapshot_id, as `pmapdb snapshots` lists them."""
    return {(milliseconds(r["taken_at"]), number(r["pid"]), r["dialect"]): int(r["snapshot_id"])
            for r in rows("snapshots", db=db)}
