#!/usr/bin/env python3
"""Campaign: `capture --touched` and `leaks` on pairs of programs with the same curve, of which one leaks and the
other uses its memory. All programs run at the same time.

    staleness.py PMAPDB [--window 10] [--windows 7] [--step .5] [--only WORD] [--keep DIR]
"""
import argparse
import csv
import io
import json
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
    """redis: adds 1,000 keys of 1 KiB in each step; reads them at every step, or never."""

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
        if self.reads:
            self.ask(b"EVAL 'for i = 0, %d do redis.call(\"strlen\", \"k\" .. i) end' 0\r\n" % (self.n - 1), 1)

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
    """Returns name -> function that starts the program of a mode; None: the program cannot run here."""
    def compiled(what, *words):
        done = shutil.which(words[0]) and subprocess.run([str(w) for w in words], check=False, capture_output=True).returncode == 0
        return place / what if done else None

    c = compiled("touched", "cc", "-O1", "-o", place / "touched", HERE.parent / "live" / "touched.c")
    cc = compiled("maps", "c++", "-O1", "-o", place / "maps", SOURCES / "maps.cc")
    go = compiled("heap", "go", "build", "-o", place / "heap", SOURCES / "heap.go")
    java = compiled("Heap.class", "javac", "-d", place, SOURCES / "Heap.java")

    def of(program, *words):
        return program and (lambda mode: Program(*words, mode))
    out = {"C": of(c, c), "C++ map": of(cc, cc), "Python": of(True, sys.executable, SOURCES / "heap.py"), "Go": of(go, go), "Go, pointers": of(go, go, "pointers"),
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


def capture(args, place):
    """Runs all programs at once, and captures them into one store. Returns [(name, mode, pid)]."""
    made = []
    for name, make in pairs(place).items():
        if args.only in name and not make:
            print("%s: cannot run here" % name, file=sys.stderr)
        elif args.only in name:
            made.extend((name, mode, make(mode)) for mode in ("leak", "cache"))
    try:
        for _ in range(10):
            for _, _, program in made:
                program.step()
        watch = subprocess.Popen([args.program, "--db", args.keep / "pairs.db", "capture", *[str(p.pid) for _, _, p in made],
                                  "--every", "%gs" % (args.window / 10), "--touched", "%gs" % args.window, "--max-stall", args.max_stall,
                                  "--count", str(args.windows * 10 + 2)],
                                 stdout=subprocess.DEVNULL, stderr=open(args.keep / "said", "w", encoding="utf-8"))
        while watch.poll() is None:
            began = time.monotonic()
            for _, _, program in made:
                program.step()
            time.sleep(max(.1, began + args.step - time.monotonic()))
        return [(name, mode, program.pid) for name, mode, program in made]
    finally:
        for _, _, program in made:
            program.end()


def judge(args, programs):
    """Prints the answers of `touched` and `leaks` for each program, and that of `leaks` without touched windows."""
    db, without = args.keep / "pairs.db", args.keep / "without.db"
    without.unlink(missing_ok=True)
    subprocess.run(["sqlite3", db, "VACUUM INTO '%s'" % without], check=True)
    subprocess.run(["sqlite3", without, "DELETE FROM clearing"], check=True)
    ids = {int(r["pid"]): "@" + r["process_id"] for r in rows(args.program, "--db", db, "processes")}
    print("| pair | program | key | grew MiB | untouched growth | verdict without | with | confidence | reason | touched |")
    print("| --- | --- | --- | ---: | ---: | --- | --- | ---: | --- | --- |")
    for name, mode, pid in programs:
        touched = max(rows(args.program, "--db", db, "touched", "--process", ids[pid]), key=lambda r: int(r["grown_kib"] or 0), default=None)
        key = touched["category"] if touched else ""
        found = [next((r for r in rows(args.program, "--db", d, "leaks", "--process", ids[pid], "--sensitivity", "high") if r["key"] == key),
                      {"verdict": "?", "confidence": "", "reason": "", "touched": ""}) for d in (db, without)]
        print("| %s |" % " | ".join([name, mode, key, mib(touched, "grown_kib"), mib(touched, "untouched_grown_kib"), found[1]["verdict"],
                                     found[0]["verdict"], found[0]["confidence"][:5], found[0]["reason"][:60], found[0]["touched"]]), flush=True)


def mib(row, column):
    return "%.0f" % (int(row[column]) / 1024) if row and row[column] else "?"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--window", type=float, default=10, help="seconds")
    parser.add_argument("--windows", type=int, default=7)
    parser.add_argument("--step", type=float, default=.5, help="seconds from one step of the programs to the next")
    parser.add_argument("--max-stall", default="50ms", help="of capture; use more on a busy machine")
    parser.add_argument("--only", default="")
    parser.add_argument("--keep", type=pathlib.Path, help="folder for the store; judges an existing store again")
    args = parser.parse_args()
    args.program = os.path.abspath(args.program)
    with tempfile.TemporaryDirectory() as place:
        args.keep = args.keep or pathlib.Path(place)
        args.keep.mkdir(exist_ok=True)
        notes = args.keep / "programs.json"
        if not notes.exists():
            notes.write_text(json.dumps(capture(args, pathlib.Path(place))), encoding="ascii")
        judge(args, json.loads(notes.read_text(encoding="ascii")))


if __name__ == "__main__":
    main()
