"""Call stacks: import-perf of real recordings against another program's listing of the same recording,
against the memory that the recorded program is known to leave mapped, and with captures of
the same run."""
import collections
import os
import pathlib
import re
import shutil
import subprocess

import kit

CALLS = ["mmap", "munmap", "brk", "mremap", "mprotect"]
BITS = {"PROT_NONE": 0, "PROT_READ": 1, "PROT_WRITE": 2, "PROT_EXEC": 4, "MAP_SHARED": 1,
        "MAP_PRIVATE": 2, "MAP_FIXED": 0x10, "MAP_ANONYMOUS": 0x20, "MAP_DENYWRITE": 0x800}
BEATS = 24 if not kit.full else 120


def unpacked(name):
    path = pathlib.Path(os.environ.get("PMAPDB_SHARED") or kit.skip("PMAPDB_SHARED is not set"))
    path = path / "workloads" / "perf" / (name + ".txt.zst")
    if not path.is_file():
        kit.skip("%s is not there" % path)
    if not shutil.which("zstd"):
        kit.skip("zstd is not installed")
    return path, subprocess.run(["zstd", "-dcq", str(path)], capture_output=True,
                                check=True).stdout.decode()


def number(name, word):
    if name.endswith("len"):
        return int(word)
    if word[0].isupper():
        return sum(BITS[bit] for bit in word.split("|"))
    return int(word, 16)


def listed(text):
    """(time in us, thread, call, parameters, returned, symbols) of each record of the listing."""
    for block in re.split(r"\n(?=syscalls__sys_exit_)", text)[1:]:
        lines = block.splitlines()
        _, _, time, tid, _ = lines[0].split()
        seconds, rest = time.split(".")
        parameters = [part.split("=") for part in lines[1].split(": ", 1)[1].split(", ")]
        chain = [line.split("] ", 1)[1] for line in lines if line.startswith("\t[")]
        yield ((int(seconds) * 1000000 + int(rest) // 1000, int(tid),
                lines[0].split()[0].rsplit("_", 1)[1],
                tuple(number(n, v) for n, v in parameters),
                int(next(line for line in lines if line.startswith("ret="))[4:], 16),
                tuple("" if name.strip() == "([unknown])" else name for name in chain)))


class Store:
    def __init__(self, db):
        self.sql = kit.plain(db)
        self.sql.text_factory = str
        frames = dict(self.sql.execute("SELECT frame_id, symbol FROM frame"))
        rows = list(self.sql.execute("SELECT stack_id, caller_id, frame_id FROM stack ORDER BY 1"))
        self.stacks = {}
        for stack, caller, frame in rows:
            above = self.stacks[caller] if stack else ()
            self.stacks[stack] = (frames[frame],) + above if frame else above

    def calls(self):
        for row in self.sql.execute(
                "SELECT c.end_ns, h.tid, c.kind, c.a0, c.a1, c.a2, c.a3, c.a4, c.a5, c.ret, "
                "c.stack_id FROM call c JOIN thread h USING (thread_id) ORDER BY c.call_id"):
            yield (row[0] // 1000, row[1], CALLS[row[2]], tuple(a for a in row[3:9] if a is not None),
                   row[9], self.stacks[row[10]])

    def live(self):
        """The bytes that each stack leaves mapped."""
        left = collections.Counter()
        for length, stack in self.sql.execute(
                "SELECT e.length, c.stack_id FROM extent e JOIN call c USING (call_id) "
                "WHERE e.died_ns IS NULL"):
            left[self.stacks[stack]] += length
        return left


def same_listing(check, place):
    path, _ = unpacked("c_traced_fp.script")
    _, seed = unpacked("c_traced_fp.seed_script_output")
    db = place / "fp.db"
    done = kit.run("import-perf", path, "-f", "csv", db=db)
    check.true("a message says that chains end in libc", b"chains end in libc" in done.stderr, done.stderr)
    got, want = list(Store(db).calls()), list(listed(seed))
    check.equal("fp: calls", len(got), len(want))
    for mine, theirs in zip(got, want):
        check.equal("fp: a call", mine, theirs)


def what_is_left(check, place):
    path, text = unpacked("c_traced_dwarf.script")
    db = place / "dwarf.db"
    kit.run("import-perf", "-", db=db, stdin=text.encode())
    store = Store(db)
    left = store.live()
    for name, want in (("cache_fill", 104841216), ("grow_table", 20709376), ("good_citizen", 0),
                       ("session_alloc", 32340 * 1024)):
        check.equal("dwarf: %s" % name, sum(n for s, n in left.items() if name in s), want)
    brk = [s for s in left if s[0] == "__brk"]
    check.true("dwarf: every brk has its callers",
               all("handle_request" in s[s.index("session_alloc"):] for s in brk), brk)
    row, = kit.rows("import-perf", path, db=db)
    check.equal("dwarf: the packed recording is known", (row["recording_id"], row["calls"]), ("1", "7839"))
    check.equal("dwarf: every call has both halves", row["unpaired"], "0")


def beside_captures(check, place, name):
    """The captures have no clocks: import-perf finds the clock from events in both, in both orders of import."""
    path, _ = unpacked("c_traced_%s.script" % name)
    work = kit.Workload("perf_" + name)
    files = work.unpack(place / name, work.beats[:BEATS] if not kit.full else work.beats, "smaps")
    first, later = place / (name + "1.db"), place / (name + "2.db")
    kit.run("import", *files, db=first)
    row, = kit.rows("import-perf", path, db=first)
    kit.run("import-perf", path, db=later)
    kit.run("import", *files, db=later)
    (offset, slack, source, process), = kit.plain(later).execute(
        "SELECT offset_ns, slack_ns, offset_source, process_id FROM traced_process")
    check.equal("%s: found by events" % name, row["clock"], "events")
    check.true("%s: within two seconds" % name, int(row["slack_ms"]) < 2000, row)
    check.equal("%s: its process" % name, (row["process_id"], row["pid_source"]), ("1", "thread"))
    check.equal("%s: found later too" % name, (str(offset), slack // 1000000, source, process),
                (row["clock_offset_ns"], int(row["slack_ms"]), b"events", 1))
    return offset, slack


def recordings(check, place):
    same_listing(check, place)
    what_is_left(check, place)
    (a, slack_a), (b, slack_b) = (beside_captures(check, place, n) for n in ("fp", "dwarf"))
    # Two recordings of one machine have the same clock offset.
    check.true("both recordings have one offset", abs(a - b) <= slack_a + slack_b, (a, b))


kit.main(recordings)
