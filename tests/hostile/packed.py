"""Archives that unpack to far too much, to another place, or to nothing: one line names the archive, the
member and the option; memory is bounded; pmapdb writes only its store.
--full: bombs of 10 GiB and a million members."""
import bz2
import gzip
import lzma
import os
import re
import shutil
import struct
import zlib

import watch
from watch import MIB, check, kit, run

ROW = b"100000000000-100000001000 rw-p 00000000 00:00 0 \n"
WHEN = 1795226732
LIMIT, MOST = ("100M", 100 * MIB) if kit.full else ("256K", MIB // 4)  # MOST: the bytes that LIMIT allows


# ---- making archives ----

def packed(path, chunks, how="gz", times=1):
    """Compresses the chunks one by one, since they need not fit into memory. Writes the result `times` times,
    one copy after the other: all of these formats allow it."""
    pack = {"gz": lambda: zlib.compressobj(9, zlib.DEFLATED, 31), "bz2": bz2.BZ2Compressor,
            "xz": lambda: lzma.LZMACompressor(preset=1)}[how]()
    once = b"".join(pack.compress(chunk) for chunk in chunks) + pack.flush()
    with open(path, "wb") as file:
        for _ in range(times):
            file.write(once)
    return path


def header(name, size, kind=b"0", link=b""):
    h = bytearray(512)
    h[0:len(name)] = name
    h[100:108], h[108:116], h[116:124] = b"0000644\0", b"0000000\0", b"0000000\0"
    h[124:136] = b"%011o\0" % size if size < 8**11 else b"\x80" + size.to_bytes(11, "big")
    h[136:148], h[156:157], h[257:265] = b"%011o\0" % WHEN, kind, b"ustar\x0000"
    h[157:157 + len(link)] = link
    h[148:156] = b" " * 8
    h[148:156] = b"%06o\0 " % sum(h)
    return bytes(h)


def member(name, data, kind=b"0", link=b""):
    return header(name, len(data), kind, link) + data + bytes(-len(data) % 512)


def pax(**records):
    out = b""
    for key, value in records.items():
        body = b" " + key.replace("_", ".").encode() + b"=" + value + b"\n"
        n = len(body)
        while len(str(n)) + len(body) != n:
            n = len(str(n)) + len(body)
        out += str(n).encode() + body
    return member(b"./PaxHeaders/x", out, b"x")


END = bytes(1024)


def good(pid=8):
    return member(b"%d/maps" % pid, ROW)


# ---- archives that unpack to too much ----

def timed(n):
    """A log of captures, each with its time."""
    for i in range(0, n, 1000):
        yield b"".join(b"%d\n" % (WHEN + k) + watch.block() for k in range(i, min(n, i + 1000)))


def over(place, name, path, most=640, option=LIMIT, names=()):
    db = place / "over.db"
    db.unlink(missing_ok=True)
    r = run("import", "-q", "--pid", "7", "--first", "2026-11-21", "--every", "1m", *(["--max-unpacked", option] if option else []), str(path), db=db)
    watch.told(name, os.path.getsize(path), r, most)
    watch.one_line(name, r, names=(path.name,) + tuple(names))
    kept = watch.rows_of(db)[0][0]
    db.unlink(missing_ok=True)
    path.unlink()
    return kept


def too_much(place):
    mib, rows = 10240 if kit.full else 2, list(watch.maps(21500))
    for how in ("gz", "bz2", "xz"):
        path = packed(place / ("rows." + how), rows, how, mib)
        over(place, "one map, %d MiB, %s" % (mib, how), path, names=["--max-unpacked"])
    log = packed(place / "log.gz", timed(MOST // 100), "gz")
    kept = over(place, "a log of captures", log, names=["--max-unpacked"])
    check.true("captures before the limit are kept", kept >= MOST // 1000, kept)
    inner = gzip.compress(b"".join(timed(MOST // 100)))
    tar = place / "members.tar"
    tar.write_bytes(good() + member(b"deep/9.x.gz", inner) + good(10) + END)
    kept = over(place, "a packed member", tar, names=["members.tar:deep/9.x", "--max-unpacked"])
    check.true("members before it are kept", kept >= 1, kept)
    chunks = [good(), header(b"1/environ", 2 * MOST)] + [bytes(MOST)] * 2 + [good(10), END]
    tar = packed(place / "skipped.tar.gz", chunks)
    kept = over(place, "a member that is skipped", tar, names=["skipped.tar.gz", "--max-unpacked"])
    check.equal("the members before it are kept", kept, 1)
    if kit.full:
        path = packed(place / "ratio.bz2", list(timed(1)) + [(b"#" * 999 + b"\n") * 1000] * 100, "bz2", 20)
        over(place, "beyond 1,000 times its size", path, None, None, names=["1000 times", "--max-unpacked"])


def within(place):
    """Sizes that people pack in practice are read, and unusual archives are not refused."""
    db = place / "within.db"
    n = 300
    path = packed(place / "idle.log.xz", timed(n), "xz")
    r = run("import", "-q", str(path), db=db)
    check.equal("an idle log", (r.status, watch.rows_of(db)[0][0]), (0, n))
    text = ROW
    for _ in range(3):
        text = gzip.compress(text)
    (place / "7.maps.gz").write_bytes(text)
    check.equal("gzip three times", run("import", "-q", str(place / "7.maps.gz"), db=db).status, 0)
    for _ in range(30):
        text = gzip.compress(text)
    (place / "deep.gz").write_bytes(text)
    watch.one_line("gzip 33 times", run("import", str(place / "deep.gz"), db=db), names=["deep.gz"])
    zeros = packed(place / "zeros.gz", [bytes(MIB)] * 8, times=1280 if kit.full else 8)
    r = run("import", str(zeros), db=db)
    watch.told("zeros", zeros.stat().st_size, r, 64)
    check.true("zeros are not a capture: " + str(r.lines()[:1]), r.status in (0, 2), r.lines())


# ---- headers ----

def sparse(n):
    """A sparse file whose map of holes has n entries: libarchive keeps 48 bytes of each."""
    yield pax(GNU_sparse_major=b"1", GNU_sparse_minor=b"0", GNU_sparse_name=b"7.maps",
              GNU_sparse_realsize=b"8589934592")
    yield header(b"GNUSparseFile/7.maps", n * 4 + 20)
    yield b"%d\n" % n
    for _ in range(n // 500000):
        yield b"0\n0\n" * 500000
    yield END


def headers(place):
    n = (1 << 30) // MIB if kit.full else 20
    cases = {
        "a sparse map": sparse(500 * MIB if kit.full else 5 * MIB),
        "a PAX header": [header(b"./PaxHeaders/x", n * MIB, b"x")] + [b"9" * MIB] * n + [END],
        "a long name": [header(b"././@LongLink", n * MIB, b"L")] + [b"n" * MIB] * n + [good(), END],
        "headers without a member": [pax(comment=b"z" * 900000)] * n + [good(), END],
        "8 EiB": [header(b"7.maps", (1 << 63) - 1), ROW * 100],
    }
    for name, chunks in cases.items():
        db = place / "headers.db"
        path = packed(place / "headers.tar.gz", [good()] + list(chunks) if name != "a sparse map" else chunks)
        r = run("import", str(path), db=db)
        watch.told(name, path.stat().st_size, r, 768)
        watch.one_line(name, r, names=["headers.tar.gz"])
        if name != "a sparse map":
            check.equal("the member before it is kept: " + name, watch.rows_of(db)[0][0], 1)
        db.unlink(missing_ok=True)


def windows(place):
    """Files that claim to need far too much memory to be unpacked."""
    db = place / "windows.db"
    data = bytearray(lzma.compress(ROW * 1000))
    at, end = data.index(b"\x21\x01", 12), 12 + (data[12] + 1) * 4
    data[at + 2] = 40  # 4 GiB
    data[end - 4:end] = struct.pack("<I", zlib.crc32(bytes(data[12:end - 4])))
    (place / "7.maps.xz").write_bytes(data)
    watch.told("xz, a dictionary of 4 GiB", len(data), run("import", "-q", str(place / "7.maps.xz"), db=db), 256)
    # A frame with a window of 2 GiB, and one block.
    frame = b"\x28\xb5\x2f\xfd\x00" + bytes([(31 - 10) << 3]) + struct.pack("<I", 1 | 1 << 1 | 100000 << 3)[:3] + b"x"
    (place / "8.maps.zst").write_bytes(frame)
    r = run("import", str(place / "8.maps.zst"), db=db)
    watch.told("zstd, a window of 2 GiB", len(frame), r, 256)
    watch.one_line("zstd window", r, names=["8.maps.zst"])


# ---- members ----

def many(place):
    n = 1000000 if kit.full else 1000
    db = place / "many.db"
    path = place / "many.tar"
    with open(path, "wb") as file:
        for i in range(n):
            file.write(member(b"%d/comm" % (i + 1), b"x") if i % 2 else member(b"%d.txt" % i, b""))
        file.write(good() + END)
    r = run("import", "-q", str(path), db=db)
    watch.told("%d members" % n, path.stat().st_size, r, 1024)
    check.equal("many members", (r.status, watch.rows_of(db)[0][0]), (0, 1))
    path.unlink()


def elsewhere(place):
    """No member is written anywhere, whatever its name and type."""
    home = place / "home"
    home.mkdir()
    (home / "work").mkdir()
    path = home / "work" / "evil.tar"
    names = (b"../../etc/7.maps", b"/etc/cron.d/8.maps", b"link", b"a/./b/../10.maps", b"C:\\11.maps",
             b"\\\\host\\12.maps", b"-rf", b"`touch 13`.maps", b"$(touch 14)")
    tar = member(b"..", b"", b"5") + b"".join(member(b"device", b"", kind) for kind in (b"3", b"4", b"6"))
    for kind in (b"1", b"2"):
        for to in (b"/etc/passwd", b"../../../etc/shadow", b"/dev/zero"):
            tar += member(b"link", b"", kind, to)
    for i, name in enumerate(names):
        tar += member(name, ROW.replace(b"1000000", b"1%06x" % i))
    path.write_bytes(tar + END)
    before = sorted(str(p.relative_to(home)) for p in home.rglob("*"))
    trace = place / "trace"
    line = [watch.PROGRAM, "import", "--db", str(place / "evil.db"), "evil.tar"]
    watched = shutil.which("strace") and not watch.SANITIZED
    if watched:
        line = ["strace", "-f", "-o", str(trace), "-e", "trace=%file,execve,socket"] + line
    r = run("import", "evil.tar", command=line, cwd=home / "work")
    watch.harmless("evil.tar", r.out + r.said)
    check.equal("status", r.status, 0)
    check.equal("no new file", sorted(str(p.relative_to(home)) for p in home.rglob("*")), before)
    check.equal("regular members only", watch.rows_of(place / "evil.db")[0][0], len(names))
    if watched:
        for text in trace.read_text(errors="replace").splitlines():
            writes = re.search(r"O_WRONLY|O_RDWR|O_CREAT|\b(mkdir|link|symlink|rename|mknod)(at2?)?\(", text)
            check.true("writes only its store", not writes or "evil.db" in text or "ENOENT" in text, text[:200])
            check.true("runs nothing", "execve(" not in text or watch.PROGRAM in text, text[:200])
            check.true("opens no socket", "socket(" not in text, text[:200])


kit.main(within, too_much, headers, windows, many, elsewhere, check=check)
