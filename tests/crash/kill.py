"""Kills commands that write at random moments and compares the store with the raw captures.

    kill.py [--kills N] [--seed S] [--jobs N] [OPERATION...]

By default nine kills of some of the commands on small stores, in seconds under sanitizers. The long
form, with a release build (PMAPDB names it): kill.py --kills 2000 --jobs 2, about half an hour.
Prints its seed, which with the same names repeats the moments (but not the state of the machine).

A moment is a random part of the duration of an undisturbed run, or the n-th write to the -wal, or the
n-th write to the file. Most kills are SIGKILL, some SIGTERM, which a command handles. After each:
  - integrity_check, foreign_key_check and `doctor --deep` find nothing;
  - every snapshot equals its raw text (world.py, truth.py), no snapshot is doubled or made up, and no
    snapshot is lost that was there before or that a capture reported as stored;
  - if the command is one transaction, the store is as before or as after the command;
  - the same command succeeds when it is run again, and every answer equals that of an undisturbed
    store, except for ids (the short form compares categories, sums and lineages, read by SQLite).
The table counts where the kills hit: before the store had anything of the command, while it had some
(for one transaction: while it was being written), or when it had all. A kill that came after the end
of the command is repeated at another moment.
"""
import argparse
import concurrent.futures
import multiprocessing
import random
import signal
import subprocess
import sys
import time

import operations
import world
import kit

ENDED = "too late"
COLUMNS = ("kills", operations.BEFORE, operations.WITHIN, operations.AFTER, ENDED, "SIGTERM", "failed")
PATIENCE_S = 600 # for a command after SIGTERM
LONG = 100 # with fewer kills, stores are smaller and fewer answers are compared


# ---- one kill ----

class Moment:
    """The moment of a kill: after a time, or at the n-th write to the -wal or to the file."""

    def __init__(self, r, operation):
        kind = r.choice(("time", "time", "wal", "file"))
        writes = operation.writes[kind == "file"]
        if kind != "time" and writes:
            self.at, self.which = r.randrange(writes) + 1, kind == "file"
            self.words = "at write %d of %d to the %s" % (self.at, writes, kind)
        else:
            self.at, self.which = r.random() * operation.took, None
            self.words = "after %.1f of %.1f ms" % (self.at * 1000, operation.took * 1000)
        self.signal = signal.SIGTERM if r.random() < 0.15 else signal.SIGKILL

    def wait(self, process, watch):
        end = time.monotonic() + (self.at if self.which is None else PATIENCE_S)
        while process.poll() is None and time.monotonic() < end:
            if self.which is not None:
                watch.look()
                if watch.seen[self.which] >= self.at:
                    return
            elif end - time.monotonic() > 0.002:
                time.sleep(0.0005)


def strike(operation, moment, db):
    """Runs the command and kills it. Returns (status, standard error, whether a file changed, whether the command
    ended before the kill)."""
    operation.fresh(db)
    watch = operations.Watch(db)
    process = operation.start(db)
    moment.wait(process, watch)
    ended = process.poll() is not None
    if not ended:
        process.send_signal(moment.signal)
    try:
        _, errors = process.communicate(timeout=PATIENCE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        _, errors = process.communicate()
        return "ignores SIGTERM", errors, watch.changed(), ended
    return process.returncode, errors, watch.changed(), ended


def is_store(check, what, db):
    """Returns whether there is a store. If its creation was cut short, readers say that there is none yet."""
    if not db.exists():
        return False
    done = kit.run("snapshots", "-q", db=db, expect=None)
    if not done.returncode:
        return True
    check.true(what + ": reading", b"import or capture first" in done.stderr and not done.stdout,
               (done.returncode, done.stderr[-300:]))
    return False


def struck(check, operation, r, db):
    """Repeats until a kill hits a running command. Returns (description, moment, whether a file changed,
    how often the command ended before the kill)."""
    for quicker in range(9):
        moment = Moment(r, operation)
        what = "%s, %s %s" % (db.stem, moment.signal.name, moment.words)
        status, errors, changed, ended = strike(operation, moment, db)
        right = (0,) if ended else (0, 2, -moment.signal)
        check.true(what + ": status", status in right, (status, errors[-300:]))
        if not ended:
            break
    return what, moment, changed, quicker


def one(operation, seed, n, place):
    """Kills once and checks the store. Returns (where the kill hit, how often it was too late, its signal,
    Check)."""
    r = random.Random("%s %s %d" % (seed, operation.name, n))
    db = place / ("%s-%d.db" % (operation.name, n))
    check = kit.Check()
    what, moment, changed, quicker = struck(check, operation, r, db)
    there, hit = set(), operations.BEFORE
    if is_store(check, what, db):
        world.is_sound(check, what, db)
        there = operation.read(check, what, db, r)
        operation.held(check, what, db, there)
        hit = operation.place_of_hit(db, there, changed)
    elif operation.before:
        check.fail(what + ": store", "is gone")
    operation.before_again(db)
    again = operation.start(db)
    _, errors = again.communicate()
    check.equal(what + ": again", (again.returncode, errors), (0, b""))
    world.is_sound(check, what + ", again", db)
    operation.done(check, what + ", again", db, there)
    if not check.failed: # keeps stores with failures until the end of this program
        for path in place.glob(db.name + "*"):
            path.unlink()
    return hit, quicker, moment.signal, check


made = [] # the operations; set before the workers are forked


def by_number(job):
    try:
        return one(made[job[0]], *job[1:])
    except SystemExit: # from kit.run(), which has printed the reason
        check = kit.Check()
        check.fail("%s-%d" % (made[job[0]].name, job[2]), "a command that reads failed")
        return operations.BEFORE, 0, signal.SIGKILL, check


def campaign(chosen, args, place):
    table = {o.name: dict.fromkeys(COLUMNS, 0) for o in chosen}
    done = failed = 0
    made.extend(chosen)
    work = [(n % len(chosen), args.seed, n // len(chosen), place) for n in range(args.kills)]
    with concurrent.futures.ProcessPoolExecutor(args.jobs, multiprocessing.get_context("fork")) as pool:
        for job, (hit, quicker, which, check) in zip(work, pool.map(by_number, work)):
            row = table[chosen[job[0]].name]
            row[hit] += 1
            row["kills"] += 1
            row[ENDED] += quicker
            row["SIGTERM"] += which == signal.SIGTERM
            row["failed"] += check.failed > 0
            done += check.done
            failed += check.failed
    return table, done, failed


def show(table):
    print("%-16s" % "" + "".join("%9s" % c for c in COLUMNS))
    total = {c: sum(row[c] for row in table.values()) for c in COLUMNS}
    for name, row in [*table.items(), ("all", total)]:
        print("%-16s" % name + "".join("%9d" % row[c] for c in COLUMNS), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=9)
    parser.add_argument("--seed", default=str(random.randrange(10**6)))
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()
    names = [k.name for k in operations.OPERATIONS]
    for name in set(args.names) - set(names):
        parser.error("no operation '%s'; there are %s" % (name, ", ".join(names)))
    began = time.monotonic()
    print("seed " + args.seed, flush=True)
    operations.Operation.long = args.kills >= LONG
    kinds = [k for k in operations.OPERATIONS if not args.names or k.name in args.names]
    if not operations.Operation.long and not args.names:
        kinds.remove(operations.PruneSize) # a small store does not shrink
        kinds = random.Random(args.seed).sample(kinds, min(len(kinds), args.kills * 2 // 3))
    with kit.Place() as place:
        chosen = [k(place) for k in kinds]
        for o in chosen:
            print("%-16s %s: %.0f ms, %d writes to the -wal seen, %d to the file" % (
                o.name, o.__doc__, o.took * 1000, *o.writes), flush=True)
        try:
            table, done, failed = campaign(chosen, args, place)
        finally:
            for o in chosen:
                if isinstance(o, operations.Live):
                    o.end()
        show(table)
    print("%d comparisons, %d failed, %.0f s" % (done, failed, time.monotonic() - began))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
