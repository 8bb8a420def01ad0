"""An ordinary user captures its own processes and is told which processes it may not read; and it queries
root's store while root goes on capturing."""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "shared"))
import kit

USER = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]


def as_user(*args, **more):
    return subprocess.run(USER + [kit.PROGRAM] + [str(a) for a in args], env=kit.ENVIRONMENT,
                          capture_output=True, text=True, check=False, **more)


def own_and_others(check, place):
    db = place / "t.db"
    shutil.chown(place, "nobody")
    mine = [subprocess.Popen(USER + ["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) for _ in range(3)]
    for process in mine: # an answer shows that the exec is over
        process.stdin.write(b"x")
        process.stdin.flush()
        process.stdout.read(1)
    try:
        done = as_user("capture", "--db", db, "--all", "-f", "ndjson")
    finally:
        for process in mine:
            process.communicate()
    check.equal("status of --all", done.returncode, 0)
    pids = {int(n) for n in re.findall(r'"pid":(\d+)', done.stdout)}
    check.true("own processes are there", {p.pid for p in mine} <= pids, (mine, pids))
    check.true("the others are counted once", len(re.findall(r"\d+ processes? .*cannot be read|\d+ unreadable",
                                                            done.stderr)) == 1, done.stderr)
    done = as_user("capture", "--db", db, os.getpid())
    check.equal("status of another user's process", done.returncode, 2)
    check.equal("one line", len(done.stderr.splitlines()), 1)


def hidden_others(check, place):
    """A /proc that does not even list other users' processes: pmapdb says so once, and does not count them. The
    /proc is that of a pid namespace, in which a shell of root has pid 1: before Linux 5.8, a hidepid option
    applies to every /proc of a pid namespace."""
    own, why_not = kit.own_namespaces("--pid", "--fork", "--mount")
    if why_not:
        print("hidepid is not tested: " + why_not)
        return
    db = place / "t.db"
    shutil.chown(place, "nobody")
    for how, told in (("off", False), ("noaccess", False), ("invisible", True), ("ptraceable", True)):
        inside = [*own, "sh", "-c", 'mount -t proc -o hidepid="$0" proc /proc || exit; "$@"; exit $?', how]
        if subprocess.run(inside + ["true"], capture_output=True, check=False).returncode:
            print("no /proc with hidepid=%s here" % how)
            continue
        command = [kit.PROGRAM, "capture", "--db", str(db)]
        done = subprocess.run(inside + USER + command + ["--all", "--every", "100ms", "--count", "3"],
                              env=kit.ENVIRONMENT, capture_output=True, text=True, check=False)
        check.equal("hidepid=%s: told" % how, done.stderr.count("are hidden: "), int(told))
        check.equal("hidepid=%s: counted" % how, "cannot be read" in done.stderr, not told)
        done = subprocess.run(inside + USER + command + ["1"], env=kit.ENVIRONMENT, capture_output=True, text=True,
                              check=False)
        check.equal("hidepid=%s: one by its pid" % how, (done.returncode, "are hidden: " in done.stderr), (2, told))
        done = subprocess.run(inside + [kit.PROGRAM, "capture", "--db", str(place / "r.db"), "--match", "pid = 1"],
                              env=kit.ENVIRONMENT, capture_output=True, text=True, check=False)
        check.equal("hidepid=%s: nothing is hidden from root" % how, "are hidden: " in done.stderr, False)


def has_snapshot(db):
    try:
        return kit.plain(db).execute("SELECT count(*) FROM snapshot").fetchone()[0] > 0
    except kit.sqlite3.OperationalError: # the store is missing or incomplete
        return False


def asks_root(check, place):
    db = place / "root.db"
    os.chmod(place, 0o755)
    target = subprocess.Popen(["sleep", "1000"])
    capture = subprocess.Popen([kit.PROGRAM, "capture", "--db", str(db), "--match", "pid = %d" % target.pid, "--every",
                                "100ms", "-q", "--mode", "0640", "--group", "nogroup"], env=kit.ENVIRONMENT)
    while not has_snapshot(db):
        time.sleep(0.05)
    for _ in range(20 if kit.full else 5):
        for query in (["groups", "--by", "user"], ["groups", "--by", "name"], ["growth"], ["doctor"]):
            done = as_user(*query, "--db", db, "-f", "csv")
            check.true("a user's %s" % query[0], done.returncode == 0 and done.stdout, (done.returncode, done.stderr))
            check.equal("standard error of %s" % query[0], done.stderr, "")
    capture.send_signal(signal.SIGTERM)
    check.equal("capture went on", capture.wait(), 0)
    done = as_user("groups", "--by", "user", "--db", db, "-f", "csv")
    check.equal("the store after the capture", (done.returncode, "root" in done.stdout), (0, True))
    target.kill()
    target.wait()


if os.getuid() or not shutil.which("setpriv"):
    kit.skip("needs root and setpriv")
kit.main(own_and_others, hidden_others, asks_root)
