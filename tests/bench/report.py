"""Benchmark: the size of a report, the CPU to make it, and the time until a browser shows it. Checks
the page with tests/report/page.py.

    PMAPDB=build/release/pmapdb python3 tests/bench/report.py [--big]

--big: also 9,800 captures of 4,000 mappings, of which 2.8 % change from one to the next; takes a minute.
Without Chromium the last two columns are empty.
"""
import os
import pathlib
import random
import resource
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "report"))
import browser  # noqa: E402 (found by the line before)
import page as pages  # noqa: E402
import stores  # noqa: E402

kit = stores.kit
CAPTURES, MAPPINGS, PART = 9800, 4000, 245


def row(start, kib, rss, name):
    return f"{start:016x} {kib:7} {rss:7} {0:7} {'rw---' if name.startswith('  ') else 'r-x--'} {name}\n"


def big(folder):
    """One anonymous mapping grows downward by 4 KiB per capture; four captures have 900 MiB more."""
    s, luck = stores.Store(folder, "big"), random.Random(5)
    sizes = [luck.choice((64, 128, 512, 1024)) for _ in range(MAPPINGS)]
    names = ["  [ anon ]" if luck.random() < .6 else "libthing-%d.so.6" % luck.randrange(240) for _ in sizes]
    at, starts = 0x7f0000000000, []
    for size in sizes:
        starts.append(at)
        at += (size + luck.choice((0, 4, 64))) * 1024
    rss = [luck.randrange(0, size // 4 + 1) * 4 for size in sizes]
    lines = [row(*r) for r in zip(starts, sizes, rss, names)]
    total_kib, total_rss = sum(sizes), sum(rss)
    for part in range(0, CAPTURES, PART):
        text = []
        for i in range(part, part + PART):
            for n in luck.sample(range(MAPPINGS), int(.028 * MAPPINGS)):
                now = luck.randrange(0, sizes[n] // 4 + 1) * 4
                total_rss += now - rss[n]
                rss[n] = now
                lines[n] = row(starts[n], sizes[n], now, names[n])
            grown, extra = 4 * (i + 1), 900 << 10 if i % 2450 == 1777 else 0
            peak = row(0x7d0000000000, extra, extra, "  [ anon ]") if extra else ""
            text.append(f"{stores.BEGIN + 600 * i}\n4711:   /usr/sbin/bigd\nAddress           Kbytes     RSS   Dirty Mode  Mapping\n"
                        + peak + row(0x7e0000000000 - 1024 * grown, grown, grown, "  [ anon ]") + "".join(lines)
                        + "---------------- ------- ------- ------- \n"
                        + f"total kB {total_kib + grown + extra:7} {total_rss + grown + extra:7} {0:7}\n")
        kit.run("import", "-q", "-", db=s.db, stdin="".join(text).encode(), expect=(0, 2))
    s.badge = "LEAK"
    return s


def measure(b, s, name):
    path = s.folder / "report.html"
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([kit.PROGRAM, "--db", str(s.db), "report", "-o", str(path)], check=True, env=kit.ENVIRONMENT)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    made = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    ready = heap = ""
    if b:
        page = b.open(path)
        ready = "%.2f" % page.value("pmapdbReport.readyMs / 1000")
        heap = "%.0f" % (page.value("performance.memory.usedJSHeapSize") / 2**20)
        page.close()
        pages.look(b, s, name)
    print(f"{name:12} {path.stat().st_size / 1000:9.0f} {made:8.2f} {ready:>8} {heap:>8}", flush=True)


def main():
    names = ["leak", "siblings", "jit", "peak"] + (list(stores.WORKLOADS) if os.environ.get("PMAPDB_SHARED") else [])
    print(f"{'store':12} {'page kB':>9} {'CPU s':>8} {'ready s':>8} {'heap MiB':>8}")
    print(f"{'asked':12} {'200':>9} {'':>8} {'1':>8}\n{'asked, big':12} {'1000':>9} {'3':>8} {'2.5':>8}")
    with kit.Place() as place:
        b = browser.Browser() if browser.program() else None
        try:
            for name in names:
                measure(b, stores.make(name, place), name)
            if "--big" in sys.argv:
                measure(b, big(place), "big")
        finally:
            if b:
                b.__exit__(None, None, None)
    pages.check.finish()


main()
