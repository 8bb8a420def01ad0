"""Benchmark: what a merge costs beside an import of the same text.

    PMAPDB=build/release/pmapdb PMAPDB_SHARED=FOLDER tests/bench/merge.py [SERIES [SNAPSHOTS]]

Replays real captures as bench.py does (default: redis, 10,000 of them) and prints CPU, user and
system, per snapshot:
  import       the text, as a tar stream
  new          that store into a new one: the process is taken over
  known        once more
  added        into a store that has the first hundredth: captures are put in one by one
  in turns     two stores of one host that saw it in turns, 200 captures each: all come late
  late         an import of the same captures into the same store
"""
import io
import resource
import subprocess
import sys

import bench
import kit

LATE = 200


class Text:
    """The captures `which` of a replay as a tar, for standard input."""

    def __init__(self, replay, which):
        self.replay, self.which = replay, which

    def write_to(self, out):
        for i in self.which:
            one = io.BytesIO()
            text = self.replay.texts[self.replay.index(i)]
            info = bench.tarfile.TarInfo("%d-%d.smaps" % (bench.START_S + 2 * i, bench.PID))
            info.size = len(text)
            one.write(info.tobuf())
            one.write(text)
            one.write(bytes(-len(text) % 512))
            out.write(one.getvalue())
        out.write(bytes(1024))


def cpu(command, *args, db, text=None):
    """CPU seconds of one run."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with subprocess.Popen([kit.PROGRAM, command, "--db", str(db), *map(str, args)],
                          stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                          env=kit.ENVIRONMENT) as run:
        if text:
            text.write_to(run.stdin)
        run.stdin.close()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if run.returncode:
        sys.exit("%s: exit %d" % (command, run.returncode))
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def show(what, seconds, snapshots):
    print("%-9s %7.2f s %8.3f ms per snapshot" % (what, seconds, 1000 * seconds / snapshots),
          flush=True)


def main():
    name = sys.argv[1] if len(sys.argv) > 1 else "redis"
    n = int(sys.argv[2]) if len(sys.argv) > 2 else 10000
    replay = bench.Replay(name, bench.SERIES[name][0])

    def take(db, which):
        return cpu("import", "--host", "h", "-q", "-", db=db, text=Text(replay, which))

    with kit.Place() as place:
        print("%s, %d snapshots of %d mappings" % (name, n, replay.mappings[0]))
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
