"""Prune: a store of many snapshots, of two real programs, is thinned while a reader reads and a
writer imports. What stays must be what was there, to the last column; the file must shrink, the
store be whole, also where the program is killed on the way; imports must not bring anything back.

By default 600 snapshots, in full 10,000, PMAPDB_PRUNE=N: so many. Tells what it took."""
import hashlib
import io
import os
import pathlib
import resource
import signal
import sqlite3
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "bench"))
import kit  # noqa: E402
from replay import START_S, Replay, member  # noqa: E402

SNAPSHOTS = int(os.environ.get("PMAPDB_PRUNE") or (10000 if kit.full else 600))
READ = 300 if kit.full else 60  # captures of a workload that are replayed forwards and backwards
STEP_S = 600  # ten minutes between two: 10,000 are ten weeks
RULES = ["--keep-last", "48", "--keep-hourly", "48", "--keep-daily", "30", "--keep-weekly", "52"]
SNAPSHOT = ("snapshot_id, process_id, capture_id, taken_ms, moment_ms, ordinal, preferred, "
            "time_source, dialect, state, checked, missing, hash, import_log_id, mappings, size_kib, "
            "rss_kib, pss_kib, private_kib, private_dirty_kib, swap_kib, tool_size_kib, "
            "tool_rss_kib")


class Spread:
    """Captures of a workload, replayed with a step, pid and begin of their own."""

    def __init__(self, name, captures):
        self.lane = Replay.workload(name, captures).lanes[0]

    def named(self, out, first, n, pid):
        for i in range(first, first + n):
            name = "%d-%d.smaps" % (START_S + STEP_S * i, pid)
            out.write(member(name, self.lane.texts[self.lane.index(i)]))
        out.write(bytes(1024))


def feed(replay, db, first, n, pid):
    """Imports n captures; (seconds of CPU, standard error)."""
    line = [kit.PROGRAM, "import", "--db", str(db), "--name", "prog%d" % pid, "-"]
    with subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, env=kit.ENVIRONMENT) as process:
        with io.BufferedWriter(process.stdin, 1 << 20) as out:
            replay.named(out, first, n, pid)
        said = process.stderr.read().decode()
        if process.wait():
            sys.exit("import ended with %d: %s" % (process.returncode, said[-500:]))
    return said


def digests(db):
    """snapshot_id -> hash of all that people can read of it."""
    connection = kit.plain(db)
    out = {}
    for (i, *row) in connection.execute("select snapshot_id, %s from snapshot" % SNAPSHOT):
        digest = hashlib.blake2b(repr(row).encode(), digest_size=16)
        for table in ("mappings", "categories"):
            order = "start" if table == "mappings" else "category"
            for line in connection.execute("select * from %s where snapshot_id = ? order by %s"
                                           % (table, order), (i,)):
                digest.update(repr(line).encode())
        out[i] = digest.digest()
    connection.close()
    return out


def is_whole(check, what, db):
    connection = kit.plain(db)
    check.equal(what + ": integrity", connection.execute("pragma integrity_check").fetchall(),
                [(b"ok",)])
    check.equal(what + ": foreign keys",
                connection.execute("pragma foreign_key_check").fetchall(), [])
    connection.close()


def nothing_left_over(check, what, db):
    connection = kit.plain(db)
    for child, parent, key in (
            ("mapping_version", "region", "region_id"), ("region", "lineage", "lineage_id"),
            ("region", "object", "object_id"), ("snapshot", "epoch", "epoch_id"),
            ("snapshot", "capture", "capture_id"), ("snapshot", "process", "process_id")):
        n = connection.execute("select count(*) from %s where %s not in (select %s from %s)"
                               % (parent, key, key, child)).fetchone()[0]
        check.equal("%s: %s that no %s shows" % (what, parent, child), n, 0)
    holes = connection.execute("select epoch_id from snapshot group by epoch_id having "
                               "max(off) >= count(*)").fetchall()
    check.equal(what + ": holes", holes, [])
    connection.close()


def kept_by_the_rules(db):
    """Worked out here, from the times alone, per series; UTC."""
    connection = kit.plain(db)
    series = {}
    for snapshot, name, ms in connection.execute(
            "select s.snapshot_id, p.name_id, s.moment_ms from snapshot s join process p using "
            "(process_id)"):
        series.setdefault(name, {}).setdefault(ms, []).append(snapshot)
    connection.close()
    keep = set()
    periods = {"hourly": (48, lambda t: t // 3600000), "daily": (30, lambda t: t // 86400000),
               "weekly": (52, lambda t: (t // 86400000 + 3) // 7)}
    for moments in series.values():
        times = sorted(moments, reverse=True)
        chosen = set(times[:48])
        for many, period in periods.values():
            seen = {}
            for t in times:
                seen.setdefault(period(t), t)
            chosen.update(sorted(seen.values(), reverse=True)[:many])
            if len(seen) < many:
                chosen.add(times[-1])
        keep.update(i for t in chosen for i in moments[t])
    return keep


class Reader(threading.Thread):
    """Asks again and again; an answer must add up and never fail, and no question may wait."""

    def __init__(self, db):
        super().__init__()
        self.db, self.ended, self.asked, self.slowest, self.wrong = db, False, 0, 0.0, []

    def run(self):
        connection = sqlite3.connect("file:%s?mode=ro" % self.db, uri=True, timeout=0)
        while not self.ended:
            began = time.monotonic()
            try:
                connection.execute("begin")
                row = connection.execute(
                    "select s.snapshot_id, s.mappings, s.size_kib from snapshot s where "
                    "s.state = 'complete' order by random() limit 1").fetchone()
                sums = connection.execute("select count(*), sum(size_kib) from mappings where "
                                          "snapshot_id = ?", row[:1]).fetchone()
                connection.execute("commit")
                if sums != row[1:]:
                    self.wrong.append((row, sums))
            except sqlite3.Error as error:
                self.wrong.append(error)
            self.slowest = max(self.slowest, time.monotonic() - began)
            self.asked += 1
            time.sleep(0.002)
        connection.close()


class Writer(threading.Thread):
    """Goes on importing, one capture at a time, as cron does."""

    def __init__(self, replay, db, first):
        super().__init__()
        self.replay, self.db, self.next, self.first = replay, db, first, first
        self.ended, self.slowest = False, 0.0

    def run(self):
        while not self.ended:
            began = time.monotonic()
            feed(self.replay, self.db, self.next, 1, 4712)
            self.slowest = max(self.slowest, time.monotonic() - began)
            self.next += 1
            time.sleep(0.05)


def file_size(db):
    return sum(os.path.getsize(str(db) + end) for end in ("", "-wal")
               if os.path.exists(str(db) + end))


def copy(db, to):
    connection = sqlite3.connect(db)
    connection.execute("pragma wal_checkpoint(truncate)")
    connection.close()
    to.write_bytes(db.read_bytes())
    return to


def prune_alone(check, db, place, before):
    """(seconds of CPU, bytes) of a prune that nobody disturbs; what it leaves."""
    alone = copy(db, place / "alone.db")
    want = kept_by_the_rules(alone)
    size, then = file_size(alone), resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.monotonic()
    kit.run("prune", *RULES, db=alone)
    now, took = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic() - began
    cpu = now.ru_utime + now.ru_stime - then.ru_utime - then.ru_stime
    after = digests(alone)
    check.equal("alone: which stay", set(after), want)
    check.equal("alone: what stays", [i for i in after if after[i] != before[i]], [])
    is_whole(check, "alone", alone)
    nothing_left_over(check, "alone", alone)
    vacuumed = kit.vacuumed_size(alone)
    print("%d snapshots, %d stay: %.2f s, %.2f s of CPU; %d KiB are %d KiB, a VACUUM would make it "
          "%d KiB" % (len(before), len(after), took, cpu, size >> 10, file_size(alone) >> 10,
                      vacuumed >> 10), flush=True)
    check.true("alone: space", file_size(alone) < 1.6 * vacuumed, "%d bytes, VACUUM makes it %d" % (
        file_size(alone), vacuumed))
    then = resource.getrusage(resource.RUSAGE_CHILDREN)
    kit.run("prune", *RULES, db=alone)
    now = resource.getrusage(resource.RUSAGE_CHILDREN)
    print("once more, with nothing to do: %.2f s of CPU" % (
        now.ru_utime + now.ru_stime - then.ru_utime - then.ru_stime))
    check.equal("again: what stays", digests(alone), after)
    return alone, after


def prune_in_company(check, replay, db, place, before):
    busy = copy(db, place / "busy.db")
    reader, writer = Reader(busy), Writer(replay, busy, SNAPSHOTS)
    reader.start()
    writer.start()
    kit.run("prune", *RULES, db=busy)
    reader.ended = writer.ended = True
    reader.join()
    writer.join()
    after = digests(busy)
    check.equal("in company: what stays",
                [i for i in after if i in before and after[i] != before[i]], [])
    check.equal("in company: wrong answers", reader.wrong[:3], [])
    check.equal("in company: new ones", len(set(after) - set(before)), writer.next - writer.first)
    is_whole(check, "in company", busy)
    print("in company: %d questions, the slowest %.0f ms; %d imports, the slowest %.0f ms" % (
        reader.asked, reader.slowest * 1000, writer.next - writer.first, writer.slowest * 1000),
          flush=True)
    kit.run("prune", *RULES, db=busy)
    nothing_left_over(check, "in company", busy)


def killed(check, db, place, before, alone):
    """At many points of its run, each time further; then it goes on to the same end."""
    torn = copy(db, place / "torn.db")
    kills = 0
    for i in range(200):
        with subprocess.Popen([kit.PROGRAM, "prune", "--db", str(torn), *RULES, "-q"],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              env=kit.ENVIRONMENT) as process:
            try:
                process.wait(0.01 + 0.004 * i)
                break
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                kills += 1
        if i % 8 == 0:
            is_whole(check, "killed", torn)
            now = digests(torn)
            check.equal("killed: what is left",
                        [k for k in now if now[k] != before[k]], [])
    check.equal("killed: the end", digests(torn), alone)
    is_whole(check, "killed", torn)
    nothing_left_over(check, "killed", torn)
    print("killed %d times" % kills, flush=True)


def traces(check, replays, alone):
    connection = kit.plain(alone)
    n = connection.execute("select count(*) from forgotten").fetchone()[0]
    pages = connection.execute("select sum(pgsize) from dbstat where name in ('forgotten', "
                               "'forgotten_import_log')").fetchone()[0] \
        if has_dbstat(connection) else None
    connection.close()
    if pages:
        print("%d traces, %.1f bytes each" % (n, pages / n))
    said = feed(replays[0], alone, 0, SNAPSHOTS // 2, 4711)
    check.true("traces: nothing comes back", "0 captures stored" in said, said[-200:])


def has_dbstat(connection):
    try:
        connection.execute("select 1 from dbstat limit 1")
        return True
    except sqlite3.Error:
        return False


def shrink(check, db, place):
    """To a third of what it holds: a store of nothing has its size too."""
    small, bare = copy(db, place / "small.db"), place / "bare.db"
    kit.run("import", "-", db=bare, stdin=b"", expect=(0, 2))
    want = file_size(bare) + (file_size(small) - file_size(bare)) // 3
    began = time.monotonic()
    kit.run("prune", "--max-size", "%dK" % (want >> 10), "-q", db=small)
    print("--max-size %d KiB: %d KiB in %.2f s" % (want >> 10, file_size(small) >> 10,
                                                  time.monotonic() - began))
    check.true("max-size: fits", os.path.getsize(small) <= want, os.path.getsize(small))
    check.true("max-size: no more than that", os.path.getsize(small) > 0.8 * want,
               "%d of %d" % (os.path.getsize(small), want))
    is_whole(check, "max-size", small)
    nothing_left_over(check, "max-size", small)


def main():
    check = kit.Check()
    replays = [Spread("redis", READ), Spread("node_steady", READ)]
    with kit.Place() as place:
        db = place / "all.db"
        for pid, replay in zip((4711, 4712), replays):
            feed(replay, db, 0, SNAPSHOTS // 2, pid)
        before = digests(db)
        check.equal("snapshots", len(before), SNAPSHOTS // 2 * 2)
        alone, after = prune_alone(check, db, place, before)
        traces(check, replays, alone)
        prune_in_company(check, replays[1], db, place, before)
        killed(check, db, place, before, after)
        shrink(check, db, place)
    check.finish()


if __name__ == "__main__":
    main()
