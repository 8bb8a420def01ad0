"""How cost grows: with the mappings of a process, the processes of a store, its snapshots."""
import statistics

import measure
from measure import child, instructions, kit, mark, table
from replay import PID, START_S, Replay, imported, member
import rivals

MAPPINGS = measure.Amount((24, 280), (24, 280, 4000), (24, 280, 4000, 60000))
PROCESSES = measure.Amount((1, 10), (1, 100, 2000), (1, 100, 2000))
SNAPSHOTS = measure.Amount((10, 100), (100, 1000, 10000), (100, 1000, 10000, 100000))
SMALL = "c_plateau"                         # 25 mappings
CAPTURES = 8                                # of a live process; of each process in a large store
OWN = 24                                    # mappings that maps.c itself has


def remove(db):
    for path in db.parent.glob(db.name + "*"):
        path.unlink()


def live_replay(mappings, place):
    """(captures of a live process, the kernel's seconds, those of `pmap -XX`)."""
    with measure.Target(place, "many", max(1, mappings - OWN)) as target:
        replay = Replay.live(target, CAPTURES)
        return replay, target.kernel(64 << 10, 9), rivals.pmap_seconds(target.pid, 3)


def by_mappings(place):
    """What a first capture, one more of a stream, and one more in a run of its own cost."""
    out = []
    for mappings in MAPPINGS.now():
        replay, kernel, pmap = live_replay(mappings, place)
        totals, db = replay.totals(), place / "mappings.db"
        n = max(CAPTURES, min(400, 100_000 // mappings))
        first = statistics.median(import_new(replay, db) for _ in range(5))
        remove(db)
        seconds, peak = imported(replay, range(n), db)
        replay.check(db, n, totals)
        one, lone = (seconds - first) / (n - 1), []
        for i in range(n, n + 5):
            path = place / replay.name(i)
            path.write_bytes(replay.text(i))
            lone.append(child([kit.PROGRAM, "import", "--db", db, "-q", path])[0])
            path.unlink()
        size = kit.vacuumed_size(db)
        out.append([replay.mappings, "%.2f" % (1000 * kernel),
                    "-" if pmap is None else "%.1f" % (1000 * pmap), "%.1f" % (1000 * first),
                    mark(1000 * one, 150 * kernel, "%.3f"), "%.0f%%" % (100 * one / kernel),
                    "%.2f" % (1e6 * one / replay.mappings),
                    mark(1000 * statistics.median(lone), 3 + 1500 * kernel, "%.1f"),
                    "%.2f" % (size / replay.rows(n + 5)), "%.0f" % peak])
        remove(db)
    print("mappings: a live process of which about one in a hundred changes")
    table(["mappings", "kernel ms", "pmap -XX ms", "first ms", "one more ms", "of kernel",
           "us/mapping", "cold ms", "B/map/snap", "peak MiB"], out, 0)


def import_new(replay, db):
    """CPU seconds of the first capture of a new store."""
    remove(db)
    return imported(replay, range(1), db)[0]


def crowd(text, processes, captures, first=0):
    """One text of so many processes, as a tar; no two captures of one are alike in their time."""
    def write(pipe):
        for i in range(first, first + captures):
            for pid in range(PID, PID + processes):
                pipe.write(member("%d-%d.smaps" % (START_S + 2 * i, pid), text))
        pipe.write(bytes(1024))
    return write


def check(db, snapshots, processes, mappings):
    """Ends the run where the store does not hold so many, all alike."""
    connection = kit.plain(db)
    found = connection.execute("select count(*), count(distinct process_id), min(mappings),"
                               " max(mappings) from snapshot").fetchone()
    connection.close()
    if found != (snapshots, processes, mappings, mappings):
        raise SystemExit("%d processes: the store has %r" % (processes, found))


def by_processes(place):
    """What a beat costs that holds a capture of each, and what one process more or less costs."""
    text = Replay.workload(SMALL, 1).texts[0]
    out = []
    for processes in PROCESSES.now():
        db = place / "processes.db"
        line = [kit.PROGRAM, "import", "--db", db, "-q", "-"]
        first = child(line, crowd(text, processes, 1))[0]
        seconds, peak = child(line, crowd(text, processes, CAPTURES, 1))
        alone = statistics.median(child(line, crowd(text, 1, 1, 1 + CAPTURES + i))[0]
                                  for i in range(5))
        snapshots = processes * (1 + CAPTURES)
        check(db, snapshots + 5, processes, text.count(b"\nVmFlags"))
        executed = instructions(line, place, crowd(text, 1, 1, 6 + CAPTURES))
        size = kit.vacuumed_size(db)
        out.append([processes, snapshots, "%.3f" % (1000 * first / processes),
                    "%.3f" % (1000 * seconds / processes / CAPTURES), "%.1f" % (1000 * alone),
                    "-" if executed is None else "%.1f" % (executed / 1e6), size // 1024,
                    "%.0f" % (size / processes), "%.0f" % peak])
        remove(db)
    print("processes: %d mappings in each, nothing changes" % text.count(b"\nVmFlags"))
    table(["processes", "snapshots", "first ms each", "one more ms", "one alone ms", "M instr",
           "KiB", "B/process", "peak MiB"], out, 0)


def by_snapshots(place):
    """A small process for a long time: what a snapshot costs where hardly anything changes."""
    replay, out, before = Replay.workload(SMALL, 200), [], (0, 0, 0)
    totals = replay.totals()
    for n in SNAPSHOTS.now():
        db = place / "snapshots.db"
        seconds, peak = imported(replay, range(n), db)
        replay.check(db, n, totals)
        size = kit.vacuumed_size(db)
        lone = statistics.median(
            child([kit.PROGRAM, "import", "--db", db, "-q", "-"],
                  lambda to, i=i: replay.write(to, [i]))[0] for i in range(n, n + 5))
        more = [a - b for a, b in zip((n, size, seconds), before)]
        out.append([n, size // 1024, "%.1f" % (size / replay.rows(n)), "%.0f" % (more[1] / more[0]),
                    "%.3f" % (1000 * more[2] / more[0]), "%.1f" % (1000 * lone), "%.0f" % peak])
        before = (n, size, seconds)
        remove(db)
    print("snapshots: %s, %d mappings, %.1f %% of the rows change or are new in each" % (
        SMALL, replay.mappings, replay.changed_percent()))
    table(["snapshots", "KiB", "B/map/snap", "B/more", "ms/more", "cold ms", "peak MiB"], out, 0)


def bench(place):
    by_mappings(place)
    by_processes(place)
    by_snapshots(place)
