#!/usr/bin/env python3
"""push --to DIR: what the rows of a push say of a moment is what the store says of it, however the push
went.     PMAPDB_PROGRAM=pmapdb push.py [-v]

The truth is the store, read by SQLite: for each process the newest snapshot up to that moment, if no beat
of its capture (of text: of its name) has been without it since.
"""
import os
import gzip
import http.server
import pathlib
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import rows  # noqa: E402

PROGRAM = os.environ["PMAPDB_PROGRAM"]
ENV = {**os.environ, "PMAPDB_CONFIG": "", "TZ": "UTC"}
DAY = 86400000
T0 = 1763600400000  # 2025-11-20T01:00:00Z


def run(*words, ok=(0,), **more):
    p = subprocess.run([PROGRAM, *map(str, words)], env=ENV, capture_output=True, text=True, errors="surrogateescape",
                       **more)
    assert p.returncode in ok, (words, p.returncode, p.stderr)
    return p


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


def flat(categories):
    """As a text, in one order."""
    return str(sorted(categories.items()))


class Store:
    """A store and what it says."""

    def __init__(self, path):
        self.path = path

    def put(self, moments, host="web3"):
        """Imports [(ms, pid, name, heap, data)]."""
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.path.parent))
        for ms, pid, name, heap, data in moments:
            file = folder / f"{ms}-{pid}.x"
            file.write_text(pmap(pid, name, heap, data))
            os.utime(file, ns=(ms * 10**6, ms * 10**6))
        run("import", "-q", "--db", self.path, "--host", host, "--time-from", "mtime", "--sweep", "1s", folder)
        shutil.rmtree(folder)

    def push(self, out, *words, **more):
        return run("push", "-q", "--db", self.path, "--to", out, *words, **more)

    def ask(self, sql, *args):
        db = sqlite3.connect(f"file:{self.path}?mode=ro", uri=True)
        try:
            return db.execute(sql, args).fetchall()
        finally:
            db.close()

    def moments(self, host):
        return [m for m, in self.ask("SELECT DISTINCT taken_ms FROM snapshots WHERE host = ? ORDER BY 1", host)]

    def at(self, host, t):
        """The categories of the processes of a moment, sorted."""
        found = self.ask("""
            SELECT s.snapshot_id FROM process p JOIN host h ON h.host_id = p.host_id
            JOIN snapshot s ON s.process_id = p.process_id AND s.preferred AND s.taken_ms = (
              SELECT max(taken_ms) FROM snapshot x WHERE x.process_id = p.process_id AND x.preferred AND x.taken_ms <= ?2)
            LEFT JOIN beat b ON b.capture_id = s.capture_id
            WHERE h.name = ?1 AND NOT EXISTS (SELECT 1 FROM beat n WHERE n.schedule_id = b.schedule_id
                AND n.started_ms > s.taken_ms AND n.started_ms <= ?2)
              AND NOT (b.schedule_id IS NULL AND EXISTS (SELECT 1 FROM process q JOIN snapshot x ON x.process_id = q.process_id
                WHERE q.name_id = p.name_id AND q.process_id <> p.process_id AND x.taken_ms > s.taken_ms
                  AND x.taken_ms <= ?2 AND x.moment_ms <> s.moment_ms))
              AND ?2 - s.taken_ms < 90000000""", host, t)
        out = []
        for i, in found:
            out.append({r[0]: tuple(r[1:]) for r in self.ask(
                "SELECT category, mappings, size_kib, rss_kib, private_kib, private_dirty_kib, swap_kib"
                " FROM categories WHERE snapshot_id = ?", i)})
        return sorted(map(flat, out))


class Push(unittest.TestCase):
    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="pmapdb-push-"))
        self.store = Store(self.dir / "store.db")
        self.out = self.dir / "out"
        self.random = random.Random(7)

    def tearDown(self):
        shutil.rmtree(self.dir)

    def same(self, host="web3", out=None, n=40, store=None):
        """The rows say of moments what the store says."""
        store = store or self.store
        r = rows.Rows().read(out or self.out)
        host_id = r.host_id(host)
        moments = store.moments(host)
        some = moments if len(moments) <= n else sorted(self.random.sample(moments, n))
        through = max(m["through_ms"] for m in r.tables["marks"].values() if m["host_id"] == host_id)
        self.assertEqual(through, moments[-1])
        for t in some:
            self.assertEqual(sorted(map(flat, r.at(host_id, t).values())), store.at(host, t), t)
        return r

    def grow(self, n, first=0, step=600000, pids=(71, 72)):
        """n moments of processes that grow; the second comes and goes, its file too."""
        out = []
        for i in range(first, first + n):
            ms = T0 + i * step
            out.append((ms, pids[0], "web", 1000 + i // 3 * 50, 0))
            if i % 7 != 5:
                out.append((ms, pids[1], "web", 500 + i % 4, 300 if i % 5 else 0))
            if i % 2:
                out.append((ms, 90, "db", 4000, 100))
        return out

    def test_once_and_again(self):
        self.store.put(self.grow(60))
        self.store.push(self.out)
        r = self.same(n=100)
        sent = r.sent.copy()
        self.store.push(self.out)  # nothing is new: a mark alone
        self.assertEqual(rows.Rows().read(self.out).sent - sent, {"marks": 1})

    def test_many_batches_equal_one(self):
        moments = self.grow(150)
        for i in range(0, len(moments), 37):
            self.store.put(moments[i:i + 37])
            self.store.push(self.out)
        one = self.same(n=60)
        other = self.dir / "other"
        self.store.push(other)
        all_at_once = self.same(out=other, n=60)
        for table in ("points", "hourly"):
            # hours that were sent when they were over, and changes, follow from the store alone
            def strip(t):
                return {k: {c: v for c, v in x.items() if c not in ("seq", "at_ms")} for k, x in t.items()
                        if x["mappings"]}
            a, b = strip(one.tables[table]), strip(all_at_once.tables[table])
            for k in a.keys() | b.keys():
                self.assertEqual(a.get(k), b.get(k), (table, k))

    def test_late_captures(self):
        moments = self.grow(80)
        late = [m for m in moments if self.random.random() < .3]
        self.store.put([m for m in moments if m not in late])
        self.store.push(self.out)
        half = len(late) // 2
        self.store.put(late[:half])
        self.store.push(self.out)
        self.store.put(late[half:])
        self.store.push(self.out)
        self.same(n=100)

    def test_killed_at_random(self):
        moments = self.grow(120)
        for i in range(0, len(moments), 60):
            self.store.put(moments[i:i + 60])
            for _ in range(4):
                p = subprocess.Popen([PROGRAM, "push", "-q", "--db", self.store.path, "--to", self.out], env=ENV,
                                     stderr=subprocess.DEVNULL)
                time.sleep(self.random.random() * .06)
                p.send_signal(signal.SIGKILL)
                p.wait()
        self.store.push(self.out)
        for part in self.out.glob("*/*.part"):
            part.unlink()
        self.same(n=60)

    def test_copied_store_and_lost_cursor(self):
        moments = self.grow(60)
        self.store.put(moments[:60])
        self.store.push(self.out)
        copy = Store(self.dir / "copy.db")
        db = sqlite3.connect(self.store.path)
        db.execute("VACUUM INTO ?", (str(copy.path),))
        db.close()
        self.store.put(moments[60:])
        copy.put(moments[60:])
        self.store.push(self.out)
        copy.push(self.out)
        self.store.push(self.out)
        self.same()
        db = sqlite3.connect(self.store.path)
        db.execute("PRAGMA foreign_keys = ON")
        for table in ("push_open", "push_host", "push_hour", "push_leak", "push"):
            db.execute(f"DELETE FROM {table}")
        db.commit()
        db.close()
        self.store.push(self.out)
        self.same()

    def test_rewind(self):
        self.store.put(self.grow(60))
        self.store.push(self.out)
        kept = {p: p.read_bytes() for p in self.out.glob("*/*")}
        for p in kept:
            p.unlink()
        self.store.push(self.out, "--rewind", "2025-01-01T00:00:00Z")
        self.same(n=60)

    def test_two_stores_of_a_host(self):
        other = Store(self.dir / "other.db")
        self.store.put(self.grow(40))
        other.put([(ms, pid + 1000, "cache", heap, data) for ms, pid, _, heap, data in self.grow(20)])
        self.store.push(self.out)
        other.push(self.out)
        r = rows.Rows().read(self.out)
        host_id = r.host_id("web3")
        for t in self.store.moments("web3"):
            both = self.store.at("web3", t) + (other.at("web3", t) if t <= other.moments("web3")[-1] else [])
            self.assertEqual(sorted(map(flat, r.at(host_id, t).values())), sorted(both), t)

    def test_hosts_of_a_store(self):
        self.store.put(self.grow(20))
        self.store.put(self.grow(30, pids=(500, 600)), host="db\t1")
        self.store.push(self.out)
        self.same()
        self.same(host="db\t1")

    def test_days_and_rules(self):
        self.store.put(self.grow(40, step=5 * 3600000))
        self.store.push(self.out)
        self.same(n=60)
        rules = self.dir / "own.csv"
        rules.write_text(run("rules", "--db", self.store.path, "-f", "csv").stdout)
        run("rules", "--db", self.store.path, "--apply", "pmap-dotnet")
        self.store.push(self.out)
        r = self.same(n=60)
        self.assertEqual({m["gen"] for m in r.tables["marks"].values()}, {2})

    def test_pruned(self):
        moments = self.grow(60)
        self.store.put(moments[:80])
        self.store.push(self.out)
        before = rows.Rows().read(self.out)
        self.store.put(moments[80:])
        run("prune", "-q", "--db", self.store.path, "--keep-last", "1")
        self.store.push(self.out)  # what was not sent had stayed
        r = rows.Rows().read(self.out)
        late = sorted({m[0] for m in moments[80:]})
        self.assertTrue(set(late[1:]) <= {k[4] for k in r.tables["points"]} | {m[0] for m in moments})
        host_id = r.host_id("web3")
        for t in sorted({m[0] for m in moments[:60]})[:20]:
            self.assertEqual(r.at(host_id, t), before.at(host_id, t), t)  # a prune changes no answer
        run("prune", "-q", "--db", self.store.path, "--keep-last", "1")
        self.store.put([(T0 + 10**9, 71, "web", 77, 0)])
        self.store.push(self.out)
        self.assertEqual(self.store.ask("SELECT lost FROM push"), [(0,)])
        r = rows.Rows().read(self.out)
        self.assertIn(93, [sum(c[1] for c in p.values()) for p in r.at(host_id, T0 + 10**9).values()])

    def test_live(self):
        """Processes that come, grow and go, captured every 100 ms."""
        script = ("import sys, time, random\nr = random.Random(int(sys.argv[1]))\na = []\n"
                  "for i in range(int(sys.argv[2])):\n a.append(bytearray(r.randrange(1, 4) << 18))\n time.sleep(.07)\n")
        children = []
        capture = subprocess.Popen([PROGRAM, "capture", "-q", "--db", str(self.store.path), "--host", "web3", "--match",
                                    f"ppid = {os.getpid()} AND cmdline GLOB '*python*'", "--every", "100ms", "--count",
                                    "30"], env=ENV, stderr=subprocess.DEVNULL)
        for i in range(8):
            children.append(subprocess.Popen([sys.executable, "-c", script, str(i), str(8 + 3 * i)]))
            time.sleep(.15)
            if i > 2:
                self.store.push(self.out)
        capture.wait()
        for c in children:
            c.kill()
            c.wait()
        self.store.push(self.out)
        self.same(n=60)

    def test_redacted(self):
        """Names do not leave; the same name has the same token in every push."""
        moments = self.grow(60)
        for part in (moments[:50], moments[50:]):
            self.store.put(part)
            self.store.push(self.out, "--redact", "--label", "build=secret")
        for path in self.out.glob("*/*"):
            self.assertFalse({b"web", b"db", b"secret", b"srv"} & set(path.read_bytes().replace(b"'", b"\t").split()), path)
        r = rows.Rows().read(self.out)
        self.assertEqual(len({s["name"] for s in r.tables["spans"].values()}), 2)
        host, = {m["host"] for m in r.tables["marks"].values()}
        for t in self.store.moments("web3")[:20]:
            self.assertEqual(sorted(map(flat, r.at(r.host_id(host), t).values())), self.store.at("web3", t), t)

    def test_hostile_names(self):
        folder = self.dir / "in"
        folder.mkdir()
        names = ["tab\there", "back\\slash", "quote'\"", "bad\udcff\udcfe", "\\N"]
        for i, name in enumerate(names):
            (folder / f"{T0 + i}-{100 + i}.x").write_text(pmap(100 + i, "x", 10, 0), errors="surrogateescape")
            run("import", "-q", "--db", self.store.path, "--host", "ho\\st\n", "--at", "2025-11-20T01:00:00Z", "--name",
                name, folder / f"{T0 + i}-{100 + i}.x")
        self.store.push(self.out)
        r = rows.Rows().read(self.out)
        self.assertEqual({s["name"] for s in r.tables["spans"].values()}, set(names))
        self.assertEqual({m["host"] for m in r.tables["marks"].values()}, {"ho\\st\n"})

    def test_hourly(self):
        """The sums of an hour are those of its last beat."""
        self.store.put(self.grow(60))
        self.store.push(self.out)
        r = rows.Rows().read(self.out)
        for h in r.tables["hourly"].values():
            begin = h["hour"] * 1000
            last = [t for t, in self.store.ask("SELECT max(moment_ms) FROM snapshots WHERE name = ? AND preferred"
                                               " AND taken_ms BETWEEN ? AND ?", h["name"], begin, begin + 3599999)][0]
            self.assertEqual([(h["processes"], h["mappings"], h["rss_kib"])], self.store.ask(
                "SELECT count(*), sum(c.mappings), sum(c.rss_kib) FROM categories c JOIN snapshot s USING (snapshot_id)"
                " WHERE c.name = ? AND c.category = ? AND s.moment_ms = ? AND s.preferred", h["name"], h["category"], last))
        # the newest row of an object up to an hour is within a step of 64 KiB of what the hour has
        for begin in {h["hour"] * 1000 for h in r.tables["hourly"].values()}:
            want = {}
            for name, in self.store.ask("SELECT DISTINCT name FROM snapshots WHERE taken_ms BETWEEN ? AND ?", begin, begin + 3599999):
                last = self.store.ask("SELECT max(moment_ms) FROM snapshots WHERE name = ? AND preferred AND taken_ms"
                                      " BETWEEN ? AND ?", name, begin, begin + 3599999)[0][0]
                for path, rss in self.store.ask(
                        "SELECT m.path, sum(m.rss_kib) FROM snapshots s JOIN mappings m USING (snapshot_id) WHERE s.name = ?"
                        " AND s.moment_ms = ? AND s.preferred GROUP BY 1", name, last):
                    want[name, path or "[anon]"] = rss
            got = {}
            for o in sorted(r.tables["objects"].values(), key=lambda o: o["hour"]):
                if o["hour"] * 1000 <= begin:
                    got[o["name"], o["object"]] = o["rss_kib"]
            for key in want.keys() | got.keys():
                self.assertLess(abs(want.get(key, 0) - got.get(key, 0)), 64, (begin, key))
        hours = {h for h, in self.store.ask("SELECT DISTINCT taken_ms / 3600000 * 3600 FROM snapshot")}
        self.assertEqual({h["hour"] for h in r.tables["hourly"].values()}, hours)


class Fake(http.server.BaseHTTPRequestHandler):
    """Keeps the rows of INSERTs and answers as told: server.says is a list of answers that come first."""
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = gzip.decompress(self.rfile.read(int(self.headers["Content-Length"]))).decode("utf-8", "surrogateescape")
        args = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.path).query))
        query, server = args.get("query", ""), self.server
        how = server.says.pop(0) if server.says and (query or server.any) else "done"
        if query and how in ("done", "cut", "cut head", "text", "slow"):
            table = query.split()[2]
            if table in rows.COLUMNS:
                for line in body.split("\n")[:-1]:
                    server.rows.add(table, line)
        server.asked.append((query.split(" (")[0] or body, how, body.count("\n")))
        reply = b"" if query else b"18.16.1\n" if "version()" in body else b"0\n"
        status = 200
        if how == "text":
            reply = b"Code: 252, e.displayText() = DB::Exception: Too many parts"
        elif how.startswith("Code: "):
            reply, status = how.encode(), 500
        elif how == "slow":
            time.sleep(.3)
        if how == "cut head":
            self.wfile.write(b"HTTP/1.1 200 OK\r\nConte")
            self.close_connection = True
            return
        self.send_response(status)
        self.send_header("Content-Length", str(len(reply) + (how == "cut")))
        self.end_headers()
        self.wfile.write(reply)
        self.close_connection = how == "cut"

    def log_message(self, *_):
        pass


class Server(unittest.TestCase):
    """push URL against a server that fails."""

    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="pmapdb-push-"))
        self.store = Store(self.dir / "store.db")
        self.store.put([(T0 + i * 600000, 71, "web", 1000 + i, 0) for i in range(20)])
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Fake)
        self.server.says, self.server.asked, self.server.rows, self.server.any = [], [], rows.Rows(), False
        self.server.handle_error = lambda *_: None
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def tearDown(self):
        self.server.shutdown()
        self.server.server_close()
        shutil.rmtree(self.dir)

    def push(self, *says, ok=(0,), any_request=False):
        self.server.says[:] = says
        self.server.any = any_request
        return run("push", "-q", "--now", "--db", self.store.path, self.url, ok=ok)

    def cursor(self):
        return self.store.ask("SELECT done_id, failures, error IS NULL FROM push")[0]

    def whole(self):
        """The server says of every moment what the store says."""
        r = self.server.rows
        for t in self.store.moments("web3"):
            self.assertEqual(sorted(map(flat, r.at(r.host_id("web3"), t).values())), self.store.at("web3", t))

    def test_order_and_end(self):
        self.push()
        tables = [a[0].split()[2] for a in self.server.asked if a[0].startswith("INSERT")]
        self.assertEqual(tables, ["hosts", "spans", "points", "hourly", "objects", "verdicts", "marks"])
        self.whole()
        self.assertEqual(self.cursor(), (20, 0, 1))

    def test_replies_that_do_not_count(self):
        self.push("cut", "done", "cut head", "text", "Code: 252, too many parts", "slow")
        self.whole()
        self.assertEqual(self.cursor(), (20, 0, 1))

    def test_later(self):
        p = self.push(*["Code: 242, Table is in readonly mode"] * 4, ok=(3,))
        self.assertIn("nothing is lost", p.stderr)
        self.assertEqual(self.cursor(), (0, 1, 0))
        p = run("push", "-q", "--db", self.store.path, self.url, ok=(3,))
        self.assertIn("no try before", p.stderr)
        self.push()
        self.whole()
        self.assertEqual(self.cursor(), (20, 0, 1))

    def test_a_person_must_act(self):
        for says, words in (("Code: 193. Wrong password", "Wrong password"), ("Code: 60. No table", "fleet schema"),
                            ("Code: 81. No database", "fleet schema"), ("Code: 164. Cannot execute in readonly", "readonly")):
            p = self.push("done", says, ok=(2,), any_request=True)
            self.assertIn(words, p.stderr)
            self.assertEqual(self.cursor()[:2], (0, 0))
        self.push()
        self.whole()

    def test_too_large_is_halved(self):
        self.push("done", "done", "Code: 241. Memory limit", "Code: 241. Memory limit")
        self.whole()
        sizes = [n for q, how, n in self.server.asked if "INTO points" in q and how == "done"]
        self.assertGreater(len(sizes), 2)

    def test_between_tables(self):
        """Killed after each request: the next run sends the rest, and nothing counts twice."""
        for n in range(7):
            self.server.asked.clear()
            self.server.says[:] = ["done"] * n + ["slow"]
            p = subprocess.Popen([PROGRAM, "push", "-q", "--now", "--db", self.store.path, self.url], env=ENV)
            while len(self.server.asked) < n + 3 and p.poll() is None:
                time.sleep(.005)
            p.kill()
            p.wait()
        self.push()
        self.whole()

    def test_two_at_once(self):
        self.server.says[:] = ["slow"] * 3
        first = subprocess.Popen([PROGRAM, "push", "-q", "--db", self.store.path, self.url], env=ENV)
        while not self.server.asked:
            time.sleep(.005)
        p = run("push", "-q", "--db", self.store.path, self.url, ok=(0, 2))
        self.assertEqual(first.wait(), 0)
        if p.returncode == 2:
            self.assertIn("another push", p.stderr)
        self.whole()

    def test_no_beat_waits_for_the_network(self):
        """A write while a request is on its way."""
        self.server.says[:] = ["slow"] * 8
        first = subprocess.Popen([PROGRAM, "push", "-q", "--db", self.store.path, self.url], env=ENV)
        while len(self.server.asked) < 4 and first.poll() is None:
            time.sleep(.005)
        begun = time.monotonic()
        db = sqlite3.connect(self.store.path, timeout=0)
        db.execute("BEGIN IMMEDIATE")
        db.execute("ROLLBACK")
        db.close()
        self.assertLess(time.monotonic() - begun, .2)
        self.assertEqual(first.wait(), 0)


if __name__ == "__main__":
    unittest.main()
