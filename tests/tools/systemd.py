"""The units of samples/systemd: systemd accepts them and rates their exposure below 2. Their commands
call nothing that the filters refuse, map no memory that is writable and executable, and capture other users'
processes with the one capability that the units give. Parts are left out, with a message, if systemd-analyze,
strace, setpriv or root is missing."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "shared"))
import kit

UNITS = kit.ROOT / "samples" / "systemd"
EXPOSURE_MAX = 2.0
# Refused calls that pmapdb does not need: files beside the store belong to the service anyhow. strace
# makes them fail here as the filter does.
DISPENSABLE = {"fchown"}
# LeakSanitizer, in a build that has it, needs ptrace, as strace does.
QUIET = dict(kit.ENVIRONMENT, ASAN_OPTIONS="detect_leaks=0")


def lines_of(unit, key):
    return [line.split("=", 1)[1] for line in (UNITS / unit).read_text().splitlines() if line.startswith(key + "=")]


def accepted(check, place):
    """systemd verifies the units as installed, with the path of the program."""
    for unit in sorted(UNITS.glob("*.service")) + sorted(UNITS.glob("*.timer")):
        text = unit.read_text().replace("ExecStart=pmapdb", "ExecStart=" + str(pathlib.Path(kit.PROGRAM).resolve()))
        (place / unit.name).write_text(text.replace("Documentation=man:pmapdb(1)\n", ""))
    for unit in sorted(place.glob("pmapdb-*")):
        done = subprocess.run(["systemd-analyze", "verify", "--man=no", str(unit)], capture_output=True, text=True,
                              check=False)
        said = [line for line in (done.stdout + done.stderr).splitlines() if "pmapdb" in line]
        check.equal("%s: verify" % unit.name, (done.returncode, said), (0, []))


def exposure(check):
    for unit in sorted(UNITS.glob("*.service")):
        done = subprocess.run(["systemd-analyze", "security", "--offline=true", "--no-pager", str(unit)],
                              capture_output=True, text=True, check=False)
        level = re.search(r"Overall exposure level[^:]*: ([0-9.]+)", done.stdout)
        if not level:
            print("systemd-analyze security --offline=true does not work here: %s" % done.stderr.strip()[:100])
            return
        print("%s: exposure %s" % (unit.name, level[1]))
        check.true("%s: exposure" % unit.name, float(level[1]) < EXPOSURE_MAX, level[1])


def members(group, known):
    """The system calls of a group, including those of groups in it."""
    if group not in known:
        said = subprocess.run(["systemd-analyze", "syscall-filter", "--no-pager", group], capture_output=True,
                              text=True, check=True).stdout
        names = [line.strip() for line in said.splitlines()[1:] if line.strip() and line.strip()[0] not in "#"]
        known[group] = set()
        for name in names:
            known[group] |= members(name, known) if name.startswith("@") else {name}
    return known[group]


def allowed(unit):
    known, calls = {}, set()
    for line in lines_of(unit, "SystemCallFilter"):
        names = set().union(*(members(g, known) if g.startswith("@") else {g} for g in line.lstrip("~").split()))
        calls = calls - names if line.startswith("~") else calls | names
    return calls


def calls_of(place, *args):
    log = place / "strace"
    done = subprocess.run(["strace", "-f", "-qq", "-e", "inject=%s:error=EPERM" % ",".join(sorted(DISPENSABLE)),
                           "-o", str(log), kit.PROGRAM] + [str(a) for a in args],
                          env=QUIET, capture_output=True, text=True, check=False)
    text = log.read_text(errors="replace") if log.exists() else ""
    return done, set(re.findall(r"^\d+ +(\w+)\(", text, re.M)), text


def filtered(check, place):
    db = place / "t.db"
    runs = (("pmapdb-capture.service", ("capture", "--db", db, "-q", "--mode", "0640", "--all", "--every", "1s", "--count",
                                        "2", "--on-rss-above", "1K")),
            ("pmapdb-prune.service", ("prune", "--db", db, "-q", "--keep-last", "1", "--max-size", "1G")))
    for unit, args in runs:
        done, calls, text = calls_of(place, *args)
        if not text:
            print("strace does not work here: %s" % done.stderr.strip()[:100])
            return
        check.equal("%s: status under strace" % unit, done.returncode, 0)
        # The first execve starts the program; the filter applies afterwards.
        refused = calls - allowed(unit) - DISPENSABLE - {"execve"}
        check.equal("%s: refused" % unit, sorted(refused), [])
        check.true("%s: calls seen" % unit, len(calls) > 20, calls)
        both = [line for line in text.splitlines() if "PROT_WRITE" in line and "PROT_EXEC" in line]
        check.equal("%s: memory to write and run" % unit, both, [])


def with_its_capability(check, place):
    """An ordinary user with the unit's capability reads a process of root; without it, none."""
    os.chmod(place, 0o755)
    target = subprocess.Popen(["sleep", "100"])
    capabilities = ",".join("+" + name.lower()[4:] for name in lines_of("pmapdb-capture.service", "AmbientCapabilities")[0].split())
    user = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", "--no-new-privs"]
    try:
        for name, more, status in (("with", ["--inh-caps=-all," + capabilities, "--ambient-caps=-all," + capabilities,
                                             "--bounding-set=-all," + capabilities], 0),
                                   ("without", ["--inh-caps=-all", "--bounding-set=-all"], 2)):
            folder = place / name
            folder.mkdir()
            shutil.chown(folder, "nobody", "nogroup")
            done = subprocess.run(user + more + [kit.PROGRAM, "capture", "--db", str(folder / "t.db"), "--mode", "0640",
                                                 str(target.pid)], env=QUIET, capture_output=True, text=True, check=False)
            if "setpriv:" in done.stderr:
                print("setpriv does not work here: %s" % done.stderr.strip()[:100])
                return
            check.equal("%s its capability" % name, done.returncode, status)
    finally:
        target.kill()
        target.wait()


def units(check, place):
    if shutil.which("systemd-analyze"):
        accepted(check, place)
        exposure(check)
    if shutil.which("systemd-analyze") and shutil.which("strace"):
        filtered(check, place)
    if shutil.which("setpriv") and os.getuid() == 0:
        with_its_capability(check, place)
    missing = [tool for tool in ("systemd-analyze", "strace", "setpriv") if not shutil.which(tool)]
    if missing:
        print("not tested, because these are missing: " + ", ".join(missing))
    if not check.done:
        kit.skip("nothing can be tested here")


kit.main(units)
