"""A process grows while smaps is captured, and idles while maps is captured: the newest capture decides in
leaks, check and series. The truth is VmRSS of /proc/PID/status. The captures are a minute apart by the
clock of the test (clock.c)."""
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "shared"))
import kit
from cronlife import Clock

BEATS = 24
GROWS = """
import sys
held = []
for line in sys.stdin:
    held.append(bytearray(b"x" * int(line)))
    print(flush=True)
"""


def run(store, *words, env=kit.ENVIRONMENT):
    done = subprocess.run([kit.PROGRAM, "--db", store, *words], stdout=subprocess.PIPE, text=True,
                          env=env, check=False)
    return done.returncode, done.stdout


def capture(child, clock, store, beats, size, measure):
    for beat in beats:
        child.stdin.write(f"{size}\n")
        child.stdin.flush()
        child.stdout.readline()
        run(store, "-q", "capture", str(child.pid), "--measure", measure,
            env=clock.environment(beat))


def vm_rss(child):
    status = pathlib.Path(f"/proc/{child.pid}/status").read_text()
    return int(re.search(r"VmRSS:\s*(\d+)", status)[1])


def story(check, child, clock, store):
    capture(child, clock, store, range(BEATS), 400000, "smaps")
    before = {r["key"]: r for r in kit.rows("leaks", db=store, expect=(0, 1))}
    leaks = [key for key, r in before.items() if r["verdict"] == "leak"]
    check.true("the total leaks, and a part of it", "total" in leaks and len(leaks) > 1, leaks)
    capture(child, clock, store, range(BEATS, 2 * BEATS), 0, "maps")
    truth, now = vm_rss(child), kit.rows("leaks", db=store, expect=(0, 1))
    leaks = [r["key"] for r in now if r["verdict"] in ("leak", "suspect")]
    check.true("the growth has ended", not leaks, leaks)
    check.equal("the newest number", (float(now[0]["last"]), now[0]["rss_from"]), (truth, "VmRSS"))
    check.true("how old each number is",
               now[0]["last_at"] > now[1]["last_at"] == before["total"]["last_at"])
    code, line = run(store, "check", "--rate", "-w", "1K", "-c", "1M", env=clock.environment(2 * BEATS))
    check.true("check", code == 0 and now[0]["last_at"] in line, line)
    series = kit.rows("series", db=store, expect=(0, 1))
    check.equal("series", (len(series), int(series[-1]["value"])), (2 * BEATS, truth))
    total = kit.rows("growth", "--category", "total", db=store, expect=(0, 1))
    check.equal("growth", (len(total), int(total[-1]["rss_kib"])), (2 * BEATS, truth))
    check.equal("peak", int(kit.rows("peak", db=store, expect=(0, 1))[0]["rss_kib_last"]), truth)
    check.equal("map-count", kit.rows("map-count", db=store, expect=(0, 1))[0]["first_at"], total[0]["taken_at"])


def newest(check, place):
    child = subprocess.Popen([sys.executable, "-c", GROWS], stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE, text=True)
    try:
        story(check, child, Clock(place), str(place / "store.db"))
    finally:
        child.stdin.close()
        child.wait()


kit.main(newest)
