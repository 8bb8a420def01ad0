#!/usr/bin/env python3
"""Campaign: `pmapdb compare` on real programs: what must differ, and the same program twice.

    PMAPDB=build/release/pmapdb tests/bench/pairs.py [--runs 5] [--seconds 15] [--only redis,node] [--keep FOLDER]

Each side of a pair is run --runs times under `pmapdb run --every 500ms`, the sides in turns. Debian packages: redis-server nodejs postgresql libjemalloc2 gcc. Pairs whose program is not installed are left out.
"""
import argparse
import csv
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

NODE = """
const kept = [], leak = Number(process.argv[2]) * 1024 / 5;
setInterval(() => { let x = Buffer.alloc(1 << 20, 1); if (leak) kept.push(Buffer.alloc(leak, 1)); }, 200);
setTimeout(() => process.exit(), process.argv[3] * 1000);
"""
CHURN = r"""
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
/* Keeps 4,000 blocks of 16 bytes to 16 KiB, replaces 200 of them every 10 ms; KEEP: loses one in ten of the small ones. */
int main(int argc, char **argv)
{
    static char *block[4000];
    unsigned long long x = (unsigned long long)time(0) * 2654435761u + (unsigned)getpid();
    long ticks = atol(argc > 1 ? argv[1] : "10") * 100;
    while (ticks--) {
        for (int i = 0; i < 200; i++) {
            x ^= x << 13, x ^= x >> 7, x ^= x << 17;
            size_t n = 16 + (x >> 20) % 1024 * (x >> 50 & 15), at = x % 4000;
            if (!(KEEP && (x >> 33) % 10 == 0)) free(block[at]);
            block[at] = malloc(n);
            memset(block[at], 1, n);
        }
        usleep(10000);
    }
}
"""


def redis(place, seconds, keys):
    socket = place / "redis.sock"
    load = f"sleep 1; redis-benchmark -s {socket} -q -t set -r {keys} -n {3 * keys} -d 1000 -c 4 >/dev/null 2>&1"
    return [f"({load}; sleep {seconds - 3}; redis-cli -s {socket} shutdown nosave) & "
            f"exec redis-server --port 0 --unixsocket {socket} --save '' --loglevel warning >/dev/null"]


def node(place, seconds, kib):
    (place / "node.js").write_text(NODE)
    return [f"exec node {place}/node.js {kib} {seconds}"]


def churn(place, seconds, keep, preload=""):
    source, program = place / "churn.c", place / f"churn{keep}"
    source.write_text(CHURN)
    subprocess.run(["cc", "-O1", f"-DKEEP={keep}", "-o", program, source], check=True)
    return [f"LD_PRELOAD={preload} exec {program} {seconds}"]


def postgres(place, seconds, buffers):
    data = place / "data"
    if not data.exists():
        shutil.chown(place, "nobody", "nogroup") if not os.getuid() else None
        subprocess.run([*as_user(), f"{POSTGRES}/initdb", "-A", "trust", "-U", "postgres", "-D", data], check=True,
                       stdout=subprocess.DEVNULL)
    work = (f"create temp table t as select i, repeat('x', 500) from generate_series(1, 400000) i; "
            f"drop table if exists u; create table u as table t; select count(*) from u;")
    return [f"(sleep 2; psql -h {place} -U postgres -qc \"{work}\" >/dev/null; sleep {seconds - 4}; "
            f"kill $(head -1 {data}/postmaster.pid)) & "
            f"exec {' '.join(as_user())} {POSTGRES}/postgres -D {data} -k {place} -h '' "
            f"-c shared_buffers={buffers} -c autovacuum=off 2>/dev/null"]


def as_user():
    return ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"] if not os.getuid() else []


PAIRS = (  # name, needs, side A, side B, what B must be
    ("redis, same", "redis-server", lambda p, s: redis(p, s, 20000), lambda p, s: redis(p, s, 20000), "not worse"),
    ("redis, 5 % more keys", "redis-server", lambda p, s: redis(p, s, 20000), lambda p, s: redis(p, s, 21000), "worse"),
    ("node, same", "node", lambda p, s: node(p, s, 0), lambda p, s: node(p, s, 0), "not worse"),
    ("node, leak 1 KiB/s", "node", lambda p, s: node(p, s, 0), lambda p, s: node(p, s, 1), "any"),
    ("node, leak 10 KiB/s", "node", lambda p, s: node(p, s, 0), lambda p, s: node(p, s, 10), "any"),
    ("node, leak 100 KiB/s", "node", lambda p, s: node(p, s, 0), lambda p, s: node(p, s, 100), "worse"),
    ("C, same", "cc", lambda p, s: churn(p, s, 0), lambda p, s: churn(p, s, 0), "not worse"),
    ("C, loses blocks", "cc", lambda p, s: churn(p, s, 0), lambda p, s: churn(p, s, 1), "worse"),
    ("C, glibc and jemalloc", JEMALLOC, lambda p, s: churn(p, s, 0), lambda p, s: churn(p, s, 0, JEMALLOC), "differs"),
    ("PostgreSQL, 64 and 128 MiB", POSTGRES, lambda p, s: postgres(p, s, "64MB"), lambda p, s: postgres(p, s, "128MB"),
     "worse"),
)


def compare(store, a, b, warm_up):
    done = subprocess.run([PMAPDB, "--db", store, "compare", a, "--with", b, "-q", "-f", "csv", "--warm-up", warm_up], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT, check=False)
    return done.returncode, list(csv.DictReader(io.StringIO(done.stdout)))


def capture(place, options, a, b):
    store = str(place / "store.db")
    place.chmod(0o755)
    for _ in range(options.runs):
        for name, side in (("a", a), ("b", b)):
            subprocess.run([PMAPDB, "--db", store, "-q", "run", "--every", "500ms", "--name", name, "--", "sh", "-c",
                            *side(place, options.seconds)], env=ENVIRONMENT, check=False)
    return store


def describe(found):
    if not found:
        return "-"
    row = max(found, key=lambda r: abs(float(r["difference"])) if r["metric"] != "mappings" else 0)
    return f"{row['key']} {row['metric']} {float(row['a']):.0f} -> {float(row['b']):.0f}, p {float(row['p_adjusted']):.3f}"


def judge(name, must, store, seconds):
    code, rows = compare(store, "a", "b", f"{seconds // 4 + 1}s")
    found = [r for r in rows if r["outcome"] in ("worse", "better")]
    said = {0: "not worse", 1: "worse", 3: "cannot tell"}.get(code, f"exit {code}")
    right = must == "any" or said == must or (must == "differs" and found) or (must == "not worse" and said == "cannot tell")
    total = {r["metric"]: r for r in rows if r["key"] == "total"}
    print(f"{name:<28} {said:<12} {'' if right else 'WRONG':<6} total {total['level']['a']} -> {total['level']['b']} KiB; "
          f"{describe(found)}", flush=True)
    return right


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--runs", type=int, default=5)
    arguments.add_argument("--seconds", type=int, default=15)
    arguments.add_argument("--only", default="")
    arguments.add_argument("--keep")
    options = arguments.parse_args()
    wrong = 0
    for name, needs, a, b, must in PAIRS:
        if not needs or not shutil.which(needs) and not os.path.exists(needs):
            continue
        if options.only and not any(word in name for word in options.only.split(",")):
            continue
        with tempfile.TemporaryDirectory() as folder:
            place = pathlib.Path(folder)
            store = capture(place, options, a, b)
            wrong += not judge(name, must, store, options.seconds)
            if options.keep:
                shutil.copy(store, pathlib.Path(options.keep) / (name.replace(" ", "-").replace(",", "").replace("/", "-") + ".db"))
    sys.exit(wrong != 0)


if __name__ == "__main__":
    main()
