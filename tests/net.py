#!/usr/bin/env python3
"""Compares the answers of two builds to every named query, for changes of structure.

    python3 tests/net.py PROGRAM                      prints a checksum per scene and query
    python3 tests/net.py PROGRAM --against OLD        compares with the answers of OLD
           [--scene NAME]...  [--out DIR]  [--list]

A scene is a store that was filled in one way: samples, fixtures, public captures, and workloads in
order, in reverse, in two halves, with a prune, a merge, or a change of rules in the middle. Each
answer is CSV without the columns of opaque ids, its rows sorted, because ids may differ between
orders of import. With --against the exit status is 1 if an answer differs; DIR keeps the stores and
the answers of both, so that `diff DIR/new/SCENE/FILE DIR/old/SCENE/FILE` shows how. Queries that
only one of the two builds knows are listed. Workloads come from PMAPDB_SHARED (../shared), and a
scene whose data are absent is skipped, visibly.
"""
import argparse
import csv
import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SHARED = os.environ.get("PMAPDB_SHARED") or os.path.join(ROOT, "..", "shared")
DATA = os.path.join(tempfile.gettempdir(), f"pmapdb-net-{os.getuid()}")
# Their answers depend on the file or the clock, or need data that no scene has.
LEFT_OUT = {"store-growth", "refusals", "pins"}
PROCESSES = 3  # asked singly in a scene
BEATS = 36     # of a workload


class Missing(Exception):
    pass


def workload(name, beats=BEATS, skip=1):
    """The files of every skip-th beat, as a list per beat in time order."""
    packed = os.path.join(SHARED, "workloads", name + ".tar.zst")
    if not os.path.exists(packed):
        raise Missing(packed)
    folder = os.path.join(DATA, name)
    if not os.path.isdir(folder):
        os.makedirs(DATA, mode=0o700, exist_ok=True)
        unpack = tempfile.mkdtemp(dir=DATA)
        subprocess.run(f"zstd -dc --long=27 '{packed}' | tar x -C '{unpack}'", shell=True, check=True)
        os.rename(os.path.join(unpack, name), folder)
        os.rmdir(unpack)
    of_beat = {}
    for file in sorted(os.listdir(folder)):
        stamp = re.match(r"(\d+)-", file)
        if stamp:
            of_beat.setdefault(int(stamp.group(1)), []).append(os.path.join(folder, file))
    times = sorted(of_beat)[::skip][:beats]
    return [of_beat[t] for t in times]


def flat(beats):
    return [file for beat in beats for file in beat]


class Store:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.file = os.path.join(folder, "store.db")

    def run(self, *words, file=None):
        env = dict(os.environ, TZ="UTC", HOME=self.folder, XDG_DATA_HOME=self.folder,
                   XDG_CONFIG_HOME=self.folder)
        return subprocess.run([self.program, "--db", file or self.file, *words], env=env, text=True,
                              errors="surrogateescape", capture_output=True, check=False)

    def fill(self, paths, *options, file=None):
        # A command line has a limit: many files go in as many slices as they need.
        for i in range(0, len(paths), 2000):
            done = self.run("import", "-q", *options, *paths[i:i + 2000], file=file)
            if done.returncode not in (0, 2):
                raise RuntimeError(done.stderr)

    def must(self, *words, file=None):
        done = self.run(*words, file=file)
        if done.returncode:
            raise RuntimeError(f"{words}: {done.stderr}")


# ---- scenes ----

def samples(store):
    store.fill([os.path.join(ROOT, "samples", "captures")])
    logs = os.path.join(ROOT, "samples", "logs")
    store.fill([os.path.join(logs, "leaky-cron.log")], "--name", "cron")
    store.fill([os.path.join(logs, "leaky-untimed.log")], "--name", "untimed", "--every", "5m",
               "--first", "2026-11-01T00:00:00Z")


def fixtures(store):
    """Each file for itself, with a time of its own: a clone has no mtimes that mean anything."""
    paths = []
    for folder, _, files in sorted(os.walk(os.path.join(ROOT, "tests", "fixtures"))):
        if os.path.basename(folder) in ("tools", "parse"):
            paths += sorted(os.path.join(folder, f) for f in files if f.endswith(".txt"))
    one_by_one(store, paths)


def one_by_one(store, paths):
    for i, path in enumerate(paths):
        at = f"2026-11-01T{i // 3600 % 24:02}:{i // 60 % 60:02}:{i % 60:02}Z"
        store.fill([path], "--at", at, "--name", os.path.basename(path))


def archives(store):
    folder = os.path.join(ROOT, "tests", "fixtures", "archives")
    store.fill(sorted(os.path.join(folder, f) for f in os.listdir(folder) if ".tar" in f))


def public(folder):
    def fill(store):
        path = os.path.join(SHARED, "captures", folder)
        if not os.path.isdir(path):
            raise Missing(path)
        one_by_one(store, sorted(os.path.join(path, f) for f in os.listdir(path)
                                 if not f.endswith((".tsv", ".md"))))
    return fill


def in_order(name, **how):
    return lambda store: store.fill(flat(workload(name, **how)))


def in_reverse(name, **how):
    def fill(store):
        beats = workload(name, **how)
        for i in range(len(beats) - 6, -6, -6):
            store.fill(flat(beats[max(i, 0):i + 6]))
    return fill


def in_halves(name, **how):
    """Every second beat first: the second half comes late everywhere."""
    def fill(store):
        beats = workload(name, **how)
        store.fill(flat(beats[::2]))
        store.fill(flat(beats[1::2]))
    return fill


def pruned(name, **how):
    def fill(store):
        beats = workload(name, **how)
        store.fill(flat(beats[:len(beats) // 2]))
        store.must("prune", "--keep-last", "7", "--keep-within", "20s")
        store.fill(flat(beats[len(beats) // 2:]))
        store.must("prune", "--keep-last", "9", "--keep-hourly", "2")
        store.fill(flat(beats))  # what was pruned does not come back
    return fill


def merged(name, **how):
    def fill(store):
        beats = workload(name, **how)
        other = os.path.join(store.folder, "other.db")
        store.fill(flat(beats[::2]))
        store.fill(flat(beats[1::2]), file=other)
        store.must("merge", other)
        store.must("merge", other)
    return fill


def ruled(name, **how):
    def fill(store):
        beats = workload(name, **how)
        store.fill(flat(beats[:len(beats) // 2]))
        store.must("rules", "--apply", "pmap-dotnet")
        store.fill(flat(beats[len(beats) // 2:]))
    return fill


def ruled_back(name, **how):
    def fill(store):
        ruled(name, **how)(store)
        store.must("rules", "--apply", "default")
    return fill


SCENES = {
    "samples": samples, "fixtures": fixtures, "archives": archives,
    "captures": public("pmap"), "versions": public("versions"),
    "redis": in_order("redis", beats=200), "redis-reverse": in_reverse("redis"),
    "redis-halves": in_halves("redis"), "redis-pruned": pruned("redis"),
    "redis-merged": merged("redis"), "redis-ruled": ruled("redis"),
    "node": in_order("node_steady"), "node-halves": in_halves("node_steady"),
    "node-merged": merged("node_steady"), "node-ruled-back": ruled_back("node_steady"),
    "guard": in_order("c_mmap_guard", beats=200), "guard-reverse": in_reverse("c_mmap_guard"),
    "guard-pruned": pruned("c_mmap_guard"), "guard-ruled": ruled("c_mmap_guard"),
    "java": in_order("java_heap", beats=120), "java-reverse": in_reverse("java_heap"),
    "java-merged": merged("java_heap"), "java-ruled-back": ruled_back("java_heap"),
    "postgres": in_order("postgres", beats=10, skip=4),
    "postgres-halves": in_halves("postgres", beats=8, skip=3),
    "postgres-pruned": pruned("postgres", beats=12, skip=3),
    "postgres-merged": merged("postgres", beats=6, skip=3),
    "steady4000": in_order("steady4000", beats=6, skip=20),
    "steady4000-halves": in_halves("steady4000", beats=6, skip=20),
}


# ---- answers ----

def rows_of(text):
    """CSV as (header, rows) without opaque ids and places in epochs; the folder of the store is no answer."""
    table = list(csv.reader(io.StringIO(text)))
    if not table:
        return [], []
    keep = [i for i, name in enumerate(table[0]) if not name.endswith("_id") and name not in ("source", "place")]
    return [table[0][i] for i in keep], sorted([row[i] for i in keep if i < len(row)]
                                               for row in table[1:])


def parameters(program):
    """Named query -> set of its parameters; one that must be given ends in '!'."""
    text = subprocess.run([program, "query", "--list", "-f", "csv"], text=True, capture_output=True,
                          check=True).stdout
    return {row["name"]: set(row["parameters"].split()) for row in csv.DictReader(io.StringIO(text))}


def questions(known, handles, times):
    """(file name, words) of everything that is asked of one store."""
    for name, takes in sorted(known.items()):
        if name in LEFT_OUT or any(p.endswith("!") for p in takes):
            continue
        yield name, ["query", name]
        if "process" not in takes:
            continue
        for handle in handles:
            words = ["query", name, "--process", handle]
            label = f"{name}.{handle.replace('/', '_')}"
            yield label, words
            if "snapshot" in takes:
                for at in ["first", *times[handle]]:
                    yield f"{label}.{at}", [*words, "--snapshot", at]
            if "depth" in takes:
                yield f"{label}.depth1", [*words, "--depth", "1"]


def subjects(store):
    """Process handles, and for each one moment in the middle of its life."""
    text = store.run("query", "snapshots", "-f", "csv").stdout
    moments = {}
    for row in csv.DictReader(io.StringIO(text)):
        if row["pid"] and "/" not in row["name"]:
            moments.setdefault(f"{row['name']}/{row['pid']}", set()).add(row["taken_at"])
    handles = sorted(moments, key=lambda h: (-len(moments[h]), h))
    step = max(1, len(handles) // PROCESSES)
    chosen = handles[::step][:PROCESSES]
    return chosen, {h: [sorted(moments[h])[len(moments[h]) // 2]] for h in chosen}


def answer(program, scene, folder, known, chosen=None):
    """Fills a store and asks it everything; returns file name -> (header, rows)."""
    os.makedirs(folder)
    store = Store(program, folder)
    SCENES[scene](store)
    chosen = chosen or subjects(store)
    answers = {}
    for label, words in questions(known, *chosen):
        done = store.run(*words, "-f", "csv")
        header, rows = rows_of(done.stdout)
        if done.returncode and not header:
            rows = [["no answer"]]
        answers[label] = header, rows
        with open(os.path.join(folder, label.replace("/", "_") + ".csv"), "w",
                  errors="surrogateescape") as out:
            csv.writer(out, lineterminator="\n").writerows([header, *rows])
    return answers, chosen


def checksum(header, rows):
    text = "\n".join("\x1f".join(row) for row in [header, *rows])
    return hashlib.sha256(text.encode(errors="surrogateescape")).hexdigest()[:16]


def common(old, new):
    """Both tables with the columns that both have; the columns that only one has."""
    if old[0] == new[0]:
        return old[1], new[1], []
    names = [n for n in old[0] if n in new[0]]

    def cut(table):
        at = [table[0].index(n) for n in names]
        return sorted([row[i] for i in at] if len(row) == len(table[0]) else row for row in table[1])
    return cut(old), cut(new), sorted(set(old[0]) ^ set(new[0]))


def differing(old, new):
    """How many rows only one of two sorted tables has."""
    seen = {}
    for row in old:
        seen[tuple(row)] = seen.get(tuple(row), 0) + 1
    for row in new:
        seen[tuple(row)] = seen.get(tuple(row), 0) - 1
    return sum(abs(n) for n in seen.values())


def compare(scene, old, new):
    """Prints what differs; returns how many answers do."""
    bad = 0
    for label in sorted(set(old) & set(new)):
        a, b, columns = common(old[label], new[label])
        n = differing(a, b)
        note = f", columns of one only: {' '.join(columns)}" if columns else ""
        if n or columns:
            print(f"DIFFERS {scene} {label}: {n} of {len(a)} and {len(b)} rows{note}")
        bad += n > 0
    print(f"{scene}: {len(set(old) & set(new))} answers, {bad} differ", flush=True)
    return bad


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("--against")
    parser.add_argument("--scene", action="append")
    parser.add_argument("--out")
    parser.add_argument("--list", action="store_true")
    given = parser.parse_args()
    if given.list:
        print("\n".join(SCENES))
        return 0
    out = given.out or tempfile.mkdtemp()
    given.program = os.path.abspath(given.program)
    known = parameters(given.program)
    bad = 0
    if given.against:
        given.against = os.path.abspath(given.against)
        old_known = parameters(given.against)
        for name in sorted(set(known) ^ set(old_known)):
            print(f"ONLY {'new' if name in known else 'old'}: {name}")
    for scene in given.scene or SCENES:
        new_folder, old_folder = (os.path.join(out, side, scene) for side in ("new", "old"))
        try:
            shutil.rmtree(new_folder, ignore_errors=True)
            shutil.rmtree(old_folder, ignore_errors=True)
            if given.against:
                old, chosen = answer(given.against, scene, old_folder, old_known)
                new, _ = answer(given.program, scene, new_folder, known, chosen)
                bad += compare(scene, old, new)
            else:
                for label, (header, rows) in answer(given.program, scene, new_folder, known)[0].items():
                    print(scene, label, checksum(header, rows), len(rows), flush=True)
        except Missing as what:
            print(f"SKIPPED {scene}: {what} is not there")
    if not given.out:
        shutil.rmtree(out)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
