"""Logs without times: `pmap -x PID >> log` from cron is refused with a hint to --every, counted with
--every, recognised after rotation, and read on where it grew."""
import gzip
import os

import kit

EVERY_S = 2
IDS = ("snapshot_id", "process_id")


def write(path, blocks, mtime):
    path.write_bytes(b"".join(blocks))
    os.utime(path, (mtime, mtime))


def stored(db):
    return len(kit.rows("snapshots", db=db))


def growth(db):
    return [{k: v for k, v in r.items() if k not in IDS} for r in kit.rows("growth", db=db)]


def refused(check, log, db):
    done = kit.run("import", log, db=db, expect=None)
    check.equal("untimed log: exit", done.returncode, 2)
    text = done.stderr.decode(errors="replace")
    check.true("untimed log: names --every", "--every" in text and log.name in text, text)
    check.equal("untimed log: nothing stored", stored(db), 0)


def evenly(beats, n):
    """The first n successive beats that are EVERY_S apart."""
    for i in range(len(beats) - n + 1):
        if beats[i + n - 1][0] - beats[i][0] == EVERY_S * (n - 1):
            return beats[i:i + n]
    kit.skip("no %d evenly spaced beats" % n)
    return None


def grown(check, place, beats, paths):
    """c_mmap: a log is refused, counted, appended to, rotated and packed."""
    blocks = [p.read_bytes() for p in paths]
    log, db = place / "x.log", place / "log.db"
    write(log, blocks, beats[-1][0])
    refused(check, log, place / "refused.db")

    timed = place / "timed.db"
    kit.run("import", place / "in", db=timed)
    kit.run("import", "--every", "2s", log, db=db)
    check.equal("--every: blocks stored", stored(db), len(blocks))
    check.true("--every: growth of the timed files", growth(db) == growth(timed),
               "growth differs from that of the same texts with times")

    db, few = place / "grown.db", len(blocks) - 20
    write(log, blocks[:few], beats[few - 1][0])
    kit.run("import", "--every", "2s", log, db=db)
    check.equal("appended: before", stored(db), few)
    write(log, blocks, beats[-1][0])
    kit.run("import", "--every", "2s", log, db=db)
    check.equal("appended: only the new blocks", stored(db), len(blocks))
    check.true("appended: growth of the timed files", growth(db) == growth(timed), "differs")
    kit.run("import", "--every", "2s", log, db=db)
    check.equal("again: nothing", stored(db), len(blocks))

    rotated = place / "x.log.1"
    log.rename(rotated)
    kit.run("import", "--every", "2s", rotated, db=db)
    check.equal("renamed: nothing", stored(db), len(blocks))
    packed = place / "x.log.1.gz"
    packed.write_bytes(gzip.compress(rotated.read_bytes(), mtime=beats[-1][0]))
    os.utime(packed, (beats[-1][0], beats[-1][0]))
    kit.run("import", "--every", "2s", packed, db=db)
    check.equal("packed: nothing", stored(db), len(blocks))
    return db


def idle(check, place, db, workload):
    """nginx master: a process whose captures have the same bytes for hours."""
    before, log = stored(db), place / "x.log"
    pid = workload.beats[0][1][0]
    paths = workload.unpack(place / "idle", workload.beats[:40], "x", pids={pid})
    blocks = [p.read_bytes() for p in paths]
    check.equal("idle text: different blocks", len(set(blocks)), 1)
    mtime = workload.beats[39][0]
    write(log, blocks, mtime)
    kit.run("import", "--every", "2s", log, db=db)
    check.equal("idle: every block of a fresh log", stored(db) - before, 40)
    kit.run("import", "--every", "2s", log, db=db)
    check.equal("idle again: nothing", stored(db) - before, 40)

    log.rename(place / "x.log.1")
    write(log, blocks[:15], mtime + 15 * EVERY_S)
    kit.run("import", "--every", "2s", log, db=db)
    check.equal("idle rotated: the new log's blocks", stored(db) - before, 55)
    kit.run("import", "--every", "2s", place / "x.log.1", db=db)
    check.equal("idle rotated: the old log is known", stored(db) - before, 55)

    piped = place / "piped.db"
    for _ in range(50):
        kit.run("import", "-", db=piped, stdin=blocks[0])
    check.equal("pipes: snapshots of 50 equal ones", stored(piped), 50)


def log_that_grows(check, place):
    workload, nginx = kit.Workload("c_mmap"), kit.Workload("nginx")
    beats = evenly(workload.beats, min(200, len(workload.beats)))
    paths = workload.unpack(place / "in", beats, "x")
    db = grown(check, place, beats, paths)
    idle(check, place, db, nginx)


kit.main(log_that_grows)
