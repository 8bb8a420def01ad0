"""Far too many rows, lines, captures and files, and far too large numbers: memory is bounded, one line says
why, good input is stored. --full: 10 million rows, lines of 1 GiB, 100,000 captures, 200,000 files."""
import os
import pathlib
import shutil
import subprocess

import watch
from watch import MIB, check, kit, run

WHEN = 1795226732
LINE_MIB = 16  # a longer line is damage: PM_LINE_BYTES_MAX


def state_of(db):
    return watch.rows_of(db, "SELECT state, mappings, missing FROM snapshot ORDER BY 1")


def fresh(place, name):
    db = place / name
    for suffix in ("", "-wal", "-shm"):
        pathlib.Path(str(db) + suffix).unlink(missing_ok=True)
    return db


# ---- rows ----

def rows(place):
    n = 10000000 if kit.full else 20000
    db = fresh(place, "rows.db")
    limit = [] if kit.full else ["--max-memory", "2M"]
    r = run("import", "--pid", "7", "--at", "2026-11-21", *limit, "-", db=db, chunks=watch.maps(n))
    watch.told("%d rows from a pipe" % n, 49 * n, r, 2600 if kit.full else 64)
    watch.one_line("rows from a pipe", r, names=["--max-memory SIZE"])
    check.equal("rows: nothing is stored", watch.rows_of(db)[0][0], 0)
    n = 1000000 if kit.full else 5000
    file = place / "7.maps"
    with open(file, "wb") as out:
        for chunk in watch.maps(n):
            out.write(chunk)
    r = run("import", "-q", str(file), db=db)
    watch.told("%d rows" % n, file.stat().st_size, r, 1024)
    check.equal("rows: all", (r.status, state_of(db)), (0, [(b"complete", n, None)]))
    if kit.full: # as many rows as 4 GiB of memory allow
        r = run("import", "-q", "--pid", "7", "--at", "2026-11-21", "--max-memory", "4G", "-",
                db=fresh(place, "rows.db"), chunks=watch.maps(10000000))
        watch.told("10000000 rows, --max-memory 4G", 490000000, r, 7000)
    file.unlink()


# ---- lines ----

def long(begin, mib, end):
    yield begin
    for _ in range(mib):
        yield b"n" * MIB
    yield end


def lines(place):
    much = 1024 if kit.full else LINE_MIB + 4
    row, path = next(watch.maps(1)), b"200000000000-200000001000 r--p 00000000 08:01 5   /"
    for name, begin, want in (("a row", row + path, (b"partial", 2)), ("no row", row + b"# ", (b"partial", 2))):
        db = fresh(place, "lines.db")
        r = run("import", "-q", "--pid", "7", "--at", "2026-11-21", "-", db=db,
                chunks=long(begin, much, b"\n" + next(watch.maps(1, 0x300000000000))))
        watch.told("a line of %d MiB: %s" % (much, name), much * MIB, r, 128)
        state = state_of(db)
        check.equal("the rows around a long line: " + name, [s[:2] for s in state], [want])
        check.true("the line is named: " + name, b"line 2 is damaged: it is longer than 16 MiB" in (state[0][2] or b""), state)
    # names of 1 MiB of a mapping and of a process are stored byte for byte
    db = fresh(place, "lines.db")
    r = run("import", "-q", "--pid", "7", "--at", "2026-11-21", "-", db=db, chunks=long(path, 1, b"\n"))
    check.equal("a path of 1 MiB", (r.status, watch.rows_of(db, "SELECT path FROM mappings")), (0, [(b"/" + b"n" * MIB,)]))
    for form in ("csv", "json", "table"):
        shown = run("mappings", "-f", form, db=db)
        check.true("the path is shown: " + form, shown.status == 0 and len(shown.out) > MIB, shown.status)
    db = fresh(place, "lines.db")
    r = run("import", "-q", "--at", "2026-11-21", "-", db=db,
            chunks=long(b"4711:   /srv/x", 1, b"\n" + watch.block().split(b"\n", 1)[1]))
    check.equal("a program name of 1 MiB", (r.status, watch.rows_of(db, "SELECT pid, length(command) FROM process")),
                (0, [(4711, MIB + 6)]))
    # A header without an end.
    db = fresh(place, "lines.db")
    r = run("import", "-q", "--at", "2026-11-21", "-", db=db,
            chunks=long(b"4711:   /srv/x ", much, b"\n" + watch.block().split(b"\n", 1)[1]))
    watch.told("a header of %d MiB" % much, much * MIB, r, 128)
    watch.one_line("a header without an end", r)


# ---- captures, files ----

def captures(place):
    n = 100000 if kit.full else 500
    path = place / "4711.x.log"
    for name, time, options in (("timed", True, []), ("--every", False, ["--every", "1m"]), ("refused", False, [])):
        with open(path, "wb") as out:
            for i in range(n):
                out.write((b"%d\n" % (WHEN + i) if time else b"") + watch.block(heap=16 + 4 * (i % 9)))
        db = fresh(place, "captures.db")
        r = run("import", "-q", *options, str(path), db=db)
        watch.told("%d captures, %s" % (n, name), path.stat().st_size, r, 512)
        check.equal("captures: " + name, (r.status, watch.rows_of(db)[0][0]), (2, 0) if name == "refused" else (0, n))
    with open(path, "wb") as out:
        out.write(b"%d\n" % WHEN + b"".join(watch.block(i + 1).replace(b"/srv/x", b"/srv/x%d" % i) for i in range(n)))
    db = fresh(place, "captures.db")
    r = run("import", "-q", str(path), db=db)
    watch.told("%d processes of one moment" % n, path.stat().st_size, r, 1024)
    check.equal("processes", (r.status, watch.rows_of(db)[0][0]), (0, n))


def files(place):
    n = 200000 if kit.full else 300
    folder = place / "many"
    folder.mkdir()
    for i in range(n):
        capture = i % 100 == 0
        (folder / ("%d.maps" % i if capture else "%d.txt" % i)).write_bytes(
            next(watch.maps(1, 0x100000000000 + i * 0x1000)) if capture else b"")
    r = run("import", "-q", str(folder), db=place / "files.db")
    watch.told("%d files in a folder" % n, n, r, 512)
    check.equal("files", (r.status, watch.rows_of(place / "files.db")[0][0]), (0, n // 100))
    shutil.rmtree(folder)
    deep = place / "deep"
    depth = 5000
    deep.mkdir()
    (deep / "1007.maps").write_bytes(next(watch.maps(1)))
    home = os.open(".", os.O_RDONLY)
    os.chdir(deep)
    for _ in range(depth):
        os.mkdir("d")
        os.chdir("d")
    pathlib.Path("1008.maps").write_bytes(next(watch.maps(1)))
    os.chdir(home)
    r = run("import", str(deep), "-q", db=place / "deep.db")
    watch.told("a folder %d deep" % depth, 0, r, 64)
    watch.one_line("a folder that is too deep", r, names=["File name too long"])
    check.equal("the capture in the top folder is stored", watch.rows_of(place / "deep.db")[0][0], 1)
    subprocess.run(["rm", "-rf", str(deep)], check=True) # too deep for shutil


# ---- numbers ----

FAR = b"%016x-%016x rw-p 00000000 00:00 0 \n"
RANGES = {
    "end below start": b"00002000-00001000 rw-p 00000000 00:00 0 \n",
    "no extent": b"00002000-00002000 rw-p 00000000 00:00 0 \n",
    "more than 64 bits": b"11111111111111111-22222222222222222 rw-p 00000000 00:00 0 \n",
    "no digits": b"0000200g-00003000 rw-p 00000000 00:00 0 \n",
    "a sign": b"-0002000-00003000 rw-p 00000000 00:00 0 \n",
    "overlapping": b"100000000800-100000001800 rw-p 00000000 00:00 0 \n",
    "equal": b"100000000000-100000001000 rw-p 00000000 00:00 0 \n",
    "all of it": FAR % (0, 2**64 - 1),
    "the last byte": FAR % (2**64 - 0x1000, 2**64 - 1),
    "half of it": FAR % (0, 2**63),
    "offset beyond 64 bits": b"200000000000-200000001000 rw-p 111111111111111111 00:00 0 \n",
    "inode beyond 64 bits": b"200000000000-200000001000 rw-p 00000000 00:00 99999999999999999999999 /x\n",
}
KIB = (b"18446744073709551615", b"18446744073709551616", b"9223372036854775807", b"9223372036854775808", b"-1", b"0x10",
       b"1e9", b"1,000", b"4.5", b"99999999999999999999999999", b"70368744177665", b"")


def sums_hold(what, db):
    """In every snapshot, no sum is negative, and each sum is the sum of its rows."""
    for row in watch.rows_of(db, """SELECT s.snapshot_id, s.mappings, s.size_kib, s.rss_kib, count(m.start), sum(m.size_kib),
            sum(m.rss_kib), min(m.size_kib), min(m.rss_kib) FROM snapshot s LEFT JOIN mappings m USING (snapshot_id)
            WHERE s.state <> 'totals' GROUP BY 1"""):
        check.true("sums: " + what, row[1] == row[4] and row[2] == (row[5] or 0) and (row[3] is None or row[3] == row[6]), row)
        check.true("nothing negative: " + what, min(v for v in row[1:] if v is not None) >= 0, row)


def numbers(place):
    row = next(watch.maps(1))
    texts = {"range: " + k: row + v + next(watch.maps(1, 0x300000000000)) for k, v in RANGES.items()}
    texts["range: overflow of the sums"] = b"".join(FAR % (i << 58, ((i + 1) << 58) - 0x1000) for i in range(64))
    texts["range: descending"] = b"".join(reversed(b"".join(watch.maps(500)).splitlines(True)))
    texts["range: 500 equal rows"] = row * 500
    for kib in KIB:
        keys = b"Size:           %8s kB\nRss:            %8s kB\nPss:            %8s kB\nVmFlags: rd wr \n" % (kib, kib, kib)
        texts["smaps: " + kib.decode()] = row + keys + next(watch.maps(1, 0x300000000000)) + keys
        texts["pmap: " + kib.decode()] = watch.block().replace(b"     16", b" %6s" % kib)
    for name, text in texts.items():
        db = fresh(place, "numbers.db")
        (place / "7.txt").write_bytes(text)
        r = run("import", "-q", "--every", "1m", "--pid", "7", str(place / "7.txt"), db=db)
        check.true("numbers: refused or stored: " + name, r.status in (0, 2) and (r.status == 0 or r.said), (r.status, r.said))
        sums_hold(name, db)
    check.true("numbers: tried", len(texts) > 30, len(texts))


kit.main(rows, lines, captures, files, numbers, check=check)
