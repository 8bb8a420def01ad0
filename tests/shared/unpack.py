"""Unpacks the files of the large workloads that the checks read, once for all checks; kit.Workload.unpack copies
them from FOLDER. A check unpacks a missing file itself, for example if somebody runs the check by hand.

    unpack.py FOLDER"""
import os
import pathlib
import shutil
import sys

import kit
from leaks import POSTGRES_LEAK

LARGE = "postgres", "memfd", "steady4000"


def wanted(work):
    """The names of the usual samples and of neighbours at both ends; for postgres, also all beats of the processes
    that leaks.py reads."""
    beats = sorted(dict(work.sample(3) + work.sample(4) + work.beats[:3] + work.beats[-2:]).items())
    some = work.some(POSTGRES_LEAK)
    if not some:
        return work.names(beats, "smaps", "XX", "x")
    first, last = work.beats[0][1], work.beats[-1][1]
    every = sorted({pid for _, of in work.beats for pid in of})
    return dict.fromkeys(work.names(beats, "smaps", "XX", "x", pids={*some, *first[:6], *last[-3:]}) +
                         work.names(work.beats, "smaps", pids=set(every[::12])) +
                         work.names(work.beats, "smaps", "XX", pids={POSTGRES_LEAK}))


def main():
    folder = pathlib.Path(sys.argv[1])
    new = folder.with_name("%s.%d" % (folder.name, os.getpid()))
    new.mkdir(parents=True)
    for name in LARGE:
        try:
            work = kit.Workload(name)
        except SystemExit: # each check reports the missing workload
            continue
        (new / name).mkdir()
        work.extract(new / name, wanted(work))
    shutil.rmtree(folder, ignore_errors=True)
    new.rename(folder)


main()
