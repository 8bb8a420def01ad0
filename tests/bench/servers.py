#!/usr/bin/env python3
"""Campaign: verdicts of `leaks` on real servers under load, beside the servers' own statistics.

    PMAPDB=build/release/pmapdb tests/bench/servers.py [--seconds 1200] [--touched 1m] [--only redis,go] [--keep FOLDER]

Starts every installed server of SERVERS as an ordinary user (nobody if root runs this), in a temporary
folder and at free ports. A client loads each server for 5 % of the time, and one `capture --every 10s`
(--every) captures all of them. Some servers get no more load after a part of the time: their memory must
not change. Every 30 s the resident memory of every process (VmRSS) and the server's own statistics are
written to stats.csv. Every minute, as an operator may ask at any time, the answer of `leaks` is written to
leaks-SECONDS.csv. Two programs leak on purpose. The table at the end has a line for each server. FALSE: a
server that is called a leak at the end, or was called one when the process had not grown by more than 1 %
for a quarter of its time. MISSED: a program that leaks and is not called a leak at the end. In both cases
the exit status is 1. --seconds 120, the default, only checks that the campaign works; verdicts need 1200.
All started processes are ended.

Debian packages: redis-server nginx-light mariadb-server memcached postgresql chromium nodejs
default-jdk-headless golang-go gcc.
"""
import argparse
import collections
import csv
import ctypes
import glob
import http.server
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

from responses import free_port, ordinary

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = HERE / "servers"
PMAPDB = os.path.abspath(os.environ.get("PMAPDB", "pmapdb"))
WORK_SHARE = 0.05  # share of the time in which a client sends load
PR_SET_CHILD_SUBREAPER = 36
ENVIRONMENT = {k: v for k, v in os.environ.items() if k != "PMAPDB"} | {"LC_ALL": "C.UTF-8", "TZ": "UTC"}
options = None
place = None


def start(name, *command, **more):
    log = open(place / (name + ".log"), "ab")
    more = {"stdin": subprocess.DEVNULL, "stdout": log, "cwd": place} | more
    return subprocess.Popen(ordinary(*command), stderr=log, env=ENVIRONMENT | {"HOME": str(place)}, **more)


def once(name, *command):
    if start(name, *command).wait():
        raise OSError("%s: see %s.log" % (" ".join(map(str, command))[:60], name))


def patient(action, seconds=60):
    """Repeats an action until a server that was just started answers."""
    end = time.monotonic() + seconds
    while True:
        try:
            return action()
        except (OSError, ValueError, LookupError):
            if time.monotonic() > end:
                raise
            time.sleep(0.2)


def said_by(port, text):
    """Sends text over a new connection, and returns the answer."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as s:
        s.sendall(text)
        return s.makefile("rb").read().decode(errors="replace")


class Server:
    """command() starts the server at self.port. step(part) sends one piece of load at part 0 to 1 of the time, and
    returns true if no load is left. stats() returns the server's statistics: used and held in bytes, and more."""
    name, leaks, needs, process = "clients", False, (), None

    def start(self):
        self.port = free_port()
        self.process = start(self.name, *self.command())
        patient(self.stats)

    def step(self, part):
        return True

    def stats(self):
        return {}


class Redis(Server):
    """Fills to its limit in the first half, then idles."""
    name, needs, full_at = "redis", ("redis-server",), 0.5
    limit_mib, value, keys = 200, b"x" * 1000, 0

    def command(self):
        return ["redis-server", "--port", self.port, "--bind", "127.0.0.1", "--save", "", "--maxmemory",
                "%dmb" % self.limit_mib, "--maxmemory-policy", "noeviction", "--dir", place]

    def step(self, part):
        want = int(part / self.full_at * self.limit_mib * 1024)
        n = min(200, want - self.keys)
        if n > 0:
            sets = b"".join(b"SET key:%d %s\r\n" % (self.keys + i, self.value) for i in range(n))
            self.keys += n
            return "-OOM" in said_by(self.port, sets + b"QUIT\r\n")
        return part > self.full_at + 0.1

    def stats(self):
        text = said_by(self.port, b"INFO memory\r\nQUIT\r\n")
        said = dict(line.split(":", 1) for line in text.splitlines() if ":" in line)
        return {"used": int(said["used_memory"]), "held": int(said["used_memory_rss"]), "keys": self.keys}


class Memcached(Server):
    """Fills to its limit, then replaces items."""
    name, needs, limit_mib, keys = "memcached", ("memcached",), 64, 0

    def command(self):
        return ["memcached", "-l", "127.0.0.1", "-p", self.port, "-m", self.limit_mib, "-t", "2"]

    def step(self, part):
        self.keys += 1
        value = b"x" * (self.keys * 7919 % 4000 + 10)
        batch = b"".join(b"set k%d 0 0 1000 noreply\r\n%s\r\n" % (self.keys * 40 + i, b"y" * 1000) for i in range(40))
        said_by(self.port, batch + b"set key%d 0 0 %d\r\n%s\r\nget key%d\r\nquit\r\n" % (
            self.keys, len(value), value, self.keys // 2))

    def stats(self):
        lines = said_by(self.port, b"stats\r\nstats slabs\r\nquit\r\n").splitlines()
        said = dict(line.split()[1:3] for line in lines if line.startswith("STAT"))
        return {"used": int(said["bytes"]), "held": int(said["total_malloced"]), "items": int(said["curr_items"])}


class Web(Server):
    """A server that answers GET / and GET /stats."""
    busy_until = 2

    def get(self, path):
        return said_by(self.port, b"GET %s HTTP/1.0\r\nAccept-Encoding: gzip\r\n\r\n" % path.encode()).split("\r\n\r\n", 1)[-1]

    def step(self, part):
        self.get("/")
        return part > self.busy_until

    def stats(self):
        return json.loads(self.get("/stats"))


class Node(Web):
    name, needs = "node", ("node",)

    def command(self):
        return ["node", PROGRAMS / "work.js", self.port]


class NodeLeak(Node):
    name, leaks = "node-leak", True

    def command(self):
        return super().command() + ["leak"]


class Python(Web):
    name = "python"

    def command(self):
        return ["python3", PROGRAMS / "work.py", self.port]


class Go(Web):
    name, needs = "go", ("go",)

    def command(self):
        subprocess.run(["go", "build", "-o", place / "go-work", PROGRAMS / "work.go"], check=True,
                       env=ENVIRONMENT | {"HOME": str(place), "GOFLAGS": "-mod=mod", "GO111MODULE": "off"})
        return [place / "go-work", self.port]


class Java(Web):
    """Works for two thirds of the time."""
    name, needs, busy_until = "java", ("java", "javac"), 0.66

    def command(self):
        subprocess.run(["javac", "-d", place, PROGRAMS / "Work.java"], check=True)
        return ["java", "-Xmx192m", "-XX:NativeMemoryTracking=summary", "-cp", place, "Work", self.port]

    def stats(self):
        said = super().stats()
        done = subprocess.run(ordinary("jcmd", self.process.pid, "VM.native_memory", "summary"), check=False, text=True,
                              capture_output=True)
        total = [w.split("=")[1] for w in done.stdout.replace(",", " ").split() if w.startswith("committed=")]
        return said | ({"nmt": int(total[0].rstrip("KB")) * 1024} if total else {})


class Nginx(Web):
    name, needs = "nginx", ("nginx",)

    def command(self):
        (place / "www").mkdir()
        for i in range(50):
            (place / "www" / ("%d.html" % i)).write_text("<p>%d</p>" % i * 2000)
        (place / "nginx.conf").write_text("""
            worker_processes 2; daemon off; pid {0}/nginx.pid; error_log {0}/nginx-error.log;
            events {{ worker_connections 256; }}
            http {{ access_log {0}/access.log; gzip on; gzip_types *; keepalive_requests 100;
                client_body_temp_path {0}/t1; proxy_temp_path {0}/t2; fastcgi_temp_path {0}/t3;
                uwsgi_temp_path {0}/t4; scgi_temp_path {0}/t5; open_file_cache max=1000;
                server {{ listen 127.0.0.1:{1}; root {0}/www; location /stats {{ stub_status; }} }} }}
            """.format(place, self.port))
        return ["nginx", "-c", place / "nginx.conf", "-e", place / "nginx-error.log"]

    n = 0

    def step(self, part):
        for _ in range(10):
            self.n += 1
            self.get("/%d.html" % (self.n % 60))

    def stats(self):
        return {"requests": int(self.get("/stats").split()[9])}


class Dialogue(Server):
    """A server that is used through one process of its own client."""

    def say(self, text):
        self.client.stdin.write(text + "SELECT 'the end';\n")
        self.client.stdin.flush()
        lines = []
        for line in self.client.stdout:
            if line.strip() == "the end":
                return lines
            lines.append(line.strip())
        raise OSError("%s: its client ended" % self.name)

    def dialogue(self, *command):
        self.client = start(self.name, *command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.say("SELECT 1;\n")


class Mariadb(Dialogue):
    name, needs = "mariadb", ("mariadbd", "mariadb", "mariadb-install-db")

    def start(self):
        data, where = place / "mariadb", ["--no-defaults", "--socket=%s" % (place / "mariadb.sock")]
        once(self.name, "mariadb-install-db", "--no-defaults", "--datadir=%s" % data, "--auth-root-authentication-method=normal",
             "--skip-test-db")
        self.process = start(self.name, "mariadbd", *where, "--datadir=%s" % data, "--skip-networking",
                             "--innodb-buffer-pool-size=64M", "--pid-file=%s" % (place / "mariadb.pid"))
        patient(lambda: self.dialogue("mariadb", *where, "-u", "root", "-N", "-B", "-n"))
        self.say("CREATE DATABASE w; USE w; CREATE TABLE t (i INT PRIMARY KEY AUTO_INCREMENT, k INT, s TEXT, KEY (k));\n")

    def step(self, part):
        self.say("INSERT INTO t (k, s) SELECT seq * 7919 % 1000, REPEAT('word', 200 + seq) FROM seq_1_to_100;\n"
                 "SELECT k, COUNT(*), MAX(s) FROM t WHERE k < 50 GROUP BY k ORDER BY 3 LIMIT 5;\n"
                 "DELETE FROM t WHERE i < (SELECT * FROM (SELECT MAX(i) - 60000 FROM t) x);\n")

    def stats(self):
        # A separate connection, as the client is busy with the load.
        done = subprocess.run(ordinary("mariadb", "--no-defaults", "--socket=%s" % (place / "mariadb.sock"), "-u", "root", "-N",
                              "-B", "-e", "SHOW GLOBAL STATUS WHERE Variable_name IN ('Memory_used', "
                              "'Innodb_buffer_pool_bytes_data')"), capture_output=True, text=True, check=True)
        said = dict(line.split() for line in done.stdout.splitlines())
        return {"used": int(said["Memory_used"]), "pool": int(said["Innodb_buffer_pool_bytes_data"])}


class Postgres(Dialogue):
    """pgbench runs for half of the time and touches shared_buffers step by step; then the server idles."""
    name, busy = "postgres", 0.5

    def __init__(self):
        found = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
        self.bin = pathlib.Path(found[-1]) if found else None
        self.needs = (str(self.bin / "pgbench") if found else "pgbench",)

    def start(self):
        data, self.port = place / "postgres", str(free_port())
        once(self.name, self.bin / "initdb", "-D", data, "-U", "w", "-A", "trust", "--no-sync")
        self.process = start(self.name, self.bin / "postgres", "-D", data, "-k", place, "-p", self.port, "-c",
                             "listen_addresses=", "-c", "shared_buffers=128MB", "-c", "checkpoint_timeout=30s")
        where = ["-h", place, "-p", self.port, "-U", "w"]
        patient(lambda: self.dialogue(self.bin / "psql", *where, "-XAtq", "postgres"))
        once(self.name, self.bin / "pgbench", *where, "-i", "-q", "-s", "10", "postgres")
        self.say("CREATE EXTENSION IF NOT EXISTS pg_buffercache;\n")
        self.bench = start("pgbench", self.bin / "pgbench", *where, "-n", "-c", "4", "-R", "25", "-T",
                           str(int(options.seconds * self.busy)), "postgres")

    def stats(self):
        used, held, contexts = self.say(
            "SELECT count(*) * 8192 FROM pg_buffercache WHERE relfilenode IS NOT NULL;\n"
            "SELECT sum(allocated_size) FROM pg_shmem_allocations;\n"
            "SELECT sum(total_bytes) FROM pg_backend_memory_contexts;\n")
        return {"used": int(used), "held": int(held), "contexts": int(contexts)}


class Chromium(Server):
    """Loads page.html every four seconds; the page reports the size of its heap."""
    name, needs = "chromium", ("chromium",)
    said = {}

    def start(self):
        server = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write((PROGRAMS / "page.html").read_bytes())

            def do_POST(self):
                server.said = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                self.send_response(204)
                self.end_headers()

            def log_message(self, *args):
                pass

        listening = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=listening.serve_forever, daemon=True).start()
        self.process = start(self.name, "chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
                             "--enable-precise-memory-info", "--user-data-dir=%s" % (place / "chromium"),
                             "--disable-background-networking", "--remote-debugging-port=%d" % free_port(),
                             "http://127.0.0.1:%d/" % listening.server_port)

    def stats(self):
        return self.said


class CLeak(Server):
    name, leaks, needs = "c-leak", True, ("cc",)
    said = "{}"

    def start(self):
        subprocess.run(["cc", "-O1", "-o", place / "c-leak", PROGRAMS / "leak.c"], check=True)
        self.process = start(self.name, place / "c-leak", stdout=subprocess.PIPE, text=True)
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        for line in self.process.stdout:
            self.said = line

    def stats(self):
        return json.loads(self.said)


SERVERS = (Redis, Postgres, Nginx, Java, Node, Mariadb, Memcached, Chromium, Python, Go, CLeak, NodeLeak)


# ---- processes ----

def parents():
    found = {}
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            words = pathlib.Path(path).read_bytes().rpartition(b")")[2].split()
        except OSError:
            continue
        if words[0] != b"Z":
            found[int(path.split("/")[2])] = int(words[1])
    return found


def descendants(root):
    of = collections.defaultdict(list)
    for pid, parent in parents().items():
        of[parent].append(pid)
    found = [root]
    for pid in found:
        found += of[pid]
    return found


def end_all():
    """Ends all descendants, including orphans: this process is their reaper."""
    for number in (signal.SIGTERM, signal.SIGKILL, signal.SIGKILL):
        for pid in descendants(os.getpid())[1:]:
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                pass
        end = time.monotonic() + 10
        while len(descendants(os.getpid())) > 1 and time.monotonic() < end:
            time.sleep(0.2)
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def resident(pid):
    try:
        for line in pathlib.Path("/proc/%d/status" % pid).read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1])
    except OSError:
        pass
    return None


# ---- the campaign ----

class Campaign:
    def __init__(self):
        self.began = time.monotonic()
        self.running = []
        self.server_of = {}  # pid -> name
        self.points = collections.defaultdict(list)  # name -> [(seconds, VmRSS, statistics)]
        self.resident = collections.defaultdict(list)  # pid -> [(seconds, VmRSS)]
        self.called = collections.defaultdict(list)  # name -> [(seconds, name/pid:key, whether the process was flat)]
        self.ended = threading.Event()

    def passed(self):
        return time.monotonic() - self.began

    def load(self, server):
        try:
            while not self.ended.is_set():
                begun = time.monotonic()
                if server.step(self.passed() / options.seconds):
                    break
                self.ended.wait(max(0.05, (time.monotonic() - begun) * (1 / WORK_SHARE - 1)))
        except OSError as error:
            if not self.ended.is_set():
                print("%s: load ended: %s" % (server.name, error), flush=True)

    def begin(self):
        for kind in SERVERS:
            server = kind()
            if options.only and server.name not in options.only:
                continue
            missing = [n for n in server.needs if not shutil.which(n, path=os.environ["PATH"] + ":/usr/sbin")]
            if missing:
                print("%s: not tried: %s is missing" % (server.name, ", ".join(missing)), flush=True)
                continue
            try:
                server.start()
                self.running.append(server)
            except (OSError, ValueError, LookupError, subprocess.SubprocessError) as error:
                print("%s: could not be started: %s" % (server.name, error), flush=True)
        self.began = time.monotonic()
        for server in self.running:
            threading.Thread(target=self.load, args=(server,), daemon=True).start()
        # The store belongs to root; the servers run as nobody.
        self.capture = subprocess.Popen(
            [PMAPDB, "--db", self.store, "capture", "-q", "--every", options.every, *(["--touched", options.touched] if options.touched else []), "--match",
             "descendant_of(%d) AND comm NOT IN ('pmapdb', 'setpriv', 'jcmd')" % os.getpid()],
            env=ENVIRONMENT, stderr=open(place / "capture.log", "ab"), stdout=subprocess.DEVNULL)

    def look(self, out):
        """Writes the resident memory of each process and the statistics of each server."""
        now = round(self.passed())
        for server in self.running:
            try:
                said = server.stats()
            except (OSError, ValueError, LookupError, subprocess.SubprocessError) as error:
                said = {"error": str(error)}
            for pid in descendants(server.process.pid):
                self.server_of[pid] = server.name
                kib = resident(pid)
                self.resident[pid].append((now, kib))
                out.writerow([now, server.name, pid, kib, json.dumps(said) if pid == server.process.pid else ""])
            self.points[server.name].append((now, resident(server.process.pid), said))

    def flat(self, pid, now):
        last = [kib for at, kib in self.resident[pid] if kib and at >= now - max(120, now / 4)]
        return len(last) > 3 and last[-1] < 1.01 * last[0]

    def ask(self):
        now = round(self.passed())
        done = subprocess.run([PMAPDB, "--db", self.store, "leaks", "-f", "csv"], env=ENVIRONMENT, text=True,
                              capture_output=True, check=False)
        (options.keep / ("leaks-%d.csv" % now)).write_text(done.stdout)
        rows = list(csv.DictReader(done.stdout.splitlines()))
        for row in rows:
            if row["verdict"] == "leak":
                pid = int(row["pid"])
                self.called[self.server_of.get(pid, "clients")].append(
                    (now, "%s/%d:%s" % (row["name"], pid, row["key"]), self.flat(pid, now)))
        return rows

    def run(self):
        self.store = str(options.keep / "t.db")
        try:
            self.begin()
            with open(options.keep / "stats.csv", "w", newline="", encoding="utf-8") as file:
                out = csv.writer(file)
                out.writerow(["seconds", "server", "pid", "vmrss_kib", "says"])
                beat = 0
                while self.passed() < options.seconds:
                    self.look(out)
                    file.flush()
                    if beat % 2 == 1:
                        self.ask()
                    beat += 1
                    self.ended.wait(max(0, beat * min(30, options.seconds / 4) - self.passed()))
                self.look(out)
            self.ended.set()
            self.capture.send_signal(signal.SIGTERM)
            self.capture.wait()
            rows = self.ask()
            (options.keep / "leaks.txt").write_text(subprocess.run(
                [PMAPDB, "--db", self.store, "leaks"], env=ENVIRONMENT, text=True, capture_output=True, check=False).stdout)
            return self.table(rows)
        finally:
            self.ended.set()
            end_all()

    def table(self, rows):
        """Prints the table. Returns how many servers were judged wrong."""
        wrong = 0
        lines = [["server", "verdict", "LEAK at the end", "LEAK while it was flat", "LEAK while it grew", "suspect", "VmRSS MiB",
                  "it uses MiB", "it holds MiB", "judged"]]
        for server in self.running + [Server()]:
            of = [r for r in rows if self.server_of.get(int(r["pid"]), "clients") == server.name]
            own = [r["verdict"] for r in of if r["key"] == "total" and server.process and int(r["pid"]) == server.process.pid]
            final = ["%s/%s:%s" % (r["name"], r["pid"], r["key"]) for r in of if r["verdict"] == "leak"]
            called = self.called[server.name]
            flat = [(at, what) for at, what, is_flat in called if is_flat]
            grew = sorted({at for at, _, is_flat in called if not is_flat})
            judged = ("right" if final else "MISSED") if server.leaks else "FALSE" if final or flat else "right"
            wrong += judged != "right"
            points = self.points[server.name] or [(0, None, {})]
            shown = [points[round(i * (len(points) - 1) / 3)] for i in range(4)]
            lines.append([server.name, " ".join(own) or "-", " ".join(final) or "-",
                          " ".join("%d s: %s" % one for one in flat) or "-",
                          "%d to %d s" % (grew[0], grew[-1]) if grew else "-", str(sum(r["verdict"] == "suspect" for r in of)),
                          " ".join(mib(p[1], 1024) for p in shown), " ".join(mib(p[2].get("used"), 1 << 20) for p in shown),
                          " ".join(mib(p[2].get("held"), 1 << 20) for p in shown), judged])
        lines.insert(1, ["---"] * len(lines[0]))
        for line in lines:
            print("| " + " | ".join(line) + " |")
        return wrong


def mib(n, unit):
    return "?" if n is None else "%.1f" % (n / unit)


def main():
    global options, place
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--seconds", type=int, default=120)
    parser.add_argument("--every", default="10s")
    parser.add_argument("--touched", help="as of capture")
    parser.add_argument("--only", type=lambda text: text.split(","))
    parser.add_argument("--keep", type=pathlib.Path, help="folder for the store and the tables")
    options = parser.parse_args()
    os.nice(10)
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    place = pathlib.Path(tempfile.mkdtemp(prefix="pmapdb-servers-"))
    try:
        if not os.getuid():
            os.chmod(place, 0o755)
            shutil.chown(place, "nobody", "nogroup")
        options.keep = (options.keep or place / "kept").absolute()
        options.keep.mkdir(parents=True, exist_ok=True)
        return 1 if Campaign().run() else 0
    finally:
        shutil.rmtree(place, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
