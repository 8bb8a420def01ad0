"""A day of cron in miniature: beats of `pmapdb capture` of twenty processes that restart. Meanwhile pmapdb
is killed at random moments, the disk is full for a time, and the clock jumps.

Afterwards every snapshot that a run printed must be in the store unchanged, no sweep may be there in part,
the store must be intact and no larger than predicted, and `doctor` must mention the clock. The beats
are a minute apart by the clock of the test (clock.c). --full: 1,500 beats, otherwise 60.
"""
import json
import os
import pathlib
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "shared"))
import kit

HERE = pathlib.Path(__file__).resolve().parent
BEATS = 1500 if kit.full else 60
PROCESSES = 20

# Grows by 64 KiB at an interval that its argument gives.
WORKER = ("import time,sys\nkept=[]\nwhile True:\n kept.append(bytearray(65536))\n"
          " time.sleep(float(sys.argv[1]))\n")


class World:
    """The processes that are captured; each can be restarted."""

    def __init__(self):
        self.parent = os.getpid()
        self.children = [self.start(i) for i in range(PROCESSES)]

    def start(self, i):
        words = (["sleep", "1000"] if i % 4 == 0 else
                 ["python3", "-c", WORKER, str(0.05 + i % 5)])
        return subprocess.Popen(words, stdout=subprocess.DEVNULL)

    def restart(self, i):
        self.children[i].kill()
        self.children[i].wait()
        self.children[i] = self.start(i)

    def end(self):
        for child in self.children:
            child.kill()
            child.wait()


def sanitizer():
    """The runtime library that a sanitized program must load before any other library."""
    words = subprocess.run(["ldd", kit.PROGRAM], capture_output=True, text=True, check=False).stdout.split()
    return [w for w in words if w.startswith("/") and "libasan" in w]


class Clock:
    """Both clocks advance by a minute per beat; a jump changes only the realtime clock."""

    def __init__(self, place):
        self.library = place / "clock.so"
        subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-O1", "-o", self.library,
                        HERE / "clock.c"], check=True)
        self.jumped = 0
        self.preload = " ".join([*sanitizer(), str(self.library)])

    def environment(self, beat):
        add = {"CLOCK_REALTIME_ADD": str(60 * beat + self.jumped),
               "CLOCK_MONOTONIC_ADD": str(60 * beat)}
        return kit.ENVIRONMENT | add | {"LD_PRELOAD": self.preload}


def small_disk(size):
    """A limit on file sizes: a write fails as on a full disk."""
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    return limit


def sums(snapshot):
    return tuple(snapshot[k] for k in ("taken_at", "pid", "name", "mappings", "size_kib", "state"))


def capture(world, clock, db, beat, kill_after=None, disk=None):
    """Runs one beat as cron does. Returns the status, the snapshots that the run printed, and standard error."""
    line = [kit.PROGRAM, "capture", "--db", str(db), "-f", "ndjson",
            "--match", "descendant_of(%d)" % world.parent]
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(line, env=clock.environment(beat), stdout=out, stderr=errors,
                                   preexec_fn=small_disk(disk) if disk else None)
        if kill_after is not None:
            time.sleep(kill_after)
            process.kill()
        status = process.wait()
        out.seek(0)
        errors.seek(0)
        said = []
        for text in out.read().split(b"\n"):
            try:
                said.append(json.loads(text))
            except ValueError:
                pass # cut by the kill
        return status, [s for s in said if "snapshot_id" in s], errors.read().decode()


def story(world, clock, db, check):
    """Runs the beats. Returns the printed snapshots by snapshot_id, and counts of the events."""
    stored, counts = {}, {"killed": 0, "full": 0, "restarts": 0, "jumps": 0, "beats": 0}
    full_at = range(BEATS // 2, BEATS // 2 + max(3, BEATS // 100))
    jumps = {BEATS // 4: 7200, 3 * BEATS // 4: -5400}
    began = time.monotonic()
    for beat in range(BEATS):
        if random.random() < 0.1:
            world.restart(random.randrange(PROCESSES))
            counts["restarts"] += 1
        if beat in jumps:
            clock.jumped += jumps[beat]
            counts["jumps"] += 1
        took = (time.monotonic() - began) / max(beat, 1)
        kill = random.random() * took if random.random() < 0.12 and beat else None
        disk = None  # a full disk: the -wal cannot grow, or only the store cannot
        if beat in full_at:
            disk = os.path.getsize(db) if beat % 2 else 16384
        status, said, errors = capture(world, clock, db, beat, kill, disk)
        if kill is not None and status == -signal.SIGKILL:
            counts["killed"] += 1
        elif disk:
            counts["full"] += status == 2
            check.true("a full disk: one clear line", status == 0 or "pmapdb" in errors, errors)
        else:
            check.true("a beat", status == 0, (status, errors))
            check.true("a beat has all processes", len(said) >= PROCESSES - 1, len(said))
            check.equal("a run leaves no pages in the -wal", pathlib.Path(str(db) + "-wal").read_bytes()[:4].strip(b"\0"), b"")
        counts["beats"] += 1
        stored |= {s["snapshot_id"]: sums(s) for s in said}
    return stored, counts


def verify(check, db, stored):
    store = kit.sqlite3.connect("file:%s?mode=ro" % db, uri=True)
    store.row_factory = kit.sqlite3.Row
    check.equal("integrity", store.execute("PRAGMA integrity_check").fetchone()[0], "ok")
    check.equal("foreign keys", store.execute("PRAGMA foreign_key_check").fetchall(), [])
    there = {r["snapshot_id"]: sums(dict(r)) for r in store.execute(
        "SELECT s.*, p.pid, n.name FROM snapshot s JOIN process p USING (process_id)"
        " JOIN name n USING (name_id)")}
    lost = {k: v for k, v in stored.items() if there.get(k) != v}
    check.equal("printed snapshots are stored", lost, {})
    check.equal("partial snapshots", store.execute(
        "SELECT count(*) FROM snapshot WHERE state <> 'complete'").fetchone()[0], 0)
    check.equal("sums of rows", store.execute(
        "SELECT count(*) FROM snapshot s WHERE (s.mappings, s.rss_kib) IS NOT (SELECT count(*), "
        "sum(rss_kib) FROM mappings m WHERE m.snapshot_id = s.snapshot_id)").fetchone()[0], 0)
    sizes = [r[0] for r in store.execute(
        "SELECT count(s.snapshot_id) FROM capture c LEFT JOIN snapshot s USING (capture_id)"
        " GROUP BY c.capture_id")]
    check.true("sweeps are whole or not there", all(n >= PROCESSES - 1 for n in sizes), sizes)
    return there, store


def predict(store, n):
    """30 bytes a changed or added row, 200 a snapshot (150, and 50 more of a live capture), 80
    a region with its lineage, 250 a shared row (objects, live processes), and an
    empty store: a page for each of its 80 tables and indexes, and the schema."""
    def count(table):
        return store.execute("SELECT count(*) FROM " + table).fetchone()[0]
    return (30 * (count("mapping_version") + count("category_version")) + 200 * n + 80 * count("region")
            + 250 * (count("object") + count("live_process")) + 345000)


def a_day(check, place):
    random.seed(4711)
    db, world, clock = place / "day.db", World(), Clock(place)
    time.sleep(0.5)
    try:
        stored, counts = story(world, clock, db, check)
    finally:
        world.end()
    there, store = verify(check, db, stored)
    store.close()
    size = db.stat().st_size
    kit.sqlite3.connect(db).execute("VACUUM").connection.close()
    with kit.sqlite3.connect(db) as store:
        check.true("size as predicted", db.stat().st_size <= predict(store, len(there)),
                   (db.stat().st_size, predict(store, len(there))))
    told = subprocess.run([kit.PROGRAM, "doctor", "--db", str(db), "--deep"], env=kit.ENVIRONMENT,
                          capture_output=True, text=True, check=False)
    print(told.stdout, told.stderr)
    check.true("doctor's status", told.returncode in (0, 2), told.returncode)
    for word in ("clock", "snapshots"):
        check.true("doctor tells of: " + word, word in told.stdout)
    print("%(beats)d beats, %(restarts)d restarts, %(killed)d kills, %(full)d runs on a full disk,"
          " %(jumps)d jumps of the clock" % counts)
    print("%d snapshots said, %d stored, %d bytes, %d after VACUUM" %
          (len(stored), len(there), size, db.stat().st_size))


if __name__ == "__main__":
    kit.main(a_day)
