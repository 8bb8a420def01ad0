#!/usr/bin/env python3
"""Pairs of programs with one curve, of which one leaks and the other uses what it keeps: what `capture --touched`
and `leaks` say of them. Takes 1.5 minutes a pair.

    staleness.py PMAPDB [--window 10] [--windows 7] [--only WORD]
"""
import argparse
import csv
import io
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
SOURCES = HERE / "staleness"
JAVA = ["java", "-Xms64m", "-Xmx640m", "-Xlog:disable"]


class Program:
    """A program that grows by a step for each byte of its input."""

    def __init__(self, *words):
        self.run = subprocess.Popen([str(w) for w in words], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                    stderr=subprocess.DEVNULL, bufsize=0)
        self.pid = self.run.pid

    def step(self):
        self.run.stdin.write(b"+")
        self.run.stdout.read(1)

    def end(self):
        self.run.stdin.close()
        try:
            self.run.wait(10)
        except subprocess.TimeoutExpired:
            self.run.kill()
            self.run.wait()


class Redis:
    """redis: 1,000 keys of 1 KiB a step; read or never read again."""

    def __init__(self, mode, place):
        self.reads, self.n = mode == "cache", 0
        path = pathlib.Path(place) / ("redis-" + mode)
        self.run = subprocess.Popen(["redis-server", "--port", "0", "--unixsocket", str(path), "--save", "", "--appendonly", "no"],
                                    stdout=subprocess.DEVNULL)
        self.pid = self.run.pid
        self.socket = socket.socket(socket.AF_UNIX)
        while self.socket.connect_ex(str(path)):
            time.sleep(.05)

    def ask(self, text, answers):
        self.socket.sendall(text)
        got = b""
        while got.count(b"\n") < answers:
            got += self.socket.recv(1 << 20)

    def step(self):
        value = b"x" * 1000
        self.ask(b"".join(b"SET k%d %s\r\n" % (i, value) for i in range(self.n, self.n + 1000)), 1000)
        self.n += 1000
        for at in range(0, self.n if self.reads else 0, 1000):
            self.ask(b"".join(b"GET k%d\r\n" % i for i in range(at, at + 1000)), 2000)

    def end(self):
        self.run.terminate()
        self.run.wait()


class Postgres:
    """PostgreSQL: a table grows by 1 MiB a step in shared buffers of 256 MiB; read at every step, or never again."""

    def __init__(self, mode, place):
        self.reads = mode == "cache"
        bins = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"))
        data = pathlib.Path(place) / ("data-" + mode)
        user = ["setpriv", "--reuid", "postgres", "--regid", "postgres", "--clear-groups"] if os.getuid() == 0 else []
        os.chmod(place, 0o777)
        subprocess.run([*user, bins[-1] / "initdb", "-A", "trust", "-U", "postgres", data], check=True, stdout=subprocess.DEVNULL)
        self.server = subprocess.Popen([*user, bins[-1] / "postgres", "-D", data, "-k", place, "-h", "", "-p", "5499" if self.reads else "5498",
                                        "-c", "shared_buffers=256MB", "-c", "autovacuum=off", "-c", "fsync=off"],
                                       stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        words = ["psql", "-qAt", "-h", place, "-p", "5499" if self.reads else "5498", "-U", "postgres"]
        while subprocess.run([*words, "-c", "select 1"], capture_output=True, check=False).returncode:
            time.sleep(.2)
        self.psql = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.pid = int(self.ask("select pg_backend_pid();"))
        self.ask("create table t (a int, b text); create index on t (a); set synchronize_seqscans = off; select 1;")

    def ask(self, text):
        self.psql.stdin.write(text + "\n")
        self.psql.stdin.flush()
        return self.psql.stdout.readline()

    def step(self):
        self.ask("insert into t select i, repeat('x', 1000) from generate_series(1, 900) i; select 1;")
        if self.reads:
            self.ask("set enable_indexscan = off; select count(b) from t;")

    def end(self):
        self.psql.stdin.close()
        self.psql.wait()
        self.server.terminate()
        self.server.wait()


def pairs(place):
    """name -> what makes the leaking and the using one; None: it cannot be tried here."""
    def compiled(what, *words):
        done = shutil.which(words[0]) and subprocess.run([str(w) for w in words], check=False, capture_output=True).returncode == 0
        return place / what if done else None

    c = compiled("touched", "cc", "-O1", "-o", place / "touched", HERE.parent / "live" / "touched.c")
    cc = compiled("maps", "c++", "-O1", "-o", place / "maps", SOURCES / "maps.cc")
    go = compiled("heap", "go", "build", "-o", place / "heap", SOURCES / "heap.go")
    java = compiled("Heap.class", "javac", "-d", place, SOURCES / "Heap.java")

    def of(program, *words):
        return program and (lambda mode: Program(*words, mode))
    out = {"C": of(c, c), "C++ map": of(cc, cc), "Python": of(True, sys.executable, SOURCES / "heap.py"), "Go": of(go, go),
           "node": of(shutil.which("node"), "node", SOURCES / "heap.js")}
    for name in ("G1", "Parallel", "Z"):
        out["Java " + name] = of(java, *JAVA, "-XX:+Use%sGC" % name, "-cp", place, "Heap")
    out["redis"] = shutil.which("redis-server") and (lambda mode: Redis(mode, place))
    out["PostgreSQL"] = shutil.which("psql") and list(pathlib.Path("/usr/lib/postgresql").glob("*/bin")) and (
        lambda mode: Postgres(mode, place))
    out["sessions, LRU"] = cc and (lambda mode: Program(cc, "sessions" if mode == "leak" else "lru"))
    return out


def rows(program, *words):
    done = subprocess.run([program, *words, "-f", "csv"], capture_output=True, text=True, check=False, env=os.environ | {"PMAPDB_CONFIG": ""})
    return list(csv.DictReader(io.StringIO(done.stdout)))


def worst_of(found):
    """The row that tells most: what grew most."""
    found = [r for r in found if r["key"] != "total" and r["rate_per_h"]]
    return max(found, key=lambda r: (r["verdict"] in ("leak", "suspect"), float(r["rate_per_h"])), default=None)


def measure(args, name, make, place):
    db, lines = place / "s.db", []
    db.unlink(missing_ok=True)
    programs = {mode: make(mode) for mode in ("leak", "cache")}
    try:
        for program in programs.values():
            for _ in range(10):
                program.step()
        pids = [str(p.pid) for p in programs.values()]
        watch = subprocess.Popen([args.program, "--db", db, "capture", "-q", *pids, "--every", "1s", "--touched", "%ds" % args.window,
                                  "--count", str(args.window * args.windows + 2)])
        while watch.poll() is None:
            for program in programs.values():
                program.step()
            time.sleep(.4)
        for mode, program in programs.items():
            words = ["--db", str(db), "leaks", "--process", "%s/%d" % ("@1", 0), "--sensitivity", "high"]
            words[4] = next(("@%s" % r["process_id"] for r in rows(args.program, "--db", str(db), "processes") if r["pid"] == str(program.pid)), "?")
            found = rows(args.program, *words)
            row = worst_of(found)
            without = judge_without(args, db, place, words)
            touched = max(rows(args.program, "--db", str(db), "touched", "--process", words[4]), key=lambda r: int(r["grown_kib"] or 0), default=None)
            lines.append([name, mode, touched["category"] if touched else "", mib(touched, "grown_kib"), mib(touched, "untouched_grown_kib"),
                          without["verdict"] if without else "?", row["verdict"] if row else "?",
                          row["confidence"][:5] if row else "", row["reason"][:60] if row else "", row["touched"] if row else ""])
    finally:
        for program in programs.values():
            program.end()
    return lines


def judge_without(args, db, place, words):
    """The verdict on the same captures, as if nothing were known of what was touched."""
    copy = place / "without.db"
    copy.unlink(missing_ok=True)
    subprocess.run(["sqlite3", db, "VACUUM INTO '%s'" % copy], check=True)
    subprocess.run(["sqlite3", copy, "DELETE FROM clearing"], check=True)
    return worst_of(rows(args.program, *[str(copy) if w == str(db) else w for w in words]))


def mib(row, column):
    return "%.0f" % (int(row[column]) / 1024) if row and row[column] else "?"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--window", type=int, default=10, help="seconds")
    parser.add_argument("--windows", type=int, default=7)
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    args.program = os.path.abspath(args.program)
    with tempfile.TemporaryDirectory() as place:
        place = pathlib.Path(place)
        print("| pair | program | key | grew MiB | untouched growth | verdict without | with | confidence | reason | touched |")
        print("| --- | --- | --- | ---: | ---: | --- | --- | ---: | --- | --- |", flush=True)
        for name, make in pairs(place).items():
            if args.only and args.only not in name:
                continue
            if not make:
                print("| %s | cannot be tried here |" % name)
                continue
            for line in measure(args, name, make, place):
                print("| %s |" % " | ".join(line), flush=True)


if __name__ == "__main__":
    main()
