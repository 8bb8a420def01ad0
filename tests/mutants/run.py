#!/usr/bin/env python3
"""Deliberate bugs: does a test catch each of them?

    python3 tests/mutants/run.py [WORD...]

Copies the sources to a folder of its own, builds the preset dev there once, and then once more for
each bug of bugs.txt (of those whose title has one of the WORDs), and runs the tests that the bug
names until one fails. Prints a row for each bug: the test that caught it, or MISSED. A bug that does
not fit the sources any more, or does not compile, is an error: bugs.txt has to follow them.

About 15 minutes on two cores, less with ccache; so it is no part of the suite."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
FIELDS = ("file", "tests")


class Bug:
    def __init__(self, title):
        self.title = title
        self.old, self.new = [], []
        self.file = self.tests = None

    def add(self, line, number):
        key, colon, value = line.partition(": ")
        if line.startswith("- "):
            self.old.append(line[2:])
        elif line.startswith("+ "):
            self.new.append(line[2:])
        elif colon and key in FIELDS:
            setattr(self, key, value)
        else:
            sys.exit(f"bugs.txt:{number}: neither a text nor a field: {line}")

    def fits(self):
        """Whether the sources still have its text, once."""
        path = ROOT / self.file
        return path.exists() and path.read_text().count("\n".join(self.old)) == 1

    def damage(self, tree):
        """Puts the bug in; returns the text as it was."""
        path = tree / self.file
        text = path.read_text()
        path.write_text(text.replace("\n".join(self.old), "\n".join(self.new)))
        return text


def read_bugs(words):
    bugs = []
    for number, line in enumerate((HERE / "bugs.txt").read_text().splitlines(), 1):
        if line.startswith("== "):
            bugs.append(Bug(line[3:]))
        elif line and not line.startswith("#"):
            bugs[-1].add(line, number)
    return [b for b in bugs if not words or any(w in b.title for w in words)]


def copy_sources(into):
    names = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                           cwd=ROOT, check=True, capture_output=True).stdout
    for name in filter(None, names.split(b"\0")):
        source, target = ROOT / os.fsdecode(name), into / os.fsdecode(name)
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.exists():
            shutil.copy2(source, target)


def build(tree):
    done = subprocess.run(["cmake", "--build", "--preset", "dev"], cwd=tree, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        sys.exit("it does not build:\n" + done.stdout[-2000:])


def first_failure(tree, tests):
    """The first of these tests that fails; None where all pass."""
    done = subprocess.run(["ctest", "--preset", "dev", "-R", tests, "--stop-on-failure", "-j2",
                           "--timeout", "300"], cwd=tree, text=True, capture_output=True)
    found = re.search(r"^\s*\d+ - (\S+) \(", done.stdout, re.M)
    if "No tests were found" in done.stdout + done.stderr:
        sys.exit(f"no test is called {tests}")
    return found.group(1) if found else None


def main():
    bugs = read_bugs(sys.argv[1:])
    missed = 0
    if not all(b.fits() for b in bugs):
        sys.exit("\n".join(f"{b.file} has not, or not once, the text of '{b.title}'" for b in bugs if not b.fits()))
    with tempfile.TemporaryDirectory(prefix="pmapdb-mutants-") as folder:
        tree = pathlib.Path(folder)
        copy_sources(tree)
        shared = os.environ.get("PMAPDB_SHARED", ROOT.parent / "shared")
        subprocess.run(["cmake", "--preset", "dev", f"-DPMAPDB_SHARED={shared}"], cwd=tree,
                       check=True, stdout=subprocess.DEVNULL)
        build(tree)
        sound = first_failure(tree, "|".join(sorted({b.tests for b in bugs})))
        if sound:
            sys.exit(f"{sound} fails without any bug")
        for bug in bugs:
            text = bug.damage(tree)
            build(tree)
            caught = first_failure(tree, bug.tests)
            (tree / bug.file).write_text(text)
            missed += caught is None
            print(f"{caught or 'MISSED':24} {bug.title}", flush=True)
    print(f"{len(bugs)} bugs, {missed} missed")
    return missed != 0


if __name__ == "__main__":
    sys.exit(main())
