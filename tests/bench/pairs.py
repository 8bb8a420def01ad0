#!/usr/bin/env python3
"""Campaign: `pmapdb compare` on real programs: pairs that must differ, and the same program twice.

    PMAPDB=build/release/pmapdb tests/bench/pairs.py --keep FOLDER [--runs 5] [--seconds 120] [--only redis,node]
    PMAPDB=build/release/pmapdb tests/bench/pairs.py --keep FOLDER --judge

The sides of a group run at the same time, --runs times, each under `pmapdb run` with its own store,
FOLDER/GROUP-SIDE.db. --judge only compares the stores in FOLDER, whole and shortened; the table shows the fewest
runs and minutes that give the right answer. Debian packages: redis-server nodejs postgresql libjemalloc2 gcc.
A group whose program is not installed is left out. Active defragmentation needs a redis with its own jemalloc:
REDIS_SERVER=/path/of/redis-server (Debian's package uses another one).
"""
import argparse
import csv
import datetime
import glob
import io
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

PMAPDB = os.path.abspath(os.environ.get("PMAPDB", "pmapdb"))
ENVIRONMENT = {k: v for k, v in os.environ.items() if k != "PMAPDB"} | {"LC_ALL": "C.UTF-8", "TZ": "UTC"}
JEMALLOC = next(iter(glob.glob("/usr/lib/*/libjemalloc.so.2")), "")
POSTGRES = next(iter(sorted(glob.glob("/usr/lib/postgresql/*/bin"), reverse=True)), "")
REDIS = os.environ.get("REDIS_SERVER") or shutil.which("redis-server") or ""

# Every 200 ms: 1 MiB of garbage, and 20 blocks of 1 KiB, of which argv[2] KiB a second are kept.
NODE = """
const kept = []; let made = 0;
setInterval(() => {
  Buffer.alloc(1 << 20, 1);
  for (let i = 0; i < 20; i++) { const b = Buffer.alloc(1024, 1); if (made++ % 100 < process.argv[2]) kept.push(b); }
}, 200);
setTimeout(() => process.exit(), process.argv[3] * 1000);
"""
# Keeps 4,000 blocks of 16 bytes to 16 KiB and replaces 50 of them every 10 ms. The build with LEAK loses 1 KiB
# every 100 ms.
CHURN = r"""
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    static char *block[4000];
    unsigned long long x = (unsigned long long)time(0) * 2654435761u + (unsigned)getpid();
    long ticks = atol(argc > 1 ? argv[1] : "10") * 100;
    while (ticks--) {
        for (int i = 0; i < 50; i++) {
            x ^= x << 13, x ^= x >> 7, x ^= x << 17;
            size_t n = 16 + (x >> 20) % 1024 * (x >> 50 & 15), at = x % 4000;
            free(block[at]);
            block[at] = malloc(n);
            memset(block[at], 1, n);
        }
        if (LEAK && ticks % 10 == 0)
            memset(malloc(1024), 1, 1024);
        usleep(10000);
    }
}
"""


def redis(place, seconds, keys, *options):
    """Fills redis with keys; with options, then deletes three of four keys, so that memory is fragmented."""
    socket = place / "redis.sock"
    cli = f"redis-cli -s {socket}"
    load = f"sleep 1; redis-benchmark -s {socket} -q -t set -r {keys} -n {3 * keys} -d 1000 -c 4 >/dev/null 2>&1"
    if options:
        load += (f"; {cli} eval \"local n = 0 for _, k in ipairs(redis.call('keys', '*')) do n = n + 1 "
                 f"if n % 4 > 0 then redis.call('del', k) end end\" 0 >/dev/null")
    return [f"({load}; sleep {seconds - 5}; {cli} shutdown nosave) & exec {REDIS} --port 0 --unixsocket {socket} "
            f"--save '' --loglevel warning {' '.join(options)} >/dev/null"]


def defrag(place, seconds, wanted):
    return redis(place, seconds, 40000, "--activedefrag", wanted, "--active-defrag-ignore-bytes", "1mb")


def node(place, seconds, kib):
    (place / "node.js").write_text(NODE)
    return [f"exec node {place}/node.js {kib} {seconds}"]


def churn(place, seconds, leak, preload=""):
    source, program = place / "churn.c", place / f"churn{leak}"
    source.write_text(CHURN)
    subprocess.run(["cc", "-O1", f"-DLEAK={leak}", "-o", program, source], check=True)
    return [f"LD_PRELOAD={preload} exec {program} {seconds}"]


def postgres(place, seconds, buffers):
    data = place / "data"
    if not data.exists():
        shutil.chown(place, "nobody", "nogroup") if not os.getuid() else None
        subprocess.run([*as_user(), f"{POSTGRES}/initdb", "-A", "trust", "-U", "postgres", "-D", data], check=True,
                       stdout=subprocess.DEVNULL)
    work = ("create temp table t as select i, repeat('x', 500) from generate_series(1, 400000) i; "
            "drop table if exists u; create table u as table t; select count(*) from u;")
    return [f"(sleep 2; psql -h {place} -U postgres -qc \"{work}\" >/dev/null 2>&1; sleep {seconds - 6}; "
            f"kill $(head -1 {data}/postmaster.pid)) & "
            f"exec {' '.join(as_user())} {POSTGRES}/postgres -D {data} -k {place} -h '' "
            f"-c shared_buffers={buffers} -c autovacuum=off 2>/dev/null"]


def as_user():
    return ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"] if not os.getuid() else []


GROUPS = {  # name: (program, function that makes the command of a side, its arguments for each side)
    "redis": (REDIS, redis, {"20,000 keys": (20000,), "again": (20000,), "21,000 keys": (21000,)}),
    "defrag": (os.environ.get("REDIS_SERVER"), defrag, {"without": ("no",), "with": ("yes",)}),
    "node": (shutil.which("node"), node, {"no leak": (0,), "1 KiB/s": (1,), "10 KiB/s": (10,), "100 KiB/s": (100,)}),
    "twice": (shutil.which("node"), node, {"node": (0,), "again": (0,)}),
    "C": (shutil.which("cc"), churn, {"glibc": (0,), "again": (0,), "leaks 10 KiB/s": (1,)}),
    "malloc": (JEMALLOC, churn, {"glibc": (0,), "jemalloc": (0, JEMALLOC)}),
    "PostgreSQL": (POSTGRES, postgres, {"64MB": ("64MB",), "128MB": ("128MB",)}),
}
MUST = {("redis", "again"): "not found", ("twice", "again"): "not found", ("C", "again"): "not found",
        ("defrag", "with"): "better"}


def capture(group, options):
    _, make, sides = GROUPS[group]
    with tempfile.TemporaryDirectory() as folder:
        for number in range(options.runs):
            running = []
            for side, arguments in sides.items():
                place = pathlib.Path(folder) / str(list(sides).index(side))
                place.mkdir(mode=0o755, exist_ok=True)
                pathlib.Path(folder).chmod(0o755)
                running.append(subprocess.Popen(
                    [PMAPDB, "--db", store_of(options.keep, group, side), "-q", "run", "--every", options.every, "--name",
                     group, "--", "sh", "-c", *make(place, options.seconds, *arguments)], env=ENVIRONMENT))
            for one in running:
                one.wait()
            print(f"{group}: {number + 1} of {options.runs} runs", file=sys.stderr, flush=True)


def store_of(folder, group, side):
    return str(pathlib.Path(folder) / f"{group}-{list(GROUPS[group][2]).index(side)}.db")


# ---- the table ----

def pmapdb(*words):
    done = subprocess.run([PMAPDB, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT,
                          check=False)
    return done.returncode, done.stdout, done.stderr


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


def shortened(options, group, side, minutes, place):
    """A file of baseline: the first minutes of each run."""
    store, out = store_of(options.keep, group, side), str(place / f"{list(GROUPS[group][2]).index(side)}.csv")
    begun = sorted({r["run"] for r in rows(pmapdb("--db", store, "baseline", group, "-f", "csv")[1])})
    spans = []
    for one, after in zip(begun, begun[1:] + ["2999-01-01T00:00:00Z"]):
        first, then = (datetime.datetime.fromisoformat(t.replace("Z", "+00:00")) for t in (one, after))
        last = min(first + datetime.timedelta(minutes=minutes), then - datetime.timedelta(seconds=1))
        spans.append(f"{group}@{one}..{last.strftime('%Y-%m-%dT%H:%M:%SZ')}")
    pmapdb("--db", store, "baseline", *spans, "--warm-up", f"{round(minutes * 30)}s", "-o", out)
    return out, len(begun)


def judged(a, b, gate):
    code, out, err = pmapdb("compare", a, "--with", b, "-f", "csv", "-q", *(["--fail-on", gate] if gate else []))
    if code == 2:
        return code, [], err
    return code, rows(out), err


def found(group, side, table):
    """What must be found: the outcome of any number but that of the mappings; for the same program, there is none."""
    must = MUST.get((group, side), "worse")
    outcomes = {r["outcome"] for r in table if r["metric"] != "mappings"}
    return not outcomes & {"worse", "better"} if must == "not found" else must in outcomes


def judge_pair(group, options, a, b, place):
    full = None
    least = "-"
    for minutes in (1, 2, 4, 8, 14):
        if minutes > options.minutes:
            break
        file_a, n = shortened(options, group, a, minutes, place)
        file_b, _ = shortened(options, group, b, minutes, place)
        _, table, err = judged(file_a, file_b, None)
        if not table: # the runs were shorter
            print(err, file=sys.stderr)
            break
        full = minutes, table, judged(file_a, file_b, "growth:256K/h")[0]
        right = found(group, b, table) or (full[2] == 1 and (group, b) not in MUST)
        least = (f"{n} of {minutes} min" if least == "-" else least) if right else "-"
    if not full:
        return True
    minutes, table, code = full
    total = {r["metric"]: r for r in table if r["key"] == "total"}
    different = [f"{r['key']} {r['metric']} {r['outcome']}" for r in table
                 if r["outcome"] in ("worse", "better") and r["metric"] != "mappings"]
    same = MUST.get((group, b)) == "not found"
    gate = {0: "same or better", 1: "worse", 3: "cannot tell"}[code]
    print(f"| {group}: {a} / {b} | {n} x {minutes} min | {', '.join(different[:2]) or 'no difference'} | "
          f"{int(total['level']['a']):,} -> {int(total['level']['b']):,} | "
          f"{int(total['growth']['a']):,} -> {int(total['growth']['b']):,} | {total['growth']['p']} | {gate} | "
          f"{'' if same else least} |", flush=True)
    return least != "-"


def judge(options):
    print("| A / B | runs | differs | level, KiB | growth, KiB/h | p | `growth:256K/h` | found with |")
    wrong = 0
    for group, (_, _, sides) in GROUPS.items():
        names = list(sides)
        if options.only and group not in options.only.split(",") or not os.path.exists(store_of(options.keep, group, names[0])):
            continue
        for name in names[1:]:
            with tempfile.TemporaryDirectory() as folder:
                wrong += not judge_pair(group, options, names[0], name, pathlib.Path(folder))
    return wrong


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--runs", type=int, default=5)
    arguments.add_argument("--seconds", type=int, default=120)
    arguments.add_argument("--every", default="1s")
    arguments.add_argument("--minutes", type=int, default=14)
    arguments.add_argument("--only", default="")
    arguments.add_argument("--keep", required=True)
    arguments.add_argument("--judge", action="store_true")
    options = arguments.parse_args()
    for group, (needs, _, _) in GROUPS.items():
        if needs and not options.judge and (not options.only or group in options.only.split(",")):
            capture(group, options)
    sys.exit(judge(options) != 0)


main()
