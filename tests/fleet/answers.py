#!/usr/bin/env python3
"""Every question of `pmapdb fleet` must return the rows that Python calculates.     answers.py PMAPDB [PAIRS]

Two databases on two shards, of two replicas each if ZooKeeper is installed. One has the rows of a
random fleet (queries.py), the other the rows that hosts pushed from stores that `pmapdb import` filled
(stores.py). host-diff of random hosts, names and times must also equal `pmapdb diff` of the host's
store: also after a second push, with one replica of each shard down, with the replicas that were
down before, and with ZooKeeper down.
"""
import concurrent.futures
import csv
import io
import os
import pathlib
import random
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "samples/fleet"))
import clickhouse  # noqa: E402  pylint: disable=wrong-import-position
import queries  # noqa: E402  pylint: disable=wrong-import-position
import stores  # noqa: E402  pylint: disable=wrong-import-position

HOSTS = 15


class Fleet:
    """The hosts, and the servers that they push to."""

    def __init__(self, pmapdb, folder, servers):
        self.pmapdb, self.servers, self.server = pmapdb, servers, 0
        folder.mkdir()
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            self.hosts = sorted(pool.map(lambda i: stores.Maker(i).make(pmapdb, folder, self.url()), range(HOSTS)), key=lambda h: h.name)
        self.now = int(time.time()) * 1000
        ids = dict(servers.ask("SELECT host, host_id FROM marks", database="pmapdb"))
        for host in self.hosts:
            host.id = int(ids[host.name])

    def url(self):
        return self.servers.urls[self.server]

    def push_again(self, n=3):
        for host in self.hosts[:n]:
            stores.run(self.pmapdb, "-q", "--db", host.paths[0], "push", self.url(), "--rewind", "2026-03-01T00:00:00Z")
            host.read_pushed()

    def questions(self):
        """Returns the wrong answers to all questions."""
        return queries.check(self.pmapdb, self.url(), "pmapdb", self.hosts, self.now)

    def pairs(self, rng, n):
        """Returns the wrong answers to n random host-diffs, against Python and against `pmapdb diff`."""
        wrong = []
        for _ in range(n):
            host = rng.choice(self.hosts)
            name = rng.choice(["", *host.beats[0]])
            older, newer = sorted(rng.sample(host.moments(name), 2))
            words = ["--from", queries.iso(older), "--to", queries.iso(newer)]
            got = queries.ask(self.pmapdb, self.url(), "pmapdb", ["host-diff", "--host", host.name, "--name", name, *words])
            wrong += queries.compare(f"host-diff {host.name} {name} {words}", got, host.diff(older, newer, name))
            if name:
                want = stores.run(self.pmapdb, "--db", host.paths[0], "diff", "-p", name, *words, "-f", "csv")
                want = {row["category"]: {k: v for k, v in row.items() if v and k[:3] != "pss"} for row in csv.DictReader(io.StringIO(want))}
                if want != {row["category"]: {k: str(v) for k, v in row.items()} for row in got}:
                    wrong.append(f"host-diff {host.name} {name} {words}: {got}, diff: {want}")
        return wrong


def check(pmapdb, folder, servers, n):
    """Returns the wrong answers after each event: pushes, servers down, servers up, ZooKeeper down."""
    rng = random.Random(n)
    for database in "pmapdb", "truth":
        queries.schema(pmapdb, servers, database, *(["--replicated"] if servers.replicas > 1 else []))
    hosts = queries.made(servers, "truth", 14)
    fleet = Fleet(pmapdb, folder / "hosts", servers)
    wrong = fleet.questions() + fleet.pairs(rng, n)
    wrong += queries.check(pmapdb, servers.urls[-1], "truth", hosts) + queries.hostile(pmapdb, servers, "truth")
    fleet.push_again()
    wrong += ["pushed again: " + w for w in fleet.questions() + fleet.pairs(rng, n // 4)]
    if servers.replicas == 1:
        return wrong
    servers.caught_up()
    for down in (1, 3), (0, 2):
        for i in down:
            servers.kill(i)
        fleet.server = 0 if 1 in down else 1
        wrong += [f"servers {down} down: " + w for w in fleet.pairs(rng, n // 4)]
        fleet.push_again(1)
        for i in down:
            servers.start(i)
        servers.caught_up()
    fleet.server = 2
    wrong += ["all up again: " + w for w in fleet.pairs(rng, n // 4)]
    servers.kill("zookeeper")
    time.sleep(0.1)
    wrong += ["ZooKeeper down: " + w for w in fleet.pairs(rng, n // 4)]
    return wrong


def main():
    pmapdb, n = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 8
    if clickhouse.missing():
        print("skipped:", clickhouse.missing())
        return 77
    replicas = 1 if clickhouse.missing(2) else 2
    with tempfile.TemporaryDirectory() as folder, \
            clickhouse.Cluster(pathlib.Path(folder) / "servers", 2, replicas) as servers:
        wrong = check(pmapdb, pathlib.Path(folder), servers, n)
    print("\n".join(wrong[:5]) or f"11 questions, {n} pairs, 2 shards x {replicas}" + (" (no ZooKeeper here)" if replicas == 1 else ""))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
