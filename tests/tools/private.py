"""What others can see or prepare: the mode of every created file, with any umask; links and pipes
in the place of SQLite's own files; another user's store in a folder for everybody; where pmapdb
looks for the store and the queries if the environment is odd."""
import os
import pathlib
import shutil
import stat
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "shared"))
import kit

USER = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]
CAPTURE = kit.ROOT / "samples" / "captures" / "leaky-20261121" / "1795229318-12766.x"


def run(*args, umask=-1, env=None, before=(), cwd=None):
    line = [*before, kit.PROGRAM, *map(str, args)]
    try:
        return subprocess.run(line, env=kit.ENVIRONMENT if env is None else env, umask=umask, capture_output=True,
                              text=True, check=False, cwd=cwd, timeout=600)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(line, "endless", "", "")


def mode(path):
    return stat.S_IMODE(path.lstat().st_mode)


def modes(check, place):
    for umask in (0, 0o77):
        for wanted, more in ((0o600, ()), (0o640, ("--mode", "0640"))):
            folder = place / ("%o-%o" % (umask, wanted))
            folder.mkdir()
            db = folder / "t.db"
            check.equal("%s: import" % folder.name, run("import", "-q", "--db", db, *more, CAPTURE, umask=umask).returncode, 0)
            run("capture", "-q", "--db", db, *more, os.getpid(), umask=umask)
            # An open reader keeps the -wal and -shm files.
            reader = subprocess.Popen(["sqlite3", str(db)], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
            reader.stdin.write(b"BEGIN; SELECT count(*) FROM snapshot;\n")
            reader.stdin.flush()
            run("capture", "-q", "--db", db, os.getpid(), umask=umask)
            made = {p.name: mode(p) for p in folder.iterdir()}
            reader.stdin.close()
            reader.wait()
            check.equal("%s: files" % folder.name, sorted(made), ["t.db", "t.db-capture", "t.db-shm", "t.db-wal"])
            check.equal("%s: only readers and writers of the store" % folder.name,
                        {n: oct(m) for n, m in made.items() if m != (0o600 if n == "t.db-capture" else wanted)}, {})
            # A new file of -o has the user's umask; an existing file keeps its mode.
            out = folder / "out"
            run("processes", "--db", db, "-o", out, umask=umask)
            check.equal("%s: -o" % folder.name, oct(mode(out)), oct(0o666 & ~umask))
            os.chmod(out, 0o604)
            run("processes", "--db", db, "-o", out, umask=umask)
            check.equal("%s: -o again" % folder.name, oct(mode(out)), oct(0o604))


def plants(check, place):
    """Nothing is written through links and pipes in the place of SQLite's own files."""
    for end in ("-wal", "-shm", "-journal", "-capture"):
        for kind in ("link", "dangling", "fifo"):
            folder = place / (end[1:] + kind)
            folder.mkdir()
            db, victim = folder / "t.db", folder / "victim"
            run("import", "-q", "--db", db, CAPTURE)
            for old in folder.glob("t.db-*"):
                old.unlink()
            if kind == "link":
                victim.write_text("precious")
            if kind == "fifo":
                os.mkfifo(str(db) + end)
            else:
                os.symlink(victim, str(db) + end)
            for command in (["capture", "-q", "--db", db, os.getpid()], ["processes", "--db", db]):
                if end == "-capture" and (kind == "fifo" or command[0] != "capture"):
                    continue
                done = run(*command)
                check.equal("%s %s: %s" % (end, kind, command[0]), (done.returncode, len(done.stderr.splitlines())), (2, 1))
                check.true("%s %s: %s names the file" % (end, kind, command[0]), "t.db" + end in done.stderr, done.stderr)
            check.equal("%s %s: the target of the link" % (end, kind), victim.read_text() if victim.exists() else None,
                        "precious" if kind == "link" else None)


def of_another(check, place):
    """Root does not write into a store that another user made; the owner goes on writing."""
    folder = place / "all"
    folder.mkdir()
    os.chmod(place, 0o755)
    os.chmod(folder, 0o1777)
    db = folder / "t.db"
    shutil.copy(CAPTURE, place / "c.x")
    check.equal("another's import", run("import", "-q", "--db", db, place / "c.x", before=USER).returncode, 0)
    done = run("capture", "-q", "--db", db, os.getpid())
    check.equal("root does not capture", (done.returncode, "belongs to another user" in done.stderr), (2, True))
    check.equal("root reads it", run("processes", "--db", db).returncode, 0)
    check.equal("its owner goes on", run("import", "-q", "--db", db, place / "c.x", before=USER).returncode, 0)


def odd_environment(check, place):
    home = place / "home"
    home.mkdir()
    none = {k: v for k, v in kit.ENVIRONMENT.items() if not k.startswith("XDG_")}
    for name, env, found in (
            ("HOME", {"HOME": str(home)}, home / ".local/share/pmapdb/pmap.db"),
            ("XDG_DATA_HOME", {"HOME": str(home), "XDG_DATA_HOME": str(home / "x")}, home / "x/pmapdb/pmap.db"),
            ("a relative XDG_DATA_HOME", {"HOME": str(home / "y"), "XDG_DATA_HOME": "x"}, home / "y/.local/share/pmapdb/pmap.db"),
            ("an empty PMAPDB", {"HOME": str(home / "z"), "PMAPDB": ""}, home / "z/.local/share/pmapdb/pmap.db"),
            ("a relative PMAPDB", {"HOME": str(home), "PMAPDB": "r.db"}, place / "r.db")):
        done = run("import", "-q", CAPTURE, env=none | env, cwd=place)
        check.equal("%s: status" % name, (done.returncode, done.stderr), (0, ""))
        check.true("%s: the store" % name, found.exists(), found)
        if found.parent != place:
            check.equal("%s: its folder" % name, oct(mode(found.parent)), oct(0o700))
    for name, env in (("no HOME", {}), ("a relative HOME", {"HOME": "here"}), ("an endless path", {"PMAPDB": "x" * 5000})):
        done = run("import", "-q", CAPTURE, env={k: v for k, v in none.items() if k != "HOME"} | env, cwd=place)
        check.equal("%s: status" % name, (done.returncode, len(done.stderr.splitlines())), (2, 1))
    check.equal("nothing else is made", sorted(p.name for p in place.iterdir() if p.is_dir()), ["home"])


def another_s_queries(check, place):
    """sudo may keep HOME: a user's query with the name of a built-in query does not answer root."""
    folder = place / "config" / "pmapdb" / "queries"
    folder.mkdir(parents=True)
    query = folder / "processes.sql"
    query.write_text("-- name:   processes\n-- title:  Mine\n-- column: mine text A word\nSELECT 'mine' AS mine\n")
    db = place / "t.db"
    run("import", "-q", "--db", db, CAPTURE)
    env = dict(kit.ENVIRONMENT, XDG_CONFIG_HOME=str(place / "config"))
    for name, change, mine in (("one's own", lambda: None, True), ("everybody's", lambda: os.chmod(folder, 0o777), False),
                               ("another's", lambda: (os.chmod(folder, 0o755), shutil.chown(folder, "nobody")), False)):
        if name == "another's" and os.getuid():
            continue
        change()
        done = run("processes", "--db", db, "-f", "csv", env=env)
        check.equal("%s: the query is used" % name, done.stdout.startswith("mine"), mine)
    done = run("processes", "--db", db, "-f", "csv", "--query-dir", folder, env=env)
    check.true("--query-dir uses the query", done.stdout.startswith("mine"), done.stdout[:100])


parts = [modes, plants, odd_environment, another_s_queries]
if not shutil.which("sqlite3"):
    print("no sqlite3 here: modes are not tested")
    parts.remove(modes)
if os.getuid() == 0 and shutil.which("setpriv"):
    parts.append(of_another)
else:
    print("no root or no setpriv here: another user's files are not tested")
kit.main(*parts)
