"""Inputs that are not files, change while pmapdb reads them, or have no end: nothing hangs, memory is bounded,
and the store gets no partial capture. SQL that tries to write. --full: longer streams."""
import os
import pathlib
import re
import signal
import socket
import subprocess
import time

import watch
from watch import MIB, check, kit, run

ROW = b"100000000000-100000001000 rw-p 00000000 00:00 0 \n"
WHEN = 1795226732


def start(*args):
    return subprocess.Popen([watch.PROGRAM, *map(str, args)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, env=kit.ENVIRONMENT)


def until_it_listens(p):
    """Waits until the program catches SIGINT: this may take seconds on a busy machine."""
    while p.poll() is None:
        caught = re.search(r"^SigCgt:\s*([0-9a-f]+)", pathlib.Path("/proc/%d/status" % p.pid).read_text(), re.M)
        if caught and int(caught[1], 16) >> (signal.SIGINT - 1) & 1:
            return
        time.sleep(0.05)


def interrupt(p):
    """Sends SIGINT until the program ends: the first signal may come before the program waits."""
    while p.poll() is None:
        p.send_signal(signal.SIGINT)
        try:
            p.wait(0.2)
        except subprocess.TimeoutExpired:
            pass


def interrupted(what, *args):
    """Expects that SIGINT ends the program although the program waits for input."""
    with start(*args) as p:
        until_it_listens(p)
        check.equal("the program waits: " + what, p.poll(), None)
        interrupt(p)
        said = p.stderr.read()
        check.true("the program stops: " + what, p.returncode == 2 and b"stopped by a signal" in said, (p.returncode, said))


# ---- inputs that are not files ----

def odd_files(place):
    db, folder = place / "odd.db", place / "odd"
    folder.mkdir()
    os.mkfifo(folder / "fifo")
    with socket.socket(socket.AF_UNIX) as s:
        s.bind(str(folder / "socket"))
    for name, to in (("loop", "."), ("up", ".."), ("root", "/"), ("zero", "/dev/zero"), ("core", "/proc/kcore"),
                     ("to-fifo", "fifo"), ("nowhere", "missing"), ("itself", "itself")):
        (folder / name).symlink_to(to)
    (folder / "sub").mkdir()
    (folder / "sub" / "back").symlink_to("../..")
    with open(folder / "sparse", "wb") as file:
        file.truncate(1 << 40)
    (folder / "7.maps").write_bytes(ROW)
    denied = folder / "8.maps"
    denied.write_bytes(ROW)
    denied.chmod(0)
    r = run("import", str(folder), db=db)
    check.true("a folder of odd files", r.status == (0 if os.geteuid() == 0 else 2), (r.status, r.lines()))
    check.true("the captures of the folder", watch.rows_of(db)[0][0] >= 1, r.lines())
    cases = ["/dev/zero", "/dev/random", "/dev/null", "/proc/self/mem", "/proc/self/pagemap", "/proc/kcore",
             folder / "socket", folder / "sparse", folder / "nowhere", folder / "itself"]
    for case in cases:
        r = run("import", str(case), db=db)
        watch.told(str(case), 0, r, 64)
        watch.one_line(str(case), r, names=(str(case),))
    interrupted("a FIFO without a writer", "import", "--db", db, folder / "fifo")
    writer = os.open(folder / "fifo", os.O_RDWR)
    interrupted("a FIFO that nobody writes to", "import", "--db", db, folder / "fifo")
    interrupted("import-perf", "import-perf", "--db", db, folder / "fifo")
    os.close(writer)
    with start("import", "-q", "--db", place / "fifo.db", "--pid", "7", folder / "fifo") as p:
        (folder / "fifo").write_bytes(ROW)
        check.equal("a FIFO with a writer is read", p.wait(), 0)


def encodings(place):
    """Text that is not ASCII is not taken for a capture; CRLF and a UTF-8 mark are read."""
    text = "".join("%012x-%012x rw-p 00000000 00:00 0 \n" % (0x1000 * 2 * i, 0x1000 * (2 * i + 1)) for i in range(1, 9))
    for name, data, n in (("utf-16", text.encode("utf-16"), 0), ("utf-16-be", text.encode("utf-16-be"), 0),
                          ("utf-32", text.encode("utf-32"), 0), ("ebcdic", text.encode("cp500"), 0),
                          ("cr", text.replace("\n", "\r").encode(), 0), ("crlf", text.replace("\n", "\r\n").encode(), 1),
                          ("mark", text.encode("utf-8-sig"), 1)):
        db = place / (name + ".db")
        (place / "7.maps").write_bytes(data)
        r = run("import", "--pid", "7", str(place / "7.maps"), db=db)
        watch.harmless(name, r.out + r.said)
        check.equal("encoding " + name, (r.status, watch.rows_of(db, "SELECT mappings FROM snapshot")),
                    (0, [(8,)]) if n else (2, []))
        if not n:
            watch.one_line(name, r)


# ---- files that change ----

def log(n, first=0):
    return b"".join(b"%d\n" % (WHEN + i) + watch.block(heap=16 + 4 * (i % 7)) for i in range(first, first + n))


def states(db):
    return watch.rows_of(db, "SELECT state, count(*) FROM snapshot GROUP BY 1")


def growing(place):
    """A log that cron appends to: the next import reads a capture that was cut at the end of the file."""
    path, db = place / "4711.log", place / "log.db"
    whole = log(10)
    for cut in range(len(whole) - 150, len(whole), 7 if kit.full else 19):
        path.write_bytes(whole[:cut])
        r = run("import", str(path), db=db)
        check.true("cut at %d: no error" % cut, r.status == 0, r.lines())
        check.true("cut at %d: no partial capture" % cut, {s for s, _ in states(db)} <= {b"complete"}, states(db))
    path.write_bytes(whole)
    check.equal("the rest of the log", (run("import", "-q", str(path), db=db).status, states(db)), (0, [(b"complete", 10)]))
    path.write_bytes(whole[:-20])
    os.utime(path, (WHEN, WHEN))
    r = run("import", "-q", str(path), db=place / "old.db")
    check.equal("an old log that is cut", (r.status, states(place / "old.db")),
                (2, [(b"complete", 9), (b"partial", 1)]))


def opened(pid, path):
    """Returns the entry of /proc/PID/fdinfo for the file, or None if the process has not opened the file."""
    for fd in pathlib.Path("/proc/%d/fd" % pid).glob("*"):
        try:
            if os.readlink(fd) == str(path):
                return pathlib.Path("/proc/%d/fdinfo/%s" % (pid, fd.name))
        except OSError:
            pass
    return None


def read_so_far(entry):
    try:
        return int(entry.read_text().split()[1])
    except OSError: # closed
        return 0


def endless_file(place):
    """An import of a file that grows faster than pmapdb reads ends at the size that the file had when it was opened."""
    n = 2000 if kit.full else 700
    path, db, more = place / "4711.log", place / "endless.db", log(n, 5000)
    path.write_bytes(log(n))
    first = size = path.stat().st_size
    with start("import", "-q", "--db", db, path) as p, open(path, "ab", buffering=0) as file:
        entry = None
        while p.poll() is None and size < 50 * first:
            entry = entry or opened(p.pid, path)
            if entry and size < first + 2 * read_so_far(entry):
                size += file.write(more)
            time.sleep(0.001)
        check.true("the import ends", size < 50 * first, size)
        if size >= 50 * first:
            p.kill()
        said = p.communicate()[1]
    check.equal("status", (p.returncode, said), (0, b""))
    check.true("no partial capture", {s for s, _ in states(db)} <= {b"complete"}, states(db))
    check.true("the captures from before are stored", watch.rows_of(db)[0][0] >= n, states(db))
    path.unlink()


def vanishing(place):
    """Files that are removed, replaced or made shorter between the listing of the folder and the end of the reading."""
    folder, db = place / "moving", place / "moving.db"
    folder.mkdir()
    script = """i=0; while [ $i -lt %d ]; do i=$((i + 1))
        echo "$2" > "$1/$i.maps"; rm -f "$1/$((i - 3)).maps"; : > "$1/$((i - 1)).maps"
        echo "$2" > "$1/new"; mv "$1/new" "$1/$((i - 2)).maps"; done""" % (2000 if kit.full else 100)
    with subprocess.Popen(["sh", "-c", script, "sh", str(folder), ROW.decode().rstrip()]) as mover:
        while mover.poll() is None:
            r = run("import", "-q", str(folder), db=db)
            check.true("files that move", r.status in (0, 2) and b"rror" not in r.said, (r.status, r.lines()[:3]))
    check.true("no partial capture", {s for s, _ in states(db)} <= {b"complete"}, states(db))


# ---- input of other commands ----

def others(place):
    db, big = place / "others.db", place / "big"
    run("import", "-q", str(kit.ROOT / "samples" / "captures"), db=db)
    with open(big, "wb") as file:
        for _ in range(1024 if kit.full else 65):
            file.write(b"x" * MIB)
    sources = ["/dev/zero", str(big), str(place)] + (["/dev/random", str(kit.PROGRAM)] if kit.full else [])
    commands = (["import-perf"], ["leaks", "--series"], ["rules", "--apply"], ["mappings", "--regions"], ["query"],
                ["merge"], ["rules", "--diff"])
    for words in commands if kit.full else commands[:6]:
        for source in sources:
            r = run(*words, source, db=db)
            watch.told(" ".join(words) + " " + source[-12:], 0, r, 256)
            check.true("refused: %s %s" % (words, source), r.status == 2 and 1 <= len(r.lines()) <= 12, (r.status, r.lines()[:4]))
            watch.harmless("%s %s" % (words, source), r.said)
    for source in sources:
        os.makedirs(place / "queries", exist_ok=True)
        link = place / "queries" / "mine.sql"
        link.unlink(missing_ok=True)
        link.symlink_to(source)
        r = run("query", "mine", "--query-dir", str(place / "queries"), db=db)
        watch.told("--query-dir: " + source[-12:], 0, r, 256)
        check.true("no query: " + source, r.status == 2, r.status)
    if kit.full:
        def series():
            yield b"series_id,ts,kb\n"
            i = 0
            while True:
                yield b"".join(b"s%d,2026-11-21T00:00:00Z,5\n" % k for k in range(i, i + 10000))
                i += 10000
        r = run("leaks", "--series", "-", db=db, chunks=series())
        watch.told("leaks --series without an end", 0, r, 1024)
        watch.one_line("leaks --series without an end", r, names=["1000000 series"])


# ---- SQL ----

OUT = ["ATTACH 'evil.db' AS x", "ATTACH ':memory:' AS x", "VACUUM INTO 'evil.db'", "VACUUM", "SELECT load_extension('/tmp/evil.so')",
       "SELECT readfile('/etc/passwd')", "SELECT writefile('evil', 'x')", "SELECT edit('x')", "SELECT eval('DELETE FROM name')",
       "SELECT fts3_tokenizer('simple', x'00')", "SELECT * FROM fsdir('/')", "SELECT * FROM pmap_file('/etc/passwd')",
       "SELECT * FROM smaps('self')", "SELECT * FROM csv('/etc/passwd')", "SELECT * FROM zipfile('/x.zip')",
       "SELECT * FROM sqlite_dbpage", "SELECT 1; DELETE FROM snapshot", "WITH x AS (SELECT 1) DELETE FROM snapshot",
       "EXPLAIN DELETE FROM snapshot", "INSERT INTO name (name) VALUES ('x')", "REPLACE INTO name (name) VALUES ('x')",
       "UPDATE sqlite_master SET sql = ''", "DROP TABLE snapshot", "CREATE TABLE t (x)", "CREATE TEMP TABLE t AS SELECT 1",
       "CREATE TEMP VIEW v AS SELECT 1", "CREATE TRIGGER t AFTER INSERT ON name BEGIN SELECT 1; END",
       "CREATE VIRTUAL TABLE temp.t USING fts5(x)", "ALTER TABLE name RENAME TO n", "REINDEX", "ANALYZE", "DETACH main",
       "BEGIN EXCLUSIVE", "SAVEPOINT x", "COMMIT", "RELEASE x", "SELECT sqlite_log(1, 'x')",
       "SELECT * FROM pragma_journal_mode('delete')", "PRAGMA journal_mode = DELETE", "PRAGMA writable_schema = 1",
       "PRAGMA query_only = 0", "PRAGMA user_version = 7", "PRAGMA temp_store_directory = '/tmp'", "PRAGMA trusted_schema = 1",
       "PRAGMA wal_checkpoint(TRUNCATE)", "PRAGMA incremental_vacuum", "PRAGMA optimize", "PRAGMA cell_size_check = 0",
       "PRAGMA main.journal_size_limit = 0", "PRAGMA data_store_directory = '/tmp'", "PRAGMA mmap_size = 0"]
HEAVY = ["SELECT zeroblob(1000000000)", "SELECT hex(zeroblob(60000000))", "SELECT replace(hex(zeroblob(9000)), '0', hex(zeroblob(9000)))",
         "SELECT group_concat(hex(zeroblob(9000000))) FROM snapshot a, snapshots b",
         "WITH RECURSIVE r(x, y) AS (SELECT 1, '' UNION SELECT x + 1, hex(randomblob(9000)) FROM r) SELECT count(*) FROM r",
         "SELECT count(*) FROM (SELECT a.pid FROM snapshot a, snapshots b, snapshots c, snapshots d, snapshots e "
         "ORDER BY hex(randomblob(2000)))",
         "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT count(*) FROM r"]


def sql(place):
    db = place / "sql.db"
    run("import", "-q", str(kit.ROOT / "samples" / "captures"), db=db)
    before = db.read_bytes()
    head = "-- name: evil\n-- title: Evil\n-- column: x text X\n"
    for i, text in enumerate(OUT):
        ways = (("sql", ["sql", text]), ("query", ["query", str(place / "evil.sql")]))
        for way, args in ways if kit.full else ways[i % 2:][:1]:
            (place / "evil.sql").write_text(head + text + "\n")
            r = run(*args, db=db, cwd=place)
            check.true("%s refuses %s" % (way, text), r.status == 2 and len(r.lines()) >= 1 and not r.out, (r.status, r.out[:200]))
        check.equal("no new file: " + text,
                    sorted(p.name for p in place.iterdir() if not p.name.startswith("sql.db")), ["evil.sql"])
    check.true("the store is unchanged", db.read_bytes() == before)
    for text in HEAVY if kit.full else HEAVY[::2]:
        r = run("sql", "--timeout", "2s" if kit.full else "500ms", text, db=db)
        watch.told("sql: " + text[:26], len(text), r, 1600)
        check.true("the statement ends: " + text[:60], r.status == 2, (r.status, r.lines()[:2]))
    with start("sql", "--db", db, "--timeout", "0s", HEAVY[6]) as p:
        while p.poll() is None and opened(p.pid, db) is None:
            time.sleep(0.05)
        interrupt(p)
        check.true("Ctrl-C ends an endless statement", p.returncode != 0)


kit.main(odd_files, encodings, growing, endless_file, vanishing, others, sql, check=check)
