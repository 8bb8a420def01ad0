"""export: an extract has the numbers of the store, and a redacted extract does not show its owner.

For stores of text captures, JVMs, recordings of perf and a live capture: every query returns the same
numbers from the extract as from the store (except texts and addresses, which are compared through the
ids); verdicts are equal; doctor finds no trouble; secrets that the test puts into every
text of the store, and every text that was replaced, are not in the bytes of the new file; no
address is. Extracts of spans and of single processes take the next import and a merge. An export that is
killed leaves nothing. Takes some seconds; --full: every query on all fixtures and, with PMAPDB_SHARED,
on workloads (about 5 minutes with a release build).
"""
import collections
import os
import pathlib
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "shared"))
import kit  # noqa: E402 (found by the line before)

FIXTURES = kit.ROOT / "tests" / "fixtures"
SAMPLES = kit.ROOT / "samples"
# Text columns that redaction does not change.
WORDS = {"verdict", "shape", "metric", "unit", "dialect", "state", "checked", "change", "why_metric",
         "time_source", "perms", "flags", "device", "kind", "identity", "pid_source"}
SHORT = {"categories", "diff-category", "diff-lineage", "growth", "leaks", "mappings",
         "mappings-regions", "threads", "groups", "who", "snapshots", "largest", "rulings"}
# These queries ask for one thing by its text, or for environments, which are not copied.
NOT_ASKED = {"mappings-words", "store-growth", "sights"}
SECRET = "zz-secret-%d-zz"
COMMON = {"total", "true", "false", "none", "text", "data", "index", "file", "name", "main", "page",
          "first", "last", "list", "code", "class", "thread", "heap", "stack", "size", "call",
          "parent", "path", "offset", "start", "region", "object", "process", "snapshot", "node",
          "python3", "redis", "java", "arenas", "stacks", "threads", "samples", "captures"}

check = kit.Check()


def export(db, out, *args, expect=(0,)):
    return kit.run("export", out, *args, db=db, expect=expect)


def queries():
    """{name: ([parameter], {column: type})}"""
    out = {}
    for path in sorted((kit.ROOT / "queries").glob("*.sql")):
        text = path.read_text()
        out[path.stem] = (re.findall(r"^-- param: +(\S+) +(\S+) +(\S+)", text, re.M),
                          dict(re.findall(r"^-- column: +(\S+) +(\S+)", text, re.M)))
    return out


# ---- the same numbers ----

def numbers_of(name, columns, db, args):
    done = kit.run("query", name, *args, "-f", "csv", db=db, expect=None)
    lines = kit.table(done.stdout)
    kept = [c for c, t in columns.items()
            if (t not in ("text", "category", "address") or c in WORDS) and c != "inode"]
    return done.returncode, collections.Counter(tuple(r.get(c) for c in kept) for r in lines)


def compare(what, db, out, processes):
    for name, (params, columns) in queries().items():
        if name in NOT_ASKED or (name not in SHORT and not kit.full):
            continue
        given = {p: (t, default) for p, t, default in params}
        args = []
        if "lineage" in given:
            args += ["--lineage", "1"]
        if "regions" in given:
            args += ["--regions", ""]
        asked = [[]]
        if given.get("process", ("", ""))[1] in ("only", "-"):
            asked = [["--process", "@%d" % p] for p in processes]
        for who in asked:
            want = numbers_of(name, columns, db, args + who)
            got = numbers_of(name, columns, out, args + who)
            check.equal("%s, %s %s" % (what, name, " ".join(who)), got, want)


def sums(db, snapshots=None):
    """The numbers of the views for every snapshot, without texts and addresses."""
    sql = kit.plain(db)
    where = "" if snapshots is None else " WHERE snapshot_id IN (%s)" % ",".join(map(str, snapshots))
    return [sql.execute(q + where).fetchall() for q in (
        "SELECT snapshot_id, lineage_id, region_id, size_kib, rss_kib, pss_kib, private_kib, swap_kib, "
        "end - start, start % 67108864, perms, flags, offset, inferred FROM mappings",
        "SELECT snapshot_id, mappings, size_kib, rss_kib, pss_kib, private_kib FROM categories",
        "SELECT snapshot_id, process_id, taken_ms, moment_ms, preferred, state, mappings, size_kib, "
        "rss_kib, tool_rss_kib FROM snapshot")]


def same_sums(what, db, out, snapshots=None):
    for table, want, got in zip(("mappings", "categories", "snapshots"),
                                sums(db, snapshots), sums(out, snapshots)):
        check.equal("%s: %s" % (what, table), sorted(got, key=repr), sorted(want, key=repr))


def is_whole(what, db):
    """Checks integrity, references and sums, and that each lineage begins in a stored snapshot."""
    done = kit.run("doctor", "--deep", "-f", "csv", db=db, expect=(0, 1, 2))
    states = {r["check"]: r["state"] for r in kit.table(done.stdout)}
    for name in ("integrity", "references", "readable", "sums", "categories", "schema"):
        check.equal("%s: doctor: %s" % (what, name), states.get(name), "ok")
    sql = kit.plain(db)
    check.equal("%s: foreign keys" % what, sql.execute("PRAGMA foreign_key_check").fetchall(), [])
    check.equal("%s: lineages without their first snapshot" % what, sql.execute(
        "SELECT count(*) FROM lineage WHERE first_snapshot_id NOT IN "
        "(SELECT snapshot_id FROM snapshot)").fetchone(), (0,))


# ---- nothing of the owner ----

TEXTS = ("SELECT object_id, path FROM object", "SELECT process_id, command FROM process",
         "SELECT origin_id, folder FROM origin", "SELECT origin_id, file FROM origin",
         "SELECT name_id, name FROM name", "SELECT host_id, name FROM host")


def replaced(what, db, out):
    """{text: token}, found by the ids, which do not change: a text has one token everywhere."""
    a, b = kit.plain(db), kit.plain(out)
    mapped = {}
    for query in TEXTS:
        was = dict(a.execute(query))
        for row, text in b.execute(query):
            old, new = ((t or b"").decode("utf-8", "surrogateescape").split(" (deleted)")[0] for t in (was[row], text))
            if query.startswith("SELECT process_id"):
                old, new = old.split(" ")[0], new.split(" ")[0]
            parts = list(zip(old.split("/"), new.split("/")))
            check.equal("%s: parts" % what, new.count("/"), old.count("/"))
            for before, after in parts:
                before, after = before.rstrip("]:"), after.rstrip("]:")
                if before != after and not re.search(r"[\[:]|SYSV", before):  # tokens within a part
                    check.equal("%s: one token of %s" % (what, before), mapped.setdefault(before, after), after)
    return mapped


def addresses(db):
    """All user addresses above the first 64 MiB, from all columns of addresses."""
    sql = kit.plain(db)
    out = set()
    for table, columns in (("region", ("start",)), ("label", ("start",)), ("extent", ("start",)),
                           ("call", ("a0", "ret")),
                           ("process", ("stack_end", "vdso_start", "libc_start", "ld_start",
                                        "exe_start"))):
        for column in columns:
            out |= {a for a, in sql.execute("SELECT %s FROM %s" % (column, table))
                    if a is not None and a >= 1 << 26}
    return out | {a for a, in sql.execute("SELECT offset FROM frame WHERE symbol = ''")
                  if abs(a) >= 1 << 26}


def kept_texts(db):
    """Public texts, in which a name of the owner may stand, too."""
    sql = kit.plain(db)
    libraries = [p.rsplit(b"/", 1)[-1] for p, in sql.execute("SELECT path FROM object")
                 if re.search(rb"/lib[-\w.+]+\.so[.\d]*$", p)]
    return b"\n".join(libraries + [t for t, in sql.execute(
        "SELECT path FROM object WHERE path LIKE '/usr/%' OR path LIKE '/lib%' OR path LIKE '[%' "
        "UNION SELECT category FROM category UNION SELECT description FROM category "
        "UNION SELECT rule FROM lineage WHERE rule IS NOT NULL UNION SELECT text FROM rule_set "
        "UNION SELECT name FROM name UNION SELECT sql FROM sqlite_master WHERE sql IS NOT NULL "
        "UNION SELECT folder FROM origin UNION SELECT file FROM origin UNION SELECT symbol FROM frame")])


def hides(what, db, out, mapped):
    blob = out.read_bytes()
    public = kept_texts(out)
    for text in mapped:
        raw = text.encode("utf-8", "surrogateescape")
        if len(raw) < 5 or text in COMMON or text.startswith("@") or raw in public:
            continue
        check.true("%s: a name is in the file" % what, raw not in blob, text)
    for table in ("snapshot", "recording"):
        hashes = [set(kit.plain(f).execute("SELECT hash FROM " + table)) for f in (db, out)]
        check.true("%s: hashes of %s" % (what, table), not hashes[0] & hashes[1])
    both = addresses(db) & addresses(out)
    check.true("%s: addresses" % what, len(both) <= len(addresses(db)) // 1000, sorted(both)[:5])


def stays_apart(what, db, out, mapped):
    """A text has one token everywhere, no two texts have the same token, and inodes change."""
    a, b = kit.plain(db), kit.plain(out)
    tokens = list(mapped.values())
    check.equal("%s: tokens are used once" % what, len(tokens), len(set(tokens)))
    inodes = [set(sql.execute("SELECT object_id, inode FROM object WHERE inode > 0")) for sql in (a, b)]
    check.equal("%s: the number of inodes" % what, len({i for _, i in inodes[1]}),
                a.execute("SELECT count(DISTINCT device || inode) FROM object WHERE inode > 0")
                .fetchone()[0])
    check.true("%s: no inode is unchanged" % what, not inodes[0] & inodes[1], inodes[0] & inodes[1])


SCHEMA_WORDS = {("process", "identity"), ("epoch", "state"), ("snapshot", "state"),
                ("snapshot", "checked"), ("label", "source"), ("traced_process", "pid_source"),
                ("traced_process", "offset_source"), ("snapshot", "taken_at"),
                ("schedule", "boot_id"), ("rule_set", "text"), ("snapshot", "time_source"),
                ("dialect", "name"), ("epoch", "dialect"), ("snapshot", "dialect")}


def plant(db):
    """Puts a secret into every text column that allows any text. Returns the secrets."""
    sql = sqlite3.connect(db)
    sql.execute("PRAGMA foreign_keys = OFF")
    planted = []
    # Rows that these captures lack.
    sql.executescript((kit.ROOT / "src/store/push/push-tables.sql").read_text())
    sql.executescript(
        "INSERT INTO push_self VALUES ('x');"
        "INSERT INTO push_token VALUES (1, 1, 'x');"
        "INSERT INTO pin SELECT snapshot_id, 'x', 1 FROM snapshot LIMIT 1;"
        "INSERT INTO refused VALUES (5, 6, 'x');"
        "INSERT INTO forgotten VALUES (1, 2, 0, 0, 'smaps', 1, NULL, NULL);"
        "INSERT INTO label SELECT process_id, 1, 'nmt', 70368744177664, 4096, 'x' FROM process;"
        "INSERT INTO rare_fields (hash, extra) VALUES (0, 'Key: 1 kB');"
        "UPDATE mapping_version SET rare_fields_id = (SELECT max(rare_fields_id) FROM rare_fields);"
        "UPDATE lineage SET rule = 'x';"
        "INSERT INTO live_process (hash, ppid, comm, exe, cmdline, uid, user, cgroup) "
        "VALUES (1, 1, 'x', 'x', 'x', 54321, 'x', 'x');"
        "INSERT INTO environment SELECT live_process_id, 'x', 'x' FROM live_process;"
        "INSERT OR IGNORE INTO live_reading (snapshot_id, live_process_id, mono_ns, read_us, cpu_us, "
        "longest_us, degraded) SELECT snapshot_id, (SELECT max(live_process_id) FROM live_process), 1, 1, 1, "
        "1, 'x' FROM snapshot;"
        "INSERT OR IGNORE INTO host (host_id, name) VALUES (77, 'x');"
        "INSERT INTO schedule (host_id, boot_id, selection) VALUES (77, 'x', 'x');")
    tables = [t for t, in sql.execute("SELECT name FROM sqlite_master WHERE type = 'table' "
                                      "AND name NOT LIKE 'sqlite%'")]
    for table in tables:
        for column, kind, hidden in sql.execute(
                "SELECT name, type, hidden FROM pragma_table_xinfo(?)", (table,)).fetchall():
            if kind not in ("TEXT", "BLOB") or hidden or (table, column) in SCHEMA_WORDS:
                continue
            secret = SECRET % len(planted)
            planted.append(secret)
            value = "'%s'" % secret
            if column in ("name", "path", "folder", "category") or (table, column) in (
                    ("frame", "symbol"), ("frame", "dso")):
                row = {"environment": "live_process_id", "push_leak": "process_id"}.get(table, "rowid")
                value = "'/home/%s/' || %s || '/%s.%s'" % (secret, row, secret, secret)
            if (table, column) == ("rare_fields", "extra"):
                value = "'%s: ' || rare_fields_id || ' kB\n'" % secret
            where = " WHERE category_id > 14" if table == "category" else ""
            sql.execute("UPDATE %s SET %s = %s%s" % (table, column, value, where))
    sql.commit()
    sql.close()
    return planted


def planted_secrets(db, place):
    bad = place / "planted.db"
    shutil.copy(db, bad)
    planted = plant(bad)
    out = place / "planted-out.db"
    export(bad, out, "--redact", "-q")
    blob = out.read_bytes()
    for secret in planted:
        check.true("planted: %s is in the file" % secret, secret.encode() not in blob)
    check.true("planted: SQLite can read it", kit.plain(out).execute("PRAGMA quick_check").fetchall()
               == [(b"ok",)])
    # Text in a column of numbers: the export must refuse it.
    sql = sqlite3.connect(bad)
    sql.execute("UPDATE snapshot SET swap_kib = 'zz-secret' WHERE snapshot_id = 1")
    sql.commit()
    sql.close()
    done = export(bad, place / "strange.db", "--redact", expect=(2,))
    check.true("text in a number is told", b"swap_kib" in done.stderr, done.stderr)
    check.true("and leaves no file", not list(place.glob("strange.db*")))


# ---- parts of a store, imports and merges ----

def by_time(db, files=None):
    """The sums of the mappings of each capture, without ids."""
    rows = kit.plain(db).execute(
        "SELECT s.taken_ms, p.pid, s.dialect, s.state, count(*), sum(m.size_kib), sum(m.rss_kib), "
        "sum(m.pss_kib), s.size_kib, s.rss_kib FROM snapshot s JOIN process p USING (process_id) "
        "JOIN mappings m USING (snapshot_id) GROUP BY s.snapshot_id ORDER BY 1, 2, 3").fetchall()
    moments = files and {kit.when(f) for f in files}
    return [r for r in rows if moments is None or (r[0], r[1]) in moments]


def parts(db, place, files):
    sql = kit.plain(db)
    pids = {kit.when(f)[1] for f in files}
    processes = [p for p, pid in sql.execute("SELECT process_id, pid FROM process ORDER BY 1")
                 if pid in pids]
    for process in processes if kit.full else processes[:2]:
        moments = [m for m, in sql.execute("SELECT DISTINCT moment_ms FROM snapshot WHERE "
                                           "process_id = ? ORDER BY 1", (process,))]
        ids = sql.execute("SELECT moment_ms, snapshot_id FROM snapshot WHERE process_id = ?",
                          (process,)).fetchall()
        high = moments[len(moments) // 2]
        # An epoch that is cut only at its end has no holes, and nothing of the captures after it.
        for low, redact in ((moments[0], ()), (moments[len(moments) // 3], ()),
                            (moments[len(moments) // 3], ("--redact",))):
            inside = [i for m, i in ids if low <= m <= high]
            out = place / "part.db"
            for old in place.glob("part.db*"):
                old.unlink()
            export(db, out, "-q", "--process", "@%d" % process, "--from",
                   "@%d" % dict(ids)[low], "--to", "@%d" % dict(ids)[high], *redact)
            what = "part @%d from %d %s" % (process, low, " ".join(redact))
            got = [i for i, in kit.plain(out).execute("SELECT snapshot_id FROM snapshot ORDER BY 1")]
            check.equal(what + ": snapshots", got, sorted(inside))
            same_sums(what, db, out, inside)
            is_whole(what, out)
            # The other captures are imported before and after the extract.
            kit.run("import", "-q", "--host", "webserver17", *files, db=out, expect=(0, 2))
            is_whole(what + ", imported into", out)
            if not redact:
                check.equal(what + ", imported into: sums by time", by_time(out), by_time(db, files))
    whole = place / "again.db"
    export(db, whole, "-q")
    same_sums("as it is", db, whole)
    done = kit.run("import", "-q", "--host", "webserver17", *files, "-f", "csv", db=whole)
    new = [r for r in kit.table(done.stdout) if r["duplicate"] == "0"]
    check.equal("an extract knows its captures", len(new), 0)


def merges(db, out, place):
    for name, source in (("plain", db), ("redacted", out)):
        into = place / ("merged-%s.db" % name)
        kit.run("merge", source, db=into)
        n = "SELECT count(*), sum(rss_kib), sum(size_kib), sum(mappings) FROM snapshot"
        check.equal("merged, " + name, kit.plain(into).execute(n).fetchall(),
                    kit.plain(source).execute(n).fetchall())
        is_whole("merged, " + name, into)


# ---- stopped ----

def stopped(db, place):
    """A stopped export leaves nothing, or all of the extract; a caught signal leaves no temporary file."""
    began = time.monotonic()
    export(db, place / "timed.db", "--redact", "-q")
    lasts = time.monotonic() - began
    for i, how in enumerate([signal.SIGTERM, signal.SIGINT, signal.SIGKILL] * 2):
        folder = place / ("stopped-%d" % i)
        folder.mkdir()
        run = subprocess.Popen([kit.PROGRAM, "export", "--db", str(db), str(folder / "out.db"),
                                "--redact", "-q"],
                               env=kit.ENVIRONMENT, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
        time.sleep(lasts * (i + 1) / 7)
        run.send_signal(how)
        status = run.wait()
        there = sorted(p.name for p in folder.iterdir())
        if how == signal.SIGKILL:
            check.true("killed: a file of this name is complete", "out.db" not in there or
                       kit.plain(folder / "out.db").execute("PRAGMA quick_check").fetchall()
                       == [(b"ok",)], there)
        elif status == 0:
            check.equal("done before the signal", there, ["out.db"])
        else:
            check.true("stopped: exit status", status in (2, -how), status)
            check.true("stopped: nothing is left", status == -how or there == [], there)


# ---- the stores ----

def one(what, db, place, deep=True):
    out = place / (what + "-out.db")
    export(db, out, "--redact", "-q")
    check.equal("%s: mode" % what, out.stat().st_mode & 0o777, 0o600)
    check.equal("%s: no other new file" % what, [p.name for p in place.glob(out.name + "*")],
                [out.name])
    mapped = replaced(what, db, out)
    processes = [p for p, in kit.plain(db).execute("SELECT process_id FROM process")]
    same_sums(what, db, out)
    is_whole(what, out)
    hides(what, db, out, mapped)
    stays_apart(what, db, out, mapped)
    if deep:
        compare(what, db, out, processes if kit.full else processes[:1])
    print("%s: %d snapshots, store %d bytes vacuumed, export %d" % (
        what, len(sums(db)[2]), kit.vacuumed_size(db), out.stat().st_size), flush=True)
    return out


def text_store(place):
    """A store of fixtures and samples, with a host, pids and names of an owner."""
    names = ("redis", "jvm-zgc") if not kit.full else [
        p.name.split(".")[0] for p in sorted((FIXTURES / "truth").glob("*.tar.xz"))]
    db = place / "text.db"
    files = []
    for name in names:
        files += sorted(kit.unpack(FIXTURES / "truth" / (name + ".tar.xz"), place).glob("*.smaps"))
    kit.run("import", "-q", "--host", "webserver17", *files, db=db)
    kit.run("import", "-q", SAMPLES / "captures", "--host", "webserver17", db=db)
    return db, files


def perf_store(place):
    folder = kit.unpack(FIXTURES / "perf" / "threads-fp.tar.xz", place)
    db = place / "perf.db"
    kit.run("import", "-q", "--host", "webserver17", *sorted(folder.glob("*.smaps")), db=db)
    seconds = "%d.%09d" % divmod(int((folder / "offset").read_text()), 10**9)
    kit.run("import-perf", "-q", "--clock-offset", seconds, folder / "script.txt", db=db)
    return db


def live_store(place):
    db = place / "live.db"
    kit.run("capture", "-q", os.getpid(), os.getppid(), "--keep-env", "HOME", "--count", "2", "--every",
            "100ms", db=db, expect=(0, 2))
    return db


def workloads(place):
    if not (kit.full and os.environ.get("PMAPDB_SHARED")):
        return
    for name in ("redis", "java_heap", "postgres", "perf_fp"):
        w = kit.Workload(name)
        beats = w.beats[::max(1, len(w.beats) // 40)]
        db = place / (name + ".db")
        kit.run("import", "-q", "--host", "webserver17", *w.unpack(place / name, beats, "smaps"), db=db,
                expect=(0, 2))
        one(name, db, place, deep=name != "postgres")


def exports(place):
    db, files = text_store(place)
    out = one("text", db, place)
    planted_secrets(db, place)
    stopped(db, place)
    merges(db, out, place)
    parts(db, place, files)
    one("perf", perf_store(place), place)
    planted_secrets(place / "perf.db", place / "threads-fp")
    live = place / "live"
    live.mkdir()
    db = live_store(live)
    merges(db, one("live", db, live, deep=kit.full), live)
    workloads(place)


kit.main(exports, check=check)
