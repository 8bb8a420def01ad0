#!/usr/bin/env python3
"""How much of src the tests run: builds with --coverage and without optimisation, runs the tests once,
prints the lines by folder and every file below 90 %.

    python3 tests/coverage.py [--built] [BUILD-FOLDER]

The exit status is 1 below 95 % of all lines. Twenty minutes on one core; --built: only counts what was
run. BUILD-FOLDER/not-run.txt lists the lines that are not run. Three tests fail here, because they see that
the counts are written: hostile/packed, live/pages, live/user. The lines of a killed process do not count.
"""
import collections
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
LEAST, LEAST_OF_FILE = 95, 90
# The tests of the first line only look at built files or sources. Those of the second line
# kill programs or let writes and allocations fail, which also hits the files of counts: a
# torn file of counts begins again at 0.
LEFT_OUT = ("^(hardened|no-shell|format|style|layers|header|sql-old|bench|"
            "crash/|fault/|store/full_disk|cli/formats)")


def run_tests(build):
    shared = os.environ.get("PMAPDB_SHARED")
    subprocess.run(["cmake", "-G", "Ninja", "-S", ROOT, "-B", build, "-DCMAKE_BUILD_TYPE=None",
                    "-DCMAKE_C_FLAGS=--coverage -O0 -g", *(["-DPMAPDB_SHARED=" + shared] if shared else [])],
                   check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", build, "--target", "all", "tests/all"], check=True)
    for path in build.rglob("*.gcda"):
        path.unlink()
    # A user who may not write there gets a message on standard error, which tests compare.
    done = subprocess.run(["ctest", "--test-dir", build, "-E", LEFT_OUT, "--timeout", "900", "-j2"],
                          env=os.environ | {"GCOV_ERROR_FILE": "/dev/null"}, check=False)
    if done.returncode:
        print("== Tests failed; what they would have run after that is missing below")


def counted(build):
    """{file: {line: how often it was run}} of src; what was compiled twice is added up."""
    lines = collections.defaultdict(collections.Counter)
    # Files that were never run have notes, too.
    notes = [p for p in build.rglob("*.gcno") if "/src/" in str(p)]
    for note in notes:
        data = note.with_suffix(".gcda")
        said = subprocess.run(["gcov", "--json-format", "--stdout", data if data.exists() else note], cwd=build,
                              capture_output=True, check=True).stdout
        for text in said.splitlines():
            for file in json.loads(text)["files"]:
                path = pathlib.Path(file["file"])
                path = (path if path.is_absolute() else build / path).resolve()
                if path.is_relative_to(ROOT / "src") and path.exists(): # not of a build before a move
                    for line in file["lines"]:
                        lines[str(path.relative_to(ROOT))][line["line_number"]] += line["count"]
    return lines


def main():
    words = [w for w in sys.argv[1:] if w != "--built"]
    build = pathlib.Path(words[0] if words else ROOT / "build" / "coverage").resolve()
    if "--built" not in sys.argv[1:]:
        run_tests(build)
    lines = counted(build)
    folders = collections.defaultdict(lambda: [0, 0])
    below = []
    with open(build / "not-run.txt", "w", encoding="ascii") as out:
        for path, of in sorted(lines.items()):
            missed = sorted(n for n, count in of.items() if not count)
            out.write("%s: %s\n" % (path, " ".join(map(str, missed))) if missed else "")
            for name in (str(pathlib.Path(path).parent), "all"):
                folders[name][0] += len(of)
                folders[name][1] += len(of) - len(missed)
            if 100 * len(missed) > (100 - LEAST_OF_FILE) * len(of):
                below.append("%6.1f %%  %4d of %4d lines not run  %s" % (
                    100 - 100 * len(missed) / len(of), len(missed), len(of), path))
    for name, (n, n_run) in sorted(folders.items(), key=lambda f: (f[0] == "all", f[0])):
        print("%-24s %7d lines %6d not run %6.1f %%" % (name, n, n - n_run, 100 * n_run / n))
    print("\nFiles below %d %%:" % LEAST_OF_FILE, *(below or ["none"]), sep="\n")
    n, n_run = folders["all"]
    return 100 * n_run < LEAST * n


if __name__ == "__main__":
    sys.exit(main())
