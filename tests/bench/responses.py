#!/usr/bin/env python3
"""Measures how the memory of real servers follows their load, for weeks.py.

    PMAPDB=$PWD/build/release/pmapdb tests/bench/responses.py [--day 48] [--only redis,jvm] [--keep FOLDER] [--from FOLDER]

The servers are redis, a server of node and one of Java, whose sessions expire after two hours, and PostgreSQL
under `pgbench -R` with as many connections as the hour needs. They get seven days of load, each replayed in
--day seconds: a daily profile with a peak and a night, a weekend, noise. `capture --every` stores all processes
of each server every quarter of an hour. For each category that at some time has 4 % of its server, the sum over
the processes (private memory; Pss of shared memory), as the median of each hour, is explained by the load, for
responses.csv:

    base + gain H + noise

The demand D is the mean load of the last two hours (sessions), or the load itself (connections), whichever
explains more. H rises with D at once. Releases (a collection, a purge of the allocator, the end of a connection)
return memory that is no longer needed: in each hour with memory to return, a release happens with the
probability `releases`, and moves H by `share` of the way to D. base, gain and noise (standard deviation;
`correlation` from one hour to the next) are KiB; `explained` is the share of the variance that the curve explains.
All started processes are ended. --keep keeps the stores, --from reads them instead of measuring.
"""
import argparse
import csv
import io
import math
import os
import pathlib
import random
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

from measure import HERE, kit

TICKS = 96                             # per day
DAYS = (0.8, 1.0, 0.9, 0.35, 0.3, 1.0, 1.1)  # the highest load of each day
COLUMNS = ["server", "category", "base", "gain", "hours", "releases", "share", "noise", "correlation", "explained"]
EXCESS = 0.05                          # share of the highest load; a smaller excess is no release


def profile(day):
    """Returns the load at a time of the day, 0 to 1: little at night, a dip at noon."""
    hour = day % 1 * 24
    bump = math.exp(-((hour - 10.5) / 2.6) ** 2) + 0.9 * math.exp(-((hour - 15.5) / 3.0) ** 2)
    return 0.06 + 0.94 * min(1.0, bump / 1.1)


def loads():
    """Returns the load of every tick, with bursts; all servers get the same load."""
    r, burst = random.Random("loads"), 0.0
    for tick in range(TICKS * len(DAYS)):
        burst = 0.85 * burst + r.gauss(0, 0.05)
        yield max(0.01, profile(tick / TICKS) * DAYS[tick // TICKS] * (1 + burst))


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def ordinary(*command):
    return (["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"] if not os.getuid() else []) + [
        str(word) for word in command]


def quiet(command, **more):
    return {"args": [str(word) for word in command], "stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL,
            "stderr": subprocess.DEVNULL, "cwd": "/tmp"} | more


class Server:
    """A server and its client. `most` is the number of requests in a tick of load 1."""
    most = 200

    def __init__(self, place, day_s):
        self.place, self.day_s, self.port, self.sock = place, day_s, free_port(), None
        self.two_hours = str(int(1000 * day_s / 12))  # in milliseconds
        self.prepare()
        self.process = subprocess.Popen(**quiet(self.command()))

    def prepare(self):
        pass

    def connect(self):
        for _ in range(300):
            try:
                self.sock = socket.create_connection(("127.0.0.1", self.port))
                return
            except OSError:
                time.sleep(0.1)
        raise SystemExit("no server at port %d" % self.port)

    def work(self, load):
        for _ in range(max(1, int(self.most * load))):
            self.sock.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            text = b""
            while not text.endswith(b"done"):
                text += self.sock.recv(65536) or b"done"

    def end(self):
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Redis(Server):
    needs, most = ("redis-server",), 400

    def command(self):
        return ["redis-server", "--port", self.port, "--save", "", "--appendonly", "no"]

    def work(self, load):
        """Sessions of 1 to 4 KiB."""
        def word(text):
            return b"$%d\r\n%s\r\n" % (len(text), text)
        n = max(1, int(self.most * load))
        self.sock.sendall(b"".join(
            b"*5\r\n" + b"".join(map(word, (b"SET", b"s%016x" % random.getrandbits(60), b"x" * random.randint(1024, 4096),
                                            b"PX", self.two_hours.encode()))) for _ in range(n)))
        left = 5 * n  # "+OK\r\n" each
        while left > 0:
            left -= len(self.sock.recv(65536))


class Node(Server):
    needs = ("node",)

    def command(self):
        return ["node", HERE / "servers" / "sessions.js", self.port, self.two_hours]


class Jvm(Server):
    needs = ("java", "javac")

    def prepare(self):
        subprocess.run(["javac", "-d", self.place, HERE / "servers" / "Sessions.java"], check=True)

    def command(self):
        return ["java", "-Xmx256m", "-Dsun.net.httpserver.nodelay=true", "-cp", self.place, "Sessions", self.port, self.two_hours]


class Postgres(Server):
    """In each hour pgbench opens as many connections as the load needs, and half of its scripts sort."""
    needs = ("setpriv",)
    SORT = "\\set n random(1, 60000)\nSELECT abalance, filler FROM pgbench_accounts WHERE aid < :n ORDER BY filler, bid LIMIT 3;\n"

    def prepare(self):
        self.bin = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"))[-1]
        self.where, self.bench = ["-h", self.place, "-p", str(self.port), "-U", "w"], None
        (self.place / "sort.sql").write_text(self.SORT)
        self.place.chmod(0o777)
        subprocess.run(ordinary(self.bin / "initdb", "-D", self.place / "data", "-U", "w", "-A", "trust", "--no-sync"),
                       check=True, stdout=subprocess.DEVNULL, cwd="/tmp")

    def command(self):
        return ordinary(self.bin / "postgres", "-D", self.place / "data", "-k", self.place, "-p", self.port, "-c",
                        "shared_buffers=64MB", "-c", "work_mem=8MB", "-c", "fsync=off")

    def connect(self):
        for _ in range(100):
            if not subprocess.run(**quiet([self.bin / "pgbench", *self.where, "-i", "-q", "-s", "5", "postgres"])).returncode:
                return
            time.sleep(0.2)
        raise SystemExit("no PostgreSQL")

    def work(self, load):
        self.tick = getattr(self, "tick", -1) + 1
        if self.tick % 4:
            return
        if self.bench:
            self.bench.wait()
        n = max(1, round(12 * load))
        self.bench = subprocess.Popen(**quiet([
            self.bin / "pgbench", *self.where, "-n", "-c", n, "-j", "1", "-R", 4 * n, "-T", max(1, round(self.day_s / 24 - 0.5)),
            "-b", "tpcb-like@1", "-f", "%s@1" % (self.place / "sort.sql"), "postgres"]))

    def end(self):
        if self.bench:
            self.bench.wait()
        super().end()


SERVERS = {"redis": Redis, "node": Node, "jvm": Jvm, "postgres": Postgres}


def replay(name, folder, day_s):
    """Replays all days of one server, and captures it into a store."""
    with tempfile.TemporaryDirectory(prefix="pmapdb-responses-") as place:
        server, beat = SERVERS[name](pathlib.Path(place), day_s), day_s / TICKS
        capture = None
        try:
            server.connect()
            capture = subprocess.Popen(**quiet([
                kit.PROGRAM, "capture", "--db", folder / (name + ".db"), "-q", "--match",
                "pid = %d OR descendant_of(%d)" % (server.process.pid, server.process.pid), "--every", "%dms" % (1000 * beat)]))
            begin = time.time()
            (folder / (name + ".begin")).write_text("%.3f %.3f" % (begin, beat))
            for tick, load in enumerate(loads()):
                server.work(load)
                time.sleep(max(0.0, begin + (tick + 1) * beat - time.time()))
        finally:
            if capture:
                capture.send_signal(signal.SIGINT)
                capture.wait()
            server.end()


# ---- the response ---------------------------------------------------------------------------


def curves(name, folder):
    """Returns category -> [(hour, KiB)]: the sums over all processes of the server."""
    begin, beat = map(float, (folder / (name + ".begin")).read_text().split())
    text = subprocess.run(
        [kit.PROGRAM, "sql", "--db", folder / (name + ".db"), "-f", "csv",
         "SELECT (SELECT s.moment_ms FROM snapshots s WHERE s.snapshot_id = c.snapshot_id) AS ms, category, "
         "sum(CASE WHEN category GLOB 'shared-memory*' THEN pss_kib ELSE private_kib END) AS kib FROM categories c GROUP BY ms, category ORDER BY ms"],
        check=True, capture_output=True, text=True).stdout
    found, ticks = {}, {}
    for row in csv.DictReader(io.StringIO(text)):
        tick = int((int(row["ms"]) / 1000 - begin) / beat)
        if 0 <= tick < TICKS * len(DAYS):
            now = found.setdefault(row["category"], {})
            now[row["ms"]] = now.get(row["ms"], 0) + float(row["kib"] or 0)
            ticks.setdefault(tick // 4, set()).add(row["ms"])
    return {category: [(hour, statistics.median(at.get(ms, 0) for ms in moments)) for hour, moments in sorted(ticks.items())]
            for category, at in found.items()}


def demand(load, ticks):
    """Returns the mean of the last `ticks` loads."""
    total, out = 0.0, []
    for i, x in enumerate(load):
        total += x - (load[i - ticks] if i >= ticks else 0.0)
        out.append(total / min(i + 1, ticks))
    return out


def held(needs, released, share):
    """Returns H, the demand that the server holds memory for."""
    now, out = 0.0, []
    for d, fall in zip(needs, released):
        if now > d and fall:
            now -= share * (now - d)
        now = max(now, d)
        out.append(now)
    return out


def line(x, y):
    """Fits a line by least squares. Returns intercept, slope (at least 0), residuals."""
    xm, ym = statistics.fmean(x), statistics.fmean(y)
    square = sum((v - xm) ** 2 for v in x)
    slope = max(0.0, sum((v - xm) * (w - ym) for v, w in zip(x, y)) / square) if square else 0.0
    return ym - slope * xm, slope, [w - ym - slope * (v - xm) for v, w in zip(x, y)]


def response(points):
    """Returns the numbers of one category."""
    load, y = list(loads()), [v for _, v in points]
    by_hour = [statistics.fmean(load[4 * h:4 * h + 4]) for h, _ in points]
    least = EXCESS * (max(y) - min(y))
    released = [False] + [b < a - least for a, b in zip(y, y[1:])]
    best = None
    for hours in (1, 2):
        for share in (0.25, 0.5, 0.75, 1):
            needs = demand(by_hour, hours)
            h = held(needs, released, share)
            base, gain, rest = line(h, y)
            square = sum(e * e for e in rest)
            if best is None or square < 0.99 * best[0]:
                excess = sum(a > d + EXCESS for a, d in zip(h, needs[1:]))
                best = square, dict(base=round(base), gain=round(gain), hours=hours, share=share,
                                    releases=round(min(1, sum(released) / max(1, excess)), 3)), rest
    square, found, rest = best
    variance = statistics.pvariance(y) * len(y)
    lag = sum(a * b for a, b in zip(rest, rest[1:])) / (square or 1)
    return found | dict(noise=round(math.sqrt(square / len(y))), correlation=round(lag, 2),
                        explained=round(1 - square / variance, 2) if variance else 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--day", type=float, default=48, help="seconds for one replayed day")
    parser.add_argument("--only", default=",".join(SERVERS))
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--from", dest="given", type=pathlib.Path)
    asked = parser.parse_args()
    names = [n for n in asked.only.split(",") if all(map(shutil.which, SERVERS[n].needs))]
    with tempfile.TemporaryDirectory(prefix="pmapdb-responses-") as temporary:
        folder = asked.given or asked.keep or pathlib.Path(temporary)
        if not asked.given:
            threads = [threading.Thread(target=replay, args=(n, folder, asked.day)) for n in names]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        out = csv.DictWriter(sys.stdout, COLUMNS, lineterminator="\n")
        out.writeheader()
        for name in names:
            found = curves(name, folder)
            least = 0.04 * max(map(sum, zip(*([v for _, v in points] for points in found.values()))))
            for category, points in sorted(found.items()):
                if max(v for _, v in points) >= least:
                    out.writerow({"server": name, "category": category} | response(points))


if __name__ == "__main__":
    main()
