"""Live captures of a process whose arguments and environment hold secrets: no secret is in the store,
in the files beside it, or in the output, unless --keep-cmdline or --keep-env asks for it."""
import os
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "shared"))
import kit

SECRETS = [b"hunter2-" + str(i).encode() for i in range(7)]
ARGUMENTS = ["--db-password=hunter2-0 in two words", "--token", "hunter2-1", "-Dx.secret=hunter2-2",
             "postgres://joe:hunter2-3@db/x", "MYSQL_PWD=hunter2-4", "--customer", "id-hunter2-5"]
CODE = "import signal; print(flush=True); signal.pause()"


def start():
    """Starts a process with six secrets in its arguments and the seventh in its environment."""
    environment = dict(os.environ, APP_TOKEN="hunter2-6", APP_ROLE="worker")
    target = subprocess.Popen([sys.executable, "-c", CODE] + ARGUMENTS, env=environment, stdout=subprocess.PIPE)
    target.stdout.readline()
    return target


def held_by(db):
    """Returns the secrets in the store and in SQLite's files beside it, which an open reader keeps."""
    reader = subprocess.Popen(["sqlite3", str(db)], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    reader.stdin.write(b"BEGIN; SELECT count(*) FROM snapshot;\n")
    reader.stdin.flush()
    try:
        files = [p for p in db.parent.iterdir() if p.name.startswith(db.name)]
        data = b"".join(p.read_bytes() for p in files)
    finally:
        reader.stdin.close()
        reader.wait()
    return [s for s in SECRETS if s in data], [p.name for p in files]


def one(check, db, name, pid, expected, *more):
    said = [kit.run("capture", pid, "-f", "ndjson", *more, db=db) for _ in range(3)]
    said += [kit.run(query, "-f", "csv", db=db) for query in ("processes", "sights", "sweeps")]
    held, files = held_by(db)
    check.equal(name + ": stored", held, expected)
    check.true(name + ": beside it", db.name + "-wal" in files, files)
    if not expected:
        check.true(name + ": said", not any(s in d.stdout + d.stderr for s in SECRETS for d in said), said)


def secrets(check, place):
    target = start()
    try:
        one(check, place / "a.db", "the default", target.pid, [])
        one(check, place / "b.db", "a part", target.pid, [SECRETS[5]], "--keep-cmdline", r"--customer (\S+)")
        one(check, place / "c.db", "all", target.pid, SECRETS[:6], "--keep-cmdline", ".*")
        one(check, place / "d.db", "a variable", target.pid, [SECRETS[6]], "--keep-env", "APP_TOKEN")
        one(check, place / "e.db", "another variable", target.pid, [], "--keep-env", "APP_ROLE")
        kit.run("merge", place / "e.db", place / "a.db", db=place / "f.db")
        check.equal("merged", held_by(place / "f.db")[0], [])
        # The store has the text of a selection, but not the arguments that the selection tested.
        db = place / "g.db"
        kit.run("capture", "--match", "env('APP_TOKEN') = 'hunter2-6' AND cmdline GLOB '*--token hunter2-1*'",
                db=db)
        check.equal("selected", [r["pid"] for r in kit.rows("processes", db=db)], [str(target.pid)])
        check.equal("a selection", held_by(db)[0], [])
    finally:
        target.kill()
        target.wait()


if not shutil.which("sqlite3"):
    kit.skip("needs sqlite3")
kit.main(secrets)
