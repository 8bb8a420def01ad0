"""The pictures of docs/report.md and README.md, by Chromium.

    PMAPDB=build/release/pmapdb PMAPDB_SHARED=../shared python3 docs/pictures.py

report.png shows samples/captures; the others show workloads of PMAPDB_SHARED and stay as they are without it.
"""
import os
import pathlib
import struct
import sys
import zlib

DOCS = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(DOCS.parent / "tests" / "report"))
import browser  # noqa: E402 (found by the line before)
import stores  # noqa: E402

kit = stores.kit


def rows_of(data):
    """The rows of a PNG of 8 bits a channel: bytes of red, green, blue."""
    at, header, packed = 8, None, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        if kind == b"IHDR":
            header = struct.unpack(">IIBBBBB", data[at + 8:at + 8 + size])
        elif kind == b"IDAT":
            packed += data[at + 8:at + 8 + size]
        at += 12 + size
    width, height, _, kind = header[:4]
    step = 4 if kind == 6 else 3
    raw, before, out = zlib.decompress(packed), bytearray(width * step), []
    for y in range(height):
        line = raw[y * (width * step + 1):(y + 1) * (width * step + 1)]
        row, how = bytearray(line[1:]), line[0]
        for i in range(len(row)):
            left = row[i - step] if i >= step else 0
            up, corner = before[i], before[i - step] if i >= step else 0
            if how == 4:
                guess = left + up - corner
                near = min((abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner))[2]
            else:
                near = (0, left, up, (left + up) // 2)[how]
            row[i] = row[i] + near & 255
        before = row
        out.append([bytes(row[i:i + 3]) for i in range(0, len(row), step)])
    return out


def small(data):
    """The PNG in its 256 most frequent colours, each other colour in the nearest of them."""
    rows, counts = rows_of(data), {}
    for row in rows:
        for pixel in row:
            counts[pixel] = counts.get(pixel, 0) + 1
    often = sorted(counts, key=counts.get, reverse=True)[:256]
    index = {pixel: i for i, pixel in enumerate(often)}
    for pixel in counts:
        if pixel not in index:
            index[pixel] = index[min(often, key=lambda o: sum((a - b) ** 2 for a, b in zip(o, pixel)))]
    lines = b"".join(b"\0" + bytes(index[p] for p in row) for row in rows)

    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 3, 0, 0, 0))
            + chunk(b"PLTE", b"".join(often)) + chunk(b"IDAT", zlib.compress(lines, 9)) + chunk(b"IEND", b""))


def take(b, page, name, whole=False):
    page.picture(DOCS / name, whole)
    (DOCS / name).write_bytes(small((DOCS / name).read_bytes()))
    print(name, (DOCS / name).stat().st_size // 1000, "kB")
    page.close()


def main():
    if not browser.program():
        kit.skip("there is no Chromium")
    with kit.Place() as place, browser.Browser() as b:
        s = stores.Store(place, "leaky").keep(paths=[str(stores.SAMPLES / "captures")])
        report = s.report("--limit", "16M", "--mark", "2026-11-21T02:50:10Z deploy 2.3")
        take(b, b.open(report, 1200, 900), "report.png")
        if not os.environ.get("PMAPDB_SHARED"):
            return
        work = kit.Workload("perf_dwarf")
        s = stores.Store(place, "dwarf")
        work.unpack(s.folder, work.sample(1000), "smaps")
        s.keep("--name", "server", "--host", "db1")
        recording = place / "recording.txt"
        packed = work.archive.parent / "perf" / "c_traced_dwarf.script.txt.zst"
        kit.subprocess.run(["zstd", "-dqf", str(packed), "-o", str(recording)], check=True)
        kit.run("import-perf", "--host", "db1", recording, db=s.db)
        take(b, b.open(s.report(), 1300, 900), "report-who.png", whole=True)
        work = kit.Workload("postgres")
        s = stores.Store(place, "postgres")
        work.unpack(s.folder, work.sample(30), "smaps")
        s.keep("--name", "postgres", "--host", "db1")
        take(b, b.open(s.report(), 1300, 1000, dark=True), "report-backends.png")


if __name__ == "__main__":
    main()
