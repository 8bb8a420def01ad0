"""Replays real captures, so that any number of them can be imported.

The captures come forwards and backwards, 2 s apart, as a tar stream: no large file is on the
disk.
"""
import functools
import sqlite3
import subprocess
import sys
import tarfile

from measure import child, kit, pmapdb

START_S = 1_700_000_000
PID = 4711
STEP_S = 2
TOTALS = (r'/^[0-9a-f]+-[0-9a-f]+ / { n++ } /^Size:/ { s += $2 } /^Rss:/ { r += $2 } '
          r'END { printf "%.0f %.0f %.0f\n", n, s, r }')


def blocks(text):
    """Returns the lines of each mapping of a smaps text."""
    out, lines = [], []
    for line in text.splitlines(keepends=True):
        if line[0] in b"0123456789abcdef" and lines:
            out.append(b"".join(lines))
            lines = []
        lines.append(line)
    out.append(b"".join(lines))
    return out


def member(name, text):
    info = tarfile.TarInfo(name)
    info.size = len(text)
    return info.tobuf() + text + bytes(-len(text) % 512)


class Lane:
    """An endless sequence of the texts of one process: 0 1 2 .. n-1 n-2 .. 1 0 1 .."""

    def __init__(self, texts):
        self.texts = texts

    @functools.cached_property
    def counted(self):
        """Returns (mappings of each text, rows that are new in each text, rows that disappeared from it)."""
        mappings, forward, backward, before = [], [], [], None
        for text in self.texts:
            rows = set(blocks(text))
            mappings.append(len(rows))
            if before is not None:
                forward.append(len(rows - before))
                backward.append(len(before - rows))
            before = rows
        return mappings, forward, backward

    @functools.cached_property
    def totals(self):
        """Returns (mappings, size_kib, rss_kib) of each text, summed by awk."""
        return [tuple(map(int, subprocess.run(["awk", TOTALS], input=text, stdout=subprocess.PIPE,
                                              check=True).stdout.split())) for text in self.texts]

    def index(self, i):
        last = len(self.texts) - 1
        if not last:
            return 0
        i %= 2 * last
        return i if i <= last else 2 * last - i

    def changes(self, n):
        """Counts the rows that are new in n captures, including all rows of the first capture."""
        mappings, forward, backward = self.counted
        total = mappings[0] if n else 0
        for i in range(1, n):
            a, b = self.index(i - 1), self.index(i)
            total += forward[a] if b > a else backward[b]
        return total

    def rows(self, n):
        mappings = self.counted[0]
        return sum(mappings[self.index(i)] for i in range(n))


class Replay:
    """Captures of one or several processes in turn: snapshot i belongs to lane i mod lanes."""

    def __init__(self, name, captures, processes=1):
        """Takes the first captures (the last ones for several processes) of processes that are in all of them."""
        workload = kit.Workload(name)
        beats = workload.beats[-captures:] if processes > 1 else workload.beats[:captures]
        pids = sorted(set.intersection(*(set(of) for _, of in beats)))[:processes]
        with kit.Place() as place:
            paths = workload.unpack(place, beats, "smaps", pids=set(pids))
            texts = {pid: [] for pid in pids}
            for path in paths:
                texts[kit.when(path)[1]].append(path.read_bytes())
        self.lanes = [Lane(of) for of in texts.values()]

    def of(self, n):
        """Returns (lane, number of its snapshots) for n snapshots."""
        lanes = len(self.lanes)
        return [(lane, (n - k + lanes - 1) // lanes) for k, lane in enumerate(self.lanes)]

    def changes(self, n):
        return sum(lane.changes(count) for lane, count in self.of(n))

    def rows(self, n):
        return sum(lane.rows(count) for lane, count in self.of(n))

    def place_of(self, i):
        """Returns (lane, index of the text in the lane) of snapshot i."""
        lane = i % len(self.lanes)
        return lane, self.lanes[lane].index(i // len(self.lanes))

    def time_s(self, i):
        return START_S + STEP_S * (i // len(self.lanes))

    def write(self, out, which):
        """Writes the captures `which` as a tar; the name of a file has time and pid."""
        for i in which:
            lane, at = self.place_of(i)
            out.write(member("%d-%d.smaps" % (self.time_s(i), PID + lane), self.lanes[lane].texts[at]))
        out.write(bytes(1024))

    def imported(self, which, db, *options):
        """Imports the captures `which` in one run. Returns CPU seconds."""
        return child(pmapdb("import", *options, "-", db=db), lambda to: self.write(to, which))

    def check(self, db, n):
        """Ends the run if the sums of a snapshot differ from awk's sums of its text."""
        connection = sqlite3.connect("file:%s?mode=ro" % db, uri=True)
        found = {(pid, taken): tuple(row) for pid, taken, *row in connection.execute(
            "select p.pid, s.taken_ms, s.mappings, s.size_kib, s.rss_kib from snapshot s"
            " join process p using (process_id)")}
        connection.close()
        if len(found) != n:
            sys.exit("%s holds %d snapshots of %d" % (db, len(found), n))
        for i in range(n):
            lane, at = self.place_of(i)
            got, want = found.get((PID + lane, 1000 * self.time_s(i))), self.lanes[lane].totals[at]
            if got != want:
                sys.exit("snapshot %d of %s: the store says %r, awk %r" % (i, db, got, want))
