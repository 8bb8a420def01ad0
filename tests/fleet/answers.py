#!/usr/bin/env python3
"""Pushed hosts give the answers of their stores.     answers.py PMAPDB [PAIRS]

Simulated hosts (samples/fleet) push to two shards, of two replicas each where ZooKeeper is installed. Then
`fleet host-diff` must equal `pmapdb diff` of the host's store for random hosts, names and pairs of times;
also after everything was pushed once more, with one replica of each shard down and, from those, the
others. The sums of fleet hosts and worst-hosts are compared with SQLite's over the stores.
"""
import csv
import io
import os
import pathlib
import random
import sqlite3
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "samples/fleet"))
import clickhouse  # noqa: E402  pylint: disable=wrong-import-position
import queries  # noqa: E402  pylint: disable=wrong-import-position

HOSTS, END = 3, 1772706000  # 2026-03-05T10:20:00Z
NAMES = ["api", "redis-server", "nginx"]


def run(*words):
    """Standard output of a command that must succeed."""
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, check=False,
                          env={**os.environ, "TZ": "UTC", "PMAPDB_CONFIG": ""})
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, words))}: {done.stderr}")
    return done.stdout


class Fleet:
    """The stores of the hosts, and the servers that they were pushed to."""

    def __init__(self, pmapdb, folder, servers):
        self.pmapdb, self.folder, self.servers, self.server = pmapdb, folder, servers, 0
        queries.schema(pmapdb, servers, "pmapdb", "--cluster", "fleet", *(["--replicated"] if servers.replicas > 1 else []))
        run(sys.executable, queries.clickhouse.__file__.replace("clickhouse.py", "simulate.py"), pmapdb, folder,
            "--hosts", HOSTS, "--hours", 30, "--end", END, "--push", self.url())
        self.stores = {p.stem: p for p in sorted(folder.glob("*.db"))}

    def url(self):
        return self.servers.urls[self.server]

    def push_again(self, hosts=HOSTS):
        for store in list(self.stores.values())[:hosts]:
            run(self.pmapdb, "-q", "--db", store, "push", self.url(), "--rewind", "2026-03-01T00:00:00Z")

    def caught_up(self):
        """Waits until every replica has what was pushed."""
        clickhouse.wait_until(lambda: all(
            [["0"]] == self.servers.ask("SELECT sum(queue_size) FROM system.replicas", i)
            for i in range(len(self.servers.urls)) if f"server{i}" in self.servers.process), "replication")

    def times(self, host, name):
        """When the store has captures of a name."""
        with sqlite3.connect(self.stores[host]) as db:
            return [t for t, in db.execute("SELECT DISTINCT taken_ms FROM snapshots WHERE name = ? ORDER BY 1", [name])]

    def pairs(self, rng, n):
        """Complaints about n random pairs: host-diff against diff."""
        wrong = []
        for _ in range(n):
            host, name = rng.choice(list(self.stores)), rng.choice(NAMES)
            older, newer = (queries.iso(t) for t in sorted(rng.sample(self.times(host, name), 2)))
            words = ["--from", older, "--to", newer, "-f", "csv"]
            want = run(self.pmapdb, "--db", self.stores[host], "diff", "-p", name, *words)
            got = run(self.pmapdb, "fleet", "host-diff", "--host", host, "--name", name, "--url", self.url(), *words)
            if rows(got) != rows(want):
                wrong.append(f"{host} {name} {older} {newer}:\n{got}--- diff\n{want}")
        return wrong

    def sums(self):
        """Complaints about the sums of hosts and worst-hosts against SQLite's."""
        at, wrong = queries.iso(END * 1000), []
        ask = lambda *words: queries.ask(self.pmapdb, self.url(), "pmapdb", [*words, "--at", at])  # noqa: E731
        for row in ask("hosts"):
            with sqlite3.connect(self.stores[row["host"]]) as db:
                want = db.execute("SELECT count(*), sum(rss_kib), max(taken_ms) FROM snapshots WHERE taken_ms = "
                                  "(SELECT max(taken_ms) FROM snapshots)").fetchone()
            if (row["processes"], row["rss_kib"], row["through_at"]) != (*want[:2], queries.iso(want[2])):
                wrong.append(f"hosts: {row}, should be {want}")
        worst = ask("worst-hosts", "--name", "api")
        for row in worst:
            with sqlite3.connect(self.stores[row["host"]]) as db:
                of = "SELECT rss_kib FROM snapshots WHERE name = 'api' AND taken_ms = (SELECT max(taken_ms) FROM " \
                     "snapshots WHERE name = 'api' AND taken_ms < ?)"
                hour = 3600000
                newest = END * 1000
                newer = db.execute(of, [newest + 1]).fetchone()[0]
                older = db.execute(of, [(newest - 24 * hour) // hour * hour]).fetchone()[0]
            if (row["rss_kib"], row["rss_kib_delta"]) != (newer, newer - older):
                wrong.append(f"worst-hosts: {row}, should be {newer}, {newer - older}")
        if len(worst) != HOSTS:
            wrong.append(f"worst-hosts: {len(worst)} hosts")
        return wrong


def rows(text):
    """A diff as {category: numbers}."""
    return {row["category"]: row for row in csv.DictReader(io.StringIO(text))}


def check(pmapdb, folder, servers, n):
    """Complaints, after everything that happens to the servers."""
    rng = random.Random(n)
    fleet = Fleet(pmapdb, folder / "hosts", servers)
    wrong = fleet.pairs(rng, n) + fleet.sums()
    fleet.push_again()
    wrong += ["pushed again: " + w for w in fleet.pairs(rng, n // 4) + fleet.sums()]
    if servers.replicas == 1:
        return wrong
    fleet.caught_up()
    for down in (1, 3), (0, 2):
        for i in down:
            servers.kill(i)
        fleet.server = 0 if 1 in down else 1
        wrong += [f"servers {down} down: " + w for w in fleet.pairs(rng, n // 4)]
        fleet.push_again(1)
        for i in down:
            servers.start(i)
        fleet.caught_up()
    fleet.server = 2
    wrong += ["all up again: " + w for w in fleet.pairs(rng, n // 4) + fleet.sums()]
    servers.kill("zookeeper")
    time.sleep(0.1)
    wrong += ["ZooKeeper down: " + w for w in fleet.pairs(rng, n // 4)]
    return wrong


def main():
    pmapdb, n = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 4
    if clickhouse.missing():
        print("skipped:", clickhouse.missing())
        return 77
    replicas = 1 if clickhouse.missing(2) else 2
    with tempfile.TemporaryDirectory() as folder, \
            clickhouse.Cluster(pathlib.Path(folder) / "servers", 2, replicas) as servers:
        wrong = check(pmapdb, pathlib.Path(folder), servers, n)
    print("\n".join(wrong[:5]) or f"{n} pairs, 2 shards x {replicas}" + (" (no ZooKeeper here)" if replicas == 1 else ""))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
