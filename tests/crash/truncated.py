"""The file or the -shm of a store is truncated while a command uses it: the command exits and says why;
no signal kills it."""
import os
import subprocess

import world
import kit


def ends(check, what, child):
    out, errors = child.communicate(timeout=600)
    check.true(what + ": status", child.returncode in (0, 2), (child.returncode, errors[-300:]))
    check.true(what + ": says why", child.returncode == 0 or errors.startswith(b"pmapdb: "), errors[-300:])
    return out


def begin(db, *words):
    return subprocess.Popen([kit.PROGRAM, words[0], "--db", str(db), *words[1:]], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, env=kit.NO_LEAK_CHECK)


def reader(check, place):
    """The answer is longer than a pipe holds, so the command has not yet read most of the file."""
    db = place / "read.db"
    kit.run("import", "-q", *world.write(place / "in", 30, mappings=100), db=db)
    child = begin(db, "sql", "select * from mappings", "--format", "csv")
    child.stdout.read(1)
    os.truncate(db, 4096)
    ends(check, "the file under a reader", child)


def writer(check, place):
    db = place / "written.db"
    sleeper = subprocess.Popen(["sleep", "999"])
    child = begin(db, "capture", "--every", "500ms", "--count", "4", str(sleeper.pid))
    child.stderr.readline()
    os.truncate(str(db) + "-shm", 0)
    ends(check, "the -shm under a writer", child)
    sleeper.kill()
    sleeper.wait()


kit.main(reader, writer)
