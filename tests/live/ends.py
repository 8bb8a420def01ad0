"""Growth that ends: the time and the words of `leaks` for the end, against programs that reach the end.

    both    leaks on the heap and in anonymous mappings until RLIMIT_AS (ulimit -v) ends the process: each row
            gives the time of the end; while the process is young, its growth may be its start
    shared  touches a shared mapping of fixed size: no leak; the reason names the end
    pool    touches a private mapping of fixed size: no leak, and none on the heap, which pool does not have
    heap    touches memory that the heap already has, then asks for more: a leak

A program does one step for each byte that it reads, and is captured after each step. By the clock of the test
(clock.c) the captures are a minute apart.
"""
import os
import pathlib
import resource
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "shared"))
import kit
from cronlife import Clock

SOURCE = """
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
enum { KIB = 1024, FIXED = 16384 * KIB };
static char *fixed(int flags)
{
    return mmap(NULL, FIXED, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);
}
int main(int n, char **argument)
{
    char what = argument[1][0], go, *area = NULL;
    size_t used = 0;
    if (what == 's')
        area = fixed(MAP_SHARED);
    if (what == 'p')
        area = fixed(MAP_PRIVATE);
    if (what == 'h') {
        area = sbrk(2048 * KIB);
        used = 64 * KIB;
    }
    while (write(1, "k", 1) == 1 && read(0, &go, 1) == 1) {
        if (what == 'b') {
            char *a = sbrk(200 * KIB);
            char *b = mmap(NULL, 400 * KIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            if (a == (void *)-1 || b == MAP_FAILED)
                abort();
            memset(a, 1, 200 * KIB);
            memset(b, 1, 400 * KIB);
        } else {
            if (what == 'h' && used + 128 * KIB > 2048 * KIB)
                sbrk(128 * KIB);
            memset(area + used, 1, 128 * KIB);
            used += 128 * KIB;
        }
    }
    return 0;
}
"""
STEPS = 40
YOUNG = 13
LIMIT_KIB = 48 * 1024
OFF = .10


class Program:
    """A test program that is told each step."""

    def __init__(self, path, what, limit_kib=None):
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (limit_kib * 1024, limit_kib * 1024))
        self.child = subprocess.Popen([path, what], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0,
                                      preexec_fn=limit if limit_kib else None)
        self.child.stdout.read(1)

    def step(self):
        """False if the step ended the program."""
        self.child.stdin.write(b"s")
        return self.child.stdout.read(1) == b"k"

    def end(self):
        self.child.kill()
        self.child.wait()


def judged(programs, clock, db, beats):
    """Steps and captures each program in each of these beats. Returns the rows of `leaks` by program and key."""
    pids = {str(program.child.pid): what for what, program in programs.items()}
    for beat in beats:
        for program in programs.values():
            program.step()
        subprocess.run([kit.PROGRAM, "capture", "-q", "--db", db, *pids], env=clock.environment(beat), check=True)
    return {what: {row["key"]: row for row in kit.rows("leaks", "--process", "grows/" + pid, db=db, expect=(0, 1))}
            for pid, what in pids.items()}


def check_both(check, program, rows):
    left = 0
    while program.step():
        left += 1
    check.true("both: the kernel ended it", 20 < left < 40 and program.child.wait() < 0, left)
    leaks = [key for key, row in rows.items() if row["verdict"] == "leak"]
    check.equal("both: what leaks", sorted(leaks), ["anonymous", "heap", "total"])
    for key in leaks:
        row = rows[key]
        check.equal("both: limit of %s" % key, (row["limit"], row["limit_by"]), (str(LIMIT_KIB), "address space"))
        check.true("both: end of %s" % key, abs(float(row["eta_h"]) * 60 / left - 1) < OFF,
                   "%s h, %d minutes were left" % (row["eta_h"], left))


def check_fixed(check, what, row, verdicts, words):
    check.true("%s: no leak" % what, row["verdict"] in verdicts, row)
    for word in words:
        check.true("%s: the end in words: %s" % (what, word), word in (row["reason"] or ""), row)


def what_has_an_end(check, place):
    clock, path = Clock(place), place / "grows"
    (place / "grows.c").write_text(SOURCE)
    subprocess.run([os.environ.get("CC", "cc"), "-O1", "-o", path, place / "grows.c"], check=True)
    programs = {what: Program(path, what, LIMIT_KIB if what == "both" else None) for what in ("both", "shared", "pool", "heap")}
    try:
        young = judged(programs, clock, place / "t.db", range(YOUNG))["both"]["heap"]
        rows = judged(programs, clock, place / "t.db", range(YOUNG, STEPS))
        check.equal("both: young", young["verdict"], "suspect")
        check.true("both: young", "%d minutes old" % (YOUNG - 1) in young["reason"], young)
        check_both(check, programs["both"], rows["both"])
        check.equal("heap: a leak", rows["heap"]["heap"]["verdict"], "leak")
        check_fixed(check, "shared", rows["shared"]["shared-memory/anonymous"], ("plateau",), ("ends at 16 MiB",))
        check.equal("shared: the process", rows["shared"]["total"]["verdict"], "plateau")
        check_fixed(check, "pool", rows["pool"]["anonymous"], ("suspect",), ("fixed size", "of 16 MiB"))
    finally:
        for program in programs.values():
            program.end()


kit.main(what_has_an_end)
