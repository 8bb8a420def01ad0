#!/usr/bin/env python3
"""A fleet on one machine: hosts that capture with pmap -x, of which one build leaks.

    python3 simulate.py PMAPDB FOLDER [--hosts 50] [--hours 24] [--every 20m] [--push URL]

Each host has the processes api, redis-server and nginx, and a store FOLDER/HOST.db that `pmapdb import`
fills with the text of `pmap -x`, as cron would have collected it. Hosts of the role payments got build
2.3.1 of api in the first half of the time; since then it leaks two MiB an hour from its heap. `--push`
sends each store. Nothing else is told to pmapdb: what it says of the leak, it found.
"""
import argparse
import concurrent.futures
import pathlib
import random
import subprocess
import sys
import time

HEADER = "Address           Kbytes     RSS   Dirty Mode  Mapping\n"
ROLES = ["payments", "web", "search"]


class Host:
    """Host number i: its role, its sizes, and when its build changed."""

    def __init__(self, i, end, hours):
        self.name, self.role = f"{ROLES[i % 3]}-{i // 3 + 1:02}", ROLES[i % 3]
        self.rng = random.Random(i)
        self.begin, self.end = end - hours * 3600, end
        self.deploy = self.begin + hours * 1200 + self.rng.randrange(0, 600)
        self.pid = 1000 + self.rng.randrange(1, 20000)
        self.base = {name: self.rng.randrange(30000, 60000) for name in ("api", "redis-server", "nginx")}

    def build(self, at):
        """The build of api at a time."""
        return "2.3.1" if self.role == "payments" and at >= self.deploy else "2.3.0"

    def capture(self, name, at):
        """What pmap -x prints of a process."""
        new = name == "api" and at >= self.deploy  # api was restarted with the deploy
        pid = self.pid + 10 * ("api", "redis-server", "nginx").index(name) + (5 if new else 0)
        high = 0x560000000000 + pid * 0x1000000
        heap = self.base[name] + self.rng.randrange(0, 200)
        if new:
            warm = min(at - self.deploy, 1800) / 1800  # the first half hour fills caches
            heap = int(heap * (0.5 + 0.5 * warm))
            if self.role == "payments":
                heap += int(2048 * (at - self.deploy) / 3600)
        rows = [(high, 900, 860, 0, "r-x--", name), (high + 0x100000, 64, 64, 64, "rw---", name),
                (high + 0x200000, heap + 800, heap, heap, "rw---", "  [ anon ]"),
                (0x7F0000000000, 2048, 1500, 0, "r-x--", "libc.so.6"),
                (0x7F0000200000, 8192, 4000 + self.rng.randrange(0, 60), 4000, "rw---", "  [ anon ]"),
                (0x7FFC00000000 + pid * 0x1000, 132, 40, 40, "rw---", "  [ stack ]")]
        body = "".join(f"{a:016x} {size:7} {rss:7} {dirty:7} {mode} {what}\n" for a, size, rss, dirty, mode, what in rows)
        size, rss, dirty = (sum(r[i] for r in rows) for i in (1, 2, 3))
        return (f"{pid}:   /usr/sbin/{name}\n{HEADER}{body}---------------- ------- ------- -------\n"
                f"total kB         {size:7} {rss:7} {dirty:7}\n")

    def log(self, every, begin, end):
        """The log of a cron job: date; pmap -x of every process."""
        parts = []
        for at in range(-(-begin // every) * every, end + 1, every):
            for name in self.base:
                parts.append(time.strftime("%a %b %e %H:%M:%S UTC %Y\n", time.gmtime(at)) + self.capture(name, at))
        return "".join(parts)

    def run(self, pmapdb, folder, every, url):
        """Imports the captures, hour by hour of the deploy, and pushes."""
        store, log = folder / f"{self.name}.db", folder / f"{self.name}.log"

        def call(*words):
            done = subprocess.run([pmapdb, "-q", "--db", store, *words], capture_output=True, text=True, check=False)
            if done.returncode:
                raise RuntimeError(f"{self.name}: pmapdb {words[0]}: {done.stderr}")

        log.write_text(self.log(every, self.begin, self.end))
        call("import", "--host", self.name, log)
        log.unlink()
        if url:
            call("push", url, "--label", f"role={self.role}", "--label", f"build={self.build(self.end)}")


def span(text):
    """90, 90s, 5m or 2h in seconds."""
    return int(text[:-1]) * {"s": 1, "m": 60, "h": 3600}[text[-1]] if text[-1] in "smh" else int(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pmapdb")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--hosts", type=int, default=50)
    parser.add_argument("--hours", type=int, default=24)
    parser.add_argument("--every", type=span, default=1200)
    parser.add_argument("--end", type=int, default=int(time.time()) // 60 * 60, help="seconds since 1970")
    parser.add_argument("--push", metavar="URL")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    hosts = [Host(i, args.end, args.hours) for i in range(args.hosts)]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        waiting = [pool.submit(h.run, args.pmapdb, args.folder, args.every, args.push) for h in hosts]
        try:
            for i, done in enumerate(waiting, 1):
                done.result()
                print(f"\r{i} of {len(hosts)} hosts", end="", file=sys.stderr)
        except RuntimeError as e:
            sys.exit(f"\nsimulate.py: {e}")
    print(file=sys.stderr)


if __name__ == "__main__":
    main()
