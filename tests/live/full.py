"""A store on a disk of a few MiB that captures, or somebody else's file, fill to its last byte: what a
capture reported as stored is there. A prune without a free byte says so and changes nothing; with some
MiB free it makes the store smaller, and the next capture is stored. --full: more sizes, and full at
other moments."""
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "shared"))
import kit

MIB = 1 << 20
ROOM = 8 * MIB  # what a prune asks for: its journal

# Each line it is sent makes other pages of a third of its mappings resident.
TARGET = ("import mmap,sys\na=[mmap.mmap(-1,65536,prot=1+2*(i%2)) for i in range(1200)]\nb=0\n"
          "print(flush=True)\nfor _ in sys.stdin:\n for i in range(b%3*2+1,1200,6):\n"
          "  a[i].madvise(mmap.MADV_DONTNEED)\n  for n in range((b//3*5+i)%16): a[i][4096*n]=1\n"
          " b+=1\n print(flush=True)\n")


class Target:
    def __init__(self):
        self.process = subprocess.Popen([sys.executable, "-c", TARGET], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)
        self.process.stdout.readline()
        self.pid = self.process.pid

    def change(self):
        self.process.stdin.write(b"\n")
        self.process.stdin.flush()
        self.process.stdout.readline()

    def end(self):
        self.process.kill()
        self.process.wait()


class Disk:
    """A tmpfs of so many bytes: `with Disk(place, size) as path`."""

    def __init__(self, place, size):
        self.path = place / "disk"
        self.size = size

    def __enter__(self):
        self.path.mkdir(exist_ok=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=%d" % self.size, "tmpfs", self.path], check=True)
        return self.path

    def __exit__(self, *_):
        subprocess.run(["umount", self.path], check=True)


def free(path):
    info = os.statvfs(path)
    return info.f_bavail * info.f_bsize


def fill(path):
    """All that is left."""
    with open(path, "ab", buffering=0) as other:
        try:
            while other.write(bytes(4096)):
                pass
        except OSError:
            pass


def capture(db, target):
    target.change()
    done = kit.run("capture", "-q", "--max-stall", "60s", target.pid, db=db, expect=None)
    return done.returncode, done.stderr.decode(errors="replace")


def stored(db):
    return int(kit.rows("sql", "SELECT count(*) AS n FROM snapshot", db=db)[0]["n"])


def whole(check, what, db):
    found = kit.rows("sql", "SELECT integrity_check AS t FROM pragma_integrity_check", db=db)
    check.equal(what + ": integrity", [r["t"] for r in found], ["ok"])
    found = kit.rows("sql", "SELECT s.snapshot_id FROM snapshot s LEFT JOIN (SELECT snapshot_id, count(*) AS n,"
                     " sum(rss_kib) AS rss FROM mappings GROUP BY 1) m USING (snapshot_id)"
                     " WHERE m.n IS NOT s.mappings OR m.rss IS NOT s.rss_kib", db=db)
    check.equal(what + ": sums", found, [])


def until_full(check, what, db, target):
    """Captures until none is stored any more; how many were."""
    n = 0
    while n < 4000:
        status, words = capture(db, target)
        if status:
            check.true(what + ": a line that says why", "full" in words or "space" in words.lower(), (status, words))
            return n
        n += 1
    check.true(what + ": the disk is never full", False, n)
    return n


def prune(db):
    """Exit status, and whether the disk is said to be full."""
    done = kit.run("prune", "--keep-last", "2", db=db, expect=None)
    return done.returncode, "no space" in done.stderr.decode(errors="replace")


def one(check, place, size, foreign):
    """foreign: how many captures come before somebody else takes all that is left; None: nobody does."""
    what = "%d KiB, %s" % (size >> 10, "alone" if foreign is None else "full after %d" % foreign)
    target = Target()
    try:
        with Disk(place, size) as disk:
            db = disk / "t.db"
            said = 0
            for _ in range(foreign or 0):
                status, words = capture(db, target)
                check.equal(what + ": a capture while there is space", (status, words), (0, ""))
                said += 1
            if foreign is not None:
                fill(disk / "foreign")
            said += until_full(check, what, db, target)
            fill(disk / "foreign")
            check.equal(what + ": full to the last byte", free(disk), 0)
            check.equal(what + ": what was said to be stored is", stored(db), said)
            whole(check, what, db)
            done = prune(db)
            check.equal(what + ": prune without a free byte", done, (2, True))
            check.equal(what + ": it removed nothing", stored(db), said)
            whole(check, what + ", prune refused", db)
            subprocess.run(["mount", "-o", "remount,size=%d" % (size + ROOM), disk], check=True)
            check.equal(what + ": prune with room", prune(db), (0, False))
            check.equal(what + ": what prune left", stored(db), 2)
            whole(check, what + ", pruned", db)
            check.equal(what + ": the next capture", capture(db, target), (0, ""))
            check.equal(what + ": it is there", stored(db), 3)
            whole(check, what + ", going on", db)
    finally:
        target.end()


def main():
    kit.own_mounts()
    check = kit.Check()
    with kit.Place() as place:
        one(check, place, 3 * MIB, None)
        one(check, place, 16 * MIB, 12)
        for size in range(2, 9) if kit.full else ():
            one(check, place, size * MIB, None)
        for n in range(3, 40, 2) if kit.full else ():
            one(check, place, 32 * MIB, n)
    check.finish()


if __name__ == "__main__":
    main()
