#!/usr/bin/env python3
"""Benchmark: verdicts over weeks. Services with nights, weekends, deploys, restarts and autoscaling.

    PMAPDB=build/release/pmapdb tests/bench/weeks.py [--services 12] [--seeds 1,2,3] [--weeks 8]
    tests/bench/weeks.py --measure [--day 40]

How a server's memory answers to its load is measured, not invented: --measure replays three days of
load, each in --day seconds, against redis and node (servers/sessions.js), whose sessions expire after two hours, and
prints what their resident memory did. RESPONSES keeps such a measurement: four numbers of each server are real, and
nothing else is. The simulation puts a service of
that response under eight weeks of traffic, five minutes apart: a day and a week profile, bursts, a
deploy now and then (another process, another base), crashes that restart it, and instances that come
and go with the load, so that a process carries a share of the load that steps. Half of the services
leak 1 % of their base a day from a day on, in step with their traffic. The traffic, the deploys, the autoscaling,
and how memory that stays follows the highest load of the life are assumed.

`leaks --series` judges each service at the end of every day, by all that it has captured until then.

    found    days from the start of the leak to the first leak that is said
    false    days on which a service that does not leak (yet) was called a leak
    suspect  such days with the verdict suspect
"""
import argparse
import csv
import io
import math
import os
import pathlib
import random
import socket
import statistics
import subprocess
import tempfile
import time

from measure import HERE, kit, table

DAY, STEP = 86400, 300
# What --measure printed (redis 7.0, node 18, Debian 12): the share of the rise from night to noon that is
# given back the night after; the share of the rise that comes with the first day and stays (pools, code, caches);
# the noise, as a share of the rise; the rise, as a share of the base.
RESPONSES = {"redis": dict(back=0.41, stays=0.59, noise=0.08, rise=0.89),
             "node": dict(back=0.28, stays=0.72, noise=0.035, rise=1.09)}


# ---- the response of real servers -----------------------------------------------------------


def profile(day):
    """Load at a time of the day, 0 to 1: little at night, a dip at noon."""
    hour = day % 1 * 24
    bump = math.exp(-((hour - 10.5) / 2.6) ** 2) + 0.9 * math.exp(-((hour - 15.5) / 3.0) ** 2)
    return 0.06 + 0.94 * min(1.0, bump / 1.1)


def rss_kib(pid):
    with open("/proc/%d/status" % pid, encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def connect(port):
    for _ in range(100):
        try:
            return socket.create_connection(("127.0.0.1", port))
        except OSError:
            time.sleep(0.1)
    raise SystemExit("no server at port %d" % port)


def redis_sessions(sock, n, ttl_ms):
    """n sessions of 1 to 4 KiB, which expire after two hours of the replayed day."""
    commands = b"".join(b"*5\r\n$3\r\nSET\r\n$%d\r\n%s\r\n$%d\r\n%s\r\n$2\r\nPX\r\n$%d\r\n%d\r\n" % (
        len(key), key, len(value), value, len(b"%d" % ttl_ms), ttl_ms) for key, value in (
            (b"s%016x" % random.getrandbits(60), b"x" * random.randint(1024, 4096)) for _ in range(n)))
    sock.sendall(commands)
    left = 5 * n  # "+OK\r\n" each
    while left > 0:
        left -= len(sock.recv(65536))


def node_requests(sock, n, _ttl_ms):
    for _ in range(n):
        sock.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        text = b""
        while not text.endswith(b"done"):
            text += sock.recv(65536)


def replay(command, port, most, work, day_s):
    """Resident memory at every quarter of an hour of three replayed days."""
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/tmp")
    try:
        sock, seen, begin = connect(port), [], time.monotonic()
        for tick in range(3 * 96):
            work(sock, max(1, int(most * profile(tick / 96))), int(1000 * day_s / 12))
            seen.append(rss_kib(server.pid))
            time.sleep(max(0.0, begin + (tick + 1) * day_s / 96 - time.monotonic()))
        return seen
    finally:
        server.kill()
        server.wait()


def measured(seen):
    def at(day, first, last):
        part = seen[int(96 * day) + 4 * first:int(96 * day) + 4 * last]
        return statistics.median(part), statistics.pstdev(part)
    base, night, noon = at(0, 0, 1)[0], at(2, 4, 7), at(2, 10, 16)
    rise = max(1.0, noon[0] - base)
    return dict(back=round((noon[0] - night[0]) / rise, 2), stays=round((night[0] - base) / rise, 2),
                noise=round(max(night[1], noon[1]) / rise, 3), rise=round(rise / base, 2))


def measure(day_s):
    port = free_port()
    for name, command, most, work in (
            ("redis", ["redis-server", "--port", str(port), "--save", "", "--appendonly", "no"], 400, redis_sessions),
            ("node", ["node", HERE / "servers" / "sessions.js", str(port), str(int(1000 * day_s / 12))], 200, node_requests)):
        seen = replay(command, port, most, work, day_s)
        print(name, seen[::16])
        print('"%s": %s' % (name, measured(seen)))


# ---- eight weeks ----------------------------------------------------------------------------


class Service:
    """The processes of one service, one after the other, as `leaks --series` is told of them."""

    def __init__(self, seed, number, weeks):
        self.r = random.Random("%s:%d" % (seed, number))
        self.name, self.days = "%s%d" % (list(RESPONSES)[number % 2], number), 7 * weeks
        self.how = RESPONSES[list(RESPONSES)[number % 2]]
        self.leaks = number // 2 % 2 == 1
        self.leak_from = self.r.uniform(7, self.days - 8) if self.leaks else None
        self.base = self.r.uniform(60e3, 900e3)
        self.rows = list(self.live())

    def load(self, day):
        weekend = 0.35 if int(day) % 7 >= 5 else 1.0
        return profile(day) * weekend * self.burst

    def instances(self, load, now):
        """Autoscaling: as many as the load needs, with slack against flapping."""
        if load > 0.7 * now or load < 0.3 * now:
            return max(1, round(2 * load))
        return now

    def live(self):
        r, how, pid, level, now, lost = self.r, self.how, 100, 1.0, 1, 0.0
        most = pool = 0.0
        ends = r.expovariate(1 / 9.0)
        self.burst = 1.0
        for i in range(self.days * DAY // STEP):
            day = i * STEP / DAY
            self.burst = 1 + 0.97 * (self.burst - 1) + r.gauss(0, 0.02)
            if day >= ends:  # a deploy every nine days or so, with another base; or a crash
                ends = day + max(0.3, r.expovariate(1 / 9.0))
                level *= r.uniform(0.97, 1.03) if r.random() < 0.6 else 1.0
                pid, most, pool, lost = pid + 1, 0.0, 0.0, 0.0
            total = 3 * self.load(day)
            now = self.instances(total, now)
            share = min(1.0, total / now)
            rise = self.base * how["rise"]
            most += 0.02 * max(0.0, share - most)  # pools and code that the first day fills
            pool += (0.5 if share > pool else 0.08) * (share - pool)
            if self.leaks and day >= self.leak_from:
                lost += 0.01 * self.base * STEP / DAY * share / 0.33
            kib = self.base * level + rise * (how["stays"] * most + how["back"] * pool) + lost
            yield i * STEP, max(4, int((kib + rise * how["noise"] * r.gauss(0, 1)) / 4) * 4), pid

    def days_asked(self):
        return range(2, self.days + 1)


def verdicts(service, folder):
    """The verdict at the end of every day."""
    path = pathlib.Path(folder) / "series.csv"
    with path.open("w", encoding="ascii") as file:
        file.write("series_id,ts,kb,pid\n")
        for day in service.days_asked():
            file.writelines("%d,%d,%d,%d\n" % (day, 1700000000 + t, kib, pid)
                            for t, kib, pid in service.rows[:day * DAY // STEP])
    out = subprocess.run([kit.PROGRAM, "leaks", "--series", path, "-f", "csv"], check=True, capture_output=True,
                         text=True).stdout
    return {int(row["series_id"]): row["verdict"] for row in csv.DictReader(io.StringIO(out))}


def judge(asked):
    rows, seeds = [], asked.seeds.split(",")
    soon = late = wrong = early = 0
    with tempfile.TemporaryDirectory(prefix="pmapdb-weeks-") as folder:
        for seed, number in ((seed, number) for seed in seeds for number in range(asked.services)):
            service = Service(seed, number, asked.weeks)
            said = verdicts(service, folder)
            begins = service.leak_from if service.leaks else service.days + 1
            false = sum(v == "leak" for day, v in said.items() if day <= begins)
            doubt = sum(v == "suspect" for day, v in said.items() if day <= begins)
            found = min((day - begins for day, v in said.items() if day > begins and v == "leak"), default=None)
            soon += found is not None and found <= 5
            late += found is not None and found > 5
            early += service.leaks and false > 0
            wrong += not service.leaks and false > 0
            rows.append([seed, service.name, len({row[2] for row in service.rows}),
                         "%.1f" % begins if service.leaks else "", "" if not service.leaks else
                         "never" if found is None else "%.1f" % found, false, doubt])
    table(["seed", "service", "lives", "leaks from day", "found after", "false", "suspect"], rows)
    leaks = sum(bool(row[3]) for row in rows)
    print("%d of %d leaks found within 5 days, %d later; called before they leaked: %d; of %d services that do not "
          "leak, called: %d" % (soon, leaks, late, early, len(rows) - leaks, wrong))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--measure", action="store_true")
    parser.add_argument("--day", type=float, default=40, help="seconds of a replayed day")
    parser.add_argument("--services", type=int, default=12)
    parser.add_argument("--weeks", type=int, default=8)
    parser.add_argument("--seeds", default="1,2,3")
    asked = parser.parse_args()
    measure(asked.day) if asked.measure else judge(asked)


if __name__ == "__main__":
    main()
