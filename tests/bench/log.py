"""Benchmark: a long `pmap -x PID >> log` in one file, beside wc, grep and zlib on the same file.

    PMAPDB=build/release/pmapdb tests/bench/log.py [--mib 300] [--blocks 3000] [LOG...]

Makes each log beside its store in $TMPDIR, imports it, checks the store's sums, deletes both. Not
part of ctest: it takes a minute and 600 MiB of disk. Give it a release build.

  steady   a line of `date` before each block; one row in 97 changes from block to block
  busy     the same, but every row changes: the worst that a log can do to the store
  untimed  steady without `date`, imported with --every 10m: the whole log must be read before the
           first block has its time
  steady.gz  steady, compressed by zlib at its level 6

The rows are made up (mappings of 64 KiB and 1 MiB, and a footer that is their sum); their shape and
length are those of pmap -x. How each figure is taken, all in one run on a file that is in the page
cache; sizes are MiB:
  CPU s      user and system time of the whole `pmapdb import -q`
  MiB/s      MiB of text per CPU second; of steady.gz, of the text that it holds
  max RSS    VmHWM of the import
  store, wal sizes as the import leaves them; the wal stays beside the store
  wc, grep   CPU seconds of `wc -l` and `grep -c anon` (LC_ALL=C) on the same file
  zlib       CPU seconds of decompressing steady.gz, piece by piece, and nothing else
"""
import argparse
import datetime
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import time
import zlib

from measure import child, kit, table

MIB = 1 << 20
PIECE = 1 << 20
LOGS = ("steady", "busy", "untimed", "steady.gz")
START = datetime.datetime(2025, 11, 1)
STEP = datetime.timedelta(minutes=10)
HEAD = (b"4711:   /usr/sbin/bigd --serve\n"
        b"Address           Kbytes     RSS   Dirty Mode  Mapping\n")
RULE = b"---------------- ------- ------- -------\n"
CHANGING = 97


class Process:
    """What pmap -x prints of a made-up process, block after block."""

    def __init__(self, rows):
        self.size, self.start = [], []
        at = 0x7f0000000000
        for i in range(rows):
            self.size.append(1024 if i % 3 else 64)
            self.start.append(at)
            # Every second mapping touches the next one.
            at += self.size[i] * 1024 + (4096 if i % 2 else 0)
        self.rss = [0] * rows
        self.lines = [b""] * rows
        for i in range(rows):
            self.touch(i, 0)

    def touch(self, i, beat):
        """Row i as it is at that beat: ten values that all differ, whole pages."""
        rss = self.size[i] * ((i * 7 + beat) % 10) // 40 * 4
        kind, name = ("rw---", "  [ anon ]") if i % 3 else ("r-x--", "libthing-%d.so.6" % (i // 5))
        self.rss[i] = rss
        self.lines[i] = b"%016x %7d %7d %7d %s %s\n" % (
            self.start[i], self.size[i], rss, rss, kind.encode(), name.encode())

    def block(self, beat, step):
        """The block of that beat, where every step-th row has changed."""
        for i in range(0, len(self.lines), step):
            self.touch(i, beat)
        total = sum(self.rss)
        return b"".join([HEAD, *self.lines, RULE,
                         b"total kB         %7d %7d %7d\n" % (sum(self.size), total, total)])


def make(path, name, blocks, mib):
    """Writes the log; (bytes of text, rows of a block, sum of all RSS in KiB)."""
    probe = Process(1000)
    rows = round(mib * MIB / blocks / (len(probe.block(0, 1)) / 1000))
    process, written, rss = Process(rows), 0, 0
    packer = zlib.compressobj(6, zlib.DEFLATED, 31) if name.endswith(".gz") else None
    with open(path, "wb") as out:
        for beat in range(blocks):
            text = process.block(beat, 1 if name == "busy" else CHANGING)
            if name != "untimed":
                text = (START + beat * STEP).strftime("%a %b %e %H:%M:%S UTC %Y\n").encode() + text
            out.write(packer.compress(text) if packer else text)
            written += len(text)
            rss += sum(process.rss)
        if packer:
            out.write(packer.flush())
    return written, rows, rss


def unzip(path):
    """CPU seconds of zlib alone."""
    unpacker, before = zlib.decompressobj(31), time.thread_time()
    with open(path, "rb") as f:
        while piece := f.read(PIECE):
            unpacker.decompress(piece)
    return time.thread_time() - before


def check(db, blocks, rows, rss):
    """A fast import of something else would be no import."""
    connection = sqlite3.connect("file:%s?mode=ro" % db, uri=True)
    found = connection.execute(
        "select count(*), sum(mappings), sum(rss_kib), sum(state = 'complete'),"
        " sum(checked = 'footer') from snapshot").fetchone()
    connection.close()
    if found != (blocks, blocks * rows, rss, blocks, blocks):
        sys.exit("the store has %r of %d blocks, %d rows each, %d KiB" % (found, blocks, rows, rss))


def measure(name, blocks, mib, place):
    """One line of the table."""
    path, db = place / (name + ".log" if "." not in name else name), place / "log.db"
    written, rows, rss = make(path, name, blocks, mib)
    every = ["--every", "10m"] if name == "untimed" else []
    seconds, peak = child([kit.PROGRAM, "import", "--db", str(db), "-q", *every, str(path)])
    check(db, blocks, rows, rss)
    if name.endswith(".gz"):
        references = ["-", "-", "%.2f" % unzip(path)]
    else:
        # A pipe: grep stops at the first match where its output is /dev/null.
        references = ["%.2f" % child([*line, str(path)], out=subprocess.PIPE)[0]
                      for line in (["wc", "-l"], ["grep", "-c", "anon"])] + ["-"]
    sizes = [p.stat().st_size if p.exists() else 0 for p in (db, place / "log.db-wal")]
    for p in (path, *place.glob("log.db*")):
        p.unlink()
    return [name, "%.0f" % (written / MIB), blocks, rows, "%.2f" % seconds,
            "%.0f" % (written / MIB / seconds), "%.0f" % peak,
            *("%.1f" % (s / MIB) for s in sizes), *references]


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--mib", type=int, default=300)
    options.add_argument("--blocks", type=int, default=3000)
    options.add_argument("logs", nargs="*", metavar="LOG", help=", ".join(LOGS))
    options = options.parse_args()
    if not set(options.logs) <= set(LOGS):
        sys.exit("there are: " + ", ".join(LOGS))
    with tempfile.TemporaryDirectory(prefix="pmapdb-bench-") as place:
        out = [measure(name, options.blocks, options.mib, pathlib.Path(place))
               for name in options.logs or LOGS]
    table(["log", "MiB", "blocks", "rows", "CPU s", "MiB/s", "max RSS", "store", "wal",
           "wc s", "grep s", "zlib s"], out)


if __name__ == "__main__":
    main()
