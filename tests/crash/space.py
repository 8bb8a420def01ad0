"""Disks with few free pages, and files and folders that may not be written.

    space.py [--full]

Every command that writes runs on a tmpfs with 0, 1, 2 or more free pages. It succeeds, or prints one
line that names the store and exits with 2. In both cases the store is sound, and every capture that was
in it, or was reported as stored, equals its raw text. Then a prune runs, and the same command succeeds
when there is space again. By default some numbers of pages (needs root and unshare -m); --full: every
number below 60, then steps up to 1,000, in a quarter of an hour.

Then a read-only file, folder and mount, a folder that may not be written, and a store of another user
(0640): who may read can read, with a -wal or without; a command that writes prints one line.
"""
import os
import pathlib
import re
import shutil
import subprocess

import world
import kit

PAGE = 4096
DISK = 6 << 20
USER = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]


def program(*args, user=()):
    done = subprocess.run([*user, kit.PROGRAM, *map(str, args)], env=kit.ENVIRONMENT, stdin=subprocess.DEVNULL,
                          capture_output=True, check=False)
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")


def one_line(check, what, status, words, db, *needles):
    """Checks a refusal: status 2, and one line that names the store and the reason."""
    check.equal(what + ": status", status, 2)
    check.true(what + ": one line", len(words.splitlines()) == 1 and str(db) in words and
               (not needles or any(n in words for n in needles)), words)


# ---- a full disk ----

class Disk:
    """A tmpfs that can be filled up to a number of free pages."""

    def __init__(self, place):
        self.path = place / "disk"
        self.path.mkdir()

    def __enter__(self):
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=%d" % DISK, "tmpfs", self.path], check=True)
        return self

    def __exit__(self, *_):
        subprocess.run(["umount", self.path], check=True)

    def free(self):
        info = os.statvfs(self.path)
        return info.f_bavail * info.f_bsize // PAGE

    def leave(self, pages):
        with open(self.path / "filler", "ab", buffering=0) as f:
            while self.free() > pages:
                f.write(bytes(PAGE * min(64, self.free() - pages)))

    def empty(self):
        (self.path / "filler").unlink(missing_ok=True)


class Full:
    """Runs commands with little free space."""

    def __init__(self, place):
        self.paths = world.write(place / "in", 30, suffixes=("smaps", "x"), mappings=30)
        self.texts = world.said(self.paths)
        self.base, self.other = place / "base.db", place / "other.db"
        kit.run("import", "-q", *self.paths[:80], db=self.base)
        kit.run("import", "-q", *self.paths[40:], db=self.other)
        self.news = self.paths[80:]
        self.child = subprocess.Popen(["sleep", "9999"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.held = set(world.stored(self.base))

    def commands(self, db):
        return {"import": ["import", "-f", "ndjson", *self.news], "late": ["import", "-f", "ndjson", *reversed(self.news)],
                "capture": ["capture", "-q", "--max-stall", "60s", self.child.pid],
                "merge": ["merge", self.other], "prune": ["prune", "-q", "--keep-last", "9"],
                "compact": ["prune", "-q", "--compact"], "rules": ["rules", "--apply", "pmap-dotnet"],
                "perf": ["import-perf", kit.ROOT / "samples" / "perf" / "leaky.script.txt"]}

    def one(self, check, disk, name, pages):
        what = "%s, %d pages free" % (name, pages)
        db = disk.path / "t.db"
        for path in disk.path.iterdir():
            path.unlink()
        world.copy_store(self.base, db)
        disk.leave(pages)
        command = self.commands(db)[name]
        line = [command[0], "--db", db, *command[1:]]
        status, out, words = program(*line)
        if status == 0:
            check.true(what + ": done", True)
        else:
            one_line(check, what, status, words, db, "no space left")
        self.reads(check, what, db)
        seen = world.copy_store(db, disk.path.parent / "seen.db") # where a -shm has room
        there = world.is_said(check, what, seen, self.texts, there={
            k: v for k, v in world.stored(seen).items() if k[1] != self.child.pid})
        told = {(kit.milliseconds(t), int(p), d) for p, t, d in re.findall(
            r'"pid":(\d+).*?"taken_at":"([^"]+)".*?"dialect":"([^"]+)"', out)}
        check.equal(what + ": said to be stored, and is not", told - there, set())
        if name != "prune":
            check.equal(what + ": was there before, and is not", self.held - there, set())
        world.is_sound(check, what, seen)
        status, _, words = program("prune", "--db", db, "--keep-last", "2")
        if status:
            one_line(check, what + ": prune", status, words, db, "no space left")
        disk.empty()
        status, _, words = program(*line)
        check.equal(what + ": again, with space", (status, "cannot" in words), (0, False))
        world.is_sound(check, what + ", again", db)
        return status

    @staticmethod
    def reads(check, what, db):
        """Reads the store; this may fail for lack of space, as a reader creates a missing -shm."""
        status, out, words = program("snapshots", "--db", db)
        if status:
            one_line(check, what + ": reading", status, words, db, "no space left")
        else:
            check.true(what + ": reading", out, "nothing")


def full_disk(check, place):
    steps = [0, 1, 4, 15, 60]
    if kit.full:
        steps = [*range(60), *range(60, 200, 10), *range(200, 1001, 100)]
    full = Full(place)
    names = list(full.commands(full.base))
    try:
        with Disk(place) as disk:
            for i, pages in enumerate(steps):
                for k, name in enumerate(names):
                    if kit.full or (i + k) % 4 == 0:
                        full.one(check, disk, name, pages)
    finally:
        full.child.kill()
        full.child.wait()


# ---- what may not be written ----

READERS = (["snapshots"], ["categories", "--process", "server4711"], ["leaks"], ["check", "--mappings", "-w", "99999"])


def reads(check, what, db, user=()):
    for command in READERS:
        status, out, words = program(command[0], "--db", db, *command[1:], user=user)
        check.true("%s: %s" % (what, command[0]), status in (0, 3) and out and "cannot" not in words,
                   (status, out[-200:], words))


def does_not_write(check, what, db, news, user=()):
    """Checks that each command that writes refuses with one line, and that the file is unchanged."""
    before = db.read_bytes()
    for command in (["import", "-q", news], ["prune", "--keep-last", "1"], ["prune", "--compact"], ["capture", os.getpid()],
                    ["rules", "--apply", "pmap-dotnet"], ["merge", db.parent / "none.db"]):
        status, _, words = program(command[0], "--db", db, *command[1:], user=user)
        one_line(check, "%s: %s" % (what, command[0]), status, words, db)
    check.true(what + ": unchanged", db.read_bytes() == before)


def read_only(check, place):
    folder = place / "ro"
    folder.mkdir()
    place.chmod(0o755)
    db, paths = folder / "t.db", world.write(place / "few", 4, mappings=20)
    kit.run("import", "-q", "--mode", "0644", *paths[:6], db=db)
    news = paths[-1]
    for path in (place / "few", *paths):
        path.chmod(0o755)
    # the folder may not be written; its -wal and -shm are there
    reads(check, "not their folder", db, USER)
    does_not_write(check, "not their folder", db, news, USER)
    for end in ("-shm", "-wal"):
        pathlib.Path(str(db) + end).unlink()
        reads(check, "nor a " + end, db, USER)
        does_not_write(check, "nor a " + end, db, news, USER)
    # the file may not be written, but the folder may
    shutil.chown(folder, "nobody")
    reads(check, "not their file", db, USER)
    does_not_write(check, "not their file", db, news, USER)
    # the file of another user, which its group may read
    db.chmod(0o640)
    status, _, words = program("snapshots", "--db", db, user=USER)
    one_line(check, "not for them", status, words, db, "Permission denied")
    shutil.chown(db, group="nogroup")
    reads(check, "for their group", db, USER)
    does_not_write(check, "for their group", db, news, USER)
    subprocess.run(["mount", "--bind", folder, folder], check=True)
    subprocess.run(["mount", "-o", "remount,ro,bind", folder], check=True)
    try:
        reads(check, "a read-only mount", db)
        does_not_write(check, "a read-only mount", db, news)
    finally:
        subprocess.run(["umount", folder], check=True)


if not shutil.which("setpriv"):
    kit.skip("needs setpriv")
kit.own_mounts()
kit.main(full_disk, read_only)
