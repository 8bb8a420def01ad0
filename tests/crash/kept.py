"""Stores of earlier schemas (tests/fixtures/stores/VERSION): the current program opens a copy of each,
updates its schema, gives every answer that was recorded then, and stores more captures.

    kept.py              the test
    kept.py --make       packs a store of the current schema and its answers; never replaces one
"""
import csv
import lzma
import os
import pathlib
import subprocess
import sys
import time

import world
import kit

STORES = kit.ROOT / "tests" / "fixtures" / "stores"
SAMPLES = kit.ROOT / "samples"
NOT_KEPT = {"store-growth", "status"} # they depend on the disk and the clock
GIVEN = {"groups": ["--by", "comm"], "mappings-regions": ["--regions", "heap"], "lineage-history": ["--lineage", "1"]}
MORE = {"leaks-all": ["leaks"], "sights-live": ["query", "sights", "--process", "web3:sleep"], "all": ["snapshots"],
        "all-processes": ["processes"], "mappings-regions-all": ["query", "mappings-regions", "--process", "leaky", "--regions", "heap,stack"],
        **{"groups-" + by.split(":")[0]: ["query", "groups", "--process", "leaky", "--by", by]
           for by in ("name", "user", "cgroup", "env:LANG")},
        **{"leaks-" + by: ["query", "leaks", "--process", "leaky", "--since", "2020-01-01T00:00:00Z", "--by", by]
           for by in ("category", "object", "lineage")},
        "who-folded": ["who", "--process", "leaky", "--form", "folded"], "rules": ["rules"]}
MOST_BYTES = 60 << 10


def version_of(db):
    connection = kit.plain(db)
    version = connection.execute("pragma user_version").fetchone()[0]
    connection.close()
    return version


def answers(db):
    """Returns name -> words of a command, for all questions about the store."""
    out = dict(MORE)
    for query in kit.rows("query", "--list", db=db):
        if query["name"] not in NOT_KEPT:
            takes = query["parameters"].split()
            of = ["--process", "leaky"] if "process" in takes else []
            since = ["--since", "2020-01-01T00:00:00Z"] if "since" in takes else []
            out[query["name"]] = ["query", query["name"], *of, *since, *GIVEN.get(query["name"], [])]
    return out


def ask(db, words):
    done = kit.run(words[0], *words[1:], "-f", "csv", db=db, expect=None)
    return done.stdout, done.returncode


# ---- making a store ----

def capture(db, pid):
    """Captures in a separate cgroup namespace, which hides the cgroup of this machine."""
    subprocess.run(["unshare", "--cgroup", kit.PROGRAM, "capture", "-q", "--db", str(db), "--host", "web3",
                    "--keep-env", "LANG", str(pid)], env=kit.ENVIRONMENT, check=True)


def fill(db):
    """Fills the store: captures in several dialects, a log, a partial and a refused capture, live beats,
    a recording, a prune, a pin, other rules. Works in the current folder: no stored path names the folder."""
    samples, own = pathlib.Path("samples"), pathlib.Path("in")
    samples.symlink_to(SAMPLES)
    kit.run("import", "-q", samples / "captures", db=db)
    for path in world.write(own, 6, suffixes=("smaps", "x"), mappings=24):
        if path.name.startswith("1700000060"): # an unknown key
            path.write_text(path.read_text().replace("Locked:", "Newest:    3 kB\nLocked:"))
    kit.run("import", "-q", "--host", "web1", own, db=db)
    log = pathlib.Path("server.log")
    log.write_bytes((SAMPLES / "logs" / "leaky-untimed.log").read_bytes())
    kit.run("import", "-q", "--host", "web2", "--name", "logged", "--every", "30s", "--first",
            "2026-11-21T02:00:00Z", log, db=db)
    kit.run("import", "-q", log, db=db, expect=(2,))
    bad = pathlib.Path("1700009000-7.x")
    bad.write_text(world.Program(7, 1, 20).x()[:-150])
    kit.run("import", "-q", bad, db=db, expect=(2,))
    kit.run("import-perf", "-q", samples / "perf" / "leaky.script.txt", db=db)
    with subprocess.Popen(["sleep", "99"], env={"LANG": "C.UTF-8"}, cwd="/") as child:
        for _ in range(2):
            time.sleep(0.2)
            capture(db, child.pid)
        child.kill()
    kit.run("prune", "-q", "--pin", "@3", "--process", "leaky", "--reason", "before the update", db=db)
    kit.run("prune", "-q", "--keep-last", "4", "--process", "web1:server4711", db=db)
    rules = pathlib.Path("own.csv")
    text = kit.run("rules", "--export", db=db).stdout.decode()
    rules.write_text(text.replace("thread-stack", "stack-of-thread"))
    kit.run("rules", "-q", "--apply", rules, db=db)


def make():
    with kit.Place() as place:
        os.chdir(place)
        db = pathlib.Path("kept.db")
        fill(db)
        version = version_of(db)
        folder = STORES / str(version)
        if folder.exists():
            sys.exit("%s exists: the store of a released schema never changes" % folder)
        connection = kit.sqlite3.connect(db)
        connection.execute("pragma wal_checkpoint(truncate)")
        connection.execute("vacuum")
        connection.close()
        folder.mkdir(parents=True)
        for name, words in answers(db).items():
            out, status = ask(db, words)
            (folder / (name + ".csv")).write_bytes(b"# %d %s\n" % (status, " ".join(words).encode()) + out)
        packed = lzma.compress(db.read_bytes(), preset=9 | lzma.PRESET_EXTREME)
        (folder / "store.db.xz").write_bytes(packed)
        print("%s: %d bytes of %d, %d answers" % (folder, len(packed), db.stat().st_size, len(list(folder.glob("*.csv")))))
        if len(packed) > MOST_BYTES:
            sys.exit("too large")


# ---- comparing the answers of the current program ----

def rows(text):
    reader = csv.reader(text.decode("utf-8", "surrogateescape").splitlines())
    head = next(reader, [])
    return head, [dict(zip(head, row)) for row in reader]


def compare(check, what, db, path):
    """Newer schemas may add columns at the end; the earlier columns keep their values."""
    head, _, wanted = path.read_bytes().partition(b"\n")
    status, *words = head[2:].decode().split(" ")
    got, now = ask(db, words)
    check.equal(what + ": status", now, int(status))
    columns, want = rows(wanted)
    there, have = rows(got)
    check.equal(what + ": columns", there[:len(columns)], columns)
    check.equal(what, [{c: row.get(c) for c in columns} for row in have], want)


def hold(check, folder, place):
    db = place / (folder.name + ".db")
    db.write_bytes(lzma.decompress((folder / "store.db.xz").read_bytes()))
    what = "schema " + folder.name
    check.equal(what + ": version", str(version_of(db)), folder.name)
    if version_of(db) < today(place): # the first writing command updates the schema
        kit.run("prune", "-q", "--compact", db=db)
    check.equal(what + ": up to date", version_of(db), today(place))
    told = kit.rows("doctor", "--deep", db=db, expect=(0, 2))
    check.equal(what + ": doctor", [r for r in told if r["state"] == "trouble"], [])
    for path in sorted(folder.glob("*.csv")):
        compare(check, "%s, %s" % (what, path.stem), db, path)
    before = len(kit.rows("snapshots", db=db))
    more = world.write(place / ("more" + folder.name), 1, pids=(4712,), first=7, suffixes=("smaps", "x"))
    kit.run("import", "-q", "--host", "web1", *more, db=db)
    check.equal(what + ": goes on", len(kit.rows("snapshots", db=db)), before + 2)
    said = {k: v for k, v in world.stored(db).items() if k in world.said(more)}
    check.equal(what + ": what it goes on with", said, world.said(more))
    kit.run("import", "-q", SAMPLES / "captures", db=db)
    check.equal(what + ": knows what it has", len(kit.rows("snapshots", db=db)), before + 2)


def today(place):
    db = place / "today.db"
    if not db.exists():
        kit.run("import", "-q", SAMPLES / "captures", db=db)
    return version_of(db)


def every_schema(check, place):
    folders = sorted(STORES.glob("[0-9]*"), key=lambda p: int(p.name))
    check.equal("one of each schema", [int(f.name) for f in folders], list(range(1, today(place) + 1)))
    for folder in folders:
        hold(check, folder, place)


if "--make" in sys.argv[1:]:
    make()
else:
    kit.main(every_schema)
