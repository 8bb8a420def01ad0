"""The pictures of docs/report.md, docs/plot.md and README.md, by Chromium and, for plot.png, by plot itself.

    PMAPDB=build/release/pmapdb PMAPDB_SHARED=../shared python3 docs/pictures.py [NAME.png...]

report.png, plot.png and watch.png show samples/; the others show workloads of PMAPDB_SHARED and stay as they are
without it.
"""
import fcntl
import html
import os
import pathlib
import pty
import re
import select
import shutil
import struct
import subprocess
import sys
import termios
import time
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


def colour(number):
    """One of the 256 colours of a terminal."""
    steps = (0, 95, 135, 175, 215, 255)
    if number < 232:
        number -= 16
        return "#%02x%02x%02x" % (steps[number // 36], steps[number // 6 % 6], steps[number % 6])
    return "#%02x%02x%02x" % ((8 + 10 * (number - 232),) * 3)


def page_of(frame):
    """What a terminal would show, as HTML."""
    out, style = [], ""
    for part in re.split("(\x1b\\[[?0-9;]*[A-Za-z])", frame):
        if not part.startswith("\x1b"):
            text = re.sub("([\u2580-\u28ff])", '<i style="display:inline-block;width:1ch;font-style:normal">\\1</i>', html.escape(part))
            out.append('<span style="%s">%s</span>' % (style, text))
        elif part.endswith("m"):
            code = part[2:-1]
            front, back = re.search(r"38;5;(\d+)", code), re.search(r"48;5;(\d+)", code)
            style = (("color:" + colour(int(front[1])) if front else "") + (";background:" + colour(int(back[1])) if back else "")
                     + (";font-weight:bold" if re.search(r"(^|;)1(;|$)", code) else ""))
    return ("<body style='margin:14px;background:#12161b;color:#e6eaef'><pre style='font:15px/1.15 DejaVu Sans Mono'>"
            + "".join(out).replace("\r", "") + "</pre><p id='noscript'>")


def watch(b, place):
    """A minute of samples/leaky.c on a terminal of 96 x 30."""
    subprocess.run([shutil.which("cc"), "-O1", "-pthread", "-o", place / "leaks", stores.SAMPLES / "leaky.c"], check=True)
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 96, 0, 0))
    with subprocess.Popen([place / "leaks", "40", "1"]) as leaky:
        shown = subprocess.Popen([kit.PROGRAM, "watch", str(leaky.pid), "--every", "500ms", "--limit", "40M"], stdin=theirs,
                                 stdout=theirs, env={**os.environ, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8"})
        end, said = time.monotonic() + 28, b""
        while time.monotonic() < end:
            if select.select([ours], [], [], .2)[0]:
                said += os.read(ours, 65536)
        os.write(ours, b"q")
        while select.select([ours], [], [], 2)[0]:
            os.read(ours, 65536)
        shown.wait()
        leaky.kill()
    frame = re.findall(r"\x1b\[\?2026h(.*?)\x1b\[\?2026l", said.decode(), re.S)[-1]
    path = place / "watch.html"
    path.write_text("<!DOCTYPE html><meta charset='utf-8'>" + page_of(frame))
    take(b, b.open(path, 920, 560), "watch.png")


def main():
    asked = set(sys.argv[1:])
    if not browser.program():
        kit.skip("there is no Chromium")
    with kit.Place() as place, browser.Browser() as b:
        s = stores.Store(place, "leaky").keep(paths=[str(stores.SAMPLES / "captures")])
        if not asked or "plot.png" in asked:
            kit.run("plot", "--limit", "16M", "--mark", "2026-11-21T02:50:10Z deploy 2.3", "-o", DOCS / "plot.png", db=s.db)
        if not asked or "watch.png" in asked:
            watch(b, place)
        if not asked or "report.png" in asked:
            report = s.report("--limit", "16M", "--mark", "2026-11-21T02:50:10Z deploy 2.3")
            take(b, b.open(report, 1200, 900), "report.png")
        if asked or not os.environ.get("PMAPDB_SHARED"):
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
