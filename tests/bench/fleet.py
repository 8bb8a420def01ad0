"""Benchmark: the cost of a fleet in ClickHouse: bytes per host and day on the wire and on disk, load, CPU of questions.

    python3 tests/bench/fleet.py PMAPDB [HOSTS]        (1000; two servers on loopback, some minutes of CPU)

Simulates one day of one host (300 processes: 11 change every minute, 60 every ten minutes, 229 every six
hours; a short-lived process begins every two minutes), and sends it in a request for each 15 minutes. The
servers then copy the day to the other hosts, with other sizes and times. CPU is the CPU time of the servers,
from /proc; elapsed times depend on other work and are not shown.
"""
import gzip
import os
import pathlib
import random
import sqlite3
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "samples/fleet"), str(ROOT / "tests/fleet")]
import clickhouse  # noqa: E402  pylint: disable=wrong-import-position
import queries  # noqa: E402  pylint: disable=wrong-import-position

DAY0 = 1772668800000  # 2026-03-05T00:00:00Z
MINUTE, HOUR = 60000, 3600000
CATEGORIES = ["heap", "stack", "anonymous", "anonymous/glibc-arena", "anonymous/thread-stack", "program", "shared-library",
              "mapped-file", "reserve/guard", "kernel"]
WORKLOADS = ["redis", "nginx", "memcached", "java_heap", "java_steady", "node_steady", "c_brk", "c_saw", "c_plateau", "py_mmap"]
NAMES = [f"service-{i}" for i in range(19)]
TABLES = ["points", "hourly", "totals", "spans", "objects"]
REFERENCE = {"points wire KB": 484, "points disk KB": 354, "hourly wire KB": 75, "hourly disk KB": 55, "load CPU s": 42,
             "leaks-by-build": 3.0, "growth-by-role": 0.74, "top-objects": 5.4, "near-limit": 3.1, "forecast": 0.73,
             "changed-since": 0.11, "host-diff": 0.12}  # questions: at 10,000 hosts


def tapes(pmapdb, folder):
    """Returns the categories of real processes, sample by sample: [[{category: numbers}]]."""
    shared = pathlib.Path(os.environ.get("PMAPDB_SHARED", ROOT / "../shared")) / "workloads"
    files = [shared / (name + ".tar.zst") for name in WORKLOADS]
    if not files[0].exists():
        sys.exit(f"no {files[0]}: set PMAPDB_SHARED")
    subprocess.run([pmapdb, "--db", folder / "tapes.db", "-q", "import", "--time-from", "name", *files], check=True)
    found = {}
    with sqlite3.connect(folder / "tapes.db") as db:
        for process, snapshot, category, *numbers in db.execute(
                f"SELECT c.process_id, c.snapshot_id, c.category, {', '.join('c.' + n for n in queries.NUMBERS)} FROM categories c "
                "JOIN snapshots s USING (snapshot_id) WHERE s.preferred = 1 ORDER BY 1, c.taken_ms, 3"):
            numbers[3] = None  # Pss is not pushed
            found.setdefault(process, {}).setdefault(snapshot, {})[category] = numbers
    return [list(of.values()) for of in found.values()]


def one_day(rng, played):
    """Returns the rows of one host whose processes replay the tapes: {table: {quarter of an hour: [row]}}."""
    rows = {table: {} for table in TABLES}

    def put(table, at, row):
        rows[table].setdefault((at - DAY0) // (15 * MINUTE), []).append(row)

    def process(number, first, until, every):
        name, key, tape, shown = NAMES[number % len(NAMES)], rng.getrandbits(62), played[number % len(played)], {}
        put("spans", first, [1, key, "s", name, number, "b", name, "/usr/bin/" + name, "root", "/system.slice/" + name,
                             2000000 if number % 3 else None, "smaps", "complete", first, until, 9, 1])
        start = rng.randrange(len(tape))
        for i, at in enumerate(range(first, DAY0 + 24 * HOUR if until is None else until, every), start):
            more = [0] + [i // len(tape) * 4 * (start % 97)] * 6  # each repetition of a tape holds more memory
            now = {c: [n and n + m for n, m in zip(numbers, more)] for c, numbers in tape[i % len(tape)].items()}
            for category in sorted(shown.keys() | now):
                if shown.get(category) != now.get(category):
                    put("points", at, [1, name, key, 1, category, at, *now.get(category, [0] * 7)])
            shown = now

    for key in range(300):
        process(key, DAY0, None, MINUTE if key < 11 else 10 * MINUTE if key < 71 else 6 * HOUR)
    for key in range(720):
        process(1000 + key, DAY0 + key * 2 * MINUTE, DAY0 + key * 2 * MINUTE + 90000, HOUR)
    for hour in range(24):
        at = DAY0 + hour * HOUR + 59 * MINUTE
        for name in NAMES:
            parts = []
            for category in CATEGORIES:
                rss = rng.randrange(1000, 900000)
                parts.append([40, rss * 2, rss, rss - 3, rss - 4, rss - 5, 0])
                put("hourly", at, [1, name, category, (DAY0 + hour * HOUR) // 1000, 1, at, 15, *parts[-1], 1])
            put("totals", at, [1, name, (DAY0 + hour * HOUR) // 1000, at, 15, 2000000, *map(sum, zip(*parts)), 1])
        for i in range(60):
            rss = rng.randrange(1000, 90000)
            put("objects", at, [1, NAMES[i % 19], f"/var/lib/file-{i}", "mapped-file", (DAY0 + hour * HOUR) // 1000, 1, at, 1,
                                rss * 2, rss, None, rss, rss, 0, 1])
    return rows


class Cpu:
    """The CPU seconds of the servers since the last reading."""

    def __init__(self, fleet):
        self.pids, self.seen = [p.pid for p in fleet.process.values()], 0.0
        self.since()

    def since(self):
        ticks = 0
        for pid in self.pids:
            fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
            ticks += int(fields[11]) + int(fields[12])
        before, self.seen = self.seen, ticks / os.sysconf("SC_CLK_TCK")
        return self.seen - before


def show(what, value, reference=None):
    said = f"   reference {reference}" if reference is not None else ""
    print(f"{what:<34} {value:>10}{said}", flush=True)


def send_one(fleet, played):
    """Sends the day of host 1: a request for each table and quarter of an hour."""
    for table, quarters in one_day(random.Random(1), played).items():
        columns, wire, n = ", ".join(queries.COLUMNS[table].split()), 0, 0
        for part in quarters.values():
            text = "\n".join("\t".join(map(queries.field, row)) for row in part).encode()
            wire += len(gzip.compress(text, 6))
            n += len(part)
            fleet.ask(f"INSERT INTO {table} ({columns}) FORMAT TabSeparated", database="pmapdb", data=text,
                      insert_distributed_sync=1)
        show(f"{table}: rows a host and day", n)
        show(f"{table}: wire, gzip, KB", round(wire / 1000), REFERENCE.get(table + " wire KB"))


def copy(fleet, hosts):
    """Gives the other hosts the same day, a minute or two later and with other sizes."""
    for first in range(2, hosts + 1, 50):
        others = f"arrayMap(i -> i + {first}, range({min(50, hosts + 1 - first)}))"
        for table in TABLES:
            names = queries.COLUMNS[table].split()
            made = [{"host_id": "toUInt64(h * 7919)", "at_ms": "at_ms + h % 60 * 1000", "first_ms": "first_ms + h % 60 * 1000",
                     "rss_kib": "rss_kib + h * 3"}.get(n, n) for n in names]
            fleet.ask(f"INSERT INTO {table} ({', '.join(names)}) SELECT {', '.join(made)} FROM (SELECT *, arrayJoin({others}) "
                      f"AS h FROM {table} WHERE host_id = 1)", database="pmapdb", insert_distributed_sync=1, max_block_size=200000)
    host = "concat('host-', toString(intDiv(x, 7919)))"
    fleet.ask(f"INSERT INTO marks SELECT x, {host}, 's', 1, {DAY0 + 24 * HOUR}, {DAY0 + 24 * HOUR}, 1, 1 FROM "
              f"(SELECT arrayJoin(groupArray(n)) AS x FROM (SELECT toUInt64(number * 7919) AS n FROM system.numbers LIMIT 1, {hosts}))",
              database="pmapdb", insert_distributed_sync=1)
    fleet.ask(f"INSERT INTO hosts SELECT x, {host}, {DAY0} + t, ['role', 'build'], [if(x % 3 = 0, 'web', 'db'), if(t = 0, '1', '2')], 1, 1 "
              f"FROM (SELECT toUInt64(number * 7919) AS x, arrayJoin([0, {9 * HOUR}]) AS t FROM system.numbers LIMIT 2, {2 * hosts})",
              database="pmapdb", insert_distributed_sync=1)
    # a hundred verdicts for each host
    fleet.ask("INSERT INTO verdicts (host_id, name, category, metric, process_key, gen, day, judged_ms, verdict, rate_per_h, eta_h, "
              "processes, build, seq) SELECT toUInt64(intDiv(number, 100) * 7919 + 7919), concat('service-', toString(number % 19)), "
              f"if(number % 2, 'heap', 'anonymous'), 'rss', number % 100, 1, toDate('2026-03-05'), {DAY0}, "
              "if(number % 33 = 0, 'leak', 'steady'), number % 5000, number % 90, 1, '2', 1 FROM system.numbers "
              f"LIMIT {100 * hosts}", database="pmapdb", insert_distributed_sync=1)


def questions(pmapdb, fleet, cpu):
    at, day = queries.iso(DAY0 + 24 * HOUR - MINUTE), queries.iso(DAY0)
    print(f"\n{'CPU s of a question':<34} {'':>10}   reference at 10,000 hosts, a prototype")
    for name, *words in (("hosts", "--at", at), ("leaks-by-build", "--at", at),
                         ("growth-by-role", "--from", day, "--to", at, "--step", "4h", "--category", "heap"),
                         ("growth-by-role", "--from", day, "--to", at, "--step", "4h"),
                         ("top-objects", "--to", at, "--from", day), ("near-limit", "--at", at, "--within", "2d"),
                         ("forecast", "--name", "service-3", "--to", at, "--from", day),
                         ("changed-since", "--name", "service-3", "--to", at, "--since", queries.iso(DAY0 + HOUR)),
                         ("worst-hosts", "--name", "service-3", "--at", at), ("outliers", "--at", at), ("silent-hosts", "--at", at),
                         ("host-diff", "--host", "host-17", "--from", queries.iso(DAY0 + 8 * HOUR), "--to", at)):
        def ask(words=(name, *words)):
            return len(queries.ask(pmapdb, fleet.urls[0], "pmapdb", words))
        rows, what = ask(), name + " --category" * ("--category" in words)
        cpu.since()
        for _ in range(5):
            ask()
        show(f"{what}, {rows} rows", round(cpu.since() / 5, 3), REFERENCE.get(name))


def main():
    pmapdb, hosts = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    if clickhouse.missing():
        sys.exit("no " + clickhouse.missing())
    with tempfile.TemporaryDirectory() as folder, clickhouse.Cluster(pathlib.Path(folder) / "servers", 2) as fleet:
        queries.schema(pmapdb, fleet, "pmapdb")
        send_one(fleet, tapes(pmapdb, pathlib.Path(folder)))
        cpu = Cpu(fleet)
        copy(fleet, hosts)
        show("load of the other hosts, CPU s", round(cpu.since(), 1), f"{REFERENCE['load CPU s']} at 1,000")
        for i in range(2):
            for table in TABLES:
                fleet.ask(f"OPTIMIZE TABLE {table}_local FINAL", i, "pmapdb")
        for table in TABLES:
            kept = [fleet.ask(f"SELECT sum(bytes), sum(rows) FROM system.parts WHERE active AND table = '{table}_local'", i)[0]
                    for i in range(2)]
            show(f"{table}: rows", sum(int(k[1]) for k in kept))
            show(f"{table}: disk a host and day, KB", round(sum(int(k[0]) for k in kept) / hosts / 1000),
                 REFERENCE.get(table + " disk KB"))
        questions(pmapdb, fleet, cpu)


main()
