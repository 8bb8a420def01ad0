"""Writes the first inputs for the fuzz entries, from the fixtures of this repository.

    python3 tests/fuzz/seed.py FOLDER        writes FOLDER/NAME/*

run.sh gives them to the fuzzer with the corpus, which consists of such inputs and later findings.
"""
import pathlib
import sys
import tarfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "tests" / "fixtures"
HEAD, TAIL = 700, 300


def lines_up_to(text, size):
    return text if len(text) <= size else text[: text.rfind(b"\n", 0, size) + 1]


def short(text):
    """Returns the start and the end of a text; the end has a tool's sums."""
    if len(text) <= HEAD + TAIL:
        return text
    tail = text[-TAIL:]
    return lines_up_to(text, HEAD) + tail[tail.find(b"\n") + 1 :]


class Seeds:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)

    def add(self, entry, name, data):
        path = self.folder / entry
        path.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(data)


def captures(seeds):
    dialects = {"x": 0, "default": 1, "d": 2, "toybox": 6, "busybox": 7}
    paths = sorted(FIXTURES.glob("parse/*.txt")) + sorted(FIXTURES.glob("tools/*.txt"))
    for path in paths + sorted((ROOT / "samples" / "logs").glob("*.log")):
        text, name = short(path.read_bytes()), path.stem
        kind = name.rsplit("-", 1)[-1]
        seeds.add("reader", name, b"\x07" + text)
        seeds.add("classify", name, text)
        if "smaps" in name or "maps" in name:
            seeds.add("smaps", name, bytes([1 if kind == "maps" else 0, 31]) + text)
            whole = lines_up_to(path.read_bytes(), 2 * HEAD)
            twice = whole + b"\xff" + whole.replace(b"     8 kB", b"    12 kB") + b"\xff" + whole
            seeds.add("live_map", name, bytes([kind == "maps", 60]) + twice)
        elif kind.startswith("X"):
            seeds.add("wide", name, bytes([kind.startswith("XX"), 33]) + text)
        else:
            which = 4 if "toybox" in name and kind == "x" else 5 if "busybox" in name and kind == "x" else None
            which = dialects.get(kind, 1) if which is None else which
            seeds.add("pmap", name, bytes([which, 13]) + text)


def beside(seeds):
    kinds = ["stat", "status", "comm", "cmdline", "smaps_rollup"]
    every = b""
    for i, kind in enumerate(kinds):
        path = FIXTURES / "tools" / f"kernel-{kind}.txt"
        data = path.read_bytes() if path.exists() else b"awkward (deleted)\n"
        seeds.add("siblings", kind, bytes([i]) + data)
        every += bytes([i]) + data + b"\xff"
    seeds.add("siblings", "all", every)


NMT = b"""4711:

Native Memory Tracking:

Total: reserved=5724064KB, committed=401344KB
-                 Java Heap (reserved=4022272KB, committed=258048KB)

Virtual memory map:

[0x00000000f0000000 - 0x0000000100000000] reserved 262144KB for Java Heap from
    [0x00007fcd6a11a461] ReservedSpace::reserve(unsigned long)+0x291

\t[0x00000000f0000000 - 0x00000000fbb00000] committed 191488KB from
            [0x00007fcd69d4ae5c] G1PageBasedVirtualSpace::commit_internal(unsigned long)+0x13c

[0x00007fcd1c021000 - 0x00007fcd1c121000] reserved and committed 1024KB for Thread Stack from
    [0x00007fcd6a0c3b22] Thread::call_run()+0xc2

[0x00007fcd24000000 - 0x00007fcd24270000] reserved 2496KB for Code from

Details:
"""
SYSTEM_MAP = b"""2026-11-21 02:05:32
Memory mappings:

from                 to                        vsize prot          rss      hugetlb pgsz notes            info
--------------------------------------------------------------------------------------------------
0x00000000f0000000 - 0x00000000fbb00000    196083712 rw-p    155402240            0 4K   com              JAVAHEAP
0x00007fcd1c021000 - 0x00007fcd1c121000      1048576 rw-p         8192            0 4K   -                STACK-4712-main
0x00007fcd24000000 - 0x00007fcd24270000      2555904 rwxp      2400256            0 4K   com,thp          CODE /x/y

Number of mappings: 3
"""
PERF = b"""t 32480 [001] 13004.182952:           syscalls:sys_enter_brk: brk: 0x00000000
\t           1fc47 brk+0x7 (/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2)
\tffffffff81417d70 syscall_trace_enter+0x180 ([kernel.kallsyms])
\t           1ab78 _dl_start_user+0x0 (/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2)

a b: c 32480/1 [001] 13004.183455: 1 syscalls:sys_enter_mmap: addr: 0x00000000, len: 0x00002000, prot: 0x00000003, flags: 0x00000022, fd: 0xffffffff, off: 0x0
\t   7f00 f(int) (inlined)
\t   7f01 [unknown] ([unknown])

a b: c 32480/1 [001] 13004.183455: 1 syscalls:sys_exit_mmap: 0x7f159ef41000
m  1 [001] 1.500744: PERF_RECORD_LOST lost 7
t 1 [001] 1.500000: syscalls:sys_enter_munmap: addr: 0x1000, len: 0x2000
t 1 [001] 1.500000: syscalls:sys_enter_mremap: addr: 0x1000, old_len: 0x2000, new_len: 0x4000, flags: 0x1, new_addr: 0x0
t 1 [001] 1.500000: syscalls:sys_enter_mprotect: start: 0x1000, len: 0x2000, prot: 0x1
t 1 [001] 1.500001: syscalls:sys_exit_munmap: 0x0
t 1 [001] 1.500001: raw_syscalls:sys_enter: NR 9
"""


def texts(seeds):
    seeds.add("labels", "nmt", b"\x05" + NMT)
    seeds.add("labels", "system-map", b"\x05" + SYSTEM_MAP)
    seeds.add("labels", "both", b"\x80" + NMT + SYSTEM_MAP)
    seeds.add("perf", "calls", b"\x09" + PERF)
    seeds.add("perf", "sample", b"\x90" + lines_up_to((ROOT / "samples/perf/leaky.script.txt").read_bytes(), 1200))
    for i, line in enumerate((b"2026-11-21T02:05:32.5Z", b"Sat Nov 21 02:05:32 UTC 2026", b"=== 2026-11-21 02:05 ===",
                              b"@1795226732", b"sob, 21 lis 2026, 02:05:32 AM CET", b"1795226732123",
                              b"smaps-20261121-020532.4711.txt", b"# snapshot 3 at 2026-11-21_02:05:32: pid 4711",
                              b"Sa 21. Nov 02:05:32 CET 2026", b"2026-11-21 02:05:32,123 +0100 [1] 4711:   x",
                              "пн, 21 лис 2026 02:05:32 +0200".encode(), b"1795226732 total kB 1 2 3")):
        seeds.add("clock", str(i), line)
        seeds.add("words", f"clock-{i}", line)
    for i, line in enumerate((b"1.5GiB", b"1h30m500ms", b"12345678", b"rd wr mr mw me ac sd", b"rw-p\nrss_kb",
                              b"PID 4711 (pid: 4711) /proc/4711/smaps", b"4711:   /usr/bin/x -y",
                              b"cat: /proc/4711/smaps: Permission denied", b"smaps.4711.txt\n/proc/4711",
                              b"00400000-00401000 r--p 00000000 fe:00 1057065 /x", b"4711.nmt\nh:pid-4711/x",
                              b"Address           Kbytes     RSS   Dirty Mode  Mapping", b"x-smaps_rollup.gz\na/b",
                              b"ffffffffff600000       4       0       0 --x--   [ anon ]")):
        seeds.add("words", str(i), line)


CSV = (b"series_id,ts,kb,pid\na,1795226732,4096,1\na,2026-11-21T02:05:32Z,\"8192\",2\n\"b \"\"c\"\"\",1.5e9,0.5,\n"
       b"a,1,2\n\"x\ny\",1795226733,1,1\n\"open,1,2,3\n")


def tables(seeds):
    seeds.add("csv", "few", b"\x03" + CSV)
    for path in sorted((ROOT / "rules").glob("*.csv")):
        lines = [x for x in path.read_bytes().split(b"\n") if x and not x.startswith(b"#")]
        for i in range(1, len(lines), 6):
            seeds.add("rules", f"{path.stem}-{i}", b"\n".join(lines[:1] + lines[i : i + 6]) + b"\n")
    for path in sorted((ROOT / "queries").glob("*.sql")):
        text = path.read_bytes()
        seeds.add("header", path.stem, text[: text.find(b"\nSELECT")][:2500] + b"\nSELECT 1;\n")
        statement = text[max(text.find(b"\nSELECT"), text.find(b"\nWITH")) :]
        if len(statement) < 1500:
            seeds.add("script", path.stem, statement)
            seeds.add("sql", path.stem, statement)


def words(seeds):
    for mode, selectors in enumerate(((b"demo", b"30639", b"demo/30639", b"@1", b"only", b"h:demo", b""),
                                      (b"first", b"last", b"prev", b"@1", b"-2h", b"now-1d", b"2026-11-21T02:05"),
                                      (b"-2h", b"now", b"@1795226732"), (b"box",),
                                      (b"1", b"0x7f", b"'a'", b"1e5", b"-1.5", b""),
                                      (b"10M", b"2h", b"heap", b"only", b"last", b"4"))):
        for i, selector in enumerate(selectors):
            seeds.add("select", f"{mode}-{i}", bytes([mode, i]) + selector)
    for i, statement in enumerate((b"SELECT a.\"b\", 'it''s', [x] FROM snapshot WHERE pid = :p -- c\n",
                                   b"DELETE FROM snapshot", b"SELECT rss FROM snapshot", b"SELECT 1; SELECT 2",
                                   b"/* c */ PRAGMA user_version", b"WITH x AS (SELECT 1) SELECT * FROM x", b"ATTACH 'x' AS y")):
        seeds.add("script", str(i), statement)
        seeds.add("sql", str(i), statement)
    for i in range(6):
        seeds.add("render", str(i), bytes([i, 0x15, 2]) + b"a,\"b\"\n\xff|\xc3\xa9 \xe2\x80\xae=1+1 x\x00\x1b[31m<b>\\ " * 2)


def archives(seeds):
    for path in sorted((FIXTURES / "archives").glob("*.tar.*")):
        data = path.read_bytes()
        if len(data) < 4096:
            seeds.add("unpack", path.name, data)
    import bz2, gzip, io, lzma

    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name, data in (("a/smaps", b"x\n" * 9), ("proc/7/maps.gz", gzip.compress(b"y\n", mtime=0)), ("é" * 60, b"z")):
            info = tarfile.TarInfo(name)
            info.size, info.mtime = len(data), 1795226732.5
            tar.addfile(info, io.BytesIO(data))
        link = tarfile.TarInfo("l")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(link)
    tar = buffer.getvalue()
    small = tar.rstrip(b"\0") + b"\0" * 1024
    for name, data in (("tar", small), ("tar.gz", gzip.compress(small, mtime=0)), ("tar.xz", lzma.compress(small)),
                       ("tar.bz2", bz2.compress(small)), ("gz", gzip.compress(b"1:   x\n", mtime=0)), ("xz", lzma.compress(b"1:   x\n"))):
        seeds.add("unpack", name, data)


def maps(seeds):
    for i in range(40):
        seeds.add("map", str(i), bytes((i * 37 + k * k * (i + 3)) % 256 for k in range(60 + 9 * i)))
        seeds.add("functions", str(i), bytes([i]) + bytes(b"\x09\x0d\x12\x40\x05"[k * i % 5] for k in range(120)))


def main():
    seeds = Seeds(sys.argv[1])
    for part in (captures, beside, texts, tables, words, archives, maps):
        part(seeds)


if __name__ == "__main__":
    main()
