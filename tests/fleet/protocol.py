#!/usr/bin/env python3
"""Whatever happens to a push, the server answers for a host as the host's store does.

    PMAPDB_PROGRAM=pmapdb protocol.py [CASE...]                       a small server (Proxy, rows.py)
    ... protocol.py --clickhouse [--pairs N] [--replicated] [CASE...] ClickHouse; two shards by two replicas

Each case is a host with its own store, which is pushed through a proxy that cuts replies, waits, refuses, or
kills the server. The test compares answers, not rows. The small server keeps all rows: at every moment the
categories of each process must be those of the store, read by SQLite. With ClickHouse, `fleet host-diff`
must equal `pmapdb diff` for N random pairs of times, and the test prints a table of the cases.
"""
import argparse
import contextlib
import gzip
import http.client
import http.server
import json
import os
import pathlib
import random
import shutil
import sqlite3
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(folder) for folder in (HERE, HERE.parent / "shared", HERE.parents[1] / "samples/fleet")]
import clickhouse  # noqa: E402  pylint: disable=wrong-import-position
import rows  # noqa: E402  pylint: disable=wrong-import-position
import served  # noqa: E402  pylint: disable=wrong-import-position

PROGRAM = os.environ["PMAPDB_PROGRAM"]
ENV = {**{k: v for k, v in os.environ.items() if "proxy" not in k.lower()}, "PMAPDB_CONFIG": "", "TZ": "UTC"}
T0 = 1763600400000  # 2025-11-20T01:00:00Z
FIRST, STEP = "2025-01-01T00:00:00Z", 600000
TABLES = ["hosts", "spans", "points", "hourly", "totals", "objects", "verdicts", "marks"]


def run(*words, ok=(0,), begin=False):
    """Runs a command. `begin` starts a new process, which also looks for leaks."""
    line = [PROGRAM, *map(str, words)]
    p = subprocess.run(line, env=ENV, capture_output=True, check=False) if begin else served.run(
        line, {**ENV, "ASAN_OPTIONS": "detect_leaks=0"})
    p.stdout, p.stderr = (text.decode("utf-8", "surrogateescape") for text in (p.stdout, p.stderr))
    assert p.returncode in ok, (words, p.returncode, p.stderr)
    return p


def iso(ms):
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(ms // 1000)) + (f".{ms % 1000:03}Z" if ms % 1000 else "Z")


def pmap(pid, name, heap, data):
    """A pmap -x of a process with a heap and, if data is not 0, a mapped file."""
    lines = [f"{pid}:   /srv/{name}", "Address           Kbytes     RSS   Dirty Mode  Mapping",
             f"0000560000000000      16      16       0 r-x-- {name}",
             f"0000560000100000 {heap:7d} {heap:7d} {heap:7d} rw---   [ anon ]"]
    total = 16 + heap
    if data:
        lines.append(f"00007f0000000000 {data:7d} {data:7d}       0 r---- data")
        total += data
    lines += ["---------------- ------- ------- ------- ",
              f"total kB         {total:7d} {total:7d} {heap:7d}"]
    return "\n".join(lines) + "\n"


def smaps(heap, data):
    """The same processes as smaps, with all numbers of the kernel and a [heap]."""
    text = ""
    for first, size, perms, path, dirty in ((0x560000000000, 16, "r-xp", "/srv/web", 0),
                                            (0x560000100000, heap, "rw-p", "[heap]", heap),
                                            (0x7f0000000000, data, "r--p", "/srv/data", 0)):
        if size:
            text += (f"{first:x}-{first + size * 1024:x} {perms} 00000000 08:01 7 {path}\nSize: {size} kB\nRss: {size} kB\n"
                     f"Pss: {size // 2} kB\nShared_Clean: 0 kB\nShared_Dirty: 0 kB\nPrivate_Clean: {size - dirty} kB\n"
                     f"Private_Dirty: {dirty} kB\nSwap: 8 kB\n")
    return text


def grow(n, first=0, step=STEP, pids=(71, 72), names=("web", "db")):
    """n moments of growing processes; the second process and its file come and go, the third is in every other moment."""
    out = []
    for i in range(first, first + n):
        ms = T0 + i * step
        out.append((ms, pids[0], names[0], 1000 + i // 3 * 50, 0))
        if i % 7 != 5:
            out.append((ms, pids[1], names[0], 500 + i % 4, 300 if i % 5 else 0))
        if i % 2:
            out.append((ms, 90, names[1], 4000, 100))
    return out


def flat(process):
    """A process, with its name and its sorted categories, as text."""
    return str((process[0], sorted(process[1].items())))


class Store:
    """A store, and its answers."""

    def __init__(self, path, host="web3"):
        self.path, self.host, self.answers = path, host, None

    def put(self, moments, host=None, form=pmap, end="x"):
        """Imports [(ms, pid, name, heap, data)]."""
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.path.parent))
        for ms, pid, name, heap, data in moments:
            file = folder / f"{ms}-{pid}.{end}"
            file.write_text(form(pid, name, heap, data))
            os.utime(file, ns=(ms * 10**6, ms * 10**6))
        run("import", "-q", "--db", self.path, "--host", host or self.host, "--time-from", "mtime", "--sweep", "1s", folder)
        shutil.rmtree(folder)

    def copy(self, path, host=None):
        with sqlite3.connect(self.path) as db:
            db.execute("VACUUM INTO ?", (str(path),))
        if host:
            with sqlite3.connect(path) as db:
                db.execute("UPDATE host SET name = ?", [host])
        return Store(path, host or self.host)

    def ask(self, sql, *args):
        with sqlite3.connect(f"file:{self.path}?mode=ro", uri=True) as db:
            db.text_factory = lambda text: text.decode("utf-8", "surrogateescape")
            return db.execute(sql, args).fetchall()

    def moments(self, host):
        return [m for m, in self.ask("SELECT DISTINCT taken_ms FROM snapshots WHERE host = ? ORDER BY 1", host)]

    def at(self, host, t):
        """The sorted processes of a moment: the newest snapshot of each up to then, unless a later beat of its capture
        (in text captures: of its name) lacks the process."""
        found = {}
        for process, name, category, *numbers in self.ask("""
            SELECT s.process_id, (SELECT name FROM name n WHERE n.name_id = p.name_id), c.category, c.mappings, c.size_kib,
              c.rss_kib, c.private_kib, c.private_dirty_kib, c.swap_kib
            FROM process p JOIN host h ON h.host_id = p.host_id
            JOIN snapshot s ON s.snapshot_id = (SELECT x.snapshot_id FROM snapshot x WHERE x.process_id = p.process_id
              AND x.preferred AND x.moment_ms <= ?2 ORDER BY x.taken_ms DESC, x.ordinal DESC LIMIT 1)
            LEFT JOIN beat b ON b.capture_id = s.capture_id JOIN categories c ON c.snapshot_id = s.snapshot_id
            WHERE h.name = ?1 AND NOT EXISTS (SELECT 1 FROM beat n WHERE n.schedule_id = b.schedule_id
                AND n.started_ms > s.taken_ms AND n.started_ms <= ?2)
              AND NOT (b.schedule_id IS NULL AND EXISTS (SELECT 1 FROM process q JOIN snapshot x ON x.process_id = q.process_id
                WHERE q.name_id = p.name_id AND q.process_id <> p.process_id AND x.taken_ms > s.taken_ms
                  AND x.moment_ms <= ?2 AND x.moment_ms <> s.moment_ms))
              AND ?2 - s.taken_ms < 90000000""", host, t):
            found.setdefault((process, name), {})[category] = tuple(numbers)
        return sorted(flat((name, categories)) for (_, name), categories in found.items())


class Proxy(http.server.BaseHTTPRequestHandler):
    """Answers as told: server.says lists the first answers. Requests go to server.back, or into
    server.rows."""
    protocol_version = "HTTP/1.1"
    STORED = "done", "cut", "cut head", "nothing", "text", "slow", "kill after"

    def send(self, status, reply, more=0):
        self.send_response(status)
        self.send_header("Content-Length", str(len(reply) + more))
        self.end_headers()
        self.wfile.write(reply)
        self.close_connection = more > 0

    def store(self, query, body):
        """The server's own answer."""
        if self.server.back:
            back = http.client.HTTPConnection(urllib.parse.urlsplit(self.server.back()).netloc, timeout=60)
            back.request("POST", self.path, body, {k: v for k, v in self.headers.items() if k != "Host"})
            reply = back.getresponse()
            return reply.status, reply.read()
        text = gzip.decompress(body).decode("utf-8", "surrogateescape")
        if not query:
            newest = max((m["seq"] for m in self.server.rows.tables["marks"].values()), default=0)
            return 200, f"{self.server.version if 'version()' in text else newest}\n".encode()
        for line in text.split("\n")[:-1]:
            self.server.rows.add(query.split()[2], line)
        return 200, b""

    def do_POST(self):  # pylint: disable=invalid-name
        body, server = self.rfile.read(int(self.headers["Content-Length"])), self.server
        args = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.path).query))
        query = args.get("query", "")
        how = server.says.pop(0) if server.says and (query or server.any) else "done"
        server.asked.append((query.split(" (")[0], how, args))
        if how == "kill before":
            server.kill()
        try:
            status, reply = self.store(query, body) if how in self.STORED else (500, how.encode())
        except OSError:
            how = "nothing"
        if how == "kill after":
            server.kill()
        if how in ("nothing", "kill after", "cut head"):
            self.wfile.write(b"HTTP/1.1 200 OK\r\nConte" if how == "cut head" else b"")
            self.close_connection = True
            return
        if how == "slow":
            time.sleep(.3)
        self.send(status, b"Code: 252, e.displayText() = DB::Exception: Too many parts" if how == "text" else reply,
                  how == "cut")

    def log_message(self, *_):
        pass


class Server(http.server.HTTPServer):
    """A thread for each connection."""
    request_queue_size = 128

    def process_request(self, request, client_address):
        thread = threading.Thread(target=self.handle, args=[request, client_address], daemon=True)
        self.threads.append(thread)
        thread.start()

    def handle(self, request, client_address):
        with contextlib.suppress(Exception):  # the client was killed
            self.finish_request(request, client_address)
        self.shutdown_request(request)

    def wait(self):
        """Waits until the requests of ended clients are handled: that of a killed client may still be read."""
        last = http.client.HTTPConnection(*self.server_address)  # accepted after theirs
        last.request("GET", "/")
        last.getresponse().read()
        last.close()
        for thread in self.threads:
            thread.join()
        self.threads.clear()


def serve(tls=None):
    """Starts a proxy on a free port; tls: certificate and key."""
    server = Server(("127.0.0.1", 0), Proxy)
    server.threads = []
    server.says, server.asked, server.rows, server.any, server.back, server.version = [], [], rows.Rows(), False, None, "18.16.1"
    if tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*tls)
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    threading.Thread(target=server.serve_forever, args=[.02], daemon=True).start()
    return server


class Case(unittest.TestCase):
    """One host with a store, and the proxy to which the store is pushed."""
    cluster, pairs, template, asked = None, 3, None, 0

    @classmethod
    def setUpClass(cls):
        if not Case.template:
            Case.folder = pathlib.Path(tempfile.mkdtemp(prefix="pmapdb-push-"))
            Case.template = Store(Case.folder / "template.db")
            Case.template.put(grow(60))
            unittest.addModuleCleanup(shutil.rmtree, Case.folder)

    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        self.host, self.random = self._testMethodName[5:], random.Random(7)
        self.server = serve()
        self.at = 0  # the index of the server that is asked
        if self.cluster:
            self.server.back = lambda: self.cluster.urls[self.at]
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def tearDown(self):
        self.server.shutdown()
        self.server.server_close()
        shutil.rmtree(self.dir)

    def new(self, moments=(), name="store", host=None):
        """A store of these moments."""
        store = Store(self.dir / f"{name}.db", host or self.host)
        if moments:
            store.put(moments)
        return store

    def whole(self):
        """A store of 60 moments."""
        store = self.template.copy(self.dir / "store.db", self.host)
        if not self.cluster:
            self.template.answers = self.template.answers or self.truth(self.template)
            store.answers = {(self.host, t): answer for (_, t), answer in self.template.answers.items()}
        return store

    def push(self, store, *words, says=(), every_request=False, ok=(0,)):
        self.server.says[:], self.server.any = says, every_request
        return run("push", "-q", "--now", "--db", store.path, self.url, *words, ok=ok, begin=bool(says))

    def spawn(self, store, says=()):
        """Starts a push that runs in the background."""
        self.server.says[:], self.server.any = says, False
        return subprocess.Popen([PROGRAM, "push", "-q", "--now", "--db", store.path, self.url], env=ENV,
                                stderr=subprocess.DEVNULL)

    def cursor(self, store):
        return store.ask("SELECT done_id, failures, error IS NULL FROM push")[0]

    # ---- questions, and the answers of a store

    def truth(self, store, host=None, n=None):
        """Returns {question: answer}."""
        host = host or store.host
        if not self.cluster:
            return {(host, t): store.at(host, t) for t in store.moments(host)}
        names, answers = {}, {}
        for name, t in store.ask("SELECT DISTINCT name, taken_ms FROM snapshots WHERE host = ? AND preferred ORDER BY 1, 2", host):
            names.setdefault(name, []).append(t)
        names = {name: times for name, times in names.items() if len(times) > 1}
        prefix = host + ":" if len(store.ask("SELECT * FROM host")) > 1 else ""
        for _ in range(n or self.pairs):
            name = self.random.choice(list(names))
            older, newer = map(iso, sorted(self.random.sample(names[name], 2)))
            answers[host, name, older, newer] = run("diff", "--db", store.path, "-p", prefix + name, "--from", older, "--to",
                                                    newer, "-f", "ndjson").stdout
        return answers

    def judge(self, truth):
        """Expects the same answers from the server."""
        if self.cluster and self.cluster.replicas > 1:
            self.cluster.caught_up()
        if not self.cluster:
            self.server.wait()
            for (host, t), want in truth.items():
                got = self.server.rows.at(self.server.rows.host_id(host), t).values()
                self.assertEqual(sorted(map(flat, got)), want, (host, t))
            self.assertEqual(*self.server.rows.totals())
            return
        for (host, name, older, newer), want in truth.items():
            got = run("fleet", "host-diff", "--host", host, "--name", name, "--from", older, "--to", newer, "-f", "ndjson",
                      "--url", self.cluster.urls[self.at]).stdout
            self.assertEqual(*(sorted(map(lambda line: sorted(json.loads(line).items(), key=str), text.splitlines()), key=str)
                               for text in (got, want)), (host, name, older, newer))
            Case.asked += 1

    def same(self, *stores):
        for store in stores:
            self.judge(store.answers or self.truth(store))

    def marks(self, host=None):
        return [m for m in self.server.rows.tables["marks"].values() if m["host"] == (host or self.host)]


class Delivery(Case):
    """Failures on the way to the server."""

    def test_once(self):
        store = self.whole()
        self.push(store)
        self.assertEqual([a[0].split()[2] for a in self.server.asked if a[0]], TABLES)
        self.same(store)
        sent = self.server.rows.sent.copy()
        self.push(store)  # nothing is new: only a mark is sent
        if not self.cluster:
            self.assertEqual(self.server.rows.sent - sent, {"marks": 1})
            self.assertEqual(self.marks()[0]["through_ms"], store.moments(self.host)[-1])

    def test_everything_again(self):
        store = self.whole()
        self.push(store)
        self.push(store, "--rewind", FIRST)
        self.same(store)

    def test_server_lost_its_rows(self):
        store = self.whole()
        self.push(store)
        if self.cluster:
            return
        self.server.rows = rows.Rows()
        p = run("push", "--db", store.path, self.url)
        self.assertIn("--rewind", p.stderr)
        self.push(store, "--rewind", FIRST)
        self.same(store)

    def test_killed_at_random(self):
        store, moments = self.new(), grow(60)
        for part in (moments[:70], moments[70:]):
            store.put(part)
            for _ in range(4 if self.pairs < 50 else 25):
                p = self.spawn(store)
                time.sleep(self.random.random() * .15)
                p.kill()
                p.wait()
        self.push(store)
        self.same(store)

    def test_killed_after_each_table(self):
        store = self.whole()
        for n in range(len(TABLES)):
            self.server.asked.clear()
            p = self.spawn(store, ["done"] * n + ["slow"])
            while len(self.server.asked) < n + 3 and p.poll() is None:
                time.sleep(.005)
            p.kill()
            p.wait()
        self.push(store)
        self.same(store)

    def test_two_pushers(self):
        store = self.whole()
        first = self.spawn(store, ["slow"] * 3)
        while not self.server.asked:
            time.sleep(.005)
        p = run("push", "-q", "--db", store.path, self.url, ok=(0, 2))
        self.assertEqual(first.wait(), 0)
        if p.returncode == 2:
            self.assertIn("another push", p.stderr)
        self.same(store)

    def test_copied_store(self):
        """A store and its copy push at the same time; then one cursor is lost."""
        moments, store = grow(60), self.new()
        store.put(moments[:60])
        self.push(store)
        copy = store.copy(self.dir / "copy.db")
        store.put(moments[60:])
        copy.put(moments[60:])
        first = self.spawn(store, ["slow"] * 5)
        second = subprocess.Popen([PROGRAM, "push", "-q", "--db", copy.path, self.url], env=ENV)
        self.assertEqual((first.wait(), second.wait()), (0, 0))
        self.same(store)
        with sqlite3.connect(store.path) as db:
            for table in ("push_open", "push_host", "push_hour", "push_leak", "push"):
                db.execute(f"DELETE FROM {table}")
        self.push(store)
        self.same(store)

    def test_reply_cut(self):
        store = self.whole()
        self.push(store, says=["cut", "done", "cut head", "nothing", "done", "text", "Code: 252, too many parts", "slow"])
        self.same(store)
        self.assertEqual(self.cursor(store)[1:], (0, 1))

    def test_too_large(self):
        store = self.whole()
        self.push(store, says=["done", "done", "Code: 241. Memory limit", "Code: 241. Memory limit"])
        self.same(store)
        self.assertEqual(len([1 for q, how, _ in self.server.asked if "INTO points" in q and how == "done"]), 3)

    def test_server_down(self):
        """The pause before the next try grows with each failure; it ends by itself, or with --now."""
        store = self.whole()
        self.server.shutdown()
        self.server.server_close()
        p = run("push", "-q", "--db", store.path, self.url, ok=(3,))
        self.assertIn("nothing is lost", p.stderr)

        def pause():
            return store.ask("SELECT (paused_ms - tried_ms) / 1000, failures, done_id FROM push")[0]
        self.assertTrue(30 <= pause()[0] <= 60 and pause()[1:] == (1, 0), pause())
        self.assertIn("no attempt before", run("push", "-q", "--db", store.path, self.url, ok=(3,)).stderr)
        for failures, least in ((3, 240), (40, 1800)) if self.pairs > 50 else ((40, 1800),):
            with sqlite3.connect(store.path) as db:
                db.execute("UPDATE push SET failures = ?, paused_ms = tried_ms - 1", [failures])
            run("push", "-q", "--db", store.path, self.url, ok=(3,))
            self.assertTrue(least <= pause()[0] <= 2 * least and pause()[1:] == (failures + 1, 0), pause())
        port, self.server = self.server.server_port, serve()
        with sqlite3.connect(store.path) as db:
            db.execute("UPDATE push SET target = replace(target, ?, ?)", [str(port), str(self.server.server_port)])
        if self.cluster:
            self.server.back = lambda: self.cluster.urls[self.at]
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.push(store)
        self.same(store)
        self.assertEqual(self.cursor(store)[1:], (0, 1))

    def test_a_person_must_act(self):
        store = self.whole()
        for says, words in (("Code: 193. Wrong password", "Wrong password"), ("Code: 60. No table", "fleet schema"),
                            ("Code: 81. No database", "fleet schema"), ("Code: 164. Cannot execute in readonly", "readonly"),
                            ("Code: 16. No such column", "No such column")):
            p = self.push(store, says=["done", says], ok=(2,), every_request=True)
            self.assertIn(words, p.stderr)
            self.assertEqual(self.cursor(store)[:2], (0, 0))
        p = self.push(store, says=["done"] * 5 + ["Code: 60. A new table"], ok=(2,), every_request=True)
        self.assertIn("fleet schema", p.stderr)

    def test_no_beat_waits_for_the_network(self):
        """Another program writes to the store during a request."""
        store = self.whole()
        first = self.spawn(store, ["slow"] * 4)
        while len(self.server.asked) < 4 and first.poll() is None:
            time.sleep(.005)
        with sqlite3.connect(store.path, timeout=0) as db:  # fails at once if push holds a lock
            db.execute("BEGIN IMMEDIATE")
        self.assertEqual(first.wait(), 0)

    def test_password(self):
        """A password comes from a file that only its owner may read, never from the URL."""
        store, word = self.whole(), self.dir / "password"
        word.write_text("push\nnot this\n")
        for mode in (0o604, 0o640 if os.getuid() else 0o646):
            word.chmod(mode)
            self.assertIn("chmod 600", self.push(store, "--user", "pusher", "--password-file", word, ok=(2,)).stderr)
        self.assertEqual(self.server.asked, [])
        word.chmod(0o600)
        self.push(store, "--user", "pusher", "--password-file", word)
        self.same(store)
        p = run("push", "--db", store.path, "http://192.0.2.1", "--password-file", word, ok=(2,))
        self.assertIn("unencrypted", p.stderr)

    def test_proxy(self):
        store = self.whole()
        run("push", "-q", "--db", store.path, "http://clickhouse.example:8123", "--proxy", self.url)
        self.assertIn("INSERT INTO hosts", [q for q, _, _ in self.server.asked])
        self.same(store)

    def test_settings_of_a_newer_server(self):
        """A newer server gathers small inserts, and answers when they are stored."""
        if self.cluster:
            return
        store = self.whole()
        for version, new in (("18.16.1", ""), ("21.8.2.19", ""), ("24.3.1.2672", "1")):
            self.server.asked.clear()
            self.server.version = version
            self.push(store)
            for query, _, args in self.server.asked:
                if query:
                    self.assertEqual([args.get(k, "") for k in ("insert_distributed_sync", "async_insert", "wait_for_async_insert")],
                                     ["1", new, new], version)
        self.same(store)

    def test_certificates(self):
        if not shutil.which("openssl"):
            self.skipTest("openssl is not installed")
        store = self.whole()
        for name, days, host in (("good", 2, "localhost"), ("other", 2, "localhost"), ("expired", -1, "localhost"),
                                 ("misnamed", 2, "elsewhere")):
            key, cert = self.dir / f"{name}.key", self.dir / f"{name}.crt"
            subprocess.run(["openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key,
                            "-subj", f"/CN={host}", "-addext", f"subjectAltName=DNS:{host}", "-out", self.dir / "csr"],
                           check=True, capture_output=True)
            subprocess.run(["openssl", "x509", "-req", "-in", self.dir / "csr", "-copy_extensions", "copy", "-signkey", key,
                            "-days", str(days), "-out", cert], check=True, capture_output=True)
        for name, ca, says in (("good", "other", "certificate"), ("expired", "expired", "expired"), ("misnamed", "misnamed", "name"),
                               ("good", "none", "none.crt"), ("good", "good", None)):
            server = serve((self.dir / f"{name}.crt", self.dir / f"{name}.key"))
            server.back, server.rows = self.server.back, self.server.rows
            p = run("push", "-q", "--db", store.path, f"https://localhost:{server.server_port}", "--ca", self.dir / f"{ca}.crt",
                    ok=(2,) if says else (0,))
            server.shutdown()
            server.server_close()
            self.assertIn(says or "", p.stderr)
            self.assertEqual(len(server.asked) > 0, not says, name)
        self.same(store)


class History(Case):
    """Changes of the store."""

    def test_beat_by_beat(self):
        moments, store = grow(60), self.new()
        for i in range(0, len(moments), 37 if self.pairs < 50 else 5):
            store.put(moments[i:i + (37 if self.pairs < 50 else 5)])
            self.push(store)
        self.same(store)
        if self.cluster:
            return
        other = serve()
        run("push", "-q", "--db", store.path, f"http://127.0.0.1:{other.server_port}")
        other.shutdown()
        other.server_close()
        for table in ("points", "hourly", "totals"):
            # points, hours and totals depend on the store alone, not on the number of pushes
            a, b = ({k: {c: v for c, v in x.items() if c not in ("seq", "at_ms")} for k, x in s.rows.tables[table].items()
                     if x["mappings"]} for s in (self.server, other))
            for k in a.keys() | b.keys():
                self.assertEqual(a.get(k), b.get(k), (table, k))

    def test_late(self):
        moments, store = grow(60), self.new()
        late = [m for m in moments if self.random.random() < .3]
        store.put([m for m in moments if m not in late])
        self.push(store)
        for part in (late[:len(late) // 2], late[len(late) // 2:]):
            store.put(part)
            self.push(store)
        self.same(store)

    def test_stronger_dialect_later(self):
        """smaps of moments whose pmap -x was pushed, at the same times and a little before and after."""
        store, moments = self.new(grow(28)), [m for m in grow(28) if m[1] != 90]
        self.push(store, "--pss")
        for shift in (0, 400, -400):
            store.put([(ms + shift, pid, name, heap + 100, data) for ms, pid, name, heap, data in moments
                       if ms // 600000 % 3 == shift // 400 % 3], form=lambda pid, name, heap, data: smaps(heap, data), end=str(shift))
            self.push(store, "--pss")
        self.judge(self.truth(store, n=max(self.pairs, 6)))

    def test_live_after_text(self):
        """A process is seen in text, then live, then in text again."""
        store, file = self.new(), self.dir / "x"
        with subprocess.Popen(["sleep", "60"]) as child:
            time.sleep(.1)
            file.write_text(pathlib.Path(f"/proc/{child.pid}/smaps").read_text())
            for i in range(4):
                run("import", "-q", "--db", store.path, "--host", self.host, "--pid", child.pid, "--at", iso(T0 + i * STEP), file)
                self.push(store, "--pss")
            run("capture", "-q", "--db", store.path, "--host", self.host, str(child.pid))
            self.push(store, "--pss")
            run("import", "-q", "--db", store.path, "--host", self.host, "--pid", child.pid, "--at", "now", file)
            self.push(store, "--pss")
            child.kill()
        self.assertEqual(store.ask("SELECT count(*), max(start_time) IS NOT NULL FROM process"), [(1, 1)])
        self.same(store)

    def test_pruned(self):
        """Rows that are not pushed stay; a prune changes no answer; ids that are used again do no harm."""
        moments, store = grow(60), self.new()
        store.put(moments[:80])
        self.push(store)
        before = self.truth(store)
        store.put(moments[80:])
        before.update(self.truth(store))
        run("prune", "-q", "--db", store.path, "--keep-last", "1")
        self.push(store)
        self.judge(before)
        run("prune", "-q", "--db", store.path, "--keep-last", "1")
        store.put([(T0 + 10**9, 71, "web", 77, 0)])
        self.push(store)
        self.assertEqual(store.ask("SELECT lost FROM push"), [(0,)])
        self.judge(before)
        if not self.cluster:
            self.assertEqual(store.at(self.host, T0 + 10**9)[0].count("77"), 2)
            self.judge({(self.host, T0 + 10**9): store.at(self.host, T0 + 10**9)})

    def test_rules_applied_again(self):
        """A push of the new rules that is killed: the server still shows the old generation."""
        store = self.whole()
        self.push(store)
        before = self.truth(store)
        run("rules", "--db", store.path, "--apply", "pmap-dotnet")
        store.answers = None
        p = self.spawn(store, ["done"] * 3 + ["slow"] * 9)
        while len(self.server.asked) < len(TABLES) + 7 and p.poll() is None:
            time.sleep(.005)
        p.kill()
        p.wait()
        self.judge(before)
        self.push(store)
        self.same(store)
        self.assertEqual(store.ask("SELECT gen, shown_gen FROM push"), [(2, 2)])

    def test_days(self):
        store = self.new(grow(40, step=5 * 3600000))
        self.push(store)
        self.same(store)

    def test_merged(self):
        """A store merges another store of the same host, with older and newer captures than it has pushed."""
        moments = grow(60)
        store, other = self.new(moments[40:90]), self.new(moments[:40] + moments[90:], "other")
        self.push(store)
        run("merge", "-q", "--db", store.path, other.path)
        self.push(store)
        self.same(store)

    def test_relay(self):
        """One store pushes for hosts that do not push themselves."""
        hosts = [self.new(grow(20, pids=(i, i + 1), names=(f"web{i}", f"db{i}")), f"h{i}", f"{self.host}-{i}") for i in (5, 8)]
        relay = self.new(name="relay")
        for i, host in enumerate(hosts):
            run("merge", "-q", "--db", relay.path, host.path)
            if not i:
                self.push(relay)
        self.push(relay)
        self.same(*hosts)

    def test_two_stores_of_a_host(self):
        store = self.new(grow(30))
        other = self.new([(ms, pid + 1000, "cache" + name, heap, data) for ms, pid, name, heap, data in grow(40)], "other")
        self.push(store)
        self.push(other)
        if self.cluster:
            self.same(store, other)
        else:
            for t in store.moments(self.host):
                self.judge({(self.host, t): sorted(store.at(self.host, t) + other.at(self.host, t))})

    def test_redacted(self):
        """Names are not sent; a name has the same token in every push, without its digits."""
        moments = [(ms, pid, f"{name}-4711", heap, data) for ms, pid, name, heap, data in grow(30)]
        store, seen = self.new(), set()
        for part in (moments[:50], moments[50:]):
            store.put(part)
            self.push(store, "--redact", "--label", "build=secret")
        if self.cluster:
            return
        for table in self.server.rows.tables.values():
            for row in table.values():
                seen |= {str(v) for v in row.values()}
        for word in ("web", "db-", "secret", "4711", self.host):
            self.assertFalse([s for s in seen if word in s], word)
        names = {s["name"] for s in self.server.rows.tables["spans"].values()}
        self.assertEqual(len(names), 2)
        host, = {m["host"] for m in self.server.rows.tables["marks"].values()}
        for t in store.moments(self.host)[:20]:
            got = self.server.rows.at(self.server.rows.host_id(host), t).values()
            self.assertEqual(sorted(str(sorted(c.items())) for _, c in got),
                             sorted(str(p[p.index("["):-1]) for p in store.at(self.host, t)))

    def test_hostile_names(self):
        names = ["tab\there", "back\\slash", "quote'\"", "bad\udcff\udcfe", "\\N", "'; DROP TABLE points --", ":from"]
        store, host = self.new(), "ho\\st\n':name"
        for i, name in enumerate(names):
            for k in range(2):
                file = self.dir / f"{i}" / f"{k}.x"
                file.parent.mkdir(exist_ok=True)
                file.write_text(pmap(100 + i, "x", 10 + k, 0))
                os.utime(file, ns=((T0 + k * STEP) * 10**6,) * 2)
            run("import", "-q", "--db", store.path, "--host", host, "--time-from", "mtime", "--name", name, self.dir / f"{i}")
        self.push(store, "--label", "role='\\\t,]")
        store.host = host
        self.same(store)
        if not self.cluster:
            self.assertEqual({s["name"] for s in self.server.rows.tables["spans"].values()}, set(names))
            self.assertEqual(max(self.server.rows.tables["hosts"].values(), key=lambda h: h["at_ms"])["label_value"],
                             "['\\'\\\\\\t,]']")

    def test_hourly(self):
        """The sums of an hour are those of its last beat; the Rss of an object is within a step of 64 KiB."""
        if self.cluster:
            return
        store = self.whole()
        self.push(store)
        r, hour = self.server.rows, 3600000
        last = "SELECT max(moment_ms) FROM snapshots WHERE name = ? AND preferred AND taken_ms BETWEEN ? AND ?"
        for h in r.tables["totals"].values():
            begin = h["hour"] * 1000
            self.assertEqual([(h["processes"], h["mappings"], h["size_kib"], h["rss_kib"], h["swap_kib"])], store.ask(
                "SELECT count(*), sum(mappings), sum(size_kib), sum(rss_kib), sum(swap_kib) FROM snapshots WHERE name = ?"
                f" AND moment_ms = ({last}) AND preferred", h["name"], h["name"], begin, begin + hour - 1))
        for h in r.tables["hourly"].values():
            begin = h["hour"] * 1000
            self.assertEqual([(h["processes"], h["mappings"], h["rss_kib"])], store.ask(
                "SELECT count(*), sum(c.mappings), sum(c.rss_kib) FROM categories c JOIN snapshot s USING (snapshot_id)"
                f" WHERE c.name = ? AND c.category = ? AND s.moment_ms = ({last}) AND s.preferred", h["name"], h["category"],
                h["name"], begin, begin + hour - 1))
        self.assertEqual({h["hour"] for h in r.tables["hourly"].values()},
                         {h for h, in store.ask("SELECT DISTINCT taken_ms / 3600000 * 3600 FROM snapshot")})
        for begin in {h["hour"] * 1000 for h in r.tables["hourly"].values()}:
            want, got = {}, {}
            for name, in store.ask("SELECT DISTINCT name FROM snapshots WHERE taken_ms BETWEEN ? AND ?", begin, begin + hour - 1):
                for path, rss in store.ask(
                        "SELECT m.path, sum(m.rss_kib) FROM snapshots s JOIN mappings m USING (snapshot_id) WHERE s.name = ?"
                        f" AND s.moment_ms = ({last}) AND s.preferred GROUP BY 1", name, name, begin, begin + hour - 1):
                    want[name, path or "[anon]"] = rss
            for o in sorted(r.tables["objects"].values(), key=lambda o: o["hour"]):
                if o["hour"] * 1000 <= begin:
                    got[o["name"], o["object"]] = o["rss_kib"]
            for key in want.keys() | got.keys():
                self.assertLess(abs(want.get(key, 0) - got.get(key, 0)), 64, (begin, key))

    def test_live(self):
        """Live processes that start, grow, run another program and end; a renamed host; a relay, too."""
        script = ("import os, sys, time, random\nr = random.Random(int(sys.argv[1]))\na = []\n"
                  "for i in range(int(sys.argv[2])):\n a.append(bytearray(r.randrange(1, 4) << 18))\n time.sleep(.07)\n"
                  "os.execlp('sleep', 'sleep', '9')")
        store, children = self.new(), []
        for host in (self.host, self.host + "-renamed"):
            capture = subprocess.Popen([PROGRAM, "capture", "-q", "--db", str(store.path), "--host", host, "--match",
                                        f"ppid = {os.getpid()} AND comm GLOB '[ps][yl][te]*'", "--every", "100ms", "--count", "12"],
                                       env=ENV, stderr=subprocess.DEVNULL)
            while not (store.path.exists() and store.path.stat().st_size) and capture.poll() is None:
                time.sleep(.05)
            for i in range(3):
                children.append(subprocess.Popen([sys.executable, "-c", script, str(i), str(5 + 3 * i)]))
                time.sleep(.3)
                if i:
                    self.push(store, "--pss")
            capture.wait()
        for c in children:
            c.kill()
            c.wait()
        self.push(store, "--pss")
        hosts = [self.truth(store, host) for host in (self.host, self.host + "-renamed")]
        for truth in hosts:
            self.judge(truth)
        relay = self.new(name="relay")
        run("merge", "-q", "--db", relay.path, store.path)
        self.push(relay, "--pss")
        for truth in hosts:
            self.judge(truth)
        if not self.cluster:
            self.assertEqual({h["label_value"] for h in self.server.rows.tables["hosts"].values()
                              if h["host"] != self.host and h["at_ms"]}, {f"['{self.host}']"})


class Files(Case):
    """push --to DIR."""

    def test_golden(self):
        """The bytes of each format are those of the golden files."""
        store, golden = self.new(grow(8, step=1800000)), pathlib.Path(__file__).parent / "golden"
        with sqlite3.connect(store.path) as db:  # replaces a random id
            db.executescript((pathlib.Path(__file__).parents[2] / "src/store/push/push-tables.sql").read_text())
            db.execute("INSERT INTO push_self VALUES ('0123456789abcdef')")
        for form, words, end in (("tsv", (), ""), ("csv", ("-f", "csv"), ""), ("ndjson", ("-f", "ndjson", "--gz"), ".gz")):
            out = self.dir / form
            run("push", "-q", "--db", store.path, "--to", out, *words)
            got = {}
            for path in sorted(out.glob("*/*")):
                self.assertEqual(path.name, f"golden-0123456789abcdef-00000001.{form}{end}")
                data = gzip.decompress(path.read_bytes()) if end else path.read_bytes()
                got[path.parent.name] = data
            for table in ("hosts", "spans", "points", "hourly", "totals", "objects"):
                kept = golden / f"{table}.{form}"
                if "PMAPDB_UPDATE" in os.environ:
                    kept.write_bytes(got[table])
                self.assertEqual(got[table], kept.read_bytes(), kept)
            self.assertEqual(sorted(got), sorted(TABLES))  # verdicts and marks have today's date

    def test_killed(self):
        store, moments, out = self.new(), grow(40), self.dir / "out"
        for part in (moments[:50], moments[50:]):
            store.put(part)
            for _ in range(3):
                p = subprocess.Popen([PROGRAM, "push", "-q", "--db", store.path, "--to", out], env=ENV, stderr=subprocess.DEVNULL)
                time.sleep(self.random.random() * .06)
                p.kill()
                p.wait()
        run("push", "-q", "--db", store.path, "--to", out)
        for part in out.glob("*/*.part"):
            part.unlink()
        read = rows.Rows().read(out)
        for t in store.moments(self.host):
            self.assertEqual(sorted(map(flat, read.at(read.host_id(self.host), t).values())), store.at(self.host, t), t)


class Servers(Case):
    """Cases that only ClickHouse can show."""

    def setUp(self):
        if not self.cluster:
            self.skipTest("only with --clickhouse")
        super().setUp()

    def test_server_killed(self):
        """The server is killed before or after it stores the rows; it comes back at once, or after the push."""
        store, moments, killed = self.new(), grow(60), threading.Event()

        def kill():
            self.cluster.kill(0)
            killed.set()
        self.server.kill = kill
        for i, (how, comes_back) in enumerate((("kill before", True), ("kill after", True), ("kill before", False),
                                               ("kill after", False))):
            store.put(moments[35 * i:35 * i + 35])
            p = self.spawn(store, ["done", "done", how])
            self.assertTrue(killed.wait(60))
            killed.clear()
            if comes_back:
                self.cluster.start(0)
            self.assertEqual(p.wait(), 0 if comes_back else 3)
            if not comes_back:
                self.cluster.start(0)
                self.push(store)
            self.judge(self.truth(store, n=-(-self.pairs // 4)))

    def test_users(self):
        """A wrong password, a user who may only read, a missing database."""
        store, word = self.whole(), self.dir / "password"
        word.touch(0o600)
        for user, password, database, says in (("pusher", "wrong", "pmapdb", "assword"), ("reader", "read", "pmapdb", "readonly"),
                                               ("pusher", "push", "nowhere", "fleet schema")):
            word.write_text(password)
            p = self.push(store, "--user", user, "--password-file", word, "--database", database, ok=(2,))
            self.assertIn(says, p.stderr)
            self.assertEqual(store.ask("SELECT max(done_id) FROM push"), [(0,)])
        word.write_text("push")
        self.push(store, "--user", "pusher", "--password-file", word)
        self.same(store)

    def test_tls(self):
        store, crt = self.whole(), self.cluster.folder / "server0/crt"
        other = self.dir / "other.crt"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", self.dir / "key", "-out", other,
                        "-subj", "/CN=localhost"], check=True, capture_output=True)
        url = self.cluster.tls_urls[0]
        for ca in ((), ("--ca", other)):
            self.assertIn("certificate", run("push", "-q", "--db", store.path, url, *ca, ok=(2,)).stderr)
        run("push", "-q", "--db", store.path, url, "--ca", crt)
        self.same(store)

    def replicas(self):
        if self.cluster.replicas == 1:
            self.skipTest("only with --replicated")

    def test_replicas_down(self):
        """One replica of each shard is down; then the others."""
        self.replicas()
        store, moments = self.new(), grow(60)
        store.put(moments[:50])
        self.push(store)
        for i, down in enumerate(((1, 3), (0, 2))):
            self.cluster.caught_up()
            for server in down:
                self.cluster.kill(server)
            self.at = 1 - down[0] % 2
            store.put(moments[50 + 40 * i:90 + 40 * i])
            self.push(store)
            self.same(store)
            for server in down:
                self.cluster.start(server)
        for self.at in range(4):
            self.judge(self.truth(store, n=-(-self.pairs // 4)))

    def test_zookeeper_down(self):
        self.replicas()
        store = self.whole()
        self.cluster.kill("zookeeper")
        self.push(store, ok=(3,))
        self.assertEqual(self.cursor(store), (0, 1, 0))
        self.cluster.start_zookeeper()

        def writes():
            return run("push", "-q", "--now", "--db", store.path, self.url, ok=(0, 3)).returncode == 0
        clickhouse.wait_until(writes, "ZooKeeper's session")
        self.same(store)


class Table(unittest.TextTestResult):
    """Prints a line for each case."""

    def startTest(self, test):
        super().startTest(test)
        self.begun, self.before = time.monotonic(), Case.asked

    def addSuccess(self, test):
        super().addSuccess(test)
        self.line(test, "equal")

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.line(test, "DIFFERS")

    def addError(self, test, err):
        super().addError(test, err)
        self.line(test, "ERROR")

    def line(self, test, outcome):
        if Case.cluster and (Case.asked > self.before or outcome != "equal"):
            print(f"{test._testMethodName[5:]:28} {Case.asked - self.before:6} {outcome:8} {time.monotonic() - self.begun:6.1f} s", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--clickhouse", action="store_true")
    parser.add_argument("--pairs", type=int, default=2)
    parser.add_argument("--replicated", action="store_true")
    parser.add_argument("case", nargs="*")
    args = parser.parse_args()
    Case.pairs = args.pairs
    if args.clickhouse:  # only the small server looks for leaks
        ENV["ASAN_OPTIONS"] = "detect_leaks=0"

    def go():
        unittest.main(argv=[sys.argv[0], *[w for c in args.case for w in ("-k", c)]], exit=True,
                      testRunner=unittest.TextTestRunner(resultclass=Table, verbosity=1))
    if not args.clickhouse:
        go()
    replicas = 2 if args.replicated else 1
    if clickhouse.missing(replicas):
        print("skipped:", clickhouse.missing(replicas))
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder, \
            clickhouse.Cluster(folder, 2 if args.replicated else 1, replicas, tls=True) as Case.cluster:
        words = ["--cluster", "fleet"] * (args.replicated or 0) + ["--replicated"] * args.replicated
        Case.cluster.run(run("fleet", "schema", *words).stdout)
        print("case                          pairs", flush=True)
        go()


if __name__ == "__main__":
    main()
