#!/usr/bin/env python3
"""Benchmark: CPU time and memory of groups --exact beside the kernel's part of reading pagemap.
    python3 tests/bench/pages.py [CHILDREN [MIB]]     (100 children that share 256 MiB; PMAPDB: the program)
The kernel's part: this script reads the same page maps, in pieces of 64 KiB, and throws them away."""
import mmap
import os
import resource
import subprocess
import sys

PMAPDB = os.environ.get("PMAPDB", "build/release/pmapdb")
MIB = 1 << 20


def child(shared, ready):
    shared[::4096] # maps every page in the page tables of this child
    own = bytearray(3 * MIB)
    os.write(ready, bytes(own[:1]))
    os.read(0, 1)
    os._exit(0)


def read_pagemaps(pids):
    """Reads what groups --exact reads; returns CPU seconds and entries."""
    buffer, began, present = bytearray(65536), resource.getrusage(resource.RUSAGE_SELF), 0
    for pid in pids:
        with open(f"/proc/{pid}/maps") as maps:
            ranges = [tuple(int(a, 16) for a in line.split()[0].split("-")) for line in maps]
        fd = os.open(f"/proc/{pid}/pagemap", os.O_RDONLY)
        for start, end in ranges:
            at, stop = start // 4096 * 8, end // 4096 * 8
            while at < stop and not start >> 63:
                n = min(65536 - at % 65536, stop - at)
                present += os.preadv(fd, [memoryview(buffer)[:n]], at) // 8
                at += n
        os.close(fd)
    now = resource.getrusage(resource.RUSAGE_SELF)
    return now.ru_utime + now.ru_stime - began.ru_utime - began.ru_stime, present


# A separate small program, because a forked child has the memory of its parent until its exec.
MEASURE = """
import os, subprocess, sys
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, used = os.wait4(process.pid, 0)
print(used.ru_utime + used.ru_stime, used.ru_maxrss)
sys.exit(os.waitstatus_to_exitcode(status))
"""


def run(*args):
    """Runs the program once. Returns CPU seconds and peak memory in KiB."""
    said = subprocess.run([sys.executable, "-c", MEASURE, PMAPDB, *args], stdout=subprocess.PIPE, check=True, text=True)
    seconds, peak = said.stdout.split()
    return float(seconds), int(peak)


def report(pids, match):
    kernel, exact = [], []
    for _ in range(3): # in turns: other work then slows both
        kernel.append(read_pagemaps(pids))
        exact.append(run("groups", "--exact", "-q", "--match", match, "--by", "name"))
    seconds, entries = min(kernel)
    cpu, peak = min(exact)
    print(f"{len(pids)} processes, {entries / 1e6:.1f} M entries")
    print(f"kernel alone    {seconds:6.2f} s  {seconds / entries * 1e9:5.1f} ns an entry")
    print(f"groups --exact  {cpu:6.2f} s  {cpu / entries * 1e9:5.1f} ns an entry  {cpu / seconds:.2f} x  "
          f"{peak / 1024:.1f} MiB")


def main():
    children, size = (int(a) for a in (sys.argv[1:] + ["100", "256"][len(sys.argv) - 1:]))
    shared = mmap.mmap(-1, size * MIB)
    for at in range(0, size * MIB, 4096):
        shared[at] = 1
    hold, told = os.pipe(), os.pipe()
    pids = []
    for _ in range(children):
        pid = os.fork()
        if pid == 0:
            os.dup2(hold[0], 0)
            os.close(hold[1])
            child(shared, told[1])
        pids.append(pid)
    for _ in pids:
        os.read(told[0], 1)
    try:
        report(pids, f"ppid = {os.getpid()}")
    finally:
        os.close(hold[1])
        for pid in pids:
            os.waitpid(pid, 0)


if __name__ == "__main__":
    main()
