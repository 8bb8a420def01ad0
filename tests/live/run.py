"""pmapdb run: captures a command and its child from start to end, returns its exit status, and shows
the peak. The truth is VmRSS in /proc/PID/status, which the command reads at its peak."""
import os
import pathlib
import signal
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "shared"))
import kit

# Each process holds its memory until it reads a line, so that no moment depends on the speed of the machine. The child
# holds more than the command: between vfork and exec, the child shows the memory of the command as its own.
CHILD = "held = bytearray(100 << 20); print('ready', flush=True); input()"
COMMAND = f"""
import re, subprocess, sys
status = lambda pid: int(re.search(r"VmRSS:\\s*(\\d+)", open(f"/proc/{{pid}}/status").read())[1])
held = bytearray(60 << 20)
child = subprocess.Popen([sys.executable, "-c", {CHILD!r}], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
child.stdout.readline()
print(status("self") + status(child.pid), flush=True)
input()
child.communicate("\\n")
del held
sys.exit(7)
"""


def pmapdb(store, *words, **options):
    return subprocess.run([kit.PROGRAM, "--db", store, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, env=kit.ENVIRONMENT, check=False, **options)


def snapshots(store):
    return kit.rows("snapshots", db=store, expect=None)


def peak(check, place):
    """The command holds its peak until six more snapshots are stored."""
    store = place / "store.db"
    run = subprocess.Popen([kit.PROGRAM, "--db", store, "run", "--every", "100ms", "--name", "soak",
                            "-o", place / "peak.csv", "-f", "csv", "--", sys.executable, "-c", COMMAND],
                           stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                           env=kit.ENVIRONMENT)
    truth, before = int(run.stdout.readline()), len(snapshots(store))
    while len(snapshots(store)) < before + 6:
        pass
    _, said = run.communicate("\n")
    shown = sum(int(row["rss_kib"]) for row in kit.table((place / "peak.csv").read_bytes()))
    check.equal("the exit status is that of the command", run.returncode, 7)
    check.true("the peak", truth - 512 <= shown <= truth + 2048, (shown, truth))
    check.equal("one name, two processes", {s["name"] for s in snapshots(store)}, {"soak"})
    check.equal("two processes", len({s["pid"] for s in snapshots(store)}), 2)
    check.true("the kernel's count is printed, too", "counted by the kernel" in said, said)


def ends(check, place):
    store = place / "store.db"
    check.equal("no such command", pmapdb(store, "run", "no-such-command").returncode, 127)
    check.equal("not executable", pmapdb(store, "run", "/etc/passwd").returncode, 126)
    check.equal("killed", pmapdb(store, "run", "--", "sh", "-c", "kill -9 $$").returncode, 128 + signal.SIGKILL)
    done = pmapdb(store, "run", "-q", "--", "sh", "-c", "echo out; echo err >&2; cat", input="in\n")
    check.equal("the output is passed on", (done.returncode, done.stdout, done.stderr), (0, "out\nin\n", "err\n"))
    run = subprocess.Popen([kit.PROGRAM, "--db", store, "run", "-q", "--", "sh", "-c", "echo; exec cat"],
                           stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=kit.ENVIRONMENT)
    run.stdout.readline()  # the command runs
    os.kill(run.pid, signal.SIGTERM)
    check.equal("SIGTERM is passed on", run.wait(), 128 + signal.SIGTERM)


kit.main(peak, ends)
