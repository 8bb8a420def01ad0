"""Opens damaged and hostile stores with every command.

    damage.py [--full] [--seed S] [--rounds N]

By default a few damages. --full: 3,000 random damages, each under eight commands, and every foreign schema
under all commands, in an hour and a half with sanitizers. Prints its seed.

Every table of the store has rows. A damage cuts the file at any length, changes bytes of the file, its
-wal or its -shm, swaps pages, or brings the -wal of another store; or the store is an empty file, a
directory, a pipe, a link to itself, a database of another program; or its rows have values that pmapdb
never writes; or its tables, views and triggers are foreign. For every damage:
  - no command crashes, hangs, or makes a sanitizer report;
  - the command answers, or prints a line that says why not, and exits with 2 (3: check, leaks);
  - a command that only reads changes no byte of the file;
  - no command runs a trigger or a view that came with the file;
  - every command names what is wrong with the tables themselves; so does `doctor`.
"""
import argparse
import functools
import hashlib
import os
import pathlib
import random
import re
import resource
import shutil
import socket
import subprocess
import time

import hurt
import kit

PATIENCE_S = 600
MOST_KIB = 3 << 20 # under sanitizers
NOT_OURS = re.compile(rb"Sanitizer|runtime error|Assertion|SUMMARY:|dumped")


def commands(made):
    """Returns pairs: the words of a command, whether the command writes."""
    p = "server4711"
    queries = [(r["name"], ["--process", p] if "process" in r["parameters"].split() else [])
               for r in kit.rows("query", "--list", db=made.db)]
    given = {"groups": ["--by", "comm"],
             "mappings-regions": ["--regions", "heap"], "lineage-history": ["--lineage", "1"]}
    reading = [["query", q, *of, *given.get(q, []), "-f", "csv"] for q, of in queries]
    reading += [[q, "--process", p] for q in ("categories", "mappings", "diff", "growth", "snapshots", "leaks", "series")]
    reading += [["leaks", "--by", by, "-f", "json"] for by in ("category", "object", "lineage")]
    reading += [["who", "--process", "leaky"], ["who", "--process", "leaky", "--form", "folded"], ["check", p, "--mappings", "-w", "30000"],
                ["check", "--rss", "-w", "1G"], ["doctor"], ["doctor", "--deep", "-f", "csv"], ["rules"], ["rules", "--export"],
                ["rules", "--diff", "pmap-dotnet"],
                ["prune", "--keep-last", "1", "--dry-run"], ["diff", "--by", "lineage", "--process", p],
                ["diff", "--by", "object", "--process", p], ["groups", "--by", "name"], ["threads", "--process", p],
                ["growth", "--process", p, "-f", "json"], ["mappings", "--process", p, "-f", "prometheus"],
                ["categories", "--snapshot", "@1"],
                ["sql", "select * from mappings"], ["sql", "select * from category_runs"],
                ["sql", "select * from lineage_history"], ["sql", "select * from categories", "-f", "json"]]
    writing = [["import", made.news], ["import", made.late], ["capture", made.child.pid], ["import-perf", made.perf],
               ["prune", "--keep-last", "2"], ["prune", "--compact"], ["prune", "--compact", "--vacuum"],
               ["prune", "--max-size", "150K"], ["merge", made.other], ["rules", "--apply", "pmap-dotnet"],
               ["prune", "--pin", "last", "--process", "leaky", "--reason", "x"],
               ["rules", "--apply", "default", "--forget-labels"]]
    return [(c, False) for c in reading] + [(c, True) for c in writing] + [(["MERGE"], False)]


# ---- one command on one damaged store ----

def digest(db):
    """Digests of the store and its -wal, each None if the file is not regular; a -wal without a header has no pages and
    counts as missing."""
    out = []
    for end in ("", "-wal"):
        path = pathlib.Path(str(db) + end)
        if path.is_symlink() or not path.is_file():
            out.append(None)
        else:
            content = path.read_bytes()
            out.append(hashlib.blake2b(content).digest() if end == "" or content[:4].strip(b"\0") else None)
    return out


def line_of(command, db, place):
    if command == ["MERGE"]:
        return [kit.PROGRAM, "merge", "--db", str(place / (db.name + ".into")), str(db)]
    return [kit.PROGRAM, command[0], "--db", str(db), *map(str, command[1:])]


def run(line):
    """Returns (status, output, standard error); a status of None: the command did not end."""
    with subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env=kit.ENVIRONMENT) as process:
        try:
            out, errors = process.communicate(timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return None, b"", b""
        return process.returncode, out, errors


def judge(check, what, command, db, status, out, errors):
    check.true(what + ": ends", status is not None, "not within %d s" % PATIENCE_S)
    if status is None:
        return
    check.true(what + ": words", b"Try 'pmapdb" not in errors, errors[-300:]) # a usage error comes before the store is opened
    check.true(what + ": crash", status >= 0 and not NOT_OURS.search(errors), (status, errors[-1500:]))
    is_check = command[0] == "check"
    check.true(what + ": status", status in ((0, 1, 2, 3) if is_check else (0, 1, 2, 3) if command[0] == "leaks" else (0, 1, 2)),
               (status, errors[-300:]))
    if status == 2 and not is_check and command[0] not in ("doctor",):
        check.true(what + ": a line that says why", errors.strip(), "nothing on standard error")


def one(check, made, seed, n, how, some):
    r = random.Random("%s %d" % (seed, n))
    place = made.place / ("d%d" % n)
    place.mkdir()
    made_so = place / "made.db"
    if how is None:
        how = r.choice(hurt.DAMAGES)
    named = None
    said = how(made, r, made_so)
    if isinstance(said, tuple):
        said, named = said
    for command, writes in some:
        db = place / "s.db"
        copy_any(made_so, db)
        what = "%d (%s) %s" % (n, said, " ".join(map(str, command))[:60])
        before = digest(db)
        status, out, errors = run(line_of(command, db, place))
        judge(check, what, command, db, status, out, errors)
        if not writes and how is not hurt.journal and "-wal" not in said and "-shm" not in said:
            check.equal(what + ": bytes", digest(db), before)
        if named is not None and status is not None:
            where = out if command[0] in ("doctor", "check") else errors
            check.true(what + ": is refused", status in (2, 3) and (named.encode() in out + errors), (status, where[-400:]))
        if b"from a trigger" in (db.read_bytes() if db.is_file() and not db.is_symlink() and named == "trigger mine" else b""):
            check.true(what + ": ran what is foreign", made_so.read_bytes().count(b"from a trigger") ==
                       db.read_bytes().count(b"from a trigger"), "a trigger's row")
        remove(place, "s.db")
    shutil.rmtree(place, ignore_errors=True)


def copy_any(source, to):
    for end in ("", "-wal", "-shm", "-journal"):
        a, b = pathlib.Path(str(source) + end), pathlib.Path(str(to) + end)
        if a.is_symlink():
            b.symlink_to(b.name if os.readlink(a) == a.name else os.readlink(a))
        elif a.is_fifo():
            os.mkfifo(b)
        elif a.is_socket():
            with socket.socket(socket.AF_UNIX) as s:
                s.bind(str(b))
        elif a.is_dir():
            b.mkdir()
        elif a.exists():
            b.write_bytes(a.read_bytes())


def remove(place, name):
    for path in place.glob(name + "*"):
        shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()


def campaign(made, rounds, args):
    """Returns (number of damages, Check)."""
    check, every, r = kit.Check(), commands(made), random.Random(args.seed)
    no_rows = {"label", "clearing"} | ({"page_scan", "page_process"} if os.geteuid() else set())
    check.equal("tables without rows", set(made.empty) - no_rows, set())
    if args.only:
        jobs = [(getattr(hurt, args.only), every) for _ in range(rounds)]
    else:
        jobs = [(None, every) for _ in range(rounds)]
        jobs += [(functools.partial(hurt.schema, which=i), every if args.full else r.sample(every, 2)) for i in range(len(hurt.SCHEMA))]
        jobs += [hurt.found(made, i) for i in range(len(hurt.FOUND))]
    for n, (how, some) in enumerate(jobs):
        one(check, made, args.seed, n, how, some if how and not args.only else r.sample(every, 8))
    return len(jobs), check


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--seed", default=str(random.randrange(10**6)))
    parser.add_argument("--only", help="one kind of damage, by its name")
    args = parser.parse_args()
    rounds = args.rounds or (3000 if args.full else 8)
    began = time.monotonic()
    print("seed " + args.seed, flush=True)
    with kit.Place() as place, subprocess.Popen(["sleep", "99999"], stdout=subprocess.DEVNULL,
                                                stderr=subprocess.DEVNULL) as child:
        try:
            made = hurt.Made(place, child)
            n, check = campaign(made, rounds, args)
        finally:
            child.kill()
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    check.true("memory", most < MOST_KIB, "%d MiB" % (most >> 10))
    print("%d damages, at most %d MiB, %.0f s" % (n, most >> 10, time.monotonic() - began))
    check.finish()


main()
