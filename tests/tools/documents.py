"""Runs the examples of README.md and docs/*.md: each command prints what the document shows below it.
Lines for cron and Nagios, and the commands that answer questions, are correct usage. Files that a document
names exist.

An example is an indented block with lines that begin with `$ `. The examples of one document run in
one shell, in their order, in a folder that links the folders of the source; those of docs/ begin with
the samples in demo.db. Blocks of another kind are recognised by their lines (KINDS); a block of no
known kind is a failure, so that no block is silently left out. An example that captures live may
differ from the document in numbers, units, verdicts of `doctor` and the width of columns. PMAPDB_UPDATE=1
writes what the examples print into the documents; read the difference before you keep it.

With PMAPDB_CALL (pmapdb_call) only the first run of each command starts the program and looks for leaks, as
in the tests of the command line; otherwise each run does.
"""
import contextlib
import functools
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "shared"))
import kit  # noqa: E402 (found by the line before)

DOCUMENTS = [kit.ROOT / "README.md", *sorted((kit.ROOT / "docs").glob("*.md"))]
CALL = os.environ.get("PMAPDB_CALL")
EXTENSION = os.environ.get("PMAPDB_EXTENSION") or str(pathlib.Path(kit.PROGRAM).with_name("pmapdb.so"))
# Between the outputs of two commands; no command prints this byte.
MARK = "\x1e"
KINDS = (("live", r"^\$ pmapdb .*\b(capture|run) "), ("example", r"^\$ "),
         ("shown", r"^pmapdb (import|capture|run) |^sh (samples|tests)/|^(cmake|ctest|python3|git) |^-- name:"),
         ("perf", r"^perf record "), ("cron", r"^[*0-9/]+ [*0-9]+ \* \* \* "), ("nagios", r"^command\["),
         ("c", r"^#include "), ("figure", r"->|=>|--> |^[\w/]+\.c  +\S"))

check = kit.Check(shown=99)


def blocks(text):
    """(number of the first line, lines without their indentation) of each indented block."""
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("    ") or (not line and found and found[-1][2]):
            if not (found and found[-1][2]):
                found.append([number, [], True])
            found[-1][1].append(line[4:])
        elif found:
            found[-1][2] = False
    for number, lines, _ in found:
        while not lines[-1]:
            lines.pop()
        yield number, lines


def kind_of(lines):
    return next((kind for kind, shape in KINDS if any(re.search(shape, x) for x in lines)), None)


@functools.lru_cache(None)
def whole(command):
    """False if a quote is open or a pipe has no second command: the command goes on."""
    return subprocess.run(["sh", "-n", "-c", command], capture_output=True, check=False).returncode == 0


def examples(number, lines, masked):
    """(line, command, its input, its output, whether numbers may differ) of each command of a block."""
    found = []
    for at, line in enumerate(lines, number):
        if line.startswith("$ "):
            found.append([at, line[2:], [], [], masked])
        elif not whole(found[-1][1]):
            found[-1][1] += "\n" + line
        elif re.match(r"sqlite> | +\.\.\.> ", line):
            found[-1][2].append(line.split("> ", 1)[1])
        else:
            found[-1][3].append(line)
    return found


def mask(line):
    """A line of a live example without the parts that differ from run to run."""
    line = re.sub(r"\d[\d.,:TZ-]*", "N", line)
    line = re.sub(r"N (us|ms|s|KiB|MiB|GiB)\b|N(us|ms|s)\b", "N", line)
    return re.sub(r" +", " ", re.sub(r" (ok|note|trouble) ", " STATE ", line))


def without_live(name, todo):
    """The commands that can run here: live examples need a compiler and smaps."""
    why = None if shutil.which("cc") else "no cc here"
    why = why or (None if os.access("/proc/self/smaps", os.R_OK) else "no smaps here")
    for at, command, _, _, masked in todo:
        if why and masked:
            print("skipped: %s:%d: %s: %s" % (name, at, why, command.splitlines()[0]))
    return [x for x in todo if not (why and x[4])]


def environment(place):
    """The environment of a new user who has pmapdb installed."""
    (place / "bin").mkdir()
    (place / "bin" / "pmapdb").symlink_to(pathlib.Path(CALL or kit.PROGRAM).resolve())
    return {k: v for k, v in kit.ENVIRONMENT.items() if k not in ("COLUMNS", "XDG_DATA_HOME")} | {
        "PATH": "%s:%s" % (place / "bin", os.environ["PATH"]), "HOME": str(place), "TERM": "dumb",
        "PMAPDB_PROGRAM": kit.PROGRAM, "PMAPDB_SCRATCH": str(place.parent)}


def stand_in(work):
    """Links the folders that examples name, and the extension, into `work`."""
    for name in ("samples", "tests", "queries"):
        (work / name).symlink_to(kit.ROOT / name)
    (work / "build" / "release").mkdir(parents=True)
    if pathlib.Path(EXTENSION).is_file():
        (work / "build" / "release" / "pmapdb.so").symlink_to(pathlib.Path(EXTENSION).resolve())


@functools.lru_cache(None)
def without_sqlite():
    """Returns why the sqlite3 program cannot run here, or None; and the libraries that it must load first."""
    if not shutil.which("sqlite3"):
        return "no sqlite3 here", ""
    needs = subprocess.run(["ldd", EXTENSION], capture_output=True, text=True, check=False).stdout
    # An extension with sanitizers needs their libraries before all others.
    return None, " ".join(re.findall(r"=> (\S*lib[au]b?san\S*)", needs))


def script_of(todo, preload):
    lines = []
    for _, command, fed, _, _ in todo:
        if command.startswith("sqlite3"):
            command = "LD_PRELOAD=%s ASAN_OPTIONS=detect_leaks=0 %s" % (shlex.quote(preload), command)
        if fed:
            command += " <<'MARK'\n%s\nMARK" % "\n".join(fed)
        lines += [command, "printf '%s\\n'" % MARK]
    return "\n".join(lines)


def update(updates, at, command, fed, shown, got):
    """Notes that `got` must stand below the command at line `at`."""
    begin = at + command.count("\n") + fed
    updates.append((begin, begin + len(shown), ["    " + line if line else "" for line in got]))


def write_updates(document, updates):
    lines = document.read_text(encoding="utf-8").splitlines()
    for begin, end, got in reversed(updates):  # from the last to the first, because lines move
        lines[begin:end] = got
    document.write_text("\n".join(lines) + "\n", encoding="utf-8")


def run_examples(document, todo, work, env):
    name, updates = document.name, []
    why, preload = without_sqlite()
    ready = []
    for at, command, fed, shown, masked in without_live(name, todo):
        shows_file = re.fullmatch(r"cat (\S+)", command)
        if why and command.startswith("sqlite3"):
            print("skipped: %s:%d: %s: %s" % (name, at, why, command.splitlines()[0]))
            continue
        # A file that the reader of the document has written before.
        if shows_file and not (work / shows_file[1]).exists():
            (work / shows_file[1]).write_text("".join(x + "\n" for x in shown), encoding="utf-8")
        ready.append((at, command, fed, shown, mask if masked else str))
    done = subprocess.run(["sh"], input=script_of(ready, preload), cwd=work, env=env, text=True,
                          encoding="utf-8", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    printed = done.stdout.split(MARK + "\n")
    check.equal("%s: commands that ran" % name, len(printed) - 1, len(ready))
    for (at, command, fed, shown, same), got in zip(ready, printed):
        equal = [same(x) for x in got.splitlines()] == [same(x) for x in shown]
        if os.environ.get("PMAPDB_UPDATE"):
            if not equal:
                update(updates, at, command, len(fed), shown, got.splitlines())
            continue
        check.true("%s:%d" % (name, at), equal,
                   "%s\n---- prints\n%s---- %s has\n%s\n----" % (command, got, name, "\n".join(shown)))
    if updates:
        write_updates(document, updates)


def fresh_captures(folder):
    """Writes the sample as captures of the last minutes, under the name that the documents use."""
    folder.mkdir(parents=True)
    source = sorted((kit.ROOT / "samples" / "captures").rglob("*.x"))
    shift = int(time.time()) - 60 - int(source[-1].stem.split("-")[0])
    for path in source:
        at, pid = path.stem.split("-")
        (folder / ("%d-%s.x" % (int(at) + shift, pid))).write_bytes(
            path.read_bytes().replace(b"leaky", b"redis-server"))


def elsewhere(line, place):
    """A line of cron or Nagios with the folders of the test; it captures no server of this machine."""
    return line.replace("/var/", "%s/var/" % place).replace("\\%", "%").replace(
        "comm = 'redis-server'", "comm = 'nobody-has-it'")


def run_cron(name, lines, place, env):
    """The import runs first and stores, the check mails its verdict, and the metrics are written."""
    for at, line in sorted(lines, key=lambda x: " import " not in x[1]):
        command = elsewhere(re.sub(r"^(\S+ ){4}\S+ +", "", line), place)
        if "pidof" in command:
            print("skipped: %s:%d: needs a live process: %s" % (name, at, line))
            continue
        output = re.search(r" -o (\S+)", command)
        if output:
            pathlib.Path(output[1].rstrip(";")).parent.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(["sh", "-c", command], cwd=place, env=env, text=True, capture_output=True, check=False)
        # No process of that name need run here.
        quiet = not done.stderr or " capture " in command
        check.true("%s:%d: cron" % (name, at), done.returncode == 0 and quiet,
                   "exit %d: %s\n%s" % (done.returncode, command, done.stderr))
        if output:
            written = pathlib.Path(output[1].rstrip(";"))
            check.true("%s:%d: cron writes" % (name, at), written.is_file() and written.stat().st_size > 0, command)
        if "--check" in command:
            check.true("%s:%d: cron mails" % (name, at), "LEAK" in done.stdout, done.stdout)


def run_nagios(name, number, lines, place, env):
    """Each command prints performance data, and is neither UNKNOWN nor wrong usage."""
    for at, line in enumerate(lines, number):
        command = elsewhere(line.split("=", 1)[1], place)
        done = subprocess.run(["sh", "-c", command], cwd=place, env=env, text=True, capture_output=True, check=False)
        check.true("%s:%d: nagios" % (name, at), done.returncode in (0, 1, 2) and " | " in done.stdout,
                   "exit %d: %s%s" % (done.returncode, done.stdout, done.stderr))


def run_c(name, number, lines, work, env):
    """$PMAPDB_CC compiles the C example with $PMAPDB_LIBRARY; the example prints a line per category."""
    library, compiler = os.environ.get("PMAPDB_LIBRARY"), shlex.split(os.environ.get("PMAPDB_CC", "cc"))
    if not library or not shutil.which(compiler[0]):
        print("skipped: %s:%d: no PMAPDB_LIBRARY, or no %s: the C program" % (name, number, compiler[0]))
        return
    (work / "example.c").write_text("\n".join(lines) + "\n", encoding="utf-8")
    line = [*compiler, "-std=c11", "-Wall", "-Wextra", "-Werror", "-I", str(kit.ROOT / "include"), "example.c",
            "-o", "example", library]
    made = subprocess.run(line, cwd=work, capture_output=True, text=True, check=False)
    if not check.true("%s:%d: compiles" % (name, number), made.returncode == 0, made.stderr):
        return
    env = env | {"LD_LIBRARY_PATH": str(pathlib.Path(library).parent)}
    done = subprocess.run(["./example"], cwd=work, env=env, capture_output=True, text=True, check=False)
    want = [r["category"] + " %s KiB" % r["rss_kib"] for r in kit.rows("categories", db=work / "demo.db")]
    check.equal("%s:%d: the C program" % (name, number), done.stdout.splitlines(), want)


def run_perf(name, number, lines, work, env):
    """A stub of perf records nothing and prints the sample; the program that reads the pipe must accept the sample."""
    stub = pathlib.Path(env["PATH"].split(":")[0]) / "perf"
    stub.write_text("#!/bin/sh\n[ \"$1\" != script ] || cat samples/perf/leaky.script.txt\n")
    stub.chmod(0o755)
    done = subprocess.run(["sh", "-e", "-c", "\n".join(lines)], cwd=work, env=env | {"PMAPDB": "perf.db"},
                          capture_output=True, text=True, check=False)
    stub.unlink()
    check.true("%s:%d: recording" % (name, number), done.returncode == 0 and "21090" in done.stdout,
               "exit %d: %s%s" % (done.returncode, done.stdout, done.stderr))


def asked(text):
    """(line, words) of each command in the second column of a table of questions."""
    within = False
    for number, line in enumerate(text.splitlines(), 1):
        within = line.startswith("| at three in the morning") or within and line.startswith("|")
        if not within or line.startswith("| ---") or "| ask |" in line:
            continue
        for words in re.findall(r"`([^`]+)`", line.split("|")[2]):
            if re.match(r"[a-z][a-z-]+( |$)", words):
                yield number, words


def run_questions(name, text, work, env):
    """Each question is answered. The sample is six minutes long, so an hour ago becomes two minutes ago."""
    for number, words in asked(text):
        words = words.replace("NAME", "leaky").replace("-1h", "-2m").replace("TIME", "2026-11-21T02:51:38Z").replace(" N", " 7")
        done = subprocess.run(["sh", "-c", "pmapdb " + words], cwd=work, env=env | {"PMAPDB": "demo.db"},
                              capture_output=True, text=True, check=False)
        check.true("%s:%d: question" % (name, number), done.returncode in (0, 1),
                   "exit %d: pmapdb %s\n%s" % (done.returncode, words, done.stderr))


def names_files(path):
    """Paths in backticks and linked documents exist."""
    text = path.read_text(encoding="utf-8")
    for name in re.findall(r"`((?:src|tests|queries|schema|samples|include|docs)/[\w./-]+)", text):
        check.true("%s: %s" % (path.name, name), "NAME" in name or list(kit.ROOT.glob(name + "*")), "does not exist")
    for name in re.findall(r"\]\(([\w./-]+)\)", text):
        check.true("%s: %s" % (path.name, name), (path.parent / name).exists(), "does not exist")


def run_document(document, place):
    name, text = document.name, document.read_text(encoding="utf-8")
    work = place / "work"
    work.mkdir(parents=True)
    env = environment(place)
    stand_in(work)
    if name != "README.md":
        env["PMAPDB"] = "demo.db"
        subprocess.run([kit.PROGRAM, "import", "-q", "samples/captures"], cwd=work, env=env, check=True)
    fresh_captures(place / "var" / "log" / "pmap")
    (place / "var" / "lib" / "pmapdb").mkdir(parents=True)
    todo, cron, later = [], [], []
    for number, lines in blocks(text):
        kind = kind_of(lines)
        if kind in ("example", "live"):
            todo += examples(number, lines, kind == "live")
        elif kind == "cron":
            cron += enumerate(lines, number)
        elif kind not in ("shown", "figure"):
            later.append((kind, number, lines))
    if todo:
        run_examples(document, todo, work, env)
    run_cron(name, cron, place, env)
    for kind, number, lines in later:
        if kind is None:
            check.fail("%s:%d" % (name, number), "a block of no known kind: %s" % lines[0])
        else:
            {"nagios": run_nagios, "c": run_c, "perf": run_perf}[kind](name, number, lines, place if kind == "nagios"
                                                                       else work, env)
    run_questions(name, text, work, env)


@contextlib.contextmanager
def serving(place):
    """Runs the program that pmapdb_call talks to."""
    if not CALL:
        yield
        return
    served = pathlib.Path(CALL).with_name("pmapdb_served")
    with subprocess.Popen([served, place / "served"], stdin=subprocess.DEVNULL, env=kit.NO_LEAK_CHECK) as server:
        try:
            yield
        finally:
            server.kill()


def main():
    with kit.Place() as place, serving(place):
        for document in DOCUMENTS:
            run_document(document, place / document.stem)
    for document in [*DOCUMENTS, kit.ROOT / ".github" / "CONTRIBUTING.md"]:
        names_files(document)
    check.true("README.md", (kit.ROOT / "README.md").stat().st_size <= 10240, "more than 10 KiB")
    check.finish()


main()
