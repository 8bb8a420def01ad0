"""Stacks of threads: what `threads` counts against the number of threads in /proc/PID/status of the
same moment, and the rule of pmap-dotnet against an own reading of the text, and against what that
tool published of the capture."""
import os
import pathlib
import re

import kit

# name -> (beats by default, how many threads more than stacks there may be): status is read behind
# the map, so one may have begun meanwhile; how node's stacks look is not the matter here.
NAMES = {"c_thread": (12, 1), "java_steady": (6, 0), "memcached": (6, 0)}
SEED = "03-dotnet-pmap-demo-XXpq.txt"

check = kit.Check()


def threads_of(status):
    return int(re.search(r"^Threads:\s*(\d+)$", status.read_text(), re.M)[1])


def check_workload(name, beats, more):
    workload = kit.Workload(name)
    with kit.Place() as place:
        some = workload.sample(beats)
        paths = workload.unpack(place / "in", some, "smaps", "status")
        smaps = [p for p in paths if p.suffix == ".smaps"]
        db = place / "t.db"
        kit.run("import", *smaps, db=db)
        ids = kit.snapshot_ids(db)
        for path in smaps:
            taken_ms, pid = kit.when(path)
            got = kit.rows("threads", "--process", pid, "--snapshot", "@%d" % ids[taken_ms, pid, "smaps"], db=db)
            stacks = {kit.number(r["stacks_all"]) for r in got}
            check.equal("%s %s: sum over sizes" % (name, path.stem), {sum(int(r["stacks"]) for r in got)}, stacks)
            rest = threads_of(path.with_suffix(".status")) - 1 - stacks.pop()
            check.true("%s %s: threads - 1 - stacks" % (name, path.stem), 0 <= rest <= more, rest)


def by_the_seeds_rule(path, kib):
    """Rows of pmap -XX of exactly that size, without a name, rw?p, with mr, mw and me."""
    n = 0
    for line in path.read_text(errors="replace").splitlines():
        words = line.split()
        if len(words) > 20 and re.fullmatch(r"rw.p", words[1]) and words[5] == str(kib):
            flags = [i for i, w in enumerate(words) if re.fullmatch(r"[a-z]{2}", w)]
            n += flags and flags[-1] == len(words) - 1 and {"mr", "mw", "me"} <= {words[i] for i in flags}
    return n


def check_seed():
    path = pathlib.Path(os.environ.get("PMAPDB_SHARED", "")) / "captures" / "pmap" / SEED
    if not path.is_file():
        print("skipped: %s is not there" % path)
        return
    with kit.Place() as place:
        db = place / "t.db"
        kit.run("import", "-q", "--name", "dotnet", path, db=db)
        for size, kib in (("8M", 8192), ("1M", 1024), ("4M", 4096), ("16K", 16), ("4K", 4)):
            got = kit.rows("threads", "--stack-size", size, db=db)
            check.equal("%s: stacks of %s" % (SEED, size), [int(r["stacks"]) for r in got],
                        [by_the_seeds_rule(path, kib)])
            check.equal("%s: count x size of %s" % (SEED, size), [int(r["size_kib"]) for r in got],
                        [kib * by_the_seeds_rule(path, kib)])
        got = kit.rows("threads", "--stack-size", "8M", db=db)
        check.equal(SEED, [(r["stacks"], r["size_kib"]) for r in got], [("12", "98304")])
        kinds = {r["stack_kib"]: r["stacks"] for r in kit.rows("threads", db=db)}
        check.equal("%s: of 8 MiB by category" % SEED, kinds.get("8192"), "12")


check_seed()
for workload_name, (n_beats, at_most) in NAMES.items():
    check_workload(workload_name, n_beats, at_most)
check.finish()
