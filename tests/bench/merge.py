"""Benchmark: what a merge costs beside an import of the same text.

    PMAPDB=build/release/pmapdb PMAPDB_SHARED=FOLDER tests/bench/merge.py [SERIES [SNAPSHOTS]]

Replays real captures (replay.py) (default: redis, 10,000 of them) and prints CPU, user and
system, per snapshot:
  import       the text, as a tar stream
  new          that store into a new one: the process is taken over
  known        once more
  added        into a store that has the first hundredth: captures are put in one by one
  in turns     two stores of one host that saw it in turns, 200 captures each: all come late
  late         an import of the same captures into the same store
"""
import sys

from measure import child, kit
from replay import Replay

LATE = 200
CAPTURES = 200                              # of a workload, replayed forwards and backwards


def cpu(command, *args, db, text=None):
    """CPU seconds of one run; `text` writes its standard input."""
    return child([kit.PROGRAM, command, "--db", db, *args], text)[0]


def show(what, seconds, snapshots):
    print("%-9s %7.2f s %8.3f ms per snapshot" % (what, seconds, 1000 * seconds / snapshots),
          flush=True)


def main():
    name = sys.argv[1] if len(sys.argv) > 1 else "redis"
    n = int(sys.argv[2]) if len(sys.argv) > 2 else 10000
    replay = Replay.workload(name, CAPTURES)

    def take(db, which):
        return cpu("import", "--host", "h", "-q", "-", db=db,
                   text=lambda to: replay.write(to, which))

    with kit.Place() as place:
        print("%s, %d snapshots of %d mappings" % (name, n, replay.mappings))
        show("import", take(place / "one.db", range(n)), n)
        show("new", cpu("merge", place / "one.db", db=place / "new.db"), n)
        show("known", cpu("merge", place / "one.db", db=place / "new.db"), n)
        take(place / "part.db", range(n // 100))
        show("added", cpu("merge", place / "one.db", db=place / "part.db"), n - n // 100)
        for store in ("even.db", "other.db"):
            take(place / store, range(0, 2 * LATE, 2))
        take(place / "odd.db", range(1, 2 * LATE, 2))
        show("in turns", cpu("merge", place / "odd.db", db=place / "even.db"), LATE)
        show("late", take(place / "other.db", range(1, 2 * LATE, 2)), LATE)


if __name__ == "__main__":
    main()
