#!/usr/bin/env python3
"""Benchmark: the CPU of a push, and the beats that it delays.     beats.py PMAPDB [SECONDS [PROCESSES]]

First the CPU of a push of 15 beats of 300 processes, of which 20 change in a beat. Then processes that all
change are captured every second into two stores, and one of the stores is pushed again and again to a slow
server on loopback. Other work on the machine slows both captures: the difference is the cost of a push. With
strace: how long a push holds the write lock of the store, and how often the capture waits for the lock.
"""
import contextlib
import http.server
import os
import pathlib
import random
import re
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

CHILDREN = """import mmap, os, random, sys, time
n, active = int(sys.argv[1]), int(sys.argv[2])
for i in range(n):
    if os.fork() == 0:
        r, kept = random.Random(i), []
        while i < active:
            time.sleep(r.random() * 2)
            kept.append(mmap.mmap(-1, r.randrange(1, 40) << 12))
            kept[-1][:4096] = bytes(4096)
            del kept[:-20]
        time.sleep(10000)
print("ready", flush=True)
sys.stdin.read()
os.killpg(0, 9)
"""
LOCK = re.compile(r"(\d+\.\d+) fcntl\(\d+, (F_\w+), \{l_type=(F_\w+), .*l_start=(\d+), l_len=(\d+)\}\) = (\S+)")
WRITE = 120  # the byte of a -shm that a writer locks


class Slow(http.server.BaseHTTPRequestHandler):
    """A server that stores nothing and answers late."""
    protocol_version = "HTTP/1.1"

    def do_POST(self):  # pylint: disable=invalid-name
        self.rfile.read(int(self.headers["Content-Length"]))
        time.sleep(random.random() * 0.1)
        reply = b"" if "query=" in self.path else b"18\n"
        self.send_response(200)
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def children(n, active):
    """Starts n processes, some of which change; returns an expression that matches them."""
    parent = subprocess.Popen([sys.executable, "-c", CHILDREN, str(n), str(active)], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, start_new_session=True)
    try:
        parent.stdout.readline()
        yield f"ppid = {parent.pid}"
    finally:
        parent.stdin.close()
        parent.wait()


def capture(pmapdb, store, which, beats):
    return [pmapdb, "capture", "-q", "--db", store, "--match", which, "--every", "1s", "--count", str(beats)]


def push(pmapdb, store, url):
    return [pmapdb, "push", "-q", "--now", "--db", store, url]


def cost(pmapdb, folder, url):
    store = folder / "cost.db"
    with children(300, 20) as which:
        for quarter in range(3):
            subprocess.run(capture(pmapdb, store, which, 15), check=True)
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run(push(pmapdb, store, url), check=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            if quarter:
                print(f"a push of 15 beats of 300 processes: {1000 * cpu:.0f} ms of CPU, {1000 * cpu / 15:.1f} ms a beat")


def traced(trace):
    """Returns the words before a command that make strace write its locks to a file."""
    return ["strace", "-f", "--seccomp-bpf", "-ttt", "-e", "trace=fcntl", "-o", trace] if shutil.which("strace") else []


def locks(trace):
    """Returns two lists in ms: how long the write lock was held, and how long it was waited for."""
    held, waited, since, refused = [], [], None, None
    for line in trace.read_text().splitlines() if trace.exists() else []:
        m = LOCK.search(line)
        if not m or int(m[4]) > WRITE or int(m[4]) + int(m[5]) <= WRITE:
            continue
        at, got = float(m[1]), m[6] == "0"
        if m[3] == "F_WRLCK" and got:
            waited += [] if refused is None else [1000 * (at - refused)]
            since, refused = at, None
        elif m[3] == "F_WRLCK":
            refused = at if refused is None else refused
        elif m[3] == "F_UNLCK" and since is not None:
            held.append(1000 * (at - since))
            since = None
    return held, waited


def beats(store):
    """Returns beats stored, beats missed, how late the latest beat began (ms), how long the longest took (ms)."""
    with sqlite3.connect(store) as db:
        rows = db.execute("SELECT started_ms, ended_ms, missed FROM beat ORDER BY started_ms").fetchall()
    late = [start % 1000 for start, _, _ in rows[1:]]
    return len(rows), sum(r[2] for r in rows), max(late), max((end or start) - start for start, end, _ in rows)


def beside(pmapdb, folder, url, which, seconds):
    """Captures into two stores, pushes one of them, and prints the beats of both."""
    stores, pushes, failed = {name: folder / f"{name}.db" for name in ("pushed", "alone")}, 0, 0
    captures = [subprocess.Popen(traced(folder / f"{name}.trace") + capture(pmapdb, store, which, seconds))
                for name, store in stores.items()]
    try:
        while captures[0].poll() is None:
            time.sleep(random.random() * 3)
            if stores["pushed"].exists():
                failed += subprocess.run(traced(folder / f"push{pushes}.trace") + push(pmapdb, stores["pushed"], url),
                                         check=False).returncode != 0
                pushes += 1
        captures[1].wait()
    finally:
        for process in captures:
            process.kill()
            process.wait()
    print(f"{seconds} s, {pushes} pushes of which {failed} failed; load {os.getloadavg()[0]:.1f}")
    print("store     beats  missed  latest (ms)  longest beat (ms)  waits for the lock  longest (ms)")
    for name, store in stores.items():
        waited = locks(folder / f"{name}.trace")[1]
        print("{:8} {:6} {:7} {:12} {:18} {:19} {:13.1f}".format(name, *beats(store), len(waited), max(waited, default=0)))
    held = sorted(h for i in range(pushes) for h in locks(folder / f"push{i}.trace")[0])
    if held:
        print(f"a push holds the write lock {len(held) / pushes:.1f} times, for {held[len(held) // 2]:.1f} ms (median), "
              f"{held[-1]:.1f} ms (longest)")


def main():
    pmapdb, seconds, n = os.path.abspath(sys.argv[1]), *(int(w) for w in (sys.argv[2:] + ["600", "50"][len(sys.argv) - 2:])[:2])
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Slow)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"
    with tempfile.TemporaryDirectory(prefix="pmapdb-beats-") as folder:
        cost(pmapdb, pathlib.Path(folder), url)
        with children(n, n) as which:
            beside(pmapdb, pathlib.Path(folder), url, which, seconds)
    server.shutdown()


main()
