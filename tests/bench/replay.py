"""Captures to import again and again: real ones, or those of a live process made here.

They are replayed forwards and backwards, 2 s apart, as a tar stream: nothing large reaches the
disk.
"""
import functools
import sqlite3
import subprocess
import sys
import tarfile

from measure import child, kit

START_S = 1_700_000_000
PID = 4711
STEP_S = 2
TOTALS = (r'/^[0-9a-f]+-[0-9a-f]+ / { n++ } /^Size:/ { s += $2 } /^Rss:/ { r += $2 } '
          r'END { printf "%.0f %.0f %.0f\n", n, s, r }')


def blocks(text):
    """The mappings of a smaps text, each with its lines."""
    out, lines = [], []
    for line in text.splitlines(keepends=True):
        if line[0] in b"0123456789abcdef" and lines:
            out.append(b"".join(lines))
            lines = []
        lines.append(line)
    out.append(b"".join(lines))
    return out


def member(name, text):
    """One file of a tar."""
    info = tarfile.TarInfo(name)
    info.size = len(text)
    return info.tobuf() + text + bytes(-len(text) % 512)


class Lane:
    """The texts of one process without end: 0 1 2 .. n-1 n-2 .. 1 0 1 .."""

    def __init__(self, texts):
        self.texts = texts

    @functools.cached_property
    def counted(self):
        """(mappings of each text, rows of each that the one before has not, and the reverse)."""
        mappings, forward, backward, before = [], [], [], None
        for text in self.texts:
            rows = set(blocks(text))
            mappings.append(len(rows))
            if before is not None:
                forward.append(len(rows - before))
                backward.append(len(before - rows))
            before = rows
        return mappings, forward, backward

    def index(self, i):
        last = len(self.texts) - 1
        if not last:
            return 0
        i %= 2 * last
        return i if i <= last else 2 * last - i

    def changes(self, n):
        """Rows changed or added over n captures, the first one's included."""
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
    """One process or several that were captured in turns: snapshot i is of lane i mod lanes."""

    def __init__(self, texts_of_each):
        self.lanes = [Lane(texts) for texts in texts_of_each]
        self.texts = self.lanes[0].texts    # of the first one

    @property
    def mappings(self):
        """Of the first process in its first capture."""
        return self.lanes[0].counted[0][0]

    @classmethod
    def workload(cls, name, captures, processes=1):
        """The last captures of the processes that are in all of them, the first so many."""
        workload = kit.Workload(name)
        beats = workload.beats[-captures:] if processes > 1 else workload.beats[:captures]
        pids = sorted(set.intersection(*(set(of) for _, of in beats)))[:processes]
        with kit.Place() as place:
            paths = workload.unpack(place, beats, "smaps", pids=set(pids))
            texts = {pid: [] for pid in pids}
            for path in paths:
                texts[kit.when(path)[1]].append(path.read_bytes())
        return cls(list(texts.values()))

    @classmethod
    def live(cls, target, captures):
        """Of a process that changes from one to the next."""
        texts = []
        for _ in range(captures):
            target.change()
            texts.append(target.smaps())
        return cls([texts])

    def of(self, n):
        """(lane, how many of n snapshots are its)."""
        lanes = len(self.lanes)
        return [(lane, (n - k + lanes - 1) // lanes) for k, lane in enumerate(self.lanes)]

    def changes(self, n):
        return sum(lane.changes(count) for lane, count in self.of(n))

    def rows(self, n):
        return sum(lane.rows(count) for lane, count in self.of(n))

    def changed_percent(self):
        """Of the rows, from one capture to the next of the same process."""
        n = len(self.lanes) * len(self.texts)
        first = sum(lane.counted[0][0] for lane in self.lanes)
        return 100 * (self.changes(n) - first) / max(1, self.rows(n) - first)

    def place_of(self, i):
        """(lane, text of the lane) of snapshot i."""
        lane = i % len(self.lanes)
        return lane, self.lanes[lane].index(i // len(self.lanes))

    def text(self, i):
        lane, at = self.place_of(i)
        return self.lanes[lane].texts[at]

    def name(self, i):
        """Of snapshot i as a file: it carries time and pid."""
        return "%d-%d.smaps" % (self.time_s(i), PID + i % len(self.lanes))

    def time_s(self, i):
        return START_S + STEP_S * (i // len(self.lanes))

    def write(self, out, which):
        """The captures `which` as a tar."""
        for i in which:
            out.write(member(self.name(i), self.text(i)))
        out.write(bytes(1024))

    def distinct(self, most_bytes):
        """Texts that differ, in the order of their making, as far as they fit."""
        out, left = [], most_bytes
        for i in range(len(self.lanes) * len(self.texts)):
            left -= len(self.text(i))
            if out and left < 0:
                break
            out.append(self.text(i))
        return out

    def totals(self):
        """(mappings, size_kib, rss_kib) of each text, by awk: lane -> list."""
        out = []
        for lane in self.lanes:
            out.append([tuple(map(int, subprocess.run(
                ["awk", TOTALS], input=text, stdout=subprocess.PIPE, check=True).stdout.split()))
                for text in lane.texts])
        return out

    def check(self, db, n, totals):
        """Ends the run where the store does not say of each snapshot what awk says of its text."""
        connection = sqlite3.connect("file:%s?mode=ro" % db, uri=True)
        found = {(pid, taken): row for pid, taken, *row in connection.execute(
            "select p.pid, s.taken_ms, s.mappings, s.size_kib, s.rss_kib from snapshot s"
            " join process p using (process_id)")}
        connection.close()
        if len(found) != n:
            sys.exit("%s holds %d snapshots of %d" % (db, len(found), n))
        for i in range(n):
            lane, at = self.place_of(i)
            got = found.get((PID + lane, 1000 * self.time_s(i)))
            if got is None or tuple(got) != totals[lane][at]:
                sys.exit("snapshot %d of %s: the store says %r, awk %r" % (
                    i, db, got, totals[lane][at]))


def imported(replay, which, db):
    """(CPU seconds, peak MiB) of importing the captures `which` in one run."""
    return child([kit.PROGRAM, "import", "--db", db, "-q", "-"], lambda to: replay.write(to, which))


def carried(replay, which):
    """CPU seconds of `cat` that gets the same stream: what carrying the bytes costs, and nothing
    else."""
    return child(["cat"], lambda to: replay.write(to, which))[0]
